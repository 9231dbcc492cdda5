"""Games of house players in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from arena.players import VERSION, make_player
from arena.rules import Game, Ruleset, replay_document, view


class LocalGame(NamedTuple):
    """A finished game and the names of its seats' players."""

    number: int
    game: Game
    names: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return its replay."""
        seats = [{"name": name, "version": VERSION} for name in self.names]
        return replay_document(self.game, match=f"local-{self.number}", seats=seats)


def game_seed(seed: bytes, number: int) -> bytes:
    """Return the seed of game `number` (from 0) of a series: SHA-256(seed ‖ number as 8 bytes)."""
    return sha256(seed + number.to_bytes(8, "big")).digest()


def player_seed(seed: bytes, seat: int) -> bytes:
    """Return the seed of the player at a seat. Each seat has its own, so that equal players choose differently."""
    return sha256(seed + b"player" + seat.to_bytes(8, "big")).digest()


def local_game(ruleset: Ruleset, seed: bytes, names: Sequence[str], deal: bytes | None = None) -> Game:
    """Play one game. Each seat's player sees only its own view and the legal actions."""
    game = Game(ruleset, seed, deal)
    players = [make_player(name, player_seed(seed, seat)) for seat, name in enumerate(names, 1)]
    while not game.state.is_over:
        state = game.state
        choice = players[state.to_act - 1].choose(view(state, state.to_act), [action.text for action in state.legal])
        for action in [choice] if isinstance(choice, str) else choice:
            game.play(action)
    return game


def play_local_games(ruleset: Ruleset, seed: bytes, names: Sequence[str], games: int) -> Iterator[LocalGame]:
    """Play a series of games with the same players at the same seats, one after the other."""
    for number in range(games):
        yield LocalGame(number, local_game(ruleset, game_seed(seed, number), names), tuple(names))
