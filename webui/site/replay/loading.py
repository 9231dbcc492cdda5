"""From a match to its replay."""

from arena.rules import Event, Ruleset
from webui.ladder import queries
from webui.ladder.values import MatchLine
from webui.site.replay.replay import FinishedReplay, LiveReplay, Replay

ENDED = ("FINISHED", "ABORTED", "VOID")


def load_replay(line: MatchLine, seat: int = 0) -> Replay | None:
    """What may be told of a match; None before its first decision and where it ended without a record.

    With a seat a finished match is told as that seat could see it.

    A match that runs is known here through `live_match` alone, which gives no more than a spectator may see.
    """
    if line.state in ENDED:
        record = queries.match_record(line.id)
        return FinishedReplay.of_record(record, seat if 0 < seat <= line.players else 0) if record else None
    live = queries.live_match(line.id)
    if live.position is None:
        return None
    events = [Event(seat, text) for seat, text in live.events]
    return LiveReplay(Ruleset(line.players, line.expansions), events, live.views)
