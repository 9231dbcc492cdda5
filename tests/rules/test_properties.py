"""Properties of every game: the invariants of rule 11, legality, text forms, and what a view reveals."""

from __future__ import annotations

import copy
import pickle
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from arena.rules import (
    Action,
    Game,
    IllegalAction,
    LegalActions,
    Ruleset,
    State,
    Stream,
    format_position,
    parse_action,
    parse_position,
    read_game,
    replay_document,
    settle,
    verify_replay,
    view,
)
from arena.rules.components import ITEM_NUMBER
from arena.rules.notation import VERBS
from tests.kit.games import RULESETS, random_game, random_states, seed_of

RULES = st.sampled_from(RULESETS)
SEEDS = st.binary(min_size=32, max_size=32)
MEEPLES = {"y": 16, "w": 20, "g": 18, "b": 18, "r": 18}
CARDS = {"ivory": 2, "jewels": 2, "gold": 2, "papyrus": 4, "silk": 4, "spice": 4, "fish": 6, "wheat": 6, "pottery": 6}
CAMELS = {2: 11, 3: 8, 4: 8, 5: 8}
# Do not shrink: a whole game contains nothing smaller.
a_few = settings(max_examples=12, phases=[Phase.explicit, Phase.reuse, Phase.generate])


def assert_invariants(position: dict[str, Any]) -> None:
    """Check rule 11 by counting in the document."""
    tiles, seats, turn = position["board"]["tiles"].values(), position["seats"], position["turn"] or {}
    groups = [tile["meeples"] for tile in tiles] + [position["bag"], turn.get("hand", "-"), turn.get("lifted", "-")]
    letters = "".join(groups) + "y" * sum(s["viziers"] for s in seats) + "w" * sum(s["elders"] for s in seats)
    letters += "p" * sum(seat.get("artisans", 0) for seat in seats)
    whims, artisans = "whims" in position["expansions"], "artisans" in position["expansions"]
    box = {letter: number + 3 * whims for letter, number in MEEPLES.items()} | {"p": 15 * artisans}
    counted = {letter: letters.count(letter) for letter in box}
    assert counted == box
    if position["phase"] == "horn":
        position = {**position, "resources": {**position["resources"], "drawn": turn["drawn"]}}
    held = [name for seat in seats for name, number in seat["hand"].items() for _ in range(number)]
    cards = [card for pile in position["resources"].values() for card in pile] + held
    assert {card: cards.count(card) for card in set(cards)} == {**CARDS, "fakir": 18}
    djinns = [djinn for pile in position["djinns"].values() for djinn in pile]
    djinns += turn["drawn"] if position["phase"] == "choose" else []
    djinns += [djinn for seat in seats for djinn in seat["djinns"]]
    assert len(djinns) == len(set(djinns)) == 22 + 2 * whims + 2 * artisans
    assert sum(tile["palms"] for tile in tiles) + position["supply"]["palms"] == 12
    assert sum(tile["palaces"] for tile in tiles) + position["supply"]["palaces"] == 10
    for number, seat in enumerate(seats, 1):
        pieces = seat["camels"] + seat.get("tent", 0)
        assert pieces + sum(tile["owner"] == number for tile in tiles) == CAMELS[len(seats)] + artisans
        assert seat["gold"] >= 0 <= seat["camels"]
    assert all(tile["meeples"] == "-" and not tile["owner"] for tile in tiles if tile["kind"] in ("lake", "chasm"))
    if artisans:
        items = [item for pile in position["items"].values() for item in pile]
        items += [item for seat in seats for item in seat["items"]]
        assert len(items) + (len(turn["drawn"]) if position["phase"] == "item" else 0) == 18
    if whims:
        cards = position["whims"]["deck"] + [tile["whim"] for tile in tiles if tile.get("whim")]
        cards += [whim for seat in seats for pile in seat["whims"].values() for whim in pile]
        assert len(cards) == len(set(cards)) == (22 if artisans else 19)
    markers = position["bid_order"] + [seat for seat in position["turn_track"] if seat]
    assert sorted(markers) == sorted([*range(1, len(seats) + 1)] * (2 if len(seats) == 2 else 1))


