"""The invariants of every failure: each decision happens once, nobody is blamed or charged, and no ladder has a gap."""

from __future__ import annotations

from collections.abc import Iterator

from tests.kit.arena.play import Play
from webui.matches import queries as match_queries
from webui.matches.models import Match
from webui.ratings import folding
from webui.ratings import queries as rating_queries

OURS_MS = 1_500
"""A bot that answers at once is never charged this much, unless the whole machine stalls."""


def complaints(play: Play, match: str, record: bytes, own_s: float) -> Iterator[str]:
    """Yield the errors of an ended match.

    It must have this record, with nobody blamed. No answer may be charged more than `OURS_MS` and the time that the
    bot, or the whole machine, needed itself.
    """
    fate = play.fate(match)
    if fate.state != "FINISHED":
        yield f"it is {fate.state}"
    elif fate.record != record:
        yield "it has another record"
    for entry in match_queries.match_log(match):
        if entry.kind in ("fault", "forfeit", "abort"):
            yield f"its log has {entry.kind} {entry.text} of seat {entry.seat} at {entry.number}: {entry.data}"
    for index, charged in fate.charged_ms.items():
        if charged > OURS_MS + 1000 * own_s:
            yield f"{charged} ms were charged at {index}"


def check_ladders() -> None:
    """Check that ladder numbers have no gap and occur once, and that the ratings follow from the records."""
    numbers = Match.objects.filter(ladder_number__isnull=False).order_by("ladder_number")
    assert list(numbers.values_list("ladder_number", flat=True)) == list(range(1, numbers.count() + 1))
    for ladder in rating_queries.ladders():
        assert not folding.rebuild_ratings(ladder.ladder.slug).differences
