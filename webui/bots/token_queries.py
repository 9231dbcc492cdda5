"""Queries of tokens: their owners, and the lines that owners see."""

from collections.abc import Collection, Sequence
from typing import Final

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from webui.accounts.models import ApiToken
from webui.accounts.values import BotIdentity, Caller, TokenLine, token_digest
from webui.bots.models import BotState, BotToken

REVOKED: Final = 20
"""Maximum number of revoked tokens listed for a bot or a user."""
HAS_EXPIRED: Final = Q(expires_at__lte=Now())
"""Whether a token has expired by the database's clock. `token_lines` needs it as `has_expired`."""
_LASTS: Final = Q(expires_at=None) | Q(expires_at__gt=Now())


def session_for_token(token: str) -> BotIdentity | None:
    """Return the bot that may play with this token.

    Return None if the token is unknown, expired, revoked, or not for playing, or if its owner is locked.
    """
    row = _valid().filter(digest=token_digest(token)).select_related("bot").first()
    if row is None or "play" not in row.scopes:
        return None
    bot = row.bot
    return BotIdentity(bot.pk, bot.name, bot.owner_id, row.pk, bot.is_house)


def caller(token: str) -> Caller | None:
    """Return the caller of the HTTP API who sent this token: an API token, or a bot's own.

    Return None in the same cases as `session_for_token`.
    """
    valid = ApiToken.objects.filter(_LASTS, revoked_at=None, user__is_active=True)
    row = valid.filter(digest=token_digest(token)).first()
    if row is not None:
        return Caller(row.user_id, row.pk, frozenset(row.scopes), None)
    bot = session_for_token(token)
    return Caller(bot.owner_id, bot.token_id, frozenset({"play"}), bot) if bot else None


def valid_tokens(token_ids: Collection[int]) -> set[int]:
    """Return which of these tokens of bots are valid: not expired, not revoked, and with an owner who is not locked."""
    return set(_valid().filter(pk__in=token_ids).values_list("pk", flat=True))


def resting_bots(token_ids: Collection[int]) -> dict[int, str]:
    """Return the tokens among these whose bots get no new matches, with the reason: LOCKED, RETIRED or PAUSED."""
    rows = BotToken.objects.filter(pk__in=token_ids).exclude(bot__state=BotState.ACTIVE)
    return {
        token: "RETIRED" if retired_at and state != BotState.LOCKED else str(state)
        for token, state, retired_at in rows.values_list("pk", "bot__state", "bot__retired_at")
    }


def valid_digests() -> frozenset[str]:
    """Return the digests of all valid tokens of bots."""
    return frozenset(_valid().values_list("digest", flat=True).iterator())


def _valid() -> QuerySet[BotToken]:
    return BotToken.objects.filter(_LASTS, revoked_at=None, bot__owner__is_active=True)


def api_tokens(user_id: int) -> list[TokenLine]:
    """Return the user's API tokens, as `token_lines` lists them."""
    return token_lines(list(ApiToken.objects.filter(user=user_id).annotate(has_expired=HAS_EXPIRED)))


def token_lines(tokens: Sequence[BotToken] | Sequence[ApiToken]) -> list[TokenLine]:
    """Return the lines of tokens, oldest first: all that can be revoked, and the latest that have been revoked."""
    revoked = sorted((token for token in tokens if token.revoked_at), key=lambda token: token.pk)[-REVOKED:]
    shown = [token for token in tokens if not token.revoked_at or token in revoked]
    return [_line(token) for token in sorted(shown, key=lambda token: token.pk)]


def _line(token: BotToken | ApiToken) -> TokenLine:
    return TokenLine(
        id=token.pk,
        prefix=token.prefix,
        label=token.label,
        scopes=tuple(token.scopes),
        created_at=token.created_at,
        expires_at=token.expires_at,
        last_used_at=token.last_used_at,
        last_address=token.last_address,
        revoked_at=token.revoked_at,
        has_expired=bool(vars(token)["has_expired"]),
    )
