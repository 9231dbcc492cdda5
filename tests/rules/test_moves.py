"""Complete sowings: every one, and every distinct result once."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from arena.rules import Action, Ruleset, State, start
from arena.rules.groups import UNITS, group_size
from arena.rules.moves import results, sowings
from arena.rules.notation import TILE_NAMES
from tests.kit.games import random_states, seed_of

RECORDED = Path(__file__).parents[1] / "golden" / "vectors" / "sowings-round-1.txt"


def result_of(actions: tuple[Action, ...], origin: int) -> tuple[object, ...]:
    """Return the result of a sowing: origin, end, last tribe, and the group dropped on each tile."""
    drops = [action for action in actions if action.verb == "drop"]
    dropped: defaultdict[int, int] = defaultdict(int)
    for action in drops:
        dropped[int(action.args[0])] += UNITS[int(action.args[1])]
    return origin, *drops[-1].args, frozenset(dropped.items())


def origin_of(state: State, actions: tuple[Action, ...]) -> int:
    return int(actions[0].args[0]) if actions[0].verb == "take" else state.origin


def recorded() -> dict[Ruleset, dict[str, tuple[int, ...]]]:
    """Return, by ruleset and tile of the first board of seed 0, the numbers of sequences, results and distinct ends."""
    tables: dict[Ruleset, dict[str, tuple[int, ...]]] = {}
    for block in RECORDED.read_text().split("# seed 00 players ")[1:]:
        players, _, named = block.splitlines()[0].split()
        rows = re.findall(r"^sow (\w\d) .* sequences (\d+) results (\d+) ends (\d+)$", block, re.MULTILINE)
        expansions = () if named == "-" else tuple(sorted(re.split(r"\W+", named)))
        tables[Ruleset(int(players), expansions)] = {name: tuple(map(int, numbers)) for name, *numbers in rows}
    return tables


@pytest.mark.parametrize(("ruleset", "table"), recorded().items())
def test_numbers_recorded_by_another_engine(ruleset: Ruleset, table: dict[str, tuple[int, ...]]) -> None:
    state = start(ruleset, bytes(32))
    while state.phase == "bid":
        state = state.play(state.legal[0])
    ways = Counter(actions[0].args[0] for actions in sowings(state))
    found = list(results(state))
    per_tile = Counter(result.origin for result in found)
    ends = Counter(origin for origin, _, _ in {result[:3] for result in found})
    assert table and not set(ways) - {tile for tile, name in enumerate(TILE_NAMES) if name in table}
    for tile, name in enumerate(TILE_NAMES):
        if name in table:
            assert (ways[tile], per_tile[tile], ends[tile]) == table[name], name


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_results_are_those_of_all_sowings_each_once(seed: int) -> None:
    rng, compared = Random(seed), 0
    for state in random_states(2 + seed % 3, seed_of("moves", seed)):
        hands = [group_size(group) for group in state.meeples] if state.phase == "move" else [group_size(state.hand)]
        if state.phase not in ("move", "sow") or max(hands) > 5 or (state.phase == "sow" and rng.random() < 0.9):
            continue
        ways = {result_of(actions, origin_of(state, actions)) for actions in sowings(state)} if state.legal else set()
        found = list(results(state))
        keys = [(result.origin, result.end, result.tribe, frozenset(result.dropped)) for result in found]
        assert len(keys) == len(set(keys)) and set(keys) == ways
        for result in rng.sample(found, min(10, len(found))):
            assert result_of(result.actions, result.origin) == (*result[:3], frozenset(result.dropped))
            after = state
            for action in result.actions:
                after.check(action)
                after = after.play(action)
        compared += 1
    assert compared > 10


def one_big_hand(letters: str) -> State:
    """Return a position with a big hand on C3 about to move, an assassin on A1, and nothing else on the board."""
    state = next(state for state in random_states(2, seed_of("big"), eager=False) if state.phase == "move").copy()
    groups = {14: sum(UNITS["ywgbr".index(letter)] for letter in letters), 0: UNITS[4]}
    state.meeples = tuple(groups.get(tile, 0) for tile in range(len(state.meeples)))
    state.holds = tuple(
        sum(1 << tile for tile, group in groups.items() if group >> 8 * tribe & 255) for tribe in range(6)
    )
    return state


def test_the_cost_grows_with_the_results_not_with_the_ways() -> None:
    """Ten meeples of one tribe have 3 ** 9 · 4 walks, but many visit the same tiles, and all orders are the same."""
    state = one_big_hand("r" * 10)
    found = list(results(state))
    assert len({(result.end, frozenset(result.dropped)) for result in found}) == len(found)
    assert 100 < len(found) < 20_000


def test_hands_with_more_results_than_anybody_can_list_are_lazy() -> None:
    state = one_big_hand("yyywwwgggbbbrrr")
    found = list(islice(results(state), 500))
    assert len(found) == 500
    for result in found[::50]:
        after = state
        for action in result.actions:
            after.check(action)
            after = after.play(action)
