"""Fits of the published ratings.

A ladder is due for a fit when its finishes have grown by a tenth since the last fit, or by `MOST_NEW`, or when that fit
is a day old. The joint fit of all ladders of a clock takes longer. It is due when their finishes have grown by a tenth,
or once a day.

A fit reads the finishes up to a number and writes the results in one transaction. It writes nothing if a fit of more
finishes has been written in the meantime. Several processes may therefore fit at the same time, and may be killed.

A fit covers the latest `MOST_FINISHES` finishes of a ladder. It includes the `MOST_VERSIONS` versions that played last,
and all house versions. Its time grows linearly with the number of finishes, and with the cube of the number of
versions. Its memory grows with the square of the number of versions.

The *front view* of a ladder has at most one version of each bot. Candidates are the versions that have not retired and
whose last rated match ended less than `IDLE_DAYS` days ago. The one with the highest lower bound is shown, so a new
version replaces an old one as soon as it is known well enough. Ranks are ranks in the front view.

This module needs NumPy and SciPy, which referees do not load. Import it only where it is needed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
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
from webui.core.upkeep import UpkeepWorker
from webui.ladders.models import Ladder
from webui.matches.models import Match, Participant
from webui.ratings.models import TREND, Fit, PublishedRating, Standing
from webui.ratings.queries import HISTORY
from webui.ratings.values import JointParameters, LadderParameters

MOST_NEW = 100
DAILY = timedelta(days=1)
IDLE_DAYS = 14
FEWEST_ANCHORS = 3
MOST_VERSIONS = 2000
MOST_FINISHES = 100_000
KEPT_POINTS = HISTORY
TURNS = 20
"""Number of fits over which the deletion of old history is spread. Each fit handles one version in so many."""
BATCH = 500
INSTANT = timedelta(milliseconds=1)

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class LadderFinishes:
    """The finishes of a ladder, as input of a fit."""

    games: list[RatedGame]
    """Games whose `bots` are ids of versions."""
    forfeits: Counter[int]
    """Number of forfeits, by version id."""

    @property
    def versions(self) -> frozenset[int]:
        """The ids of the versions that played."""
        return frozenset(version for game in self.games for version in game.bots)


def is_due(fitted: int, finished: int, is_old: bool, most_new: float = inf) -> bool:
    """Return whether a list with `finished` finishes is due for a fit.

    `fitted`: the number of finishes that the last fit covered.
    `is_old`: whether the last fit is more than a day old.
    `most_new`: the number of new finishes after which a fit is due in any case.
    """
    if not finished:
        return False
    return is_old or finished - fitted >= min(most_new, max(1, fitted // 10))


def fit_now(worker: UpkeepWorker) -> None:
    """Publish the ratings of the ladders that are due. It may take a minute."""
    fit_due()


def fit_due() -> list[str]:
    """Fit every list that is due. Return the names of the fitted ladders, and the clocks of the joint fits."""
    # Read the fits before the ladders, whose counts grow. Only after a rebuild can a fit cover more than they count.
    fits = {fit.ladder_id or fit.clock: fit for fit in Fit.objects.all()}
    old = {fit.ladder_id or fit.clock for fit in Fit.objects.filter(made_at__lt=before_now(DAILY.total_seconds()))}
    fitted = []
    by_clock: dict[str, list[Ladder]] = {}
    for ladder in Ladder.objects.order_by("pk"):
        by_clock.setdefault(json.dumps(ladder.clock.document(), sort_keys=True, separators=(",", ":")), []).append(
            ladder
        )
        if is_due(_covered(fits.get(ladder.pk), ladder.finished), ladder.finished, ladder.pk in old, MOST_NEW):
            fitted += _fitted(ladder.slug, partial(fit_ladder, ladder))
    for clock, ladders in by_clock.items():
        played = [ladder for ladder in ladders if ladder.finished]
        finished = sum(ladder.finished for ladder in played)
        if is_due(_covered(fits.get(clock), finished), finished, clock in old) and len(played) > 1:
            fitted += _fitted(clock, partial(fit_together, clock, played))
    return fitted


def _fitted(name: str, make: Callable[[], None]) -> list[str]:
    """Make a fit. Return its name in a list, or an empty list if it failed, so that the other fits continue."""
    try:
        make()
    except Exception:
        log.exception("ladder_not_fitted", ladder=name)
        return []
    return [name]


def _covered(made: Fit | None, finished: int) -> int:
    """Return the number of finishes that a fit covers. Return 0 if there is no fit.

    A rebuild may lower a ladder's count. A fit that then covers too many finishes is deleted with its ratings, because
    no later fit would replace it.
    """
    if made is None:
        return 0
    if made.finished > finished:
        Fit.objects.filter(pk=made.pk, finished=made.finished).delete()
        return 0
    return made.finished


def fit_again(slugs: Collection[str]) -> None:
    """Fit these ladders and make all joint fits, even if they are not due."""
    Fit.objects.filter(ladder__slug__in=slugs).update(made_at=before_now(2 * DAILY.total_seconds()))
    Fit.objects.filter(clock__isnull=False).update(made_at=before_now(2 * DAILY.total_seconds()))
    fit_due()


def fit_ladder(ladder: Ladder) -> None:
    """Fit the finishes that this row counts, and publish the ratings."""
    house = house_versions([ladder])
    played = read_games(ladder, recent_versions([ladder], house))
    result = fit(played.games, anchors(house & played.versions), bot_of=bots_of([ladder]), constant=house)
    places = [[*place, *worth] for place, worth in result.places.items()]
    parameters = LadderParameters(places, list(result.ties), result.spread, result.drift)
    begun = begin(ladder=ladder)
    front = front_view([ladder], lows_of(result))
    publish(begun, ladder.finished, rows_of(result, front, played.forfeits), parameters)


def fit_together(clock: str, ladders: Sequence[Ladder]) -> None:
    """Fit the finishes that these ladders of one clock count, and publish one joint rating for each version."""
    forfeits: Counter[int] = Counter()
    house = house_versions(ladders)
    recent, bot_of = recent_versions(ladders, house), bots_of(ladders)

    def fits() -> Iterator[GameFit]:  # one at a time, because each has several matrices of versions × versions
        for ladder in ladders:
            played = read_games(ladder, recent)
            if played.games:
                forfeits.update(played.forfeits)
                yield fit(played.games, bot_of=bot_of, spread=PRIOR_SD, constant=house)  # `overall` undoes it

    result = overall(fits(), anchors(house), bot_of)
    covered = {ladder.slug: ladder.finished for ladder in ladders}
    parameters = JointParameters(result.tau, result.correlation, covered)
    begun = begin(clock=clock)
    front = front_view(ladders, lows_of(result.ratings))
    publish(begun, sum(covered.values()), rows_of(result.ratings, front, forfeits), parameters)


def house_versions(ladders: Sequence[Ladder]) -> frozenset[int]:
    """Return the house versions that have recently played on these ladders."""
    return frozenset(
        version
        for ladder in ladders
        for version in _lately_on(ladder).filter(version__bot__is_house=True).values_list("version_id", flat=True)
    )


def _lately_on(ladder: Ladder) -> QuerySet[Standing]:
    """Return the standings of the versions that have played in the latest `MOST_FINISHES` finishes."""
    return Standing.objects.filter(ladder=ladder, number__gt=ladder.finished - MOST_FINISHES)


def bots_of(ladders: Sequence[Ladder]) -> dict[int, int]:
    """Return the bot of each version that has played on these ladders, by version id."""
    return dict(Standing.objects.filter(ladder__in=ladders).values_list("version_id", "version__bot_id"))


def anchors(house: frozenset[int]) -> frozenset[int]:
    """Return the versions whose mean is the origin of the points.

    With fewer than `FEWEST_ANCHORS` house versions there are no anchors. The origin is then the mean of all versions.
    """
    return house if len(house) >= FEWEST_ANCHORS else frozenset()


def recent_versions(ladders: Sequence[Ladder], house: frozenset[int]) -> frozenset[int] | None:
    """Return the versions that a fit of these ladders covers. Return None if it covers all."""
    # Look up only the last match of each standing instead of reading all matches.
    at = Match.objects.filter(ladder=OuterRef("ladder"), ladder_number=OuterRef("number")).values("finished_at")
    last: dict[int, datetime] = {}
    for ladder in ladders:
        for version, ended in _lately_on(ladder).values_list("version_id", Subquery(at[:1])):
            last[version] = max(ended, last.get(version, ended))
    if len(last) <= MOST_VERSIONS:
        return None
    return frozenset(sorted(last, key=lambda version: (last[version], version))[-MOST_VERSIONS:]) | house


def read_games(ladder: Ladder, versions: Collection[int] | None = None) -> LadderFinishes:
    """Read the latest `MOST_FINISHES` finishes, up to the last one that this row counts.

    `versions`: the versions to keep in the games; None keeps all of them.
    """
    rows = Participant.objects.filter(
        match__ladder=ladder,
        match__ladder_number__lte=ladder.finished,
        match__ladder_number__gt=ladder.finished - MOST_FINISHES,
    )
    games: list[RatedGame] = []
    forfeits: Counter[int] = Counter()
    seats: list[tuple[int, int, int]] = []
    gone: list[int] = []
    last = 0

    def add() -> None:
        game = _game(seats)
        for rated_game in [game] if versions is None else among([game], versions):
            games.append(rated_game)
            forfeits.update(version for version in gone if version in rated_game.bots)

    for number, version, placement, bid, gave_up in (
        rows.order_by("match__ladder_number", "seat")
        .values_list("match__ladder_number", "version_id", "placement", "first_bid", "forfeited_at")
        .iterator(chunk_size=10_000)
    ):
        assert number is not None and placement is not None and bid is not None  # a rated finish has all three
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


def _game(seats: list[tuple[int, int, int]]) -> RatedGame:
    return RatedGame(*zip(*seats, strict=True))


def lows_of(result: Ratings) -> dict[int, float]:
    """Return the lower bound of each version's interval in points, by version id."""
    lows = result.ratings - Z * np.sqrt(np.diag(result.covariance))
    return dict(zip(result.bots, lows.tolist(), strict=True))


