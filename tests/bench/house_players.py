"""How long the house players think: processor time of a decision, where there is a choice.

    python -m tests.bench.house_players --games 3

Three, four and five search players meet in base games and with both expansions, two in base games. The named reference
is `greedy` at the same tables. Run it where nothing else runs: a busy machine's processor is slower.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from hashlib import sha256
from time import process_time

from arena.players import make_player
from arena.players.search import BUDGETS
from arena.rules import Game, Ruleset, view

RULESETS = (
    Ruleset(2),
    Ruleset(4),
    Ruleset(3, ("artisans",)),
    Ruleset(5, ("whims",)),
    Ruleset(5, ("artisans", "whims")),
)


def main() -> None:
    """Play and print a line for each player."""
    parser = argparse.ArgumentParser(description="Processor time of the house players' decisions.")
    parser.add_argument("--games", type=int, default=3, help="of each ruleset")
    arguments = parser.parse_args()
    spent: dict[str, list[float]] = defaultdict(list)
    names = [*reversed(BUDGETS), "greedy", "search-3"]
    for number in range(arguments.games):
        for ruleset in RULESETS:
            turned = names[number % 4 :] + names[: number % 4]
            play(ruleset, turned[: ruleset.players], sha256(number.to_bytes(8, "big")).digest(), spent)
    print("player     decisions  mean ms  p99 ms  max ms")
    for name, times in sorted(spent.items()):
        times.sort()
        mean, high = 1e3 * sum(times) / len(times), 1e3 * times[int(0.99 * len(times))]
        print(f"{name:10} {len(times):9}  {mean:7.1f}  {high:6.0f}  {1e3 * times[-1]:6.0f}")


def play(ruleset: Ruleset, names: list[str], seed: bytes, spent: dict[str, list[float]]) -> None:
    """One game; the time of every decision that is one is noted."""
    game = Game(ruleset, seed)
    players = [make_player(name, sha256(seed + bytes([seat])).digest()) for seat, name in enumerate(names, start=1)]
    while not game.state.is_over:
        state = game.state
        shown, legal = view(state, state.to_act), [action.text for action in state.legal]
        began = process_time()
        choice = players[state.to_act - 1].choose(shown, legal)
        if len(legal) > 1:
            spent[names[state.to_act - 1]].append(process_time() - began)
        for action in [choice] if isinstance(choice, str) else choice:
            game.play(action)


if __name__ == "__main__":
    main()
