"""Invalid input raises the parser's own error, and nothing else."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules import (
    ActionSyntaxError,
    PositionError,
    ReplayError,
    format_position,
    parse_action,
    parse_position,
    read_game,
    replay_document,
    verify_replay,
)
from arena.rules.groups import parse_group
from arena.rules.notation import CHANCE_VERBS, VERBS
from tests.kit.games import random_game, random_states, seed_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
WORDS = st.sampled_from(
    [*VERBS, *CHANCE_VERBS, "A1", "G6", "Z9", "w", "wf", "f", "1", "0", "-1", "99", "@2", "enki", "fish"]
)
many = settings(max_examples=300)
STATES = [state for players in (2, 3, 4) for state in random_states(players, seed_of("fuzz", players))][::7]
GAME = random_game(3, seed_of("fuzz"))
REPLAY = replay_document(GAME, match="m", seats=[{"name": "random", "version": "1"}] * 3)


@given(st.text() | st.lists(WORDS, max_size=7).map(" ".join))
@many
def test_action_texts(text: str) -> None:
    with contextlib.suppress(ActionSyntaxError):
        assert parse_action(text).text == text


@given(st.text() | st.text("ywgbrp-", max_size=9))
@many
def test_groups(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert parse_group(text) >= 0


def mutate(data: st.DataObject, document: Any) -> Any:
    """Return the document with one value somewhere in it replaced, removed or added."""
    document = copy.deepcopy(document)
    node = document
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return document
        key = data.draw(st.sampled_from(keys))
        if isinstance(node[key], dict | list) and node[key] and data.draw(st.integers(0, 5)):
            node = node[key]
            continue
        if data.draw(st.booleans()):
            node[key] = data.draw(JSON)
        elif isinstance(node, dict):
            del node[key]
        else:
            node.insert(key, data.draw(JSON))
        return document


@given(st.data())
@many
def test_positions_with_one_thing_wrong(data: st.DataObject) -> None:
    document = mutate(data, format_position(data.draw(st.sampled_from(STATES))))
    with contextlib.suppress(PositionError):
        state = parse_position(document)
        assert format_position(state) == document
        assert state.is_over or len(state.legal) > 0


@given(JSON)
@many
def test_documents_that_are_no_position_or_replay(document: Any) -> None:
    for parse, error in ((parse_position, PositionError), (read_game, ReplayError), (verify_replay, ReplayError)):
        with contextlib.suppress(error):
            parse(document)
            raise AssertionError(f"{document!r} was accepted")


@given(st.data())
@settings(max_examples=100)
def test_replays_with_one_thing_wrong(data: st.DataObject) -> None:
    with contextlib.suppress(ReplayError):
        verify_replay(mutate(data, REPLAY))
