"""Bots that are left out for a while, since they declined offers or did not answer them (`arena.scheduling`)."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from django.db.models import Count, Max
from django.db.models.functions import Now

from arena.scheduling import FAILURES_COUNT_S, rest_s
from webui.ladder.dbtime import before_now
from webui.ladder.models import Bot, MatchState, Participant
from webui.ladder.values import BotRef, Rest


def rests(bots: Mapping[int, int]) -> dict[int, Rest]:
    """Of these bots (with their owners) those that rest now, by the database's clock."""
    recent = Participant.objects.filter(match__finished_at__gt=before_now(FAILURES_COUNT_S))
    failed = recent.filter(has_declined=True, version__bot__owner_id__in=set(bots.values()))
    of_bot: dict[int, tuple[int, datetime]] = {}
    of_owner: dict[int, tuple[int, datetime]] = {}
    for bot, owner, failures, last in (
        failed.values_list("version__bot_id", "version__bot__owner_id")
        .annotate(failures=Count("pk"), last=Max("match__finished_at"))
        .order_by()
    ):
        of_bot[bot] = failures, last
        others, latest = of_owner.get(owner, (0, last))
        of_owner[owner] = others + failures, max(latest, last)
    if not of_owner:
        return {}
    suspects = [bot for bot, owner in bots.items() if owner in of_owner]
    finishers = set(
        recent.filter(version__bot_id__in=suspects, match__state=MatchState.FINISHED)
        .values_list("version__bot_id", flat=True)
        .distinct()
        .order_by()
    )
    now = _now()
    found: dict[int, Rest] = {}
    for bot in suspects:
        # A bot that finishes nothing is measured by all bots of its owner: a new name does not begin anew.
        failures, last = of_bot.get(bot, (0, now)) if bot in finishers else of_owner[bots[bot]]
        until = last + timedelta(seconds=rest_s(failures))
        if until > now:
            found[bot] = Rest(failures, (until - now).total_seconds())
    return found


def rests_of(bots: Iterable[BotRef]) -> dict[int, Rest]:
    """Of these bots those that are left out now, by id: at most three queries."""
    return rests({bot.id: bot.owner_id for bot in bots})


def _now() -> datetime:
    """The time by the database's clock."""
    now: datetime | None = Bot.objects.annotate(now=Now()).values_list("now", flat=True).first()
    return now or datetime.now(UTC)
