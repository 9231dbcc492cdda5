"""Both engines side by side: the same random games, compared at every decision."""

from random import Random
from typing import Any

from arena.rules import (
    Event,
    Game,
    Ruleset,
    State,
    Stream,
    draw_chance,
    format_position,
    parse_position,
    view,
    view_event,
)
from tests.kit import slow

BIASES = ["uniform", "verbs", "powers"]
POWERFUL = ("use", "summon", "keep", "item", "craft", "tent", "fly", "pull", "slay")


def biased_choice(rng: Random, legal: list[str], bias: str) -> str:
    """Return a choice of a random game: `uniform`; `verbs`, the kind of action first; `powers`, Djinns first."""
    if bias == "powers":
        wanted = [text for text in legal if text.split(" ")[0] in POWERFUL or " f " in text]
        if wanted and rng.random() < 0.7:
            legal = wanted
    if bias != "uniform":
        kinds: dict[tuple[str, ...], list[str]] = {}
        for text in legal:
            words = text.split(" ")
            verb = words[0]
            kind = (verb, words[1]) if verb in ("use", "summon", "item") else (verb, str("@" in text), str(len(words)))
            kinds.setdefault(kind, []).append(text)
        legal = kinds[rng.choice(sorted(kinds))]
    return rng.choice(legal)


def assert_same(state: State, position: dict[str, Any], history: list[Any]) -> list[str]:
    """Check that both engines have the same position and allow the same actions. Return these."""
    assert format_position(state) == position, history
    expected = slow.legal(position)
    found = [action.text for action in state.legal]
    assert found == expected, (history, set(found) ^ set(expected))
    assert len(state.legal) == len(expected) and bool(state.legal) == bool(expected)
    assert all(action in state.legal for action in state.legal)
    for seat in range(position["players"] + 1):
        assert view(state, seat).document == slow.view(position, seat), (history, seat)
    return expected


def assert_same_end(state: State, position: dict[str, Any], history: list[Any]) -> None:
    assert state.is_over and state.outcome is not None
    assert state.outcome.document() == slow.result(position), history


def play_whole_game(ruleset: Ruleset, seed: bytes, deal: bytes | None, bias: str) -> None:
    rng = Random(seed)
    game = Game(ruleset, seed, deal)
    other = slow.SlowGame(ruleset.players, seed, deal, ruleset.expansions)
    assert format_position(game.setup) == other.setup
    while True:
        legal = assert_same(game.state, other.position, other.events)
        if not legal:
            break
        text = biased_choice(rng, legal, bias)
        since = len(game.events)
        new, expected = game.play(text), other.play(text)
        if not game.state.is_over:
            for seat in range(ruleset.players + 1):
                seen = [(by, slow.view_event(text, by, seat)) for by, text in expected]
                assert [(event.seat, event.text) for event in game.seen_events(seat, since)] == seen
        assert [(event.seat, event.text) for event in new] == expected, other.events
    assert_same_end(game.state, other.position, other.events)
    assert [(event.seat, event.text) for event in game.events] == other.events
    for seat in range(ruleset.players + 1):
        assert [view_event(event, seat).text for event in game.events] == [
            slow.view_event(text, by, seat) for by, text in other.events
        ]
    again = Game.resume(ruleset, seed, deal, game.events)
    assert format_position(again.state) == other.position


def step(
    state: State, position: dict[str, Any], text: str, stream: Stream, chance: slow.StreamChance, history: list[Any]
) -> tuple[State, dict[str, Any]]:
    """Play the action in both engines, each of which draws its own chance, and compare the chance."""
    history.append(text)
    state = state.play(state.parse(text))
    found = []
    while state.due is not None:
        event = draw_chance(state, stream)
        assert view_event(Event(0, event.text), 0).text == slow.view_event(event.text)
        found.append(event.text)
        state = state.play(event)
    position, expected = slow.apply(position, text, chance)
    assert found == expected, history
    history += expected
    return state, position


def play_on(position: dict[str, Any], seed: bytes, bias: str) -> None:
    """Play a random game from a position document. Each engine has its own copy of the stream."""
    rng, stream = Random(seed), Stream(seed)
    chance = slow.StreamChance(slow.Stream(seed))
    state = parse_position(position)
    history: list[Any] = [position]
    while legal := assert_same(state, position, history):
        text = biased_choice(rng, legal, bias)
        state, position = step(state, position, text, stream, chance, history)
    assert_same_end(state, position, history)


def play_one_step_of_each_kind(position: dict[str, Any], number: int) -> None:
    """Play one action or move of every kind that the position allows."""
    state, rng = parse_position(position), Random(number)
    legal = assert_same(state, position, [position])
    for text in sorted({biased_choice(rng, legal, "verbs") for _ in range(25)}):
        seed = rng.randbytes(32)
        stream, chance, history = Stream(seed), slow.StreamChance(slow.Stream(seed)), [position]
        after, expected = step(state, position, text, stream, chance, history)
        following = assert_same(after, expected, history)
        while expected["phase"] == "sow":  # a move is played to its end
            choice = biased_choice(rng, following, "powers")
            after, expected = step(after, expected, choice, stream, chance, history)
            following = assert_same(after, expected, history)
    assert format_position(state) == position  # playing does not change the old state
