"""Pictures of boards: the board of a match at one ply, and the board of the front page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.rules import Ruleset, start, view
from arena.rules.view import SPECTATOR
from webui.board.drawing import draw_board
from webui.board.thumbnail import draw_thumbnail
from webui.core.errors import RecordAway
from webui.matches import live as match_live
from webui.matches.values import MatchLine
from webui.replays.cache import cached_once
from webui.replays.replay import ENDED, Replay, load_replay
from webui.words.decisions import decision_words
from webui.words.titles import seat_names

# Small boards of matches, for lists.


WAIT_S = 4.0
"""Maximum number of seconds that a picture waits for its turn. A page requests many pictures."""


def thumbnail(line: MatchLine, *, address: str) -> str | None:
    """Return the board at the end of a match, from the cache, or the current board of a running match.

    Return None if there is nothing to show. Raise `Busy` if other pictures are still being made after `WAIT_S` seconds.

    `address`: the network address of the visitor.
    """
    if line.state not in ENDED:
        view = match_live.live_view(line.id)
        return draw_thumbnail(view) if view else None

    def make() -> str | None:
        replay = load_replay(line)
        position = replay.position(len(replay.steps)) if replay else None
        return draw_thumbnail(position) if position else None

    return cached_once(line, 0, "thumbnail", make, address=address, wait_s=WAIT_S)


SHOWN_SEED = b"a table that nobody plays at yet"
"""Seed of the deal on the front page while the arena has no match to show."""


def board_picture(line: MatchLine, replay: Replay, ply: int, *, label: str = "") -> SafeString | None:
    """Return the board at a ply. Return None if it has no position to show.

    `label`: if not empty, the board is one image with this label. Otherwise every tile can be focused.
    """
    position = replay.position(ply)
    if position is None:
        return None
    sowing = replay.sowing(ply)
    return draw_board(
        position,
        seat_names(line),
        sowing=sowing,
        current=current_tile(replay, ply),
        label=label,
        is_picture=bool(label),
    )


def current_tile(replay: Replay, ply: int) -> str:
    """Return the tile of the decision that led to a ply. Empty at the set-up and for decisions without a tile."""
    if not ply:
        return ""
    step = replay.steps[ply - 1]
    tiles = [word for word in step.text.split(" ")[1:] if _is_tile(word)]
    if tiles:
        return tiles[-1]
    position = replay.position(ply)
    return (position.turn.at if position else None) or ""


def _is_tile(word: str) -> bool:
    return len(word) == 2 and "A" <= word[0] <= "G" and "1" <= word[1] <= "6"


@dataclass(frozen=True)
class FrontBoard:
    """The board of the front page."""

    board: SafeString
    line: MatchLine | None
    round: int
    seat: int = 0
    bot: str = ""
    sentence: str = ""


def front_board(live: Sequence[MatchLine], latest: Sequence[MatchLine]) -> FrontBoard:
    """Return the board of a running match, or of the latest result, or a board before the first bid."""
    # Choose the running match with the longest log, because it shows the most.
    begun = sorted((line for line in live if line.length > line.players), key=lambda line: -line.length)
    for line in (*begun[:1], *latest[:1]):
        try:
            replay = load_replay(line)
        except RecordAway:
            continue  # the rest of the page must still be shown
        ply = len(replay.steps) if replay else 0
        if replay is None or not ply or (position := replay.position(ply)) is None:
            continue
        names = seat_names(line)
        board = board_picture(line, replay, ply, label=", ".join(names))
        if board is not None:
            step = replay.steps[-1]
            words = decision_words(step.text, names, replay.ruleset, None, position)
            return FrontBoard(board, line, position.round, step.seat, names[step.seat - 1], words)
    table = view(start(Ruleset(4), SHOWN_SEED), SPECTATOR)
    return FrontBoard(draw_board(table, [""] * 4, label=_("A board before the first bid"), is_picture=True), None, 1)
