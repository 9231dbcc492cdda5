"""Callers, their tokens, and the scopes that routes need. Cookies are ignored, so no browser can be tricked into a
call.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils import translation
from django.utils.text import slugify

from webui.accounts import queries as account_queries
from webui.accounts.security import notify
from webui.accounts.values import Act, Actor, Caller
from webui.api.problems import Problem
from webui.bots import queries as bot_queries
from webui.bots import token_actions, token_queries
from webui.bots.values import OwnBot
from webui.core.errors import NotFound
from webui.core.visitors import address_of

Scope = Literal["read", "bots", "challenges", "events", "webhooks", "play"]

SCOPES: Final[dict[Scope, str]] = {
    "read": "Read what only you see of your bots, events and notices.",
    "bots": "Register bots, pause and set them, release versions, make and revoke their tokens.",
    "challenges": "Make challenges and comparisons.",
    "events": "Enter events, and organise your own.",
    "webhooks": "Add and change webhooks, and read their messages.",
    "play": "A bot's own token: challenges in which the bot has a seat.",
}
"""Acts that a token with this scope allows."""


class Request(HttpRequest):
    """A request as routes receive it."""

    caller: Caller | None
    """Caller, or None for a stranger."""


def identify(request: HttpRequest) -> Caller | None:
    """Return the caller whose token the request has, or None if it has none. Raise `Problem` if the token is not
    valid.
    """
    header = request.headers.get("Authorization")
    if header is None:
        return None
    kind, _, token = header.partition(" ")
    caller = token_queries.caller(token.strip()) if kind.lower() == "bearer" else None
    if caller is None:
        raise Problem("BAD_TOKEN", "the token is unknown, expired or revoked: make a new one in your account")
    token_actions.note_caller(caller, address_of(request))
    return caller


def needs(*scopes: Scope) -> dict[str, Any]:
    """Return the options of a route that needs a token with one of these scopes: `@router.post("/bots",
    **needs("bots"))`.
    """

    def check(request: Request) -> Caller:
        if request.caller is None:
            raise Problem("BAD_TOKEN", "send a token in the header `Authorization: Bearer …`")
        if request.caller.scopes.isdisjoint(scopes):
            needed = f"this needs a token with the scope {' or '.join(scopes)}"
            if request.caller.bot is not None:
                needed += "; yours is a bot's own, to dial in with: make an API token in your account"
            raise Problem("MISSING_SCOPE", needed)
        return request.caller

    return {"auth": check, "openapi_extra": {"security": [{"token": [scope]} for scope in scopes]}}


def caller(request: Request) -> Caller:
    """Return the caller of a route that `needs` a scope."""
    assert request.caller is not None
    return request.caller


def reader(request: Request) -> int | None:
    """Return the user who may read more than strangers may. Return None if the caller reads only what is public."""
    identity = request.caller
    return identity.user_id if identity is not None and "read" in identity.scopes else None


def actor(request: Request) -> Actor:
    """Return the caller of a route that `needs` a scope, as an actor for the audit log."""
    return Actor(caller(request).user_id, address_of(request))


def check_email(request: Request) -> None:
    """Raise `Problem` if the caller has no confirmed email address, and the arena requires one before it makes
    tokens.
    """
    if settings.VERIFIED_EMAIL and not account_queries.has_verified_email(caller(request).user_id):
        raise Problem("EMAIL_UNCONFIRMED", "confirm your email address first: your account's page sends the link")


def tell_owner(request: Request, act: Act, subject: str) -> None:
    """Notify the caller by email of an act, as soon as it is committed."""
    contact = account_queries.contact(caller(request).user_id)

    def tell() -> None:
        with translation.override(contact.language or "en"):
            notify(request, contact, act, subject)

    transaction.on_commit(tell)


def own_bot(request: Request, slug: str) -> OwnBot:
    """Return one of the caller's bots, by its name or the name in its address. Raise `NotFound` if it is somebody
    else's.
    """
    for own in bot_queries.own_bots(caller(request).user_id):
        if own.bot.slug == slugify(slug):
            return own
    raise NotFound(f"you have no bot {slug!r}")
