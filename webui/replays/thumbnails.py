"""Small boards of matches, for lists."""

from webui.board.thumbnail import draw_thumbnail
from webui.matches import live as match_live
from webui.matches.values import MatchLine
from webui.replays.cache import cached_once
from webui.replays.loading import ENDED, load_replay

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
