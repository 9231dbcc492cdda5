"""Actions on the tokens of bots and the API tokens of users: issue, use, revoke."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from webui.accounts import names
from webui.accounts.actions import record_act
from webui.accounts.models import ApiToken, User
from webui.accounts.values import (
    API_SCOPES,
    API_TOKEN_START,
    BOT_SCOPES,
    OPERATOR,
    SHOWN_LENGTH,
    TOKEN_START,
    Act,
    Actor,
    Caller,
    NewToken,
    new_token,
    token_digest,
)
from webui.bots.models import Bot, BotToken
from webui.core.dbtime import after_now, before_now
from webui.core.errors import BadRequest, NotFound, TooMany

MOST_TOKENS = 50
"""Maximum number of tokens of one bot that are not revoked."""
MOST_API_TOKENS = 20
"""Maximum number of tokens of one user that are not revoked."""
LONGEST_LABEL = 40
DAY = 24 * 3600
USE_NOTED_S = 60.0
"""Minimum number of seconds between two stored uses from the same address."""


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
    """Make a new token for the bot, and return it in clear text for the only time.

    It is valid for `days` days, or until it is revoked. `made_with` is the API token of the request, which the log
    names. The new token stays valid when that one is revoked.
    """
    _check(scopes, BOT_SCOPES, label, days)
    bot = Bot.objects.select_for_update().filter(pk=bot_id).first()  # locked, because each call counts the tokens
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
    """Make a new API token of the user, as `issue_token` does for a bot.

    `scopes` are some of `API_SCOPES`. Without any, the token reads only what is public, within its own rate limits.
    """
    _check(scopes, API_SCOPES, label, days)
    if not User.objects.select_for_update(no_key=True).filter(pk=user_id).exists():  # locked, as in `issue_token`
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
        raise BadRequest("a token is valid for 1 to 3650 days")
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
    """Revoke a bot's token permanently. A repeated call changes nothing."""
    row = BotToken.objects.select_related("bot").filter(pk=token_id).first()
    if row is None:
        raise NotFound(f"there is no token {token_id}")
    if BotToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=Now()):
        record_act(Act.TOKEN_REVOKED, row.bot.owner_id, by=by, subject=f"{row.bot.name}: {_named(row)}")


@transaction.atomic
def revoke_api_token(token_id: int, user_id: int, *, by: Actor = OPERATOR) -> None:
    """Revoke an API token of this user permanently. A repeated call changes nothing."""
    row = ApiToken.objects.filter(pk=token_id, user=user_id).first()
    if row is None:
        raise NotFound(f"there is no API token {token_id} of this user")
    if ApiToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=Now()):
        record_act(Act.TOKEN_REVOKED, user_id, by=by, subject=_named(row))


def note_token_used(token_id: int, address: str = "") -> None:
    """Store that a bot has just connected with this token, from this address (as in `BotToken`)."""
    _note_used(BotToken.objects.filter(pk=token_id), address)


def note_caller(caller: Caller, address: str) -> None:
    """Store that this token was just sent to the HTTP API, from this address."""
    if caller.bot is not None:
        note_token_used(caller.token_id, address)
    else:
        _note_used(ApiToken.objects.filter(pk=caller.token_id), address)


def _note_used(token: QuerySet[BotToken] | QuerySet[ApiToken], address: str) -> None:
    address = address[:64]
    news = Q(last_used_at=None) | Q(last_used_at__lt=before_now(USE_NOTED_S)) | ~Q(last_address=address)
    if token.filter(news).exists():  # ask first: in SQLite even an update without rows locks the database
        token.filter(news).update(last_used_at=Now(), last_address=address)


def _named(token: BotToken | ApiToken) -> str:
    return f"{token.prefix}…" + (f" ({token.label})" if token.label else "")
