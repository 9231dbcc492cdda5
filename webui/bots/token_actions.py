"""Tokens of bots, and API tokens of users: issued, used, revoked."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from webui.accounts import names
from webui.accounts.audit import record_act
from webui.accounts.models import ApiToken, User
from webui.accounts.tokens import (
    API_SCOPES,
    API_TOKEN_START,
    BOT_SCOPES,
    SHOWN_LENGTH,
    TOKEN_START,
    new_token,
    token_digest,
)
from webui.accounts.values import OPERATOR, Act, Actor, Caller, NewToken
from webui.bots.models import Bot, BotToken
from webui.core.dbtime import after_now, before_now
from webui.core.errors import BadRequest, NotFound, TooMany

MOST_TOKENS = 50
"""Of one bot, that are not revoked."""
MOST_API_TOKENS = 20
"""Of one user, that are not revoked."""
LONGEST_LABEL = 40
DAY = 24 * 3600
USE_NOTED_S = 60.0
"""A use is written down at most this often, unless it comes from another address."""


@transaction.atomic
def issue_token(
    bot_id: int,
    *,
    scopes: Collection[str] = BOT_SCOPES,
    label: str = "",
    days: int | None = None,
    made_with: int | None = None,
    by: Actor = OPERATOR,
) -> NewToken:
    """A new token for the bot, good for so many days or until it is revoked, whatever becomes of the API token that it
    is `made_with` and that the log names. This is the only time that it exists in clear."""
    _check(scopes, BOT_SCOPES, label, days)
    bot = Bot.objects.select_for_update().filter(pk=bot_id).first()  # one at a time: each counts the others
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    if BotToken.objects.filter(bot=bot, revoked_at=None).count() >= MOST_TOKENS:
        raise TooMany(f"a bot has at most {MOST_TOKENS} tokens: revoke the ones that are not used")
    row = BotToken(bot=bot)
    new = _save(row, TOKEN_START, scopes, label, days)
    maker = None if made_with is None else ApiToken.objects.filter(pk=made_with).first()
    subject = f"{bot.name}: {_named(row)}" + (f" ← {_named(maker)}" if maker else "")
    record_act(Act.TOKEN_ISSUED, bot.owner_id, by=by, subject=subject)
    return new


@transaction.atomic
def issue_api_token(
    user_id: int, scopes: Collection[str], *, label: str = "", days: int | None = None, by: Actor = OPERATOR
) -> NewToken:
    """A new API token of the user, as `issue_token` makes one for a bot. `scopes`: some of `API_SCOPES`; none: it reads
    what is public, within the limits of its own."""
    _check(scopes, API_SCOPES, label, days)
    if not User.objects.select_for_update(no_key=True).filter(pk=user_id).exists():  # one at a time
        raise NotFound(f"there is no user {user_id}")
    if ApiToken.objects.filter(user=user_id, revoked_at=None).count() >= MOST_API_TOKENS:
        raise TooMany(f"a user has at most {MOST_API_TOKENS} API tokens: revoke the ones that are not used")
    row = ApiToken(user_id=user_id)
    new = _save(row, API_TOKEN_START, scopes, label, days)
    record_act(Act.TOKEN_ISSUED, user_id, by=by, subject=_named(row))
    return new


def _check(scopes: Collection[str], known: Collection[str], label: str, days: int | None) -> None:
    if unknown := set(scopes) - set(known):
        raise BadRequest(f"unknown scopes {sorted(unknown)}: use {', '.join(known)}")
    if days is not None and not 1 <= days <= 3650:
        raise BadRequest("a token is good for 1 to 3650 days")
    if len(label) > LONGEST_LABEL:
        raise BadRequest(f"a token's label has at most {LONGEST_LABEL} characters")
    names.check_characters(label, "a token's label")


def _save(row: BotToken | ApiToken, start: str, scopes: Collection[str], label: str, days: int | None) -> NewToken:
    token = new_token(start)
    row.digest = token_digest(token)
    row.prefix = token[: len(start) + SHOWN_LENGTH]
    row.scopes = sorted(set(scopes))
    row.label = label
    row.expires_at = None if days is None else after_now(days * DAY)
    row.save(force_insert=True)
    return NewToken(row.pk, token)


@transaction.atomic
def revoke_token(token_id: int, *, by: Actor = OPERATOR) -> None:
    """End a bot's token for good. Revoking it again changes nothing."""
    row = BotToken.objects.select_related("bot").filter(pk=token_id).first()
    if row is None:
        raise NotFound(f"there is no token {token_id}")
    if BotToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=Now()):
        record_act(Act.TOKEN_REVOKED, row.bot.owner_id, by=by, subject=f"{row.bot.name}: {_named(row)}")


@transaction.atomic
def revoke_api_token(token_id: int, user_id: int, *, by: Actor = OPERATOR) -> None:
    """End an API token of this user's for good. Revoking it again changes nothing."""
    row = ApiToken.objects.filter(pk=token_id, user=user_id).first()
    if row is None:
        raise NotFound(f"there is no API token {token_id} of this user")
    if ApiToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=Now()):
        record_act(Act.TOKEN_REVOKED, user_id, by=by, subject=_named(row))


def note_token_used(token_id: int, address: str = "") -> None:
    """Remember that a bot came in with this token just now, from this address (as in `BotToken`)."""
    _note_used(BotToken.objects.filter(pk=token_id), address)


def note_caller(caller: Caller, address: str) -> None:
    """Remember that this token was shown to the HTTP API just now, from this address."""
    if caller.bot is not None:
        note_token_used(caller.token_id, address)
    else:
        _note_used(ApiToken.objects.filter(pk=caller.token_id), address)


def _note_used(token: QuerySet[BotToken] | QuerySet[ApiToken], address: str) -> None:
    address = address[:64]
    news = Q(last_used_at=None) | Q(last_used_at__lt=before_now(USE_NOTED_S)) | ~Q(last_address=address)
    if token.filter(news).exists():  # looked for first: an update locks a database in a file, even where it finds none
        token.filter(news).update(last_used_at=Now(), last_address=address)


def _named(token: BotToken | ApiToken) -> str:
    return f"{token.prefix}…" + (f" ({token.label})" if token.label else "")
