"""The time and address at which each session of a user was last seen."""

import time
from typing import Any

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from webui.accounts import sessions
from webui.core.middleware import Handler
from webui.core.visitors import address_of, has_read_user

SEEN = "seen"
"""Key in the session of the time when it was last stored."""
NOTED_S = 600
"""Minimum number of seconds between two updates."""


@sync_and_async_middleware
def note_seen(get_response: Any) -> Handler:
    """Update the last-seen time of the session of a signed-in request.

    This happens only if the request has read its user. No other request has any cost.
    """
    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            response: HttpResponseBase = await get_response(request)
            if _is_due(request):
                await sync_to_async(note_now)(request)
            return response

        return answer_async

    def answer(request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = get_response(request)
        if _is_due(request):
            note_now(request)
        return response

    return answer


def _is_due(request: HttpRequest) -> bool:
    if not has_read_user(request) or not request.session.session_key:
        return False
    return time.time() - float(request.session.get(SEEN, 0)) > NOTED_S


def note_now(request: HttpRequest) -> None:
    """Update the last-seen time of this request's session."""
    assert request.user.pk is not None and request.session.session_key is not None
    request.session[SEEN] = int(time.time())
    agent = request.headers.get("User-Agent", "")
    sessions.note_session(request.user.pk, request.session.session_key, address=address_of(request), agent=agent)
