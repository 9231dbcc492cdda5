"""The summary of a match: the values that its page shows at every ply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from webui.matches.values import MatchLine
from webui.ratings.charts import Totals
from webui.replays import moves, timeline
from webui.replays.cache import cached
from webui.replays.moves import Move, turn_line
from webui.replays.replay import FinishedReplay, Replay
from webui.replays.timeline import Mark
from webui.stories import queries as story_queries
from webui.words.titles import seat_names
from webui.words.verdicts import verdict_sentence

# Sentences about the verdicts of many matches, for lists, feeds and previews.


def sentences(lines: Sequence[MatchLine]) -> dict[str, str]:
    """Return a sentence on the result and course of each match, by match id. Needs one query.

    Matches without a story or a result are left out.
    """
    finished = {line.id: line for line in lines if line.state == "FINISHED" and line.seats}
    return {
        match_id: verdict_sentence(finished[match_id], story)
        for match_id, story in story_queries.stories(list(finished)).items()
    }


def sentence_of(line: MatchLine) -> str:
    """Return the sentence of one match. Empty if it has none."""
    return sentences([line]).get(line.id, "")


@dataclass(frozen=True)
class Summary:
    """The move list, the rounds and marks of the timeline, and the score of each seat at each ply, if visible."""

    turns: list[list[Move]]
    lines: list[str]
    """Turns of the move list as HTML, none of them current."""
    rounds: list[tuple[int, float]]
    marks: list[Mark]
    totals: Totals | None
    """Scores of each seat at each ply. For a running match these are the minimum scores. None if hidden."""

    def move_list(self, ply: int) -> SafeString:
        """Return the move list as HTML. The decision that led to a ply is marked, and its turn is unfolded."""
        lines, first = list(self.lines), 1
        for at, turn in enumerate(self.turns):
            if first <= ply < first + len(turn):
                lines[at] = turn_line(turn, current=ply - first)
            first += len(turn)
        return SafeString("".join(lines))

    def until(self, ply: int, percent: float) -> Summary:
        """Return the part of the summary up to a ply, for visitors who do not want to know what comes next.

        `percent`: the ply's position on the timeline.
        """
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
    """Return the summary of a match so far. It is cached if the match has ended."""

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