@given(RULES, SEEDS)
@a_few
def test_random_games_keep_the_invariants_and_end(ruleset: Ruleset, seed: bytes) -> None:
    for state in random_states(ruleset, seed):
        assert_invariants(format_position(state))
    assert state.is_over and state.ending in ("camels", "no-moves") and len(state.legal) == 0


@given(RULES, SEEDS)
@a_few
def test_every_round_each_marker_bids_once_and_plays_once_in_the_order_of_the_next_bids(
    ruleset: Ruleset, seed: bytes
) -> None:
    game = random_game(ruleset, seed)
    replayed = Game(game.ruleset, game.seed)
    bids: list[int] = []
    turns: list[int] = []
    order = list(replayed.state.bid_order)
    for event in (event for event in game.events if event.seat):
        verb = event.text.split()[0]
        if verb == "bid":
            bids.append(event.seat)
        elif verb == "end":
            turns.append(event.seat)
        replayed.play(event.text)
        if replayed.state.phase == "bid" and len(turns) == len(order):
            assert bids == order and sorted(turns) == sorted(order)
            assert list(replayed.state.bid_order) == turns
            bids, turns, order = [], [], turns
    assert bids == order and sorted(turns) == sorted(order)


@pytest.mark.slow
@given(RULES, SEEDS)
@a_few
def test_every_listed_action_is_playable_and_every_unlisted_one_refused(ruleset: Ruleset, seed: bytes) -> None:
    rng = Random(seed)
    seen: dict[Action, None] = {}  # in a fixed order, without sorting the actions of each state
    for state in random_states(ruleset, seed):
        legal = list(state.legal)
        assert legal == sorted(legal, key=lambda action: (VERBS.index(action.verb), action.text)) and len(
            set(legal)
        ) == len(legal)
        assert bool(legal) is bool(state.legal) is not state.is_over
        for action in legal:
            state.check(action)
            assert action in state.legal
        seen.update(dict.fromkeys(legal))
        position = format_position(state)
        for action in rng.sample(list(seen), min(20, len(seen))):
            if action not in legal:
                assert action not in state.legal
                with pytest.raises(IllegalAction) as caught:
                    state.check(action)
                assert caught.value.code.isupper() and caught.value.rule
                assert caught.value.position == position
        for action in rng.sample(legal, min(4, len(legal))):
            after = settle(state.play(action), Stream(seed))
            assert after.is_over or len(after.legal) > 0
            assert_invariants(format_position(after))


@given(RULES, SEEDS)
@a_few
def test_a_sole_action_is_found_as_by_listing(ruleset: Ruleset, seed: bytes) -> None:
    for state in random_states(ruleset, seed):
        actions = list(LegalActions(state))
        fresh = LegalActions(state)
        assert fresh.sole == (actions[0] if len(actions) == 1 else None)
        assert list(fresh) == actions


@pytest.mark.slow
@given(RULES, SEEDS)
@a_few
def test_playing_changes_no_state_that_was_seen_before(ruleset: Ruleset, seed: bytes) -> None:
    seen = [(state, format_position(state)) for state in random_states(ruleset, seed)]
    assert all(format_position(state) == position for state, position in seen)


@pytest.mark.slow
@given(RULES, SEEDS)
@a_few
def test_text_forms_say_everything(ruleset: Ruleset, seed: bytes) -> None:
    for state in random_states(ruleset, seed):
        position = format_position(state)
        again = parse_position(copy.deepcopy(position))
        assert format_position(again) == position
        assert list(again.legal) == list(state.legal)
        for action in state.legal:
            assert parse_action(action.text) is action
            assert pickle.loads(pickle.dumps(action)) == action
    game = random_game(ruleset, seed)
    for event in game.events:
        assert parse_action(event.text).text == event.text


