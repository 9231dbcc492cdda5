"""From a match to its replay."""

from arena.rules import Ruleset
from webui.matches import live as match_live
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine
from webui.replays.replay import FinishedReplay, LiveReplay, Replay

ENDED = ("FINISHED", "ABORTED", "VOID")


def load_replay(line: MatchLine, seat: int = 0) -> Replay | None:
    """What may be shown of a match; None before every seat is ready and where it ended without a record.

    With a seat a finished match is shown as that seat could see it. A running match is as a spectator may see it.
    """
    if not line.seats:  # it had not begun when its line was read, which names nobody then
        return None
    if line.state not in ENDED and (running := LiveLoader(line).load()) is not None:
        return running
    # A match may have ended since its line was read.
    record = match_queries.match_record(line.id)
    return FinishedReplay.of_record(record, seat if 0 < seat <= line.players else 0) if record else None


class LiveLoader:
    """The replay of a running match, which grows at each `load`."""

    def __init__(self, line: MatchLine) -> None:
        self._ruleset = Ruleset(line.players, line.expansions)
        self._game = match_live.LiveGame(line.id)
        self._replay: LiveReplay | None = None

    def load(self) -> LiveReplay | None:
        """Always the same replay, with the decisions that are new; None before every seat is ready."""
        fresh = self._game.read()
        if self._replay is None and self._game.setup is not None:
            self._replay = LiveReplay(self._ruleset, self._game.setup)
        if self._replay is not None:
            self._replay.extend(fresh)
        return self._replay
