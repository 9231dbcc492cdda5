"""Events and refusals, chance, set-up, views, syntax: rules 2, 8 and 9, and the notation."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from arena.rules import (
    ActionSyntaxError,
    Event,
    Game,
    IllegalAction,
    RulesError,
    Ruleset,
    Stream,
    commitment,
    draw_chance,
    format_position,
    match_seed,
    parse_action,
    start_with_stream,
    view,
    view_event,
)
from tests.kit.builder import DJINNS, GOODS, MOVABLE, play, position, refusal

SEED = bytes(range(32))


# Events and refusals.


def test_point_8_10_a_sole_action_is_an_event_too() -> None:
    game = Game(Ruleset(2), SEED)
    while len(game.state.legal) > 1:
        game.play(game.state.legal[0])
    seat_asked, sole = game.state.to_act, game.state.legal[0].text
    assert game.play(sole)[0] == Event(seat_asked, sole)
    assert game.events[-1].seat == 0 or game.events[-1].text == sole


def test_a_refusal_has_a_code_a_rule_and_the_position() -> None:
    state = position(tiles=MOVABLE)
    with pytest.raises(IllegalAction) as caught:
        state.parse("skip")
    assert (caught.value.code, caught.value.rule) == ("MUST_MOVE", "R2")
    assert caught.value.position == format_position(state)
    assert "R2" in str(caught.value)


def test_the_legal_view_tests_one_action_and_its_own_truth() -> None:
    state = position(tiles=MOVABLE)
    assert state.legal
    assert parse_action("take A1") in state.legal
    assert parse_action("take C1") not in state.legal
    assert parse_action("!bag wrr") not in state.legal
    assert (state.legal[0], state.legal[-1], len(state.legal)) == (parse_action("take A1"), parse_action("take B1"), 2)
    assert not position(phase="over").legal


# Chance (notation, Chance; 8.12, 8.13, 8.26, section 9).


@pytest.mark.parametrize("text", ["!bag wrr", "!shuffle resources fish", "!shuffle djinns enki"])
def test_notation_chance_is_given_only_when_it_is_due(text: str) -> None:
    assert refusal(position(tiles=MOVABLE), text) == "NO_CHANCE_DUE"


def words(seed: bytes) -> Any:
    """Return the stream of section 9, implemented again."""
    block = 0
    while True:
        digest = sha256(seed + block.to_bytes(8, "big")).digest()
        for place in range(0, 32, 4):
            yield int.from_bytes(digest[place : place + 4], "big")
        block += 1


def test_section_9_words() -> None:
    stream, expected = Stream(SEED), words(SEED)
    assert [stream.word() for _ in range(40)] == [next(expected) for _ in range(40)]


@pytest.mark.parametrize("n", [2, 3, 90, 2**31 + 1, 2**32 - 1])
def test_section_9_below_reads_again_what_would_be_unfair(n: int) -> None:
    stream, source = Stream(SEED), words(SEED)
    for _ in range(40):
        while (word := next(source)) >= 2**32 // n * n:
            pass
        assert stream.below(n) == word % n


def test_point_8_26_below_one_reads_a_word_and_a_shuffle_of_one_card_none() -> None:
    stream, source = Stream(SEED), words(SEED)
    assert stream.below(1) == 0
    next(source)
    assert stream.shuffle(["enki"]) == ["enki"]
    assert stream.word() == next(source)


def test_section_9_shuffle_goes_from_the_last_place_down() -> None:
    cards, source = list("abcdefg"), words(SEED)
    for i in range(6, 0, -1):
        j = next(source) % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    assert Stream(SEED).shuffle("abcdefg") == cards


def test_section_9_anun_nak_draws_one_by_one_from_the_bag_in_its_order() -> None:
    seats = {1: {"djinns": ["anun-nak"], "elders": 1}}
    state = position(bag="yggrr", heap="A1 B1 C1 D1", seats=seats)
    state = play(state, "use anun-nak w A5")
    bag, source = list("ywggrr"), words(SEED)
    drawn = "".join(bag.pop(next(source) % len(bag)) for _ in range(3))
    assert draw_chance(state, Stream(SEED)).text == f"!bag {drawn}"


def test_section_9_a_reshuffle_shuffles_the_discard_oldest_first() -> None:
    seats = {1: {"djinns": ["sloar"], "hand": {"fakir": 1}}}
    state = play(position(phase="sell", discard=["wheat", "gold", "fish"], other_cards=2, seats=seats), "use sloar f")
    expected = Stream(SEED).shuffle(["wheat", "gold", "fish", "fakir"])
    assert draw_chance(state, Stream(SEED)).text == "!shuffle resources " + " ".join(expected)


# Set-up (2.1, 9).


DEAL = bytes(range(100, 132))


def below(source: Any, n: int) -> int:
    while (word := next(source)) >= 2**32 // n * n:
        pass
    return word % n


def shuffled(source: Any, cards: list[Any]) -> list[Any]:
    for i in range(len(cards) - 1, 0, -1):
        j = below(source, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def setup_by_hand(players: int, source: Any) -> dict[str, Any]:
    """Return a set-up from one stream, in the order of section 9: tiles, meeples, markers, resources, Djinns."""
    tiles = ["village 5"] * 5 + ["sacred 6"] * 4 + ["sacred 10", "sacred 12", "sacred 15"] + ["oasis 8"] * 6
    tiles = shuffled(source, tiles + ["small-market 6"] * 8 + ["large-market 4"] * 4)
    meeples = shuffled(source, list("y" * 16 + "w" * 20 + "g" * 18 + "b" * 18 + "r" * 18))
    markers = shuffled(source, [1, 1, 2, 2] if players == 2 else list(range(1, players + 1)))
    copies = {"fish": 6, "wheat": 6, "pottery": 6, "fakir": 18, "papyrus": 4, "silk": 4, "spice": 4}
    cards = shuffled(source, [card for card in [*GOODS, "fakir"] for _ in range(copies.get(card, 2))])
    djinns = shuffled(source, list(DJINNS))
    return {
        "tiles": tiles,
        "meeples": ["".join(meeples[place : place + 3]) for place in range(0, 90, 3)],
        "markers": markers,
        "resources": {"row": cards[:9], "deck": cards[9:], "discard": []},
        "djinns": {"row": djinns[:3], "deck": djinns[3:], "discard": []},
    }


@pytest.mark.parametrize("deal", [None, DEAL], ids=["from the seed", "from the deal"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_section_9_the_set_up(players: int, deal: bytes | None) -> None:
    source = words(SEED)
    if deal is None:
        expected = setup_by_hand(players, source)
    else:
        expected = setup_by_hand(players, words(deal))
        for pile in ("resources", "djinns"):  # the hidden cards are shuffled once more, with the seed
            expected[pile]["deck"] = shuffled(source, expected[pile]["deck"])
    state, stream = start_with_stream(Ruleset(players), SEED, deal)
    assert stream.word() == next(source)  # all later chance comes from the seed's stream
    shown = format_position(state)
    tiles = shown["board"]["tiles"].values()
    assert list(shown["board"]["tiles"])[:7] == ["A1", "B1", "C1", "D1", "E1", "F1", "A2"]
    assert [f"{tile['kind']} {tile['value']}" for tile in tiles] == expected["tiles"]
    assert [sorted(tile["meeples"]) for tile in tiles] == [sorted(three) for three in expected["meeples"]]
    assert shown["bid_order"] == expected["markers"]
    assert (shown["resources"], shown["djinns"]) == (expected["resources"], expected["djinns"])
    camels = 11 if players == 2 else 8
    fresh = {"gold": 50, "camels": camels, "viziers": 0, "elders": 0, "hand": {}, "djinns": [], "used": []}
    assert shown["seats"] == [fresh] * players
    assert shown["supply"] == {"palms": 12, "palaces": 10}
    assert (shown["bag"], shown["phase"], shown["round"], shown["ending"]) == ("-", "bid", 1, None)


def test_section_9_the_seed_of_a_match_and_its_commitment() -> None:
    nonces = [b"", b"x", bytes(32)]
    assert match_seed(SEED, nonces) == sha256(SEED + b"\x00" + b"\x01x" + b"\x20" + bytes(32)).digest()
    assert commitment(SEED) == sha256(SEED).digest()
    assert commitment(SEED, DEAL) == sha256(SEED + DEAL).digest()
    with pytest.raises(RulesError):
        match_seed(SEED, [bytes(33)])


# Views (2.3, R39, R57, notation).


def test_view_of_a_seat_and_of_a_spectator() -> None:
    seats = {1: {"gold": 7, "hand": {"fish": 2, "fakir": 1}}, 2: {"gold": 9, "hand": {"gold": 1}}}
    state = position(players=3, phase="sell", discard=["ivory"], djinn_discard=["enki"], seats=seats)
    mine, watched = view(state, 1).document, view(state, 0).document
    assert (mine["seats"][0]["gold"], mine["seats"][0]["hand"]) == (7, {"fish": 2, "fakir": 1})
    assert "cards" not in mine["seats"][0]
    assert (mine["seats"][1]["gold"], mine["seats"][1]["hand"], mine["seats"][1]["cards"]) == (None, None, 1)
    assert [shown["cards"] for shown in watched["seats"]] == [3, 1, 0]
    assert [shown["gold"] for shown in watched["seats"]] == [None] * 3
    assert (mine["view"], watched["view"]) == (1, 0)
    assert mine["resources"]["deck"] == 54 - 9 - 1 - 4
    assert mine["djinns"]["deck"] == 21
    assert (mine["resources"]["discard"], mine["djinns"]["discard"]) == (["ivory"], ["enki"])  # R57
    whole = format_position(state)
    assert (mine["bag"], mine["board"], mine["turn_track"]) == (whole["bag"], whole["board"], whole["turn_track"])


def test_view_of_the_djinns_drawn_by_sibittis() -> None:
    seats = {1: {"djinns": ["sibittis"], "elders": 2}}
    state = play(position(phase="sell", djinn_deck=["utug", "leta", "enki"], seats=seats), "use sibittis ww")
    assert view(state, 1).document["turn"]["drawn"] == ["utug", "leta", "enki"]
    assert [view(state, other).document["turn"]["drawn"] for other in (0, 2, 3, 4)] == [3] * 4


def test_view_of_a_game_that_is_over_hides_nothing() -> None:
    state = position(phase="over", seats={1: {"hand": {"fish": 2}}})
    assert view(state, 2).document == format_position(state) | {"view": 2}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("!shuffle resources fish gold ivory", "!shuffle resources 3"),
        ("!shuffle djinns enki", "!shuffle djinns 1"),
        ("!bag wrr", "!bag wrr"),
        ("keep enki", "keep enki"),
        ("bid 3 f 1", "bid 3 f 1"),
    ],
)
def test_events_as_seen(text: str, shown: str) -> None:
    by = 0 if text.startswith("!") else 1
    for looking in (0, 1, 2):
        assert view_event(Event(by, text), looking).text == shown


# Syntax (notation, Actions).


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "bid", "bid 0", "bid 01", "bid 1 ", " bid 1", "bid  1", "bid 1 f 0", "bid 1 f", "bid x", "BID 1"),
        *("take", "take a1", "take A0", "take A7", "take H1", "take A1 A2", "drop A1", "drop A1 x", "drop A1 yw"),
        *("build", "build -1", "build 01", "kill A1", "kill @0 w", "kill A1 wy", "kill A1 yww", "kill @2", "spare 1"),
        *("palm", "palm A1 ww", "buy", "buy 0", "buy 2 1", "buy 1 1", "buy 1 2 3", "summon enki", "summon enki ff"),
        *("summon ghost ww", "use enki", "use enki A1", "use enki fw A1", "use enki w A1 f", "keep", "keep ghost"),
        *("end end", "pass A1", "!bag", "!bag yyyy", "!bag z", "!shuffle", "!shuffle resources", "!shuffle cards fish"),
        *(
            "!shuffle djinns fish",
            "take A1\n",
            "take\tA1",
            "fly A1",
            "keep ?",
            "item boat",
            "item flute",
            "craft w",
            "42",
            "nonsense",
        ),
    ],
)
def test_notation_what_is_no_action(text: str) -> None:
    with pytest.raises(ActionSyntaxError) as caught:
        parse_action(text)
    assert caught.value.code == "BAD_SYNTAX"
    assert "\n" not in str(caught.value)
