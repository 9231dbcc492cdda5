"""What must hold, whatever breaks: each decision once, nobody blamed or charged, no gap in a ladder."""

from __future__ import annotations

from collections.abc import Iterator

from tests.kit.arena.play import Play
from webui.matches import queries as match_queries
from webui.matches.models import Match
from webui.ratings import folding
from webui.ratings import queries as rating_queries

OURS_MS = 1_500
"""A bot that answers at once is never charged so much, unless the whole machine stalls."""


def complaints(play: Play, match: str, record: bytes, own_s: float) -> Iterator[str]:
    """What is wrong with a match that has ended: it must have come to this record, with nobody blamed, and no answer
    may be charged more than `OURS_MS` and the time that the bot, or the whole machine, took itself."""
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
    """Ladder numbers have no gap and come once, and the ratings follow from the records."""
    numbers = Match.objects.filter(ladder_number__isnull=False).order_by("ladder_number")
    assert list(numbers.values_list("ladder_number", flat=True)) == list(range(1, numbers.count() + 1))
    for ladder in rating_queries.ladders():
        assert not folding.rebuild_ratings(ladder.ladder.slug).differences