@given(RULES, SEEDS, st.none() | SEEDS)
@a_few
def test_a_record_gives_the_same_game_again(ruleset: Ruleset, seed: bytes, deal: bytes | None) -> None:
    game = random_game(ruleset, seed, deal)
    document = replay_document(game, match="m", seats=[{"name": "random", "version": "1"}] * ruleset.players)
    verify_replay(document)
    again = read_game(document)
    assert again.events == game.events
    assert format_position(again.state) == format_position(game.state)
    assert Game.resume(game.ruleset, seed, deal, game.events).state.outcome == game.state.outcome


@given(RULES, SEEDS, SEEDS)
@a_few
def test_a_deal_shares_all_that_is_open_and_nothing_that_is_hidden(ruleset: Ruleset, seed: bytes, deal: bytes) -> None:
    one, two = Game(ruleset, seed, deal).setup, Game(ruleset, seed_of(seed), deal).setup
    assert [view(one, seat) for seat in range(ruleset.players + 1)] == [
        view(two, seat) for seat in range(ruleset.players + 1)
    ]
    assert one.deck != two.deck and sorted(one.deck) == sorted(two.deck)
    assert one.djinn_deck != two.djinn_deck


def hide(state: State, seat: int, rng: Random) -> State:
    """Return the position with everything changed that a seat cannot know: decks, others' hands, items, whims, gold."""
    position = format_position(state)
    resources, djinns = position["resources"], position["djinns"]
    rng.shuffle(djinns["deck"])
    others = [held for number, held in enumerate(position["seats"], 1) if number != seat]
    sizes = [sum(held["hand"].values()) for held in others]
    unseen = resources["deck"] + [name for held in others for name, n in held["hand"].items() for _ in range(n)]
    rng.shuffle(unseen)
    for held, size in zip(others, sizes, strict=True):
        hand, unseen = unseen[:size], unseen[size:]
        held["hand"] = {name: hand.count(name) for name in sorted(set(hand))}
        held["gold"] += rng.randrange(40)
    resources["deck"] = unseen
    for pile, held_by, tokens in (("items", "pile", "items"), ("whims", "deck", "open")):
        if pile in position:
            mine = [held if tokens == "items" else held["whims"] for held in others]
            unseen = position[pile][held_by] + [token for held in mine for token in held[tokens]]
            rng.shuffle(unseen)
            for held in mine:
                size = len(held[tokens])
                held[tokens], unseen = unseen[:size], unseen[size:]
            position[pile][held_by] = unseen
    return parse_position(position)


@pytest.mark.slow
@given(RULES, SEEDS)
@a_few
def test_a_view_does_not_change_with_what_its_seat_cannot_know(ruleset: Ruleset, seed: bytes) -> None:
    rng = Random(seed)
    for state in random_states(ruleset, seed):
        if state.is_over:
            assert all(
                view(state, seat).document["resources"] == format_position(state)["resources"]
                for seat in range(ruleset.players + 1)
            )
            continue
        # Check only the seat to act and a spectator. With other hands, another seat may have no legal action.
        for seat in {state.to_act, 0} if state.phase in ("bid", "move", "sell") else {state.to_act}:
            if seat or state.phase == "move":
                assert view(hide(state, seat, rng), seat) == view(state, seat)


@given(RULES, SEEDS)
@a_few
def test_events_as_seen_name_no_hidden_card(ruleset: Ruleset, seed: bytes) -> None:
    game = random_game(ruleset, seed)
    for event, seen in zip(game.events, game.seen_events(0), strict=True):
        if event.text.startswith("keep") and event.text.split()[1] in ITEM_NUMBER:
            assert seen[:2] == (event.seat, "keep ?")
        elif event.text.startswith("!shuffle"):
            words = event.text.split()
            assert seen == (0, f"!shuffle {words[1]} {len(words) - 2}", None)
        else:
            assert seen[:2] == event[:2]
