"""House players as bots: ordinary clients, which see what every bot sees."""

from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version

from arena.bots.bot import Bot
from arena.bots.view import View
from arena.players import PLAYERS, make_player
from arena.rules.components import EXPANSIONS

VERSION = version("naqala-arena")
"""They change with the package that they come with."""


def house_bot(player: str) -> type[Bot]:
    """A bot class that plays as one of the house players."""
    if player not in PLAYERS:
        raise ValueError(f"there is no house player {player!r}; there are {', '.join(sorted(PLAYERS))}")

    class HouseBot(Bot):
        """A house player."""

        version = VERSION
        expansions = EXPANSIONS

        def match_started(self) -> None:
            # Its own choices need no secrecy, but a match must be playable again from what is known after it.
            self._player = make_player(player, sha256(f"{self.match.id} {self.match.seat}".encode()).digest())

        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            return self._player.choose(view.document, legal)

    HouseBot.__name__ = HouseBot.__qualname__ = f"HouseBot_{player.replace('-', '_')}"
    return HouseBot
