"""Play games in which one house player favours a friend, to test whether `kingmaking` detects it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from arena.fairness.kingmaking import Help, helps
from arena.players import Player, make_player
from arena.players.greedy import OF_THE_TURN, Greedy
from arena.players.worth import VARIANTS
from arena.rules import Game, Ruleset, State, Stream, replay_document, score, view
from arena.rules.moves import Result

OTHERS = ("greedy-vizier", "greedy-trader")
HELPER, FRIEND = "helper", "greedy"
PRICE = 2.0
"""Maximum VP that the helper gives up for its friend in one turn."""


class Helper(Greedy):
    """A greedy player that helps a friend: among landings within `PRICE` of the best, it leaves the friend the most
    points.
    """

    def __init__(self, seed: bytes, friend: int) -> None:
        super().__init__(seed, VARIANTS["greedy"])
        self._friend = friend

    def _best_landing(self, state: State) -> Result | None:
        seat, landings = state.to_act, []
        for _, result in self._landings(state):
            after = state
            for action in result.actions:
                after = after.play(action)
            after = self._finished(after, seat, OF_THE_TURN)
            landings.append((self.worth(after, seat), score(after, self._friend)["total"], result))
        best = max((own for own, _, _ in landings), default=0.0)
        near = [(friends, own, number) for number, (own, friends, _) in enumerate(landings) if own >= best - PRICE]
        return landings[max(near)[2]][2] if near else None


def games(players: int, number: int, seed: bytes, is_honest: bool = False) -> Iterator[tuple[list[str], list[Help]]]:
    """Play `number` games at tables of `players` and yield, for each, the names at the seats and the leans measured.

    Each table has a helper, its friend and third parties, in seats drawn at random. If `is_honest`, the helper plays as
    `greedy` and favours nobody.
    """
    table = [HELPER, FRIEND, *OTHERS[: players - 2]]
    for game in range(number):
        own = sha256(seed + game.to_bytes(8, "big")).digest()
        names = Stream(own).shuffle(list(table))
        yield names, helps(_played(names, own, is_honest))


def _played(names: Sequence[str], seed: bytes, is_honest: bool) -> dict[str, Any]:
    game = Game(Ruleset(len(names)), seed)
    seats: list[Player] = []
    for seat, name in enumerate(names, 1):
        own = sha256(seed + b"player" + bytes([seat])).digest()
        helping = name == HELPER and FRIEND in names and not is_honest
        kind = "greedy" if name == HELPER else name
        seats.append(Helper(own, names.index(FRIEND) + 1) if helping else make_player(kind, own))
    while not game.state.is_over:
        state = game.state
        choice = seats[state.to_act - 1].choose(view(state, state.to_act), [action.text for action in state.legal])
        for action in [choice] if isinstance(choice, str) else choice:
            game.play(action)
    return replay_document(game, match=seed.hex()[:16], seats=[{"name": name, "version": "1"} for name in names])
