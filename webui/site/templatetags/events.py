"""Words of events for templates."""

from django import template

from webui.site.events import words

register = template.Library()


@register.filter
def state_name(state: str) -> str:
    """The state of an event in words."""
    return str(words.STATES[state])


@register.filter
def state_style(state: str) -> str:
    """The style of its chip."""
    return words.STATE_STYLES.get(state, "")


@register.filter
def format_name(kind: str) -> str:
    """A kind of format in words."""
    return words.format_name(kind)


@register.filter
def minutes(seconds: int) -> str:
    """`5`, `½`: seconds as minutes."""
    return words.minutes(seconds)
