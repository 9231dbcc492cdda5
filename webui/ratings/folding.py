"""Ratings for pairing. Each finish updates the tables; a rebuild computes them again from all matches of a ladder."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Count, Q

from arena.ratings import Book, Change, Finish, HeldRating, Rating, rebuild
from arena.referee import Verdict
from webui.core.dbtime import before_now
from webui.core.errors import NotFound
from webui.ladders.games import ensure_ladder
from webui.ladders.models import Ladder
from webui.matches.ending import NumberTaken, next_number
from webui.matches.models import MAX_SEATS, Match, MatchState, Participant
from webui.matches.values import LostOwnership
from webui.ratings.models import Fit, PublishedRating, RatingEntry, Standing


def rate_finish(ladder_id: int, number: int, match_id: str, placements: Sequence[int]) -> None:
    """Apply finish `number` to the ratings.

    Call this in the transaction that took the number, because all earlier finishes are then written.
    """
    seats = Participant.objects.filter(match_id=match_id).order_by("seat")
    bot_of = dict(seats.values_list("version_id", "version__bot_id"))
    versions = tuple(bot_of)
    standings = {row.version_id: row for row in Standing.objects.filter(ladder_id=ladder_id, version_id__in=versions)}
    held = {version: HeldRating(Rating(row.mu, row.sigma), row.games) for version, row in standings.items()}
    if new := bot_of.keys() - standings.keys():  # they start from the standing of an earlier version of their bot
        rows = Standing.objects.filter(ladder_id=ladder_id, version__bot__in={bot_of[version] for version in new})
        for former, bot, mu, sigma, games in rows.values_list("version_id", "version__bot", "mu", "sigma", "games"):
            bot_of[former] = bot
            held[former] = HeldRating(Rating(mu, sigma), games)
    book = Book(number - 1, held, bot_of)
    changes = book.apply(Finish(number, versions, tuple(placements)))
    RatingEntry.objects.bulk_create(_entry(ladder_id, match_id, change) for change in changes)
    Standing.objects.bulk_create(
        (_standing(ladder_id, change, standings.get(change.version)) for change in changes),
        update_conflicts=True,
        unique_fields=["ladder", "version"],
        update_fields=["mu", "sigma", "games", "number", "wins", "seats"],
    )


def _entry(ladder_id: int, match_id: str, change: Change) -> RatingEntry:
    return RatingEntry(
        ladder_id=ladder_id,
        number=change.number,
        match_id=match_id,
        seat=change.seat,
        version_id=change.version,
        placement=change.placement,
        mu_before=change.before.mu,
        sigma_before=change.before.sigma,
        mu=change.after.mu,
        sigma=change.after.sigma,
    )


def _standing(ladder_id: int, change: Change, before: Standing | None) -> Standing:
    """Return the new standing of a version after a change. `before` is its previous standing, if it had one."""
    seats = list(before.seats) if before else [0] * MAX_SEATS
    seats[change.seat - 1] += 1
    return Standing(
        ladder_id=ladder_id,
        version_id=change.version,
        mu=change.after.mu,
        sigma=change.after.sigma,
        games=change.games,
        number=change.number,
        wins=(before.wins if before else 0) + (change.placement == 1),
        seats=seats,
    )


@dataclass(frozen=True)
class RebuildReport:
    """The result of the rebuild of one ladder."""

    ladder: str
    matches: int
    entries: int
    differences: list[str]
    """Differences between the tables and the fold; empty if there are none."""
    is_rewritten: bool


class _LadderMoved(Exception):
    """A match finished while the ladder was being read, so it must be read again."""


def rebuild_ratings(ladder: str, *, write: bool = True) -> RebuildReport:
    """Fold a ladder's matches again and compare the result with the tables.

    If they differ, replace the tables by the result, unless `write` is false.
    """
    if not write:
        return _compare(ladder)
    while True:
        try:
            return _rebuild(ladder)
        except _LadderMoved:
            continue


def _compare(ladder: str) -> RebuildReport:
    """Compare only. This needs no lock, because rows written in the meantime have later numbers."""
    row, miscounts = _ladder(ladder)
    finishes, match_ids, bot_of = _finishes(row, row.finished)
    book, changes = rebuild(finishes, bot_of)
    differences = miscounts + _differences(row, book, changes, match_ids, row.finished)
    return RebuildReport(ladder, len(finishes), len(changes), differences, is_rewritten=False)


@transaction.atomic
def _rebuild(ladder: str) -> RebuildReport:
    row, miscounts = _ladder(ladder)
    finishes, match_ids, bot_of = _finishes(row)
    book, changes = rebuild(finishes, bot_of)
    differences = miscounts + _differences(row, book, changes, match_ids)
    if differences:
        RatingEntry.objects.filter(ladder=row).delete()
        Standing.objects.filter(ladder=row).delete()
        RatingEntry.objects.bulk_create(
            (_entry(row.pk, match_ids[change.number], change) for change in changes), batch_size=500
        )
        standings: dict[int, Standing] = {}
        for change in changes:
            standings[change.version] = _standing(row.pk, change, standings.get(change.version))
        Standing.objects.bulk_create(standings.values(), batch_size=500)
    # The same compare-and-set as for a finish. It fails if a match finished between the reads, or is being written.
    if not Ladder.objects.filter(pk=row.pk, finished=row.finished).update(
        finished=len(finishes) if differences else row.finished
    ):
        raise _LadderMoved
    return RebuildReport(ladder, len(finishes), len(changes), differences, bool(differences))


def _ladder(slug: str) -> tuple[Ladder, list[str]]:
    """Return the ladder, and a difference if its count of finishes is wrong. A single SELECT reads both."""
    row = Ladder.objects.filter(slug=slug).annotate(numbered=Count("matches__ladder_number")).first()
    if row is None:
        raise NotFound(f"there is no ladder {slug!r}")
    miscounts = [f"the ladder counts {row.finished} finishes but has {row.numbered}"]
    return row, miscounts if row.finished != row.numbered else []


def _finishes(ladder: Ladder, until: int | None = None) -> tuple[list[Finish], dict[int, str], dict[int, int]]:
    """Return the finishes, their match ids by number, and the bot ids by version id."""
    seats: dict[int, list[tuple[int, int]]] = {}
    match_ids: dict[int, str] = {}
    bot_of: dict[int, int] = {}
    rows = Participant.objects.filter(match__ladder=ladder, match__ladder_number__isnull=False)
    if until is not None:
        rows = rows.filter(match__ladder_number__lte=until)
    for number, match_id, version, bot, placement in rows.order_by("match__ladder_number", "seat").values_list(
        "match__ladder_number", "match_id", "version_id", "version__bot_id", "placement"
    ):
        assert number is not None and placement is not None  # a rated finish has both
        match_ids[number] = match_id
        bot_of[version] = bot
        seats.setdefault(number, []).append((version, placement))
    finishes = [
        Finish(number, tuple(version for version, _ in taken), tuple(place for _, place in taken))
        for number, taken in seats.items()
    ]
    return finishes, match_ids, bot_of


def _differences(
    ladder: Ladder, book: Book, changes: Sequence[Change], match_ids: dict[int, str], until: int | None = None
) -> list[str]:
    """Return the differences between the tables and the fold. With `until`, ignore rows that later finishes wrote."""
    differences = []
    rows = RatingEntry.objects.filter(ladder=ladder)
    if until is not None:
        rows = rows.filter(number__lte=until)
    entries = {(entry.number, entry.seat): entry for entry in rows}
    for change in changes:
        entry = entries.pop((change.number, change.seat), None)
        if entry is None:
            differences.append(f"finish {change.number} seat {change.seat} has no rating entry")
        elif not (
            (entry.match_id, entry.version_id, entry.placement)
            == (match_ids[change.number], change.version, change.placement)
            and _is_near(Rating(entry.mu_before, entry.sigma_before), change.before)
            and _is_near(Rating(entry.mu, entry.sigma), change.after)
        ):
            differences.append(f"finish {change.number} seat {change.seat} has a different rating entry")
    differences.extend(f"finish {number} seat {seat} has an entry but no match" for number, seat in entries)
    standings = {row.version_id: row for row in Standing.objects.filter(ladder=ladder)}
    wins = Counter(change.version for change in changes if change.placement == 1)
    taken = Counter((change.version, change.seat) for change in changes)
    for version, held in book.held.items():
        row = standings.pop(version, None)
        if row is not None and until is not None and row.number > until:
            continue  # it has played again since
        if row is None or row.games != held.games or not _is_near(Rating(row.mu, row.sigma), held.rating):
            differences.append(f"version {version} has a different standing")
        elif row.wins != wins[version]:
            differences.append(f"version {version} has a different number of wins")
        elif any(own != taken[version, seat] for seat, own in enumerate(row.seats, start=1)):
            differences.append(f"version {version} has different counts of seats")
    strangers = [row.version_id for row in standings.values() if until is None or row.number <= until]
    differences.extend(f"version {version} has a standing but never played" for version in strangers)
    return differences


def _is_near(one: Rating, other: Rating) -> bool:
    """Return whether two ratings are equal up to the last digits, which another processor may round differently."""
    return all(math.isclose(a, b, rel_tol=0, abs_tol=1e-9) for a, b in zip(one, other, strict=True))


DAY_S: Final = 86400.0


def rate_finished(match: Match, verdict: Verdict, number: int | None) -> None:
    """Rate a match that has just ended, if it has a number on its ladder. Call this in the transaction that ends it."""
    if number is not None and match.ladder_id is not None:
        rate_finish(match.ladder_id, number, match.pk, verdict.placements)


@transaction.atomic
def rate_match(match_id: str) -> None:
    """Rate a match that finished unrated, as if it were the next finish on its ladder. Do nothing if it is rated.

    Events with hidden results need this, because an immediate rating would reveal them. Raise `LostOwnership` if
    another finish took the number.
    """
    match = Match.objects.filter(pk=match_id).first()
    if match is None:
        raise NotFound(f"there is no match {match_id!r}")
    if match.state != MatchState.FINISHED or match.rated or match.verdict is None:
        return
    ladder = ensure_ladder(match.ruleset, match.clock)
    try:
        number = next_number(ladder.pk)
    except NumberTaken:
        raise LostOwnership(f"another match finished on {ladder.slug} at the same moment") from None
    Match.objects.filter(pk=match.pk, rated=False).update(rated=True, ladder=ladder, ladder_number=number)
    rate_finish(ladder.pk, number, match.pk, Verdict.parse(match.verdict).placements)


def published_now(ladder_id: int, versions: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the published ratings of these versions on a ladder, as columns of `Participant`, by version id."""
    rows = PublishedRating.objects.filter(fit__ladder=ladder_id, is_current=True, version__in=versions)
    return {
        version: {"rating": round(points), "rating_low": round(low), "rating_high": round(high)}
        for version, points, low, high in rows.values_list("version_id", "points", "low", "high")
    }


def fit_soon(whose: Q) -> None:
    """Make the fits of these standings' ladders due, because their front views have changed.

    `whose`: the condition on `Standing` that selects them.
    """
    ladders = Standing.objects.filter(whose).values("ladder")
    old = before_now(2 * DAY_S)
    if Fit.objects.filter(ladder__in=ladders).update(made_at=old):
        Fit.objects.filter(clock__isnull=False).update(made_at=old)
