"""Settings under which every process of an arena fails, with secrets in its exceptions and variables.

Set DJANGO_SETTINGS_MODULE=tests.host.sabotage for a process. It works until the file `broken` is in ARENA_VAR; `arena
up` works until the file `broken-up` is there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from django.apps import AppConfig

from webui.settings import *  # noqa: F403
from webui.settings import INSTALLED_APPS, MIDDLEWARE, VAR

IS_BROKEN = VAR / ("broken-up" if sys.argv[1:2] == ["up"] else "broken")
CANARY_NONCE = bytes(range(0x80, 0x90))
CANARY_PASSWORD = "simoom over dunes"


class Sabotage(AppConfig):
    """Breaks a function of each process."""

    name = "tests.host.sabotage"
    label = "sabotage"

    def ready(self) -> None:
        """Replace good functions by failing ones."""
        from webui.bots import token_queries
        from webui.matches import ownership
        from webui.matches import queries as match_queries
        from webui.staff import doctor
        from webui.webhooks import messages

        _break(token_queries, "session_for_token")  # gateway
        _break(ownership, "claim_match")  # referee
        _break(messages, "note_presence", with_nonce=True)  # upkeep: only it has this task; every worker sweeps
        _break(doctor, "examine", with_nonce=True)  # arena admin doctor
        if sys.argv[1:2] == ["up"]:
            _break(match_queries, "match_counts", with_nonce=True)


def _break(owner: Any, name: str, *, with_nonce: bool = False) -> None:
    intact = getattr(owner, name)

    def broken(*arguments: Any, **options: Any) -> Any:
        result = intact(*arguments, **options)
        if not IS_BROKEN.exists():
            return result
        if with_nonce:
            password, nonce = CANARY_PASSWORD, CANARY_NONCE
            raise RuntimeError(f"{name} is broken: {nonce!r}, {nonce.hex()}, password={password!r}")
        secret = getattr(result, "server_seed", None)
        if secret is None and result is None and name == "claim_match":
            return None
        raise RuntimeError(f"{name} is broken: {arguments!r} {secret!r} {secret.hex() if secret else ''}")

    setattr(owner, name, broken)


def break_site(get_response: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A middleware that fails with everything in the request."""

    def middleware(request: Any) -> Any:
        if IS_BROKEN.exists():
            session, form = request.COOKIES.get("sessionid"), request.POST.dict()
            raise RuntimeError(f"the site is broken: {session}, {form!r}, {request.headers!r}")
        return get_response(request)

    return middleware


INSTALLED_APPS = [*INSTALLED_APPS, "tests.host.sabotage.Sabotage"]
MIDDLEWARE = [*MIDDLEWARE, "tests.host.sabotage.break_site"]
