"""The summary of a match: what a page shows at every ply alike."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString

from webui.matches.values import MatchLine
from webui.ratings.charts import Totals
from webui.replays import moves, timeline
from webui.replays.cache import cached
from webui.replays.moves import Move, turn_line
from webui.replays.replay import FinishedReplay, Replay
from webui.replays.timeline import Mark
from webui.words.titles import seat_names


@dataclass(frozen=True)
class Summary:
    """The move list, the rounds and marks of the timeline, and the score of each seat at each ply if it may be
    shown."""

    turns: list[list[Move]]
    lines: list[str]
    """The turns of the move list as HTML, none of them current."""
    rounds: list[tuple[int, float]]
    marks: list[Mark]
    totals: Totals | None
    """Of a match that runs the least that they are."""

    def move_list(self, ply: int) -> SafeString:
        """The turns of the move list; the one with the decision that led to a ply is open, and the decision marked."""
        lines, first = list(self.lines), 1
        for at, turn in enumerate(self.turns):
            if first <= ply < first + len(turn):
                lines[at] = turn_line(turn, current=ply - first)
            first += len(turn)
        return SafeString("".join(lines))

    def until(self, ply: int, percent: float) -> Summary:
        """What it says up to a ply, which lies there on the timeline: for who does not want to know what comes."""
        turns, left = [], ply
        for turn in self.turns:
            if left > 0:
                turns.append(turn[:left])
            left -= len(turn)
        return Summary(
            turns,
            [str(turn_line(turn)) for turn in turns],
            [begun for begun in self.rounds if begun[1] <= percent],
            [mark for mark in self.marks if mark.percent <= percent],
            None,
        )


def summary_of(replay: Replay, line: MatchLine, seat: int) -> Summary:
    """The summary of a match so far; of one that has ended, from the cache."""

    def make() -> Summary:
        names = seat_names(line)
        turns = moves.turns(moves.move_list(replay, names))
        return Summary(
            turns,
            [str(turn_line(turn)) for turn in turns],
            timeline.rounds(replay),
            timeline.marks(replay, names),
            timeline.counted_totals(replay)
            if not isinstance(replay, FinishedReplay)
            else None
            if seat
            else timeline.score_totals(replay),
        )

    return cached(line, seat, "summary", make)
