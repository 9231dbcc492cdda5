"""Recorded games of another implementation, perft counts of the slow engine, and the defaults of a referee."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from arena.rules import (
    Game,
    Ruleset,
    Stream,
    default_action,
    format_position,
    parse_position,
    parse_ruleset,
    start_with_stream,
    verify_replay,
)
from arena.rules.perft import perft, split
from tests.kit import slow
from tests.kit.games import random_states, seed_of

VECTORS = Path(__file__).parents[1] / "golden" / "vectors"
SEED = bytes(32)


@pytest.mark.parametrize("name", sorted(path.stem for path in VECTORS.glob("*.json")))
def test_every_decision_of_a_recorded_game(name: str) -> None:
    replay = json.loads((VECTORS / f"{name}.json").read_text())
    decisions = (VECTORS / f"{name}.legal.txt").read_text().splitlines()
    game = Game(parse_ruleset(replay["ruleset"]), SEED)
    assert format_position(game.setup) == replay["setup"]
    for number, line in enumerate(decisions):
        state = game.state
        texts = [action.text for action in state.legal]
        digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
        assert line.split() == [str(number), str(state.to_act), state.phase, str(len(texts)), digest], texts
        word = int.from_bytes(hashlib.sha256(SEED + b"play" + number.to_bytes(8, "big")).digest()[:8], "big")
        game.play(texts[word % len(texts)])
    assert [event.document() for event in game.events] == replay["events"]
    assert game.state.outcome is not None
    assert game.state.outcome.document() == replay["result"]
    verify_replay(replay)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "depth"), [(2, 3), (3, 4), (4, 2)])
def test_perft_from_the_first_bid(players: int, depth: int) -> None:
    state, stream = start_with_stream(Ruleset(players), seed_of("perft"))
    position, slow_stream = slow.new_position(players, seed_of("perft"))
    counts = split(state, stream, depth)
    assert list(counts) == slow.legal(position)
    assert sum(counts.values()) == perft(state, stream, depth) == slow.perft(position, slow_stream, depth)


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["bid", "move", "sow", "tribe", "tile", "choose", "sell"])
def test_perft_of_two_decisions_in_every_phase(phase: str) -> None:
    """Start in the middle of games. In both engines, chance comes from a stream of its own."""
    compared = 0
    for number in range(60):
        if compared == 6:
            break
        for state in random_states(2 + number % 3, seed_of("middle", number)):
            if state.phase == phase and state.round > 1 and len(state.legal) < 20:
                position = format_position(state)
                expected = slow.perft(position, slow.Stream(SEED), 2)
                assert perft(parse_position(position), Stream(SEED), 2) == expected, position
                compared += 1
                break
    assert compared == 6


def test_perft_leaves_the_stream_of_chance_where_it_was() -> None:
    state, stream = start_with_stream(Ruleset(2), seed_of("perft"))
    before = stream.at
    assert split(state, stream, 2) == split(state, stream, 2)
    assert stream.at == before


def test_the_default_decision_by_hand() -> None:
    """The default is legal[below(n)] of stream(SHA-256(seed ‖ `default` ‖ index as 8 bytes)), not the game's stream."""
    game = Game(Ruleset(4), SEED)
    for index in range(3):
        own_seed = hashlib.sha256(SEED + b"default" + index.to_bytes(8, "big")).digest()
        word = int.from_bytes(hashlib.sha256(own_seed + bytes(8)).digest()[:4], "big")
        legal = list(game.state.legal)
        assert default_action(game.state, SEED, index) == legal[word % len(legal)]
        game.play(default_action(game.state, SEED, index))
