"""Checks of all ratings, computed again from the records.

The checks cover results, places in the first bidding, the fold that matchmaking uses, and the published ratings. The
latter are computed with the second implementation in `arena.ratings.slow`.

The published ratings are read first, each list in one query with its fit. Then the records are read, those of later
matches included. Ratings published in the meantime are not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from django.db.models import Count, Max, Min

from arena.ratings.batch import SAME_SPREAD, RatedGame, Ratings, among
from arena.ratings.overall import LEAST, MOST
from arena.ratings.slow import SlowFit, slow_fit, slow_overall, slow_standings
from arena.ratings.standing import RatedStanding as Shown
from arena.referee import seat_results
from arena.rules import RULES
from webui.bots.models import BotVersion
from webui.core.errors import NotFound
from webui.core.subjects import Problems
from webui.ladders.models import Ladder
from webui.matches.checks import UNREADABLE, Scope, record_findings
from webui.matches.models import Match, MatchState, Participant
from webui.matches.record_store import packed_of
from webui.matches.records import unpack_record
from webui.ratings.fitting import FEWEST_ANCHORS, IDLE_DAYS, MOST_FINISHES, MOST_VERSIONS
from webui.ratings.folding import rebuild_ratings
from webui.ratings.models import Fit, PublishedRating

NEAR = 0.05
"""Tolerance for ratings, in points."""
NEAR_SHARE = 0.01
"""Tolerance for rank intervals, as a share of all bots, and for games needed. Both implementations sample them."""
NEAR_SPREAD = 2 * SAME_SPREAD
NEAR_DRIFT = 0.1
"""Tolerance for the drift, in points."""

Progress = Callable[[str, int, int], None]
"""Callback that receives a list's name, the number of records done, and the number of all its records."""


@dataclass(frozen=True)
class _Published:
    """The current ratings of a list, with the fit that produced them."""

    fit: Fit
    rows: list[PublishedRating]


@dataclass
class RatingCheck:
    """The result of the check of one list."""

    name: str
    """Name of the ladder, or the clock of the ladders that are rated together."""
    matches: int
    fitted: int
    """Number of matches that the published ratings cover. 0 if no ratings are published."""
    versions: int = 0
    not_proved: int = 0
    """Number of records that only a process with another version of the rules can prove."""
    differences: list[str] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """Return the result as a JSON document."""
        return asdict(self)


def check_ratings(slug: str | None = None, progress: Progress = lambda name, done, total: None) -> list[RatingCheck]:
    """Check one ladder. Without `slug`, check every ladder, and the joint ratings of each clock.

    Raise `NotFound` if there is no such ladder.
    """
    published = _published(**({"fit__ladder__slug": slug} if slug else {}))
    # Read the ladders after the fits: they then count at least as many finishes as any fit covers.
    ladders = list(Ladder.objects.filter(**({"slug": slug} if slug else {})).order_by("slug"))
    if slug and not ladders:
        raise NotFound(f"there is no ladder {slug!r}")
    checks: list[RatingCheck] = []
    games: dict[int, list[RatedGame] | None] = {}
    of_ladder = {shot.fit.ladder_id: shot for shot in published}
    for ladder in ladders:
        check, games[ladder.pk] = _check_ladder(ladder, of_ladder.get(ladder.pk), progress)
        checks.append(check)
    return checks + [_check_together(shot, ladders, games) for shot in published if shot.fit.clock is not None]


def _published(**which: Any) -> list[_Published]:
    """Return the published lists. A single SELECT reads them, so no fit is seen without its ratings."""
    shots: dict[int, _Published] = {}
    for row in PublishedRating.objects.filter(is_current=True, **which).select_related("fit").order_by("fit"):
        shots.setdefault(row.fit_id, _Published(row.fit, [])).rows.append(row)
    return list(shots.values())


