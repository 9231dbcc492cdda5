"""Everything that is stored about an owner's bots, as a document for the owner, and its erasure."""

from django.db.models import Q
from django.db.models.functions import Now
from django.utils.text import slugify

from webui.accounts import names
from webui.accounts.personal_data import time_text
from webui.accounts.values import TokenLine
from webui.bots.models import Bot, BotState, BotToken, BotVersion
from webui.bots.queries import own_bots
from webui.bots.token_queries import api_tokens
from webui.bots.values import OwnBot
from webui.core.subjects import Document, subjects


def erase_bots(user_id: int) -> None:
    """Retire all bots of a user, revoke their tokens, and erase their names, descriptions and notes."""
    tokens = BotToken.objects.filter(bot__owner=user_id)
    tokens.update(label="", last_address="")
    tokens.filter(revoked_at=None).update(revoked_at=Now())
    bots = list(Bot.objects.filter(owner=user_id).values_list("pk", flat=True))
    for pk in bots:
        name = f"Retired bot {pk}"
        while Bot.objects.filter(Q(skeleton=names.skeleton_of(name)) | Q(slug=slugify(name))).exists():
            name += "x"  # somebody may have taken the name on purpose
        Bot.objects.filter(pk=pk).update(
            name=name,
            slug=slugify(name),
            skeleton=names.skeleton_of(name),
            description="",
            state=BotState.PAUSED,
            retired_at=Now(),
        )
    BotVersion.objects.filter(bot__in=bots).update(note=None)


def bots_of(user_id: int) -> Document:
    """Return the bots of a user with their versions and tokens, and the user's API tokens."""
    tokens = [{**_token(token), "scopes": list(token.scopes)} for token in api_tokens(user_id)]
    return {"account": {"api_tokens": tokens}, "bots": [_bot(own) for own in own_bots(user_id)]}


def _bot(own: OwnBot) -> Document:
    document: Document = {
        "name": own.bot.name,
        "description": own.description,
        "state": own.state,
        "retired": time_text(own.retired_at),
        "tokens": [_token(token) for token in own.tokens],
        "versions": [
            {"name": name, "since": time_text(since), "note": note or "", "retired": time_text(retired)}
            for name, since, note, retired in BotVersion.objects.filter(bot_id=own.bot.id)
            .order_by("pk")
            .values_list("name", "created_at", "note", "retired_at")
        ],
    }
    for subject in subjects():
        document |= subject.personal_data_of_bot(own.bot.id)
    return document


def _token(token: TokenLine) -> Document:
    return {
        "start": token.prefix,
        "label": token.label,
        "issued": time_text(token.created_at),
        "expires": time_text(token.expires_at),
        "last_used": time_text(token.last_used_at),
        "last_address": token.last_address,
        "revoked": time_text(token.revoked_at),
    }