def front_view(ladders: Sequence[Ladder], lows: Mapping[int, float]) -> frozenset[int]:
    """Return the versions in the front view of these ladders. `lows`: the lower bound of each version's interval."""
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
            surest[bot] = max(version, surest.get(bot, version), key=lambda candidate: (lows[candidate], candidate))
    return frozenset(surest.values())


def rows_of(result: Ratings, front: Collection[int], forfeits: Mapping[int, int]) -> list[PublishedRating]:
    """Return one published row for each version in the fit, not yet assigned to a list.

    A bot's rank by points can fall outside its rank interval when many other bots are uncertain. The interval is then
    widened to include it.
    """
    shown = {standing.bot: standing for standing in standings(result.only(front))} if front else {}
    rows = []
    errors = np.sqrt(np.diag(result.covariance))
    for version, points, error, games in zip(result.bots, result.ratings, errors, result.games, strict=True):
        standing = shown.get(version)
        rows.append(
            PublishedRating(
                version_id=version,
                is_current=True,
                points=float(points),
                low=float(points - Z * error),
                high=float(points + Z * error),
                games=games,
                forfeits=forfeits[version],
                rank=standing and standing.rank,
                best_rank=standing and min(standing.rank, standing.best_rank),
                worst_rank=standing and max(standing.rank, standing.worst_rank),
                better=standing and standing.better,
                is_settled=bool(standing and standing.is_settled),
                games_needed=standing and standing.games_needed,
            )
        )
    return rows


def begin(**whose: Any) -> Fit:
    """Return the row of a list, created if it is new. Call this before reading the front view."""
    return Fit.objects.get(pk=Fit.objects.get_or_create(**whose)[0].pk)


@transaction.atomic
def publish(
    begun: Fit, finished: int, rows: Sequence[PublishedRating], parameters: LadderParameters | JointParameters
) -> None:
    """Replace the published ratings of a list, unless a fit of more finishes has already done so.

    If a version has played since its last row, that row stays as history. If the list was made due again after `begun`
    was read, it stays due.
    """
    fit_id = begun.pk
    # The row is locked from here on. If two processes have the same fit, the second one writes the same rows again.
    if not Fit.objects.filter(pk=fit_id, finished__lte=finished).update(finished=finished, terms=asdict(parameters)):
        return
    # SQLite compares times as text, and they may differ in their number of digits.
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
    """Delete the history of a rating except its latest `KEPT_POINTS` points, since pages show no more."""
    former = PublishedRating.objects.filter(fit=row.fit_id, version=row.version_id, is_current=False)
    last = former.order_by("-finished").values_list("finished", flat=True)[KEPT_POINTS : KEPT_POINTS + 1].first()
    if last is not None:
        former.filter(finished__lte=last).delete()
