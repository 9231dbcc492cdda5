"""What a page tells of a whole match, the same at every place."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from webui.ladder.values import MatchLine
from webui.site.charts import Totals, score_totals
from webui.site.replay import moves as course
from webui.site.replay.cache import kept
from webui.site.replay.moves import Mark, Move
from webui.site.replay.pictures import seat_names
from webui.site.replay.replay import FinishedStory, Story
from webui.site.templatetags.arena import pen


@dataclass(frozen=True)
class Whole:
    """The move list, the lane's rounds and marks, and the score of each seat at each place where it may be shown."""

    moves: list[Move]
    lines: list[str]
    """The move list as HTML, none of it current."""
    rounds: list[tuple[int, float]]
    marks: list[Mark]
    totals: Totals | None

    def move_list(self, place: int) -> SafeString:
        """The lines of the move list, with the one that led to a place marked."""
        lines = list(self.lines)
        if place:
            lines[place - 1] = move_line(self.moves[place - 1], is_current=True)
        return SafeString("".join(lines))


def whole(story: Story, line: MatchLine, seat: int) -> Whole:
    """The whole of a match, or so much of it as has been played."""

    def make() -> Whole:
        names = seat_names(line)
        moves = course.moves(story, names)
        return Whole(
            moves,
            [str(move_line(move)) for move in moves],
            course.rounds(story),
            course.marks(story, names),
            score_totals(story) if isinstance(story, FinishedStory) and not seat else None,
        )

    return kept(line, seat, "whole", make)


def move_line(move: Move, *, is_current: bool = False) -> SafeString:
    """A line of the move list, under the heading of its round where it is the first."""
    begun = move.starts_turn
    return format_html(
        '{}<li class="mv{}{}"><a href="?d={}" data-step class="mv-l"{}><span class="mv-i tab">{}</span>{}'
        '<span class="mv-w">{}{}</span><code>{}</code></a></li>',
        _round_line(move.round) if move.round else "",
        " nt" if begun else "",
        " is-now" if is_current else "",
        move.index,
        SafeString(' aria-current="step"') if is_current else "",
        move.index,
        pen(move.seat) if begun else SafeString('<span class="pen-x"></span>'),
        move.words,
        _fault(move.fault) if move.fault else "",
        move.text,
    )


def _round_line(number: int) -> SafeString:
    return format_html('<li class="mv-r">{}</li>', _("Round %(round)s") % {"round": number})


def _fault(words: str) -> SafeString:
    return format_html(' <span class="down" title="{0}">!<span class="vh"> {0}</span></span>', words)
