"""The summary of a match: what a page shows at every ply alike."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString

from webui.ladder.values import MatchLine
from webui.site.charts import Totals
from webui.site.replay import moves as move_lines
from webui.site.replay import timeline
from webui.site.replay.cache import cached
from webui.site.replay.moves import Move, move_line
from webui.site.replay.replay import FinishedReplay, Replay
from webui.site.replay.timeline import Mark
from webui.site.titles import seat_names


@dataclass(frozen=True)
class Summary:
    """The move list, the rounds and marks of the timeline, and the score of each seat at each ply if it may be
    shown."""

    moves: list[Move]
    lines: list[str]
    """The move list as HTML, none of it current."""
    rounds: list[tuple[int, float]]
    marks: list[Mark]
    totals: Totals | None

    def move_list(self, ply: int) -> SafeString:
        """The lines of the move list, with the one that led to a ply marked."""
        lines = list(self.lines)
        if ply:
            lines[ply - 1] = move_line(self.moves[ply - 1], is_current=True)
        return SafeString("".join(lines))


def summary_of(replay: Replay, line: MatchLine, seat: int) -> Summary:
    """The summary of a match so far; of one that has ended, from the cache."""

    def make() -> Summary:
        names = seat_names(line)
        moves = move_lines.move_list(replay, names)
        return Summary(
            moves,
            [str(move_line(move)) for move in moves],
            timeline.rounds(replay),
            timeline.marks(replay, names),
            timeline.score_totals(replay) if isinstance(replay, FinishedReplay) and not seat else None,
        )

    return cached(line, seat, "summary", make)
