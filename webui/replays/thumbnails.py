"""Small boards of matches, for lists."""

from webui.board.thumbnail import draw_thumbnail
from webui.matches import live as match_live
from webui.matches.values import MatchLine
from webui.replays.cache import cached_once
from webui.replays.loading import ENDED, load_replay

WAIT_S = 4.0
"""So long a picture waits for its turn: a page asks for many."""


def thumbnail(line: MatchLine, *, address: str) -> str | None:
    """The board at the end of a match, cached, or as spectators see it now; None where nothing is to be seen. `Busy`
    where others are being made for too long."""
    if line.state not in ENDED:
        view = match_live.live_view(line.id)
        return draw_thumbnail(view) if view else None

    def make() -> str | None:
        replay = load_replay(line)
        position = replay.position(len(replay.steps)) if replay else None
        return draw_thumbnail(position) if position else None

    return cached_once(line, 0, "thumbnail", make, address=address, wait_s=WAIT_S)
