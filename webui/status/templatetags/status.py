"""Filters of the status page."""

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def short_ms(milliseconds: float) -> str:
    """Format a duration of a few milliseconds with two significant digits."""
    places = 2 if milliseconds < 1 else 1 if milliseconds < 10 else 0
    return f"{number_format(round(milliseconds, places), places)} ms"


@register.filter
def share_of_time(share: float) -> str:
    """Format a share of time in percent. A share below 1 is never rounded up to 100 %."""
    shown = int(share * 10_000) / 100
    return f"{number_format(shown, 0 if shown == 100 else 2)} %"