def _check_ladder(
    ladder: Ladder, shot: _Published | None, progress: Progress
) -> tuple[RatingCheck, list[RatedGame] | None]:
    """Check one ladder. Return the result, and the games of all finishes in their order, read from the records.

    The games are None if a record cannot be read.
    """
    check = RatingCheck(ladder.slug, ladder.finished, 0)
    games = _read_records(ladder, check, progress)
    # `_read_records` has compared the rows with the records, so folding the rows is as good as folding the records.
    check.differences += rebuild_ratings(ladder.slug, write=False).differences
    if games is not None and shot:
        fit = shot.fit
        check.fitted, check.versions = fit.finished, len(shot.rows)
        if _has_all(check, ladder.slug, games, fit.finished):
            games_then = among(games[: fit.finished][-MOST_FINISHES:], _recent([(ladder.pk, fit.finished)]))
            played = {version for game in games_then for version in game.bots}
            spread, drift = fit.ladder_parameters.spread, fit.ladder_parameters.drift
            computed = slow_fit(games_then, _reference(played), _bots(played), spread, _constant(played))
            if abs(computed.expected_spread / spread - 1) > NEAR_SPREAD:
                check.differences.append(f"the spread is {spread:.1f}, should be {computed.expected_spread:.1f}")
            if abs(computed.drift - drift) > NEAR_DRIFT:
                check.differences.append(f"the drift is {drift:.1f}, should be {computed.drift:.1f}")
            front = _front_view(shot, [(ladder.pk, fit.finished)], computed.ratings)
            check.differences += _differences(computed.ratings, front, shot.rows)
    return check, games


def _has_all(check: RatingCheck, slug: str, games: Sequence[RatedGame], covered: int) -> bool:
    """Return whether all finishes that the fit covers exist. If not, add a difference to the check."""
    if len(games) < covered:
        check.differences.append(f"the ratings of {slug} cover {covered} finishes, but it has {len(games)}")
    return len(games) >= covered


def _reference(played: Iterable[int]) -> frozenset[int]:
    """Return the reference versions, as docs/ratings.md defines them: enough house versions, otherwise all versions."""
    versions = frozenset(played)
    house = versions.intersection(BotVersion.objects.filter(bot__is_house=True).values_list("pk", flat=True))
    return house if len(house) >= FEWEST_ANCHORS else versions


def _constant(played: Collection[int]) -> frozenset[int]:
    """Return the versions whose strength is constant, which are those of the house."""
    house = BotVersion.objects.filter(bot__is_house=True)
    return frozenset(played).intersection(house.values_list("pk", flat=True))


def _bots(versions: Iterable[int]) -> dict[int, int]:
    return dict(BotVersion.objects.filter(pk__in=set(versions)).values_list("pk", "bot_id"))


def _read_records(ladder: Ladder, check: RatingCheck, progress: Progress) -> list[RatedGame] | None:
    games, is_whole = [], True
    matches = Match.objects.filter(ladder=ladder, ladder_number__lte=ladder.finished).order_by("ladder_number")
    for count, match in enumerate(matches.select_related("secret", "record").iterator(chunk_size=100), start=1):
        if match.rules == RULES:
            check.differences += [f"match {match.pk}: {message}" for message in record_findings(match)]
        else:
            check.not_proved += 1
        progress(ladder.slug, count, ladder.finished)
        try:
            document = unpack_record(packed_of(match.record))
            results = seat_results(document)
        except UNREADABLE as error:
            is_whole = False
            if match.rules != RULES:  # otherwise `record_findings` has named it
                check.differences.append(f"match {match.pk}: its record cannot be read: {error!r}")
            continue
        seats = list(Participant.objects.filter(match=match).order_by("seat"))
        placements = tuple(result.placement for result in results if result.placement is not None)
        bidding = tuple(result.first_bid for result in results)
        games.append(RatedGame(tuple(seat.version_id for seat in seats), placements, bidding))
    return games if is_whole else None


