"""Template filters for the numbers of fairness reports."""

from typing import Any

from django import template
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()
# `number_format` truncates digits, so round numbers before you pass them.


@register.filter
def percent(share: float) -> str:
    """Format a share as `51.2 %`."""
    return f"{number_format(round(100 * share, 1), 1)} %"


@register.filter
def points(score: float | None) -> str:
    """Format a score as `112.4`."""
    return "–" if score is None else number_format(round(score, 1), 1)


@register.filter
def p_value(p: float | None) -> str:
    """Format a p-value as `0.31` or `< 0.001`, or as a dash if there was no test."""
    if p is None:
        return "–"
    places = 2 if p >= 0.1 else 3
    return number_format(round(p, places), places) if p >= 0.001 else f"< {number_format(0.001, 3)}"


@register.simple_tag
def share_bar(line: Any) -> SafeString:
    """Draw an interval around the equal share in the middle. Screen readers skip it: the numbers stand beside it."""
    return format_html(
        '<svg class="interval" width="100%" height="20" aria-hidden="true"><line x1="0" x2="100%" y1="10" y2="10"/>'
        '<line x1="50%" x2="50%" y1="0" y2="20"/>'
        '<rect class="interval-band" x="{}%" y="6" width="{}%" height="8" rx="4"/>'
        '<svg x="{}%" y="0" width="1" height="20" overflow="visible">'
        '<rect class="interval-middle" x="-1.5" y="2" width="3" height="16" rx="1.5"/></svg></svg>',
        line.left, line.width, line.middle,
    )  # fmt: skip
