"""Changes of bots' presence, for owners who are notified of them."""

from collections.abc import Collection
from typing import Final

from django.db import transaction
from django.db.models import F, Q

from webui.bots.models import Bot
from webui.core.upkeep import UpkeepWorker
from webui.webhooks.messages import tell_presence
from webui.webhooks.models import BotPresence

OFFLINE_AFTER: Final = 6
"""Number of consecutive misses after which a bot is offline.

Misses are counted, not time. While the bus is unavailable nothing is counted, so no bot goes offline.
"""


def note_now(worker: UpkeepWorker) -> None:
    """Record which bots are connected now."""
    note_presence({presence.bot for presence in worker.presences() if presence.connected})


def note_presence(online: Collection[int]) -> None:
    """Record which bots are connected now, by id, and notify owners of changes.

    It is called every few seconds, by one process at a time.
    """
    counted = list(BotPresence.objects.filter(Q(is_online=True) | Q(bot__in=online)))
    away = [row.pk for row in counted if row.is_online and row.pk not in online]
    short = [row.pk for row in counted if row.is_online and row.misses and row.pk in online]
    back = [row.pk for row in counted if not row.is_online]
    new = set(online) - {row.pk for row in counted}
    new &= set(Bot.objects.filter(pk__in=new, is_house=False).values_list("pk", flat=True))
    if not (away or short or back or new):
        return
    with transaction.atomic():
        rows = BotPresence.objects.filter(is_online=True)
        rows.filter(pk__in=short).update(misses=0)
        rows.filter(pk__in=away).update(misses=F("misses") + 1)
        gone = list(rows.filter(pk__in=away, misses__gte=OFFLINE_AFTER).values_list("pk", flat=True))
        BotPresence.objects.bulk_create(
            [BotPresence(bot_id=bot, is_online=False) for bot in new], ignore_conflicts=True
        )
        _change(gone, is_online=False)
        _change([*back, *new], is_online=True)


def _change(bots: Collection[int], *, is_online: bool) -> None:
    for row in BotPresence.objects.filter(pk__in=bots).select_related("bot").order_by("pk"):
        same = BotPresence.objects.filter(pk=row.pk, is_online=not is_online, changes=row.changes)
        if same.update(is_online=is_online, misses=0, changes=row.changes + 1):
            tell_presence(row.bot, row.changes + 1, is_online=is_online)
