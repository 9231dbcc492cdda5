"""What is published of the ladders: each is fitted anew as its finishes grow, and once a day.

A ladder is due when its finishes have grown by a tenth since its last fit, at the most by `MOST_NEW`, or when that is a
day old; all ladders of one clock together, which take longer, when theirs have grown by a tenth, or once a day. The fit
reads the finishes up to a number and writes what follows from them in one transaction, unless a fit of more finishes
has been written meanwhile: so any number of processes may do it at once, and be killed.

A fit has the latest `MOST_FINISHES` finishes of a ladder, and of those at most the `MOST_VERSIONS` versions that played
last, and the house's: its time grows with the number of finishes and with the cube of that of versions, its memory with
the square.

The *front view* of a ladder has one version of each bot: of those that have not retired and whose last rated match
ended less than `IDLE_DAYS` days ago, the one whose interval begins highest, so that a new version takes the place of a
former one when it is known well enough. Ranks are those of the front view.

This needs NumPy and SciPy, which referees do without: import it only where it is needed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import inf
from typing import Any

import numpy as np
import structlog
from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Now

from arena.ratings.batch import PRIOR_SD, RatedGame, Ratings, among, fit
from arena.ratings.batch import BatchFit as GameFit
from arena.ratings.overall import overall
from arena.ratings.standing import Z, standings
from webui.core.dbtime import before_now
from webui.ladders.models import Ladder
from webui.matches.models import Match, Participant
from webui.ratings.models import TREND, Fit, PublishedRating, Standing
from webui.ratings.queries import HISTORY

MOST_NEW = 100
DAILY = timedelta(days=1)
IDLE_DAYS = 14
FEWEST_ANCHORS = 3
MOST_VERSIONS = 2000
MOST_FINISHES = 100_000
KEPT_POINTS = HISTORY
TURNS = 20
"""One version in so many has its old history deleted at a fit; at the next fit others."""
BATCH = 500
INSTANT = timedelta(milliseconds=1)

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class LadderFinishes:
    """The finishes of a ladder, as a fit reads them."""

    games: list[RatedGame]
    """Their bots are versions."""
    forfeits: Counter[int]
    """Of each version."""

    @property
    def versions(self) -> frozenset[int]:
        """Who played."""
        return frozenset(version for game in self.games for version in game.bots)


def is_due(fitted: int, finished: int, is_old: bool, most_new: float = inf) -> bool:
    """Whether a list of so many finishes is to be fitted again after a fit of `fitted` of them."""
    if not finished:
        return False
    return is_old or finished - fitted >= min(most_new, max(1, fitted // 10))


def fit_due() -> list[str]:
    """Fit what is due; the names of the ladders, and the clocks of which all ladders were fitted together."""
    # Read before the ladders, whose counts of finishes grow: no fit covers more than they count, but after a rebuild.
    fits = {fit.ladder_id or fit.clock: fit for fit in Fit.objects.all()}
    old = {fit.ladder_id or fit.clock for fit in Fit.objects.filter(made_at__lt=before_now(DAILY.total_seconds()))}
    done = []
    by_clock: dict[str, list[Ladder]] = {}
    for ladder in Ladder.objects.order_by("pk"):
        by_clock.setdefault(json.dumps(ladder.clock, sort_keys=True, separators=(",", ":")), []).append(ladder)
        if is_due(_covered(fits.get(ladder.pk), ladder.finished), ladder.finished, ladder.pk in old, MOST_NEW):
            done += _fitted(ladder.slug, partial(fit_ladder, ladder))
    for clock, ladders in by_clock.items():
        played = [ladder for ladder in ladders if ladder.finished]
        finished = sum(ladder.finished for ladder in played)
        if is_due(_covered(fits.get(clock), finished), finished, clock in old) and len(played) > 1:
            done += _fitted(clock, partial(fit_together, clock, played))
    return done


def _fitted(name: str, make: Callable[[], None]) -> list[str]:
    """The name, if the fit was made: where one fails, which is our fault, the others go on."""
    try:
        make()
    except Exception:
        log.exception("ladder_not_fitted", ladder=name)
        return []
    return [name]


def _covered(made: Fit | None, finished: int) -> int:
    """How many finishes a fit covers. One that covers more than there were later, since a rebuild has lowered the
    count, is deleted with its ratings: no fit of what there is would replace it."""
    if made is None:
        return 0
    if made.finished > finished:
        Fit.objects.filter(pk=made.pk, finished=made.finished).delete()
        return 0
    return made.finished


def fit_again(slugs: Collection[str]) -> None:
    """Fit these ladders, and all together, due or not."""
    Fit.objects.filter(ladder__slug__in=slugs).update(made_at=before_now(2 * DAILY.total_seconds()))
    Fit.objects.filter(clock__isnull=False).update(made_at=before_now(2 * DAILY.total_seconds()))
    fit_due()


def fit_ladder(ladder: Ladder) -> None:
    """Fit the finishes that this row counts, and publish what follows."""
    house = house_versions([ladder])
    played = read_games(ladder, recent_versions([ladder], house))
    result = fit(played.games, anchors(house & played.versions), bot_of=bots_of([ladder]), constant=house)
    terms = {
        "places": [[*place, *worth] for place, worth in result.places.items()],
        "ties": list(result.ties),
        "spread": result.spread,
        "drift": result.drift,
    }
    begun = begin(ladder=ladder)
    front = front_view([ladder], lows_of(result))
    publish(begun, ladder.finished, rows_of(result, front, played.forfeits), terms)


def fit_together(clock: str, ladders: Sequence[Ladder]) -> None:
    """Fit the finishes that these ladders of one clock count, and publish one strength over all of them."""
    forfeits: Counter[int] = Counter()
    house = house_versions(ladders)
    recent, bot_of = recent_versions(ladders, house), bots_of(ladders)
    drifts: dict[str, float] = {}

    def fits() -> Iterator[GameFit]:  # one at a time: each has several matrices of versions × versions
        for ladder in ladders:
            played = read_games(ladder, recent)
            if played.games:
                forfeits.update(played.forfeits)
                found = fit(played.games, bot_of=bot_of, spread=PRIOR_SD, constant=house)  # the spread is undone
                drifts[ladder.slug] = found.drift
                yield found
                del found

    result = overall(fits(), anchors(house), bot_of)
    covered = {ladder.slug: ladder.finished for ladder in ladders}
    terms = {"tau": result.tau, "correlation": result.correlation, "finished": covered, "drifts": drifts}
    begun = begin(clock=clock)
    front = front_view(ladders, lows_of(result.ratings))
    publish(begun, sum(covered.values()), rows_of(result.ratings, front, forfeits), terms)


def house_versions(ladders: Sequence[Ladder]) -> frozenset[int]:
    """The house versions that have played there."""
    return frozenset(
        version
        for ladder in ladders
        for version in _lately_on(ladder).filter(version__bot__is_house=True).values_list("version_id", flat=True)
    )


def _lately_on(ladder: Ladder) -> QuerySet[Standing]:
    """The standings of the versions that have played in the latest `MOST_FINISHES`."""
    return Standing.objects.filter(ladder=ladder, number__gt=ladder.finished - MOST_FINISHES)


def bots_of(ladders: Sequence[Ladder]) -> dict[int, int]:
    """The bots of all versions that have played on these ladders."""
    return dict(Standing.objects.filter(ladder__in=ladders).values_list("version_id", "version__bot_id"))


def anchors(house: frozenset[int]) -> frozenset[int]:
    """Those whose mean the points are given against; none if they are fewer than `FEWEST_ANCHORS`: then it is the mean
    of all versions."""
    return house if len(house) >= FEWEST_ANCHORS else frozenset()


def recent_versions(ladders: Sequence[Ladder], house: frozenset[int]) -> frozenset[int] | None:
    """The versions that a fit of these ladders has; None: all."""
    # Of each standing the match that it follows from: not all matches are gone through.
    at = Match.objects.filter(ladder=OuterRef("ladder"), ladder_number=OuterRef("number")).values("finished_at")
    last: dict[int, datetime] = {}
    for ladder in ladders:
        for version, ended in _lately_on(ladder).values_list("version_id", Subquery(at[:1])):
            last[version] = max(ended, last.get(version, ended))
    if len(last) <= MOST_VERSIONS:
        return None
    return frozenset(sorted(last, key=lambda version: (last[version], version))[-MOST_VERSIONS:]) | house


def read_games(ladder: Ladder, versions: Collection[int] | None = None) -> LadderFinishes:
    """From the tables, the latest `MOST_FINISHES` up to the last one that this row counts; of these versions, if they
    are given."""
    rows = Participant.objects.filter(
        match__ladder=ladder,
        match__ladder_number__lte=ladder.finished,
        match__ladder_number__gt=ladder.finished - MOST_FINISHES,
    )
    games: list[RatedGame] = []
    forfeits: Counter[int] = Counter()
    seats: list[tuple[int, int, int | None]] = []
    gone: list[int] = []
    last = 0

    def add() -> None:
        game = _game(seats)
        for kept in [game] if versions is None else among([game], versions):
            games.append(kept)
            forfeits.update(version for version in gone if version in kept.bots)

    for number, version, placement, bid, gave_up in (
        rows.order_by("match__ladder_number", "seat")
        .values_list("match__ladder_number", "version_id", "placement", "first_bid", "forfeited_at")
        .iterator(chunk_size=10_000)
    ):
        assert number is not None and placement is not None  # a rated finish has both
        if number != last and seats:
            add()
            seats.clear()
            gone.clear()
        last = number
        seats.append((version, placement, bid))
        if gave_up is not None:
            gone.append(version)
    if seats:
        add()
    return LadderFinishes(games, forfeits)


def _game(seats: list[tuple[int, int, int | None]]) -> RatedGame:
    versions, placements, bids = zip(*seats, strict=True)
    return RatedGame(versions, placements, () if None in bids else bids)


def lows_of(result: Ratings) -> dict[int, float]:
    """Where the interval of each version begins, in points."""
    lows = result.ratings - Z * np.sqrt(np.diag(result.covariance))
    return dict(zip(result.bots, lows.tolist(), strict=True))


def front_view(ladders: Sequence[Ladder], lows: Mapping[int, float]) -> frozenset[int]:
    """Of the versions that have played on these ladders those in the front view; `lows`: where their intervals
    begin."""
    awake: set[int] = set()
    for ladder in ladders:
        recent = Match.objects.filter(
            ladder=ladder, ladder_number__lte=ladder.finished, finished_at__gte=before_now(IDLE_DAYS * 86_400)
        )
        awake.update(Participant.objects.filter(match__in=recent).values_list("version_id", flat=True).distinct())
    surest: dict[int, int] = {}
    rows = Standing.objects.filter(ladder__in=ladders, version__retired_at=None, version__bot__retired_at=None)
    for version, bot in rows.values_list("version_id", "version__bot_id"):
        if version in lows and version in awake:
            surest[bot] = max(version, surest.get(bot, version), key=lambda one: (lows[one], one))
    return frozenset(surest.values())


def rows_of(result: Ratings, front: Collection[int], forfeits: Mapping[int, int]) -> list[PublishedRating]:
    """What is published of a fit, one row a version, not yet of any list.

    Of a bot among many that are known less well the rank by points may lie outside of its interval: that is widened.
    """
    shown = {one.bot: one for one in standings(result.only(front))} if front else {}
    rows = []
    errors = np.sqrt(np.diag(result.covariance))
    for version, points, error, games in zip(result.bots, result.ratings, errors, result.games, strict=True):
        one = shown.get(version)
        rows.append(
            PublishedRating(
                version_id=version,
                is_current=True,
                points=float(points),
                low=float(points - Z * error),
                high=float(points + Z * error),
                games=games,
                forfeits=forfeits[version],
                rank=one and one.rank,
                best_rank=one and min(one.rank, one.best_rank),
                worst_rank=one and max(one.rank, one.worst_rank),
                better=one and one.better,
                is_settled=bool(one and one.is_settled),
                games_needed=one and one.games_needed,
            )
        )
    return rows


def begin(**whose: Any) -> Fit:
    """The row of a list as it is before the front view is read; made, if it is new."""
    return Fit.objects.get(pk=Fit.objects.get_or_create(**whose)[0].pk)


@transaction.atomic
def publish(begun: Fit, finished: int, rows: Sequence[PublishedRating], terms: Mapping[str, Any]) -> None:
    """Replace what is published of a list, unless a fit of more finishes has done so. A row whose version has played
    since stays as its history. A list that was made due since it was `begun` stays due."""
    fit_id = begun.pk
    # The row is locked from here on: of two processes with the same fit the second one writes the same once more.
    if not Fit.objects.filter(pk=fit_id, finished__lte=finished).update(finished=finished, terms=dict(terms)):
        return
    # SQLite compares times as texts, of which not all have as many digits.
    same = (begun.made_at - INSTANT, begun.made_at + INSTANT)
    Fit.objects.filter(pk=fit_id, made_at__range=same).update(made_at=Now())
    current = PublishedRating.objects.filter(fit=fit_id, is_current=True)
    before = {row.version_id: row for row in current.only("version_id", "games", "finished", "trend")}
    replaced = []
    for row in rows:
        row.fit_id, row.finished = fit_id, finished
        trend: list[int] = []
        if former := before.get(row.version_id):
            trend = former.trend
            if former.games == row.games or former.finished == finished:
                replaced.append(former.pk)
                trend = trend[:-1]
        row.trend = [*trend, round(row.points)][-TREND:]
    for first in range(0, len(replaced), BATCH):
        PublishedRating.objects.filter(pk__in=replaced[first : first + BATCH]).delete()
    current.update(is_current=False)
    PublishedRating.objects.bulk_create(rows, batch_size=BATCH)
    for row in rows:
        if (row.version_id + finished // MOST_NEW) % TURNS == 0:
            _forget_points(row)


def _forget_points(row: PublishedRating) -> None:
    """Delete the history of a rating before its latest `KEPT_POINTS`, which are all that a page shows."""
    former = PublishedRating.objects.filter(fit=row.fit_id, version=row.version_id, is_current=False)
    last = former.order_by("-finished").values_list("finished", flat=True)[KEPT_POINTS : KEPT_POINTS + 1].first()
    if last is not None:
        former.filter(finished__lte=last).delete()
