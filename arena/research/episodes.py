"""One game of an environment: decisions, the chance that follows, and moves without a choice.

As in a match, a single legal action is played without asking (rules 8.10), so every decision has at least two.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.players import Player
from arena.rules import Action, Ruleset, State, settle, start_with_stream, view
from arena.rules.view import SPECTATOR


class Episode:
    """A game from its 32-byte seed. `players` are house players that decide for their seats.

    >>> episode = Episode(Ruleset(2), bytes(32))
    >>> episode.play(parse_action("bid 3"))
    >>> episode.state.to_act, rewards(episode.state)
    (2, [0.0, 0.0])
    """

    def __init__(self, ruleset: Ruleset, seed: bytes, players: Mapping[int, Player] | None = None) -> None:
        self.state: State
        self.state, self._stream = start_with_stream(ruleset, seed)
        self._players = players or {}
        self._go_on()

    def play(self, action: Action) -> None:
        """Play a legal action, and everything that follows until a learner must decide or the game is over."""
        self._play(action)
        self._go_on()

    def _play(self, action: Action) -> None:
        self.state = settle(self.state.play(action), self._stream)

    def _go_on(self) -> None:
        self._play_sole()
        while (player := self._players.get(self.state.to_act)) is not None:
            answer = player.choose(view(self.state, self.state.to_act), [action.text for action in self.state.legal])
            # Several actions are consecutive decisions of one seat, including single legal ones.
            for text in [answer] if isinstance(answer, str) else answer:
                self._play(self.state.parse(text))
            self._play_sole()

    def _play_sole(self) -> None:
        while (sole := self.state.legal.sole) is not None:
            self._play(sole)


def rewards(state: State) -> list[float]:
    """Return the reward of each seat: 0 while the game runs, from -1 to 1 at its end.

    For each opponent a seat gets 1 if it has more VP, -1 if it has fewer and 0 if it has as many. Its reward is the
    mean of these: with two players 1 for a win and -1 for a defeat. The rewards of all seats add up to 0.

    >>> from random import Random
    >>> line = Line(start(Ruleset(4), bytes(32)))
    >>> count = line.playout(Random(1))
    >>> line.state.outcome.ranks, [round(reward, 2) for reward in rewards(line.state)]
    ((2, 1, 4, 3), [0.33, 1.0, -1.0, -0.33])
    """
    outcome = state.outcome
    if outcome is None:
        return [0.0] * len(state.seats)
    ranks = outcome.ranks
    return [sum((other > rank) - (other < rank) for other in ranks) / (len(ranks) - 1) for rank in ranks]


def drawn(state: State) -> str:
    """Return lines of text with the pending decision, and the meeples and the owner of each tile.

    >>> print(drawn(start(Ruleset(2), bytes(32))).splitlines()[0])
    round 1, bid, seat 1 is to act
    """
    seen = view(state, SPECTATOR)
    turn = "the game is over" if seen.to_act is None else f"seat {seen.to_act} is to act"
    tiles = [
        f"{name} {tile.meeples or '-'}{f'@{tile.owner}' if tile.owner else ''}" for name, tile in seen.tiles.items()
    ]
    width = 2 + max(map(len, tiles))
    rows = [
        "".join(tile.ljust(width) for tile in tiles[start : start + seen.columns]).rstrip()
        for start in range(0, len(tiles), seen.columns)
    ]
    return "\n".join([f"round {seen.round}, {seen.phase}, {turn}", *rows])
