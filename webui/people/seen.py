"""A running match as a person at the table sees it: what spectators see, and the own hand."""

from __future__ import annotations

from dataclasses import replace

from arena.rules import View
from arena.wire.codec import unpack_view
from webui.matches import live as match_live
from webui.matches.models import SeatRow
from webui.matches.values import MatchLine, SeenDecision
from webui.people.queries import has_left
from webui.replays.replay import LiveLoader


class SeatGame(match_live.LiveGame):
    """A reader that follows a running match from a seat that a person plays."""

    def __init__(self, match_id: str, seat: int) -> None:
        super().__init__(match_id)
        self._seat = seat

    def read(self) -> list[SeenDecision]:
        """Return the decisions that are new, with three queries."""
        first = self._read
        had_setup = self.setup is not None
        steps = super().read()
        if first == self._read:
            return steps
        seen = self._seen(first)
        if not had_setup:
            if 0 not in seen:  # the match has just ended
                self.setup = None
                return []
            self.setup = seen[0][1]
        return [replace(step, text=seen[step.ply][0], view=seen[step.ply][1]) for step in steps if step.ply in seen]

    def _seen(self, first: int) -> dict[int, tuple[str, View]]:
        """Return decisions and views from a ply on, by ply."""
        rows = SeatRow.objects.filter(match=self.match_id, viewer=self._seat, ply__gte=first)
        return {ply: (text, unpack_view(bytes(view))) for ply, text, view in rows.values_list("ply", "text", "view")}


class SeatLoader(LiveLoader):
    """Loader for the replay of a running match from a seat that a person plays."""

    def __init__(self, line: MatchLine, seat: int) -> None:
        super().__init__(line)
        self._game = SeatGame(line.id, seat)
        self._seat = seat

    def is_closed(self) -> bool:
        """Return whether the match is over for the person, who has given up or forfeited."""
        return has_left(self._game.match_id, self._seat)
