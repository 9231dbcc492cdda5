"""Template filters and tags for events."""

from django import template

from webui.events import tree
from webui.events import words as event_words

register = template.Library()


@register.filter
def state_name(state: str) -> str:
    """Return the state of an event in words."""
    return str(event_words.STATES[state])


@register.filter
def state_style(state: str) -> str:
    """Return the style of the chip for a state."""
    return event_words.STATE_STYLES.get(state, "")


@register.filter
def svg(length: float) -> str:
    """Format a length of a drawing, with a decimal point in every language."""
    return f"{length:g}"


@register.filter
def rows(number: int) -> int:
    """Return the height of this number of rows of a bracket."""
    return tree.ROW * number


@register.filter
def format_name(kind: str) -> str:
    """Return a kind of format in words."""
    return event_words.format_name(kind)


@register.filter
def duration(seconds: int) -> str:
    """Format a duration as `5 min` or `20 s`."""
    return event_words.length_words(seconds)


@register.filter
def moment(text: str) -> str:
    """Return a time of the terms in words."""
    return event_words.moment_words(text)
