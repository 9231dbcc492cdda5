"""The story of a match on its page: the chapters on its timeline, and the chances for its chart."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.story import DecidedBy, Point
from webui.ratings.charts import Totals
from webui.replays.replay import Replay
from webui.replays.timeline import Mark
from webui.stories.values import StoryPage
from webui.words.cards import turning_words


@dataclass(frozen=True)
class Chapter:
    """A turning point, shown on the timeline and in a list."""

    index: int
    """Index of the event after its first decision, so that the page there describes that decision."""
    percent: float
    round: int
    seat: int
    words: str
    had: int
    has: int
    """Chance of the seat after the turning point, in percent. `had` is the chance before it."""

    @property
    def title(self) -> str:
        """Title of its mark on the timeline."""
        return _("Round %(round)s: %(words)s") % {"round": self.round, "words": self.words}


def chapters(story: StoryPage, replay: Replay, names: Sequence[str]) -> list[Chapter]:
    """Return the turning points of a match in order. `names` are the bots' names, seat 1 first."""
    chances = {point.index: point.chances for point in story.points}
    whole = len(replay.steps) or 1
    begun = {turn.index: replay.ply_of(str(turn.index)) + 1 for turn in story.turning_points}
    return [
        Chapter(
            index=replay.index_of(begun[turn.index]),
            percent=round(100 * begun[turn.index] / whole, 2),
            round=turn.round,
            seat=turn.seat,
            words=turning_words(turn, names[turn.seat - 1]),
            had=_percent(chances[turn.index][turn.seat - 1]),
            has=_percent(chances[turn.until][turn.seat - 1]),
        )
        for turn in story.turning_points
    ]


def deciding(story: StoryPage, marks: Sequence[Mark]) -> Mark | None:
    """Return the mark at which the winner gained the tile or Djinn that decided the match.

    Return None if no single tile or Djinn decided it.
    """
    kind = {str(DecidedBy.TILE): "capture", str(DecidedBy.DJINN): "djinn"}.get(story.summary.decided_by)
    gained = [mark for mark in marks if mark.kind == kind and mark.seat in story.summary.winners]
    return next((mark for mark in reversed(gained) if mark.what == story.summary.decided_what), None)


def chance_totals(points: Sequence[Point], replay: Replay) -> Totals:
    """Return each seat's chance at each ply in percent, taken from the last evaluated point at or before the ply."""
    indices = [point.index for point in points]
    return [
        [_percent(chance) for chance in points[bisect_right(indices, replay.index_of(ply)) - 1].chances]
        for ply in range(len(replay.steps) + 1)
    ]


def uncertainty(points: Sequence[Point]) -> int:
    """Return the largest standard error of a chance, in percent, rounded up."""
    return -int(-100 * max(point.error for point in points) // 1)


def _percent(chance: float) -> int:
    return round(100 * chance)
