"""Erasure of an owner's bots. Their matches and ratings stay, under anonymous names."""

from django.db.models import Q
from django.db.models.functions import Now
from django.utils.text import slugify

from webui.accounts import names
from webui.bots.models import Bot, BotState, BotToken, BotVersion


def erase_bots(user_id: int) -> None:
    """Retire all bots of a user, revoke their tokens, and erase their names, descriptions and notes."""
    tokens = BotToken.objects.filter(bot__owner=user_id)
    tokens.update(label="", last_address="")
    tokens.filter(revoked_at=None).update(revoked_at=Now())
    bots = list(Bot.objects.filter(owner=user_id).values_list("pk", flat=True))
    for pk in bots:
        name = f"Retired bot {pk}"
        while Bot.objects.filter(Q(look=names.look(name)) | Q(slug=slugify(name))).exists():
            name += "x"  # somebody may have taken the name on purpose
        Bot.objects.filter(pk=pk).update(
            name=name,
            slug=slugify(name),
            look=names.look(name),
            description="",
            state=BotState.PAUSED,
            retired_at=Now(),
        )
    BotVersion.objects.filter(bot__in=bots).update(note=None)
