"""How fast the rules are, each figure beside a named reference measured in the same minutes: `make bench`.

The reference for play is OpenSpiel's backgammon (C++) through its Python API, played at random in the same way; for
documents it is the standard library's JSON of the same position. Playouts are one call of `playouts`, compared with the
same random decisions of backgammon through Python. Rounds alternate, and the median ratio is what counts: absolute
figures move with the machine.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from statistics import median

from arena._native import form
from arena.rules import (
    Action,
    Line,
    RandomSource,
    Ruleset,
    State,
    determinizations,
    determinize,
    format_position,
    parse_position,
    playouts,
    settle,
    start,
    start_with_stream,
    view,
)
from arena.rules.legal import LegalActions
from tests.kit.games import seed_of

ROUNDS = 7
GAMES = 40
REPEATS = 300


def random_games(players: int) -> tuple[int, int]:
    """Play random games through the public API; decisions and games played."""
    rng, decisions = random.Random(players), 0
    for number in range(GAMES):
        state, stream = start_with_stream(Ruleset(players), seed_of("bench", number))
        while not state.is_over:
            state = settle(state.play(rng.choice(state.legal)), stream)
            decisions += 1
    return decisions, GAMES


def played_out(players: int) -> tuple[State, int]:
    """The start of a game, and the decisions in `GAMES` playouts from it, counted by a line of play."""
    state, rng, decisions = start(Ruleset(players), seed_of("bench")), random.Random(players), 0

    def any_action(state: State, rng: RandomSource) -> Action:
        nonlocal decisions
        decisions += 1
        return state.legal[rng.randrange(len(state.legal))]

    line = Line(state)
    for _ in range(GAMES):
        line.undo(line.playout(rng, any_action))
    return state, decisions


def backgammon_games() -> tuple[int, int]:
    """The same with OpenSpiel's backgammon; chance nodes are no decisions."""
    import pyspiel

    rng, decisions, game = random.Random(1), 0, pyspiel.load_game("backgammon")
    for _ in range(GAMES):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
    return decisions, GAMES


def middle_of_a_game() -> State:
    """A position of four players in the middle of a game, a tile about to be taken."""
    state, stream = start_with_stream(Ruleset(4), seed_of("middle"))
    rng = random.Random(4)
    while state.round < 4 or state.phase != "move":
        state = settle(state.play(rng.choice(state.legal)), stream)
    return state


Tree = list[tuple[Action, "Tree"]]


def tree_of(state: State, depth: int) -> Tree:
    """All actions from a state on, to a depth: what a search in depth goes through."""
    if not depth or state.due is not None:
        return []
    return [(action, tree_of(state.play(action), depth - 1)) for action in state.legal]


def search_by_line(line: Line, tree: Tree) -> None:
    """Apply and undo every action of a tree."""
    for action, below in tree:
        line.apply(action)
        search_by_line(line, below)
        line.undo()


def search_by_states(state: State, tree: Tree) -> None:
    """The same with a new state for each."""
    for action, below in tree:
        search_by_states(state.play(action), below)


def backgammon_middle() -> Callable[[], object]:
    """OpenSpiel's legal actions after forty decisions of backgammon."""
    import pyspiel

    rng, state, decisions = random.Random(3), pyspiel.load_game("backgammon").new_initial_state(), 0
    while decisions < 40 or state.is_chance_node():
        decisions += not state.is_chance_node()
        outcomes = state.chance_outcomes() if state.is_chance_node() else [(a, 1) for a in state.legal_actions()]
        state.apply_action(rng.choices([a for a, _ in outcomes], [p for _, p in outcomes])[0])
    return state.legal_actions


def seconds(work: Callable[[], object]) -> float:
    """Seconds of processor time of one call: what else runs on the machine has no part in it."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def each(work: Callable[[], object]) -> float:
    """Seconds of a call, the mean of many."""
    return seconds(lambda: [work() for _ in range(REPEATS)]) / REPEATS


def row(name: str, ours: float, reference: str, theirs: float, ratios: list[float], unit: str) -> None:
    """Print one figure: the last round's numbers, and the median ratio of all rounds."""
    print(f"{name:34} {ours:10,.0f} {unit:4} {reference:38} {theirs:10,.0f} {unit:4} ratio {median(ratios):5.2f}")


def main() -> None:
    """Print every figure."""
    print(f"arena.rules, {form()} form; Python {sys.version.split()[0]}; median ratios of {ROUNDS} alternating rounds")
    figures: dict[str, list[tuple[float, float]]] = {}
    starts = {players: played_out(players) for players in (2, 3, 4)}
    for _ in range(ROUNDS):
        decisions, games = backgammon_games()
        took = seconds(backgammon_games)
        theirs = (decisions / took, games / took)
        for players in (2, 3, 4):
            played = random_games(players)
            took = seconds(lambda players=players: random_games(players))
            figures.setdefault(f"random decisions, {players} players", []).append((played[0] / took, theirs[0]))
            state, decided = starts[players]
            took_out = seconds(lambda state=state, players=players: playouts(state, GAMES, random.Random(players)))
            figures.setdefault(f"decisions in playouts, {players} players", []).append((decided / took_out, theirs[0]))
            figures.setdefault(f"whole random games, {players} players", []).append((played[1] / took, theirs[1]))
    for name, pairs in figures.items():
        reference = "OpenSpiel backgammon, " + ("decisions" if "decisions" in name else "games")
        row(name, *pairs[-1][:1], reference, pairs[-1][1], [ours / other for ours, other in pairs], "/s")

    state, backgammon = middle_of_a_game(), backgammon_middle()
    position = format_position(state)
    text = json.dumps(position)
    tree, line, seen, rng = tree_of(state, 2), Line(state), view(state, 1), random.Random(2)
    states = determinizations(seen, rng)
    works: dict[str, tuple[Callable[[], object], str, Callable[[], object]]] = {
        "search in depth: apply and undo": (
            lambda: search_by_line(line, tree),
            "State.play",
            lambda: search_by_states(state, tree),
        ),
        "determinize a view": (lambda: determinize(seen, rng), "json.loads of the position", lambda: json.loads(text)),
        "one more state of the view": (lambda: next(states), "json.loads of the position", lambda: json.loads(text)),
        "legal set, middle of a game": (
            lambda: list(LegalActions(state)),
            "OpenSpiel backgammon, legal set",
            backgammon,
        ),
        "test of one action": (lambda: state.legal[3] in state.legal, "OpenSpiel backgammon, legal set", backgammon),
        "view of a seat": (lambda: view(state, 1), "json.dumps of the position", lambda: json.dumps(position)),
        "encode a position": (
            lambda: format_position(state),
            "json.dumps of the position",
            lambda: json.dumps(position),
        ),
        "parse a position": (lambda: parse_position(position), "json.loads of the position", lambda: json.loads(text)),
    }
    for name, (ours, reference, other) in works.items():
        measured = [(each(ours) * 1e9, each(other) * 1e9) for _ in range(ROUNDS)]
        row(name, measured[-1][0], reference, measured[-1][1], [b / a for a, b in measured], "ns")


if __name__ == "__main__":
    main()
