"""Who waits how long for a match: bots that are left out for a while, since they declined offers or did not answer them
(`arena.scheduling`), and how fast seats are filled."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from django.db.models.functions import Now

from arena.scheduling import FAILURES_COUNT_S, rest_s
from webui.bots.models import Bot
from webui.bots.values import BotRef
from webui.core.dbtime import before_now
from webui.matches.models import MatchState, Participant
from webui.pairing.values import Rest

LATELY_MIN = 10
ONE_MOMENT = timedelta(seconds=10)


def rests(bots: Mapping[int, int]) -> dict[int, Rest]:
    """Of these bots (with their owners) those that rest now, by the database's clock. Challenges count neither way."""
    recent = Participant.objects.filter(
        match__finished_at__gt=before_now(FAILURES_COUNT_S), match__challenge_match=None
    )
    failed = recent.filter(
        has_declined=True, version__bot__is_house=False, version__bot__owner_id__in=set(bots.values())
    )
    of_bot: dict[int, list[datetime]] = {}
    of_owner: dict[int, list[datetime]] = {}
    for bot, owner, at in failed.order_by("match__finished_at").values_list(
        "version__bot_id", "version__bot__owner_id", "match__finished_at"
    ):
        assert at is not None  # as filtered
        of_bot.setdefault(bot, []).append(at)
        of_owner.setdefault(owner, []).append(at)
    if not of_owner:
        return {}
    suspects = [bot for bot, owner in bots.items() if owner in of_owner]
    finishers = set(
        recent.filter(version__bot_id__in=suspects, match__state=MatchState.FINISHED, forfeited_at=None)
        .values_list("version__bot_id", flat=True)
        .distinct()
        .order_by()
    )
    now = _now()
    found: dict[int, Rest] = {}
    for bot in suspects:
        # A bot that finishes nothing is measured by all bots of its owner: a new name does not begin anew.
        times = of_bot.get(bot, []) if bot in finishers else of_owner[bots[bot]]
        failures = _failures(times)
        until = max(times, default=now) + timedelta(seconds=rest_s(failures))
        if until > now:
            found[bot] = Rest(failures, (until - now).total_seconds())
    return found


def _failures(times: Sequence[datetime]) -> int:
    """How often an offer failed: those of one moment count once, for one cause may end many matches."""
    count, last = 0, datetime.min.replace(tzinfo=UTC)
    for time in times:
        if time - last > ONE_MOMENT:
            count, last = count + 1, time
    return count


def rests_of(bots: Iterable[BotRef]) -> dict[int, Rest]:
    """Of these bots those that are left out now, by id: at most three queries."""
    return rests({bot.id: bot.owner_id for bot in bots})


def rests_of_seats(match_id: str, seats: Sequence[int]) -> dict[int, Rest]:
    """Of these seats of a match those whose bots are left out now."""
    sat = Participant.objects.filter(match_id=match_id, seat__in=seats)
    bots = {seat: (bot, owner) for seat, bot, owner in sat.values_list("seat", "version__bot", "version__bot__owner")}
    found = rests(dict(bots.values()))
    return {seat: found[bot] for seat, (bot, _) in bots.items() if bot in found}


def seats_a_minute() -> float:
    """How many seats of the ladders' own matches were filled in a minute, over the last ten."""
    recent = Participant.objects.filter(
        match__created_at__gt=before_now(60 * LATELY_MIN), match__rated=True, match__event_match=None
    )
    return recent.count() / LATELY_MIN


def _now() -> datetime:
    """The time by the database's clock."""
    now: datetime | None = Bot.objects.annotate(now=Now()).values_list("now", flat=True).first()
    return now or datetime.now(UTC)
