"""Loading of the replay of a match."""

from arena.rules import Ruleset
from webui.matches import live as match_live
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine
from webui.replays.replay import FinishedReplay, LiveReplay, Replay

ENDED = ("FINISHED", "ABORTED", "VOID")


def load_replay(line: MatchLine, seat: int = 0) -> Replay | None:
    """Return the replay of a match. Return None before every seat is ready, and if it ended without a record.

    `seat`: the seat whose view of a finished match is shown; 0 shows everything. A running match always has the view
    of a spectator.
    """
    if not line.seats:  # the match had not started when its line was read, and the seats were not yet public
        return None
    if line.state not in ENDED and (running := LiveLoader(line).load()) is not None:
        return running
    # A match may have ended since its line was read.
    record = match_queries.match_record(line.id)
    return FinishedReplay.of_record(record, seat if 0 < seat <= line.players else 0) if record else None


class LiveLoader:
    """Loader for the replay of a running match, which grows with each `load`."""

    def __init__(self, line: MatchLine) -> None:
        self._ruleset = Ruleset(line.players, line.expansions)
        self._game = match_live.LiveGame(line.id)
        self._replay: LiveReplay | None = None

    def load(self) -> LiveReplay | None:
        """Return the replay with the new decisions added. It is always the same object, or None until all are ready."""
        fresh = self._game.read()
        if self._replay is None and self._game.setup is not None:
            self._replay = LiveReplay(self._ruleset, self._game.setup)
        if self._replay is not None:
            self._replay.extend(fresh)
        return self._replay
