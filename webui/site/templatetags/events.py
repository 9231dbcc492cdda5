"""Words of events for templates."""

from typing import Any

from django import template

from webui.events import tree
from webui.events import words as event_words
from webui.notices import queries as notice_queries

register = template.Library()


@register.filter
def state_name(state: str) -> str:
    """The state of an event in words."""
    return str(event_words.STATES[state])


@register.filter
def state_style(state: str) -> str:
    """The style of its chip."""
    return event_words.STATE_STYLES.get(state, "")


@register.filter
def svg(length: float) -> str:
    """A length of a drawing, with a point in every language."""
    return f"{length:g}"


@register.filter
def rows(number: int) -> int:
    """The height of so many rows of a bracket."""
    return tree.ROW * number


@register.filter
def format_name(kind: str) -> str:
    """A kind of format in words."""
    return event_words.format_name(kind)


@register.filter
def duration(seconds: int) -> str:
    """`5 min`, `20 s`."""
    return event_words.length_words(seconds)


@register.filter
def moment(text: str) -> str:
    """A time of the terms in words."""
    return event_words.moment_words(text)


@register.simple_tag(takes_context=True)
def unread(context: Any) -> int:
    """How many notices the visitor has not read; asked once a page, whose head says it twice."""
    request = context["request"]
    if not hasattr(request, "unread_notices"):
        request.unread_notices = notice_queries.unread_notices(request.user.pk)
    return int(request.unread_notices)