def _recent(ladders: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Return the versions of a fit, as docs/ratings.md defines them: those that played last, and the house versions.

    `ladders`: pairs of a ladder's id and its number of finishes.
    """
    last: dict[int, datetime] = {}
    house: set[int] = set()
    for ladder, finished in ladders:
        rows = Participant.objects.filter(
            match__ladder=ladder,
            match__ladder_number__lte=finished,
            match__ladder_number__gt=finished - MOST_FINISHES,
        )
        for version, is_house, at in rows.values_list("version_id", "version__bot__is_house", "match__finished_at"):
            assert at is not None  # set, because it is a finish
            last[version] = max(at, last.get(version, at))
            house.update([version] if is_house else [])
    return frozenset(sorted(last, key=lambda version: (last[version], version))[-MOST_VERSIONS:]) | house


def _front_view(shot: _Published, ladders: Sequence[tuple[int, int]], ratings: Ratings) -> frozenset[int]:
    """Return the front view, as docs/ratings.md defines it: for each bot, the version with the highest lower bound.

    Versions that had retired, or had not played for `IDLE_DAYS` days, are left out. If rounding decides between two
    versions, the published one is chosen.

    `ladders`: pairs of a ladder's id and its number of finishes.
    """
    lows = {standing.bot: standing.low for standing in slow_standings(ratings)}
    awake: dict[int, set[int]] = {}
    for ladder, finished in ladders:
        rows = Participant.objects.filter(
            match__ladder=ladder,
            match__ladder_number__lte=finished,
            match__ladder_number__gt=finished - MOST_FINISHES,
        )
        for version, bot, ended, *retired in rows.values_list(
            "version_id", "version__bot_id", "match__finished_at", "version__retired_at", "version__bot__retired_at"
        ):
            if any(at is not None and at <= shot.fit.made_at for at in retired):
                continue
            if version in lows and ended is not None and ended >= shot.fit.made_at - timedelta(days=IDLE_DAYS):
                awake.setdefault(bot, set()).add(version)
    ranked = {row.version_id for row in shot.rows if row.rank is not None}
    front = set()
    for versions in awake.values():
        highest = max(lows[version] for version in versions)
        near = [version for version in versions if lows[version] >= highest - 2 * NEAR]
        front.add(max(near, key=lambda version: (version in ranked, lows[version], version)))
    return frozenset(front)


def _check_together(
    shot: _Published, ladders: Sequence[Ladder], games: Mapping[int, list[RatedGame] | None]
) -> RatingCheck:
    """Check the joint ratings of all ladders of a clock.

    Each ladder is checked up to the number of finishes that the joint fit covers. Nothing is compared if a record
    cannot be read; the check of its ladder reports that record.
    """
    fit, covered = shot.fit, shot.fit.joint_parameters.finished
    counts = {ladder.pk: covered[ladder.slug] for ladder in ladders if ladder.slug in covered}
    check = RatingCheck(str(fit.clock), sum(counts.values()), fit.finished, len(shot.rows))
    fits: list[SlowFit] = []
    recent = _recent(list(counts.items()))
    for ladder in ladders:
        played, count = games[ladder.pk], counts.get(ladder.pk, 0)
        if not count:
            continue
        if played is None:
            check.differences.append("not compared: records of its ladders cannot be read")
            return check
        if not _has_all(check, ladder.slug, played, count):
            return check
        if games_then := among(played[:count][-MOST_FINISHES:], recent):
            versions_then = {version for game in games_then for version in game.bots}
            fits.append(slow_fit(games_then, bot_of=_bots(versions_then), constant=_constant(versions_then)))
    tau = fit.joint_parameters.tau
    versions = {version for fitted in fits for version in fitted.ratings.bots}
    bot_of = _bots(versions)
    ratings, evidence = slow_overall(fits, tau, _reference(versions), bot_of)
    beside = [tau * factor for factor in (0.95, 1.05) if LEAST <= tau * factor <= MOST]
    if any(slow_overall(fits, other, bot_of=bot_of)[1] > evidence for other in beside):
        check.differences.append(f"tau does not maximise its likelihood: {tau:.1f}")
    check.differences += _differences(ratings, _front_view(shot, list(counts.items()), ratings), shot.rows)
    return check


def _differences(computed: Ratings, front: frozenset[int], rows: Sequence[PublishedRating]) -> Iterator[str]:
    """Yield the differences between the published rows and the computed ratings."""
    published = {row.version_id: row for row in rows}
    shown = {standing.bot: standing for standing in slow_standings(computed)}
    ranked = {standing.bot: standing for standing in slow_standings(computed.only(front))} if front else {}
    unclear = _unclear(ranked)
    for version in sorted(published.keys() - shown.keys()):
        yield f"version {version} is published but has not played"
    for version, standing in shown.items():
        row = published.get(version)
        if row is None:
            yield f"version {version} has played but is not published"
            continue
        pairs = [
            ("points", row.points, standing.rating),
            ("low", row.low, standing.low),
            ("high", row.high, standing.high),
        ]
        for name, stored, computed_value in pairs:
            if abs(stored - computed_value) > NEAR:
                yield f"version {version}: {name} {stored:.2f}, should be {computed_value:.2f}"
        if row.games != computed.games[computed.bots.index(version)]:
            yield f"version {version}: {row.games} games, should be {computed.games[computed.bots.index(version)]}"
        ranked_standing = ranked.get(version)
        if (ranked_standing is None) != (row.rank is None):
            yield f"version {version}: rank {row.rank}, should be {ranked_standing and ranked_standing.rank}"
        elif ranked_standing is not None and version not in unclear:
            yield from _rank_differences(row, ranked_standing, len(ranked))


def _unclear(ranked: Mapping[int, Shown]) -> set[int]:
    """Return the bots whose neighbours in the ranking depend on rounding.

    These are the bots that are as strong as a neighbour, and the other neighbours of those.
    """
    pairs = list(pairwise(sorted(ranked.values(), key=lambda line: line.rank)))
    equal = {line.bot for pair in pairs if pair[0].rating - pair[1].rating <= 2 * NEAR for line in pair}
    return equal | {line.bot for pair in pairs if equal.intersection(line.bot for line in pair) for line in pair}


def _rank_differences(row: PublishedRating, standing: Shown, bots: int) -> Iterator[str]:
    name = f"version {row.version_id}"
    assert row.best_rank is not None and row.worst_rank is not None  # with the rank
    if row.rank != standing.rank:
        yield f"{name}: rank {row.rank}, should be {standing.rank}"
    rank_tolerance = max(1, round(NEAR_SHARE * bots))
    best, worst = min(standing.rank, standing.best_rank), max(standing.rank, standing.worst_rank)
    if abs(row.best_rank - best) > rank_tolerance or abs(row.worst_rank - worst) > rank_tolerance:
        yield f"{name}: ranks {row.best_rank} to {row.worst_rank}, should be {best} to {worst}"
    if abs((row.better or 0) - (standing.better or 0)) > NEAR_SHARE:
        yield f"{name}: better than the next with {row.better}, should be {standing.better}"
    if row.is_settled != standing.is_settled:
        yield f"{name}: settled {row.is_settled}, should be {standing.is_settled}"
    published, computed = row.games_needed, standing.games_needed
    tolerance = 1 + NEAR_SHARE * (computed or 0)
    if (published is None) != (computed is None) or abs((published or 0) - (computed or 0)) > tolerance:
        yield f"{name}: {published} games needed, should be {computed}"


def entries(since: datetime | None = None) -> Problems:
    """Check that a rated finish has one rating entry for each seat, at its own number, and other matches have none."""
    scope = Scope(since)
    counted = scope.matches().annotate(
        entries=Count("rating_entries"), least=Min("rating_entries__number"), most=Max("rating_entries__number")
    )
    rows = counted.values_list("id", "state", "rated", "ruleset", "ladder_number", "entries", "least", "most")
    for match_id, state, rated, ruleset, number, entries, least, most in rows.iterator():
        expected = ruleset.players if rated and state == MatchState.FINISHED else 0
        if entries != expected:
            yield match_id, f"it has {entries} rating entries and should have {expected}"
        elif entries and not (least == most == number):
            yield match_id, f"it is finish {number}, but its rating entries are those of finish {least} to {most}"
