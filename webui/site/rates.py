"""Limits of what visitors may ask for by GET; the decorator of django-allauth counts forms alone."""

from __future__ import annotations

from allauth.core.internal import ratelimit
from django.http import HttpRequest, HttpResponse


def refused(request: HttpRequest, action: str) -> HttpResponse | None:
    """Count a request; the answer (429) if it is one too many (`ACCOUNT_RATE_LIMITS`)."""
    if ratelimit.consume(request, app="allauth.account", action=action, limit_get=True):
        return None
    answer = ratelimit.respond_429(request)
    assert isinstance(answer, HttpResponse)
    return answer
