"""Filters of the status page."""

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def short_ms(milliseconds: float) -> str:
    """A time of a few milliseconds, with two digits that count."""
    places = 2 if milliseconds < 1 else 1 if milliseconds < 10 else 0
    return f"{number_format(round(milliseconds, places), places)} ms"


@register.filter
def share_of_time(share: float) -> str:
    """Never rounded up to all of the time."""
    shown = int(share * 10_000) / 100
    return f"{number_format(shown, 0 if shown == 100 else 2)} %"
