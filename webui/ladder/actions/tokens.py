"""Tokens of bots: issued, used, revoked."""

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from webui.ladder import names
from webui.ladder.actions.audit import record_act
from webui.ladder.dbtime import after_now, before_now
from webui.ladder.models import Bot, BotToken
from webui.ladder.tokens import PREFIX_LENGTH, SCOPES, new_token, token_digest
from webui.ladder.values import OPERATOR, Act, Actor, BadRequest, NewToken, NotFound, TooMany

MOST_TOKENS = 50
"""Of one bot, that are not revoked."""
LONGEST_LABEL = 40
DAY = 24 * 3600
USE_NOTED_S = 60.0
"""A use is written down at most this often, unless it comes from another address."""


@transaction.atomic
def issue_token(
    bot_id: int, *, scopes: tuple[str, ...] = SCOPES, label: str = "", days: int | None = None, by: Actor = OPERATOR
) -> NewToken:
    """A new token for the bot, good for so many days or until it is revoked. This is the only time that it exists in
    clear."""
    if unknown := set(scopes) - set(SCOPES):
        raise BadRequest(f"unknown scopes {sorted(unknown)}: use {', '.join(SCOPES)}")
    if days is not None and not 1 <= days <= 3650:
        raise BadRequest("a token is good for 1 to 3650 days")
    if len(label) > LONGEST_LABEL:
        raise BadRequest(f"a token's label has at most {LONGEST_LABEL} characters")
    names.check_characters(label, "a token's label")
    bot = Bot.objects.select_for_update().filter(pk=bot_id).first()  # one at a time: each counts the others
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    if BotToken.objects.filter(bot=bot, revoked_at=None).count() >= MOST_TOKENS:
        raise TooMany(f"a bot has at most {MOST_TOKENS} tokens: revoke the ones that are not used")
    token = new_token()
    row = BotToken.objects.create(
        bot=bot,
        digest=token_digest(token),
        prefix=token[:PREFIX_LENGTH],
        scopes=list(scopes),
        label=label,
        expires_at=None if days is None else after_now(days * DAY),
    )
    record_act(Act.TOKEN_ISSUED, bot.owner_id, by=by, subject=_named(row))
    return NewToken(row.pk, token)


@transaction.atomic
def revoke_token(token_id: int, *, by: Actor = OPERATOR) -> None:
    """End a token for good. Revoking it again changes nothing."""
    row = BotToken.objects.select_related("bot").filter(pk=token_id).first()
    if row is None:
        raise NotFound(f"there is no token {token_id}")
    if BotToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=Now()):
        record_act(Act.TOKEN_REVOKED, row.bot.owner_id, by=by, subject=_named(row))


def note_token_used(token_id: int, address: str = "") -> None:
    """Remember that a bot came in with this token just now, from this address (as in `BotToken`)."""
    is_news = Q(last_used_at=None) | Q(last_used_at__lt=before_now(USE_NOTED_S)) | ~Q(last_address=address[:64])
    BotToken.objects.filter(is_news, pk=token_id).update(last_used_at=Now(), last_address=address[:64])


def _named(token: BotToken) -> str:
    label = f" ({token.label})" if token.label else ""
    return f"{token.bot.name}: {token.prefix}…{label}"
