"""From a match's id to its story, and to the picture of it at one place."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.rules import Event, Ruleset, format_position, start
from webui.ladder import queries
from webui.ladder.values import MatchLine
from webui.site.board import draw_board
from webui.site.replay.replay import Document, FinishedStory, LiveStory, Story
from webui.site.words import decision_words

ENDED = ("FINISHED", "ABORTED", "VOID")
SHOWN_SEED = b"a table that nobody plays at yet"
"""The deal of the front page's board while the arena has no match to show."""


def story_of(line: MatchLine, seat: int = 0) -> Story | None:
    """What may be told of a match; None before its first decision and where it ended without a record.

    With a seat a finished match is told as that seat could see it.

    A match that runs is known here through `live_match` alone, which gives no more than a spectator may see.
    """
    if line.state in ENDED:
        record = queries.match_record(line.id)
        return FinishedStory.of_record(record, seat if 0 < seat <= line.players else 0) if record else None
    live = queries.live_match(line.id)
    if live.position is None:
        return None
    events = [Event(seat, text) for seat, text in live.events]
    return LiveStory(Ruleset(line.players, line.expansions), events, live.views)


def seat_names(line: MatchLine) -> list[str]:
    """The bots of a match, seat 1 first."""
    return [seat.version.bot.name for seat in line.seats]


def picture(line: MatchLine, story: Story, place: int, *, label: str = "") -> SafeString | None:
    """The board after so many decisions; with a label it is one image, else every tile can be reached."""
    position = story.position(place)
    if position is None:
        return None
    sowing = story.sowing(place)
    return draw_board(
        position,
        seat_names(line),
        sowing=sowing,
        current=current_tile(story, place),
        label=label,
        is_picture=bool(label),
    )


def current_tile(story: Story, place: int) -> str:
    """The tile that the decision at a place was about."""
    if not place:
        return ""
    step = story.steps[place - 1]
    tiles = [word for word in step.text.split(" ")[1:] if _is_tile(word)]
    if tiles:
        return tiles[-1]
    position: Document = story.position(place) or {}
    return str((position.get("turn") or {}).get("at", ""))


def _is_tile(word: str) -> bool:
    return len(word) == 2 and "A" <= word[0] <= "G" and "1" <= word[1] <= "6"


@dataclass(frozen=True)
class Hero:
    """The board of the front page."""

    board: SafeString
    line: MatchLine | None
    round: int
    seat: int = 0
    bot: str = ""
    sentence: str = ""


def hero(live: Sequence[MatchLine], latest: Sequence[MatchLine]) -> Hero:
    """A match that runs, else the latest result, else a table that waits for players."""
    # What has a log has begun; of those that run the longest, the most is to be seen.
    begun = sorted((line for line in live if line.length > line.players), key=lambda line: -line.length)
    for line in (*begun[:1], *latest[:1]):
        story = story_of(line)
        place = len(story.steps) if story else 0
        if story is None or not place or (position := story.position(place)) is None:
            continue
        names = seat_names(line)
        board = picture(line, story, place, label=", ".join(names))
        if board is not None:
            step = story.steps[-1]
            words = decision_words(step.text, names, story.ruleset, None, position)
            return Hero(board, line, position["round"], step.seat, names[step.seat - 1], words)
    position = format_position(start(Ruleset(4), SHOWN_SEED))
    return Hero(draw_board(position, [""] * 4, label=_("A board before the first bid"), is_picture=True), None, 1)
