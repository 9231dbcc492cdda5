"""Rests and waiting times.

A bot that declines offers, does not answer them or is often gone when they come is left out of pairing for a while
(`arena.scheduling`). This module also measures how fast seats are filled.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Q
from django.db.models.functions import Now

from arena.scheduling import FAILURES_COUNT_S, rest_s
from webui.bots.models import Bot, BotToken
from webui.bots.values import BotRef
from webui.core.dbtime import before_now
from webui.matches.models import MatchState, Participant

# Values of pairing.


@dataclass(frozen=True)
class Rest:
    """A period during which a bot is left out of the pairing."""

    failures: int
    """Number of offers that were declined, not answered or often missed within a day."""
    seconds: float
    """Seconds until the rest ends."""
    until: datetime
    """Time at which the rest ends, by the database's clock."""
    bots: tuple[str, ...]
    """Names of the bots that failed: the bot itself, or bots of the same owner."""


LATELY_MIN = 10
ONE_MOMENT = timedelta(seconds=10)
FREE_ABSENCES = 2
"""Number of moments within a day at which a bot may be gone when offers come, without a rest. Connections break."""
FEWEST_FAILING = 2
"""Minimum number of an owner's bots that fail before their failures count for the owner's other bots, too."""


def rests(bots: Mapping[int, int]) -> dict[int, Rest]:
    """Return the bots that rest now, by bot id, according to the database's clock. Challenges are ignored.

    `bots`: owner ids by bot id.
    """
    recent = Participant.objects.filter(
        match__finished_at__gt=before_now(FAILURES_COUNT_S), match__challenge_match=None
    )
    failed = recent.filter(
        Q(has_declined=True) | Q(was_absent=True),
        version__bot__is_house=False,
        version__bot__owner_id__in=set(bots.values()),
    )
    of_bot: dict[int, list[datetime]] = {}
    of_owner: dict[int, list[int]] = {}
    names: dict[int, str] = {}
    absences: dict[int, list[datetime]] = {}
    """The moments at which each bot was gone. A broken connection may cost it several offers at once."""
    for bot, name, owner, at, was_absent in failed.order_by("match__finished_at").values_list(
        "version__bot_id", "version__bot__name", "version__bot__owner_id", "match__finished_at", "was_absent"
    ):
        assert at is not None  # as filtered
        if was_absent:
            moments = absences.setdefault(bot, [])
            if not moments or at - moments[-1] > ONE_MOMENT:
                moments.append(at)
            if len(moments) <= FREE_ABSENCES:
                continue
        if bot not in of_bot:
            names[bot] = name
            of_owner.setdefault(owner, []).append(bot)
        of_bot.setdefault(bot, []).append(at)
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
    resting: dict[int, Rest] = {}
    for bot in suspects:
        # If several bots of an owner fail, a bot that finishes no match counts as one more of them: a new name is no
        # fresh start. One bot that fails costs no other bot anything.
        failing = of_owner[bots[bot]]
        causes = [bot] if bot in finishers or len(failing) < FEWEST_FAILING else failing
        times = sorted(time for cause in causes for time in of_bot.get(cause, []))
        failures = _failures(times)
        until = max(times, default=now) + timedelta(seconds=rest_s(failures))
        if until > now:
            failed_bots = tuple(names[cause] for cause in causes)
            resting[bot] = Rest(failures, (until - now).total_seconds(), until, failed_bots)
    return resting


def _failures(times: Sequence[datetime]) -> int:
    """Count the failed offers. Failures at the same moment count once, because one cause may end many matches."""
    count, last = 0, datetime.min.replace(tzinfo=UTC)
    for time in times:
        if time - last > ONE_MOMENT:
            count, last = count + 1, time
    return count


def rests_of(bots: Iterable[BotRef]) -> dict[int, Rest]:
    """Return the bots among `bots` that rest now, by bot id. Needs at most three queries."""
    return rests({bot.id: bot.owner_id for bot in bots})


def rests_of_seats(match_id: str, seats: Sequence[int]) -> dict[int, Rest]:
    """Return the rests of the bots at these seats of a match, by seat. Seats whose bots do not rest are left out."""
    sat = Participant.objects.filter(match_id=match_id, seat__in=seats)
    bots = {seat: (bot, owner) for seat, bot, owner in sat.values_list("seat", "version__bot", "version__bot__owner")}
    resting = rests(dict(bots.values()))
    return {seat: resting[bot] for seat, (bot, _) in bots.items() if bot in resting}


def rests_of_tokens(token_ids: Iterable[int]) -> dict[int, Rest]:
    """Return the rests of the bots of these tokens, by token. Tokens whose bots do not rest are left out."""
    rows = BotToken.objects.filter(pk__in=token_ids).values_list("pk", "bot_id", "bot__owner_id")
    bots = {token: (bot, owner) for token, bot, owner in rows}
    resting = rests(dict(bots.values()))
    return {token: resting[bot] for token, (bot, _) in bots.items() if bot in resting}


def seats_a_minute() -> float:
    """Return how many seats of ladder matches were filled a minute, averaged over the last ten minutes."""
    recent = Participant.objects.filter(
        match__created_at__gt=before_now(60 * LATELY_MIN), match__rated=True, match__event_match=None
    )
    return recent.count() / LATELY_MIN


def _now() -> datetime:
    """Return the time of the database's clock."""
    now: datetime | None = Bot.objects.annotate(now=Now()).values_list("now", flat=True).first()
    return now or datetime.now(UTC)
