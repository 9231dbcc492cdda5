"""A template filter for differences in score."""

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def signed_points(points: float) -> str:
    """Format a difference in score as `+4.2` or `−0.8`, with a true minus sign."""
    rounded = round(points, 1)
    return f"{'+' if rounded > 0 else '−' if rounded < 0 else '±'}{number_format(abs(rounded), 1)}"
