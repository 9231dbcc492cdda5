"""Sales, clean-up, chance, hidden information, the order of things: rules 3.2 T5, 3.4, 8 and 9, and their rulings."""

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
    score,
    start_with_stream,
    view,
    view_event,
)
from tests.kit.builder import DJINNS, GOODS, before_last_drop, golds, legal, owner, play, position, refusal, seat, tile

SORTED = sorted(GOODS)
SEED = bytes(range(32))


# Sales (3.2 T5, R27 to R29).


@pytest.mark.parametrize(
    ("size", "value"), [(1, 1), (2, 3), (3, 7), (4, 13), (5, 21), (6, 30), (7, 40), (8, 50), (9, 60)]
)
def test_rule_3_2_the_value_of_a_suit_and_its_score_are_the_same_r28(size: int, value: int) -> None:
    goods = SORTED[:size]
    state = position(phase="sell", seats={1: {"hand": dict.fromkeys(goods, 1)}})
    assert score(state, 1)["goods"] == value
    after = play(state, "sell " + " ".join(goods))
    assert (golds(after)[0], seat(after, 1)["hand"]) == (50 + value, {})
    assert score(after, 1)["total"] == score(state, 1)["total"]


def test_rule_8_every_non_empty_set_of_different_goods_may_be_sold() -> None:
    state = position(phase="sell", seats={1: {"hand": {"wheat": 1, "fish": 2, "gold": 1, "fakir": 3}}})
    expected = ["fish", "fish gold", "fish gold wheat", "fish wheat", "gold", "gold wheat", "wheat"]
    assert legal(state) == [*(f"sell {goods}" for goods in expected), "end"]


def test_ruling_27_any_number_of_suits_of_any_size() -> None:
    state = position(phase="sell", seats={1: {"hand": {"wheat": 1, "fish": 2, "gold": 1}}})
    after = play(state, "sell fish gold", "sell fish", "sell wheat")
    assert (golds(after)[0], legal(after)) == (50 + 3 + 1 + 1, ["end"])


def test_point_8_14_the_end_of_the_turn_is_asked_even_with_nothing_to_sell() -> None:
    assert legal(position(phase="sell")) == ["end"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("sell fish ivory", "NO_SUCH_CARD", id="3.2 T5 only what is in hand"),
        pytest.param("take A1", "WRONG_PHASE", id="8 no move after the tile action"),
        pytest.param("pass", "WRONG_PHASE", id="8 the turn ends with end"),
    ],
)
def test_refused_in_the_sale(text: str, code: str) -> None:
    assert refusal(position(phase="sell", seats={1: {"hand": {"fish": 2}}}), text) == code


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("sell fakir", id="R29 Fakirs are not sold"),
        pytest.param("sell fakir fish", id="R29 nor with goods"),
        pytest.param("sell fish fish", id="3.2 T5 different goods"),
        pytest.param("sell wheat fish", id="notation: in alphabetical order"),
        pytest.param("sell", id="8 not an empty set"),
        pytest.param("sell stone", id="notation: no such goods"),
    ],
)
def test_sales_that_are_none(text: str) -> None:
    with pytest.raises(ActionSyntaxError):
        parse_action(text)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"phase": "bid"}, id="bid"),
        pytest.param({"phase": "move", "tiles": {"A1": "y", "B1": "y"}}, id="move"),
        pytest.param({"phase": "tile", "at": "A1"}, id="tile"),
        pytest.param({"phase": "tribe", "at": "A1", "lifted": "bb"}, id="tribe"),
    ],
)
def test_ruling_27_no_sale_in_other_phases(parts: dict[str, Any]) -> None:
    assert refusal(position(**parts, seats={1: {"hand": {"fish": 1}}}), "sell fish") == "WRONG_PHASE"


def test_point_8_11_a_sale_is_discarded_in_the_order_named() -> None:
    state = position(phase="sell", discard=["papyrus"], seats={1: {"hand": {"wheat": 1, "fish": 1, "gold": 1}}})
    after = play(state, "sell fish wheat", "sell gold")
    assert format_position(after)["resources"]["discard"] == ["papyrus", "fish", "wheat", "gold"]


def test_ruling_58_a_hand_has_no_limit() -> None:
    hand = {"ivory": 2, "jewels": 2, "gold": 2, "papyrus": 4, "silk": 4, "spice": 4, "fish": 6, "fakir": 18}
    state = position(phase="tile", at="A1", row=["wheat"], seats={1: {"hand": hand}})
    assert seat(play(state, "buy 1"), 1)["hand"] == {**hand, "wheat": 1}


# The order of lists (notation) where verbs meet.


def test_notation_powers_follow_the_moves_and_precede_the_sales() -> None:
    seats = {1: {"djinns": ["sloar", "enki"], "hand": {"fakir": 1, "fish": 1}}}
    oases = [f"use enki f {column}3" for column in "ABCDEF"]
    move = position(tiles={"A1": "y", "B1": "y"}, seats=seats)
    assert legal(move) == ["take A1", "take B1", *oases, "use sloar f"]
    market = position(phase="tile", at="A1", row=["gold"], seats=seats)
    assert legal(market) == ["buy 1", "pass", *oases, "use sloar f"]
    sale = position(phase="sell", seats=seats)
    assert legal(sale) == [*oases, "use sloar f", "sell fish", "end"]


# The order of a player turn (8.7).


def test_point_8_7_the_automatic_order_inside_a_turn() -> None:
    """Marid pays at the drop, the last camel goes to the final tile before the assassination, the palm comes last."""
    kinds = {"C3": "oasis", "D3": "village"}
    seats = {1: {"camels": 1}, 2: {"djinns": ["marid", "nekir"]}}
    owners = {"C1": 2}
    state = before_last_drop(
        origin="B1",
        came="B1",
        at="C1",
        hand="gr",
        tiles={"C3": "r", "D3": "w"},
        kinds=kinds,
        seats=seats,
        owners=owners,
    )
    state = play(state, "drop C2 g")
    assert golds(state) == [50, 50, 50, 50]  # C1 was dropped on before
    state = play(state, "drop C3 r")
    assert (state.phase, owner(state, "C3"), tile(state, "C3")["palms"]) == ("tribe", 1, 0)
    after = play(state, "kill D3 w")
    assert (owner(after, "D3"), tile(after, "C3")["palms"], golds(after), after.phase) == (
        None,
        1,
        [50, 52, 50, 50],
        "sell",
    )


def test_point_8_7_a_last_camel_spent_on_leta_is_missing_after_the_assassination() -> None:
    kinds = {"C3": "sacred"}
    seats = {1: {"camels": 1, "djinns": ["leta"], "elders": 2}}
    state = position(phase="tribe", at="C3", lifted="rr", tiles={"D3": "w"}, kinds=kinds, seats=seats)
    assert owner(play(state, "kill D3 w"), "D3") == 1
    after = play(state, "use leta ww A3", "kill D3 w")
    assert (owner(after, "A3"), owner(after, "D3")) == (1, None)


def test_ruling_45_passives_of_several_seats_all_pay() -> None:
    """Seat 1 drops on a tile of seat 2 (Marid), kills (Nekir of 3) and places a palace (Monkir of 4)."""
    seats = {2: {"djinns": ["marid"]}, 3: {"djinns": ["nekir"]}, 4: {"djinns": ["monkir"]}}
    state = before_last_drop(
        hand="r", tiles={"C3": "r", "D3": "w"}, owners={"C3": 2}, kinds={"C3": "village"}, seats=seats
    )
    assert golds(play(state, "drop C3 r", "kill D3 w")) == [50, 52, 52, 52]


def test_ruling_43_marid_has_no_part_in_tiles_of_others() -> None:
    state = before_last_drop(tiles={"C3": "y"}, owners={"C3": 3}, seats={1: {"djinns": ["marid"]}})
    assert golds(play(state, "drop C3 y")) == [50] * 4


def test_rule_3_2_the_marker_moves_to_the_first_empty_place_of_the_bid_order() -> None:
    state = position(phase="sell", bid_order=[3, 1], track={5: 4, 7: 2})
    state = play(state, "end")
    assert (state.to_act, state.bid_order, state.turn_track) == (4, (3, 1, 4), (0, 0, 0, 0, 0, 0, 2, 0, 0))


# The clean-up (3.4, 8.8, 8.9, 8.12).

MOVABLE = {"A1": "y", "B1": "y"}


def last_turn(**parts: Any) -> Any:
    """The end of the round's last player turn."""
    return position(phase="sell", last=True, tiles=MOVABLE, **parts)


def test_rule_3_4_the_rows_are_filled_from_the_decks_and_powers_are_fresh() -> None:
    seats = {2: {"djinns": ["sloar", "enki"], "used": ["sloar"]}}
    state = last_turn(
        row=["fish", "gold"],
        deck=["silk", "wheat", "spice", "fakir", "fakir", "ivory", "jewels", "papyrus"],
        djinn_row=["leta"],
        djinn_deck=["baal", "utug", "boaz"],
        seats=seats,
        round=7,
    )
    shown = format_position(play(state, "end"))
    assert shown["resources"]["row"] == ["fish", "gold", "silk", "wheat", "spice", "fakir", "fakir", "ivory", "jewels"]
    assert shown["resources"]["deck"][0] == "papyrus"
    assert shown["djinns"]["row"] == ["leta", "baal", "utug"]
    assert shown["djinns"]["deck"][0] == "boaz"
    assert shown["seats"][1]["used"] == []
    assert (shown["phase"], shown["round"], shown["turn"]) == ("bid", 8, None)


def test_rule_3_4_the_order_of_play_becomes_the_order_of_bids() -> None:
    state = position(phase="sell", bid_order=[3, 1, 4, 2], to_act=2, track={}, tiles=MOVABLE)
    after = play(state, "end")
    assert (after.phase, after.bid_order, after.to_act) == ("bid", (3, 1, 4, 2), 3)


def test_ruling_1_no_fresh_powers_between_two_player_turns() -> None:
    state = position(phase="sell", tiles=MOVABLE, seats={2: {"djinns": ["sloar"], "used": ["sloar"]}})
    assert seat(play(state, "end"), 2)["used"] == ["sloar"]


def test_ruling_24_the_row_is_not_refilled_between_two_player_turns() -> None:
    after = play(position(phase="sell", row=["fish"], tiles=MOVABLE), "end")
    assert format_position(after)["resources"]["row"] == ["fish"]


def test_rule_3_4_the_discard_is_shuffled_when_the_deck_is_empty_first_resources_then_djinns() -> None:
    state = last_turn(
        row=["fish"] * 6,
        deck=["gold"],
        discard=["wheat", "wheat", "silk"],
        other_cards=2,
        djinn_row=["leta"],
        djinn_deck=["baal"],
        djinn_discard=["utug", "boaz"],
        other_djinns=2,
    )
    state = play(state, "end")
    assert (state.due.kind, state.due.pile, state.due.count) == ("shuffle", "resources", 3)
    assert refusal(state, "!shuffle djinns boaz utug") == "WRONG_CHANCE"
    assert refusal(state, "bid 1") == "CHANCE_DUE"
    state = play(state, "!shuffle resources wheat silk wheat")
    assert (state.due.kind, state.due.pile, state.due.count) == ("shuffle", "djinns", 2)
    shown = format_position(play(state, "!shuffle djinns boaz utug"))
    assert shown["resources"] == {"row": ["fish"] * 6 + ["gold", "wheat", "silk"], "deck": ["wheat"], "discard": []}
    assert shown["djinns"] == {"row": ["leta", "baal", "boaz"], "deck": ["utug"], "discard": []}
    assert shown["phase"] == "bid"


SHUFFLES = [
    pytest.param({"row": ["fish"] * 6, "deck": ["gold"] * 2, "discard": ["silk"]}, True, id="8.12 a card short"),
    pytest.param(
        {"row": ["fish"] * 6, "deck": ["gold"] * 2 + ["ivory"], "discard": ["silk"]}, False, id="8.12 never in advance"
    ),
    pytest.param({"row": ["fish"] * 6, "deck": ["gold"] * 2, "discard": []}, False, id="8.12 nothing to shuffle"),
    pytest.param(
        {"row": ["fish"] * 5 + ["wheat"] * 4, "deck": [], "discard": ["silk"]}, False, id="8.12 nothing to draw"
    ),
]


@pytest.mark.parametrize(("parts", "shuffled"), SHUFFLES)
def test_point_8_12_when_a_pile_is_shuffled(parts: dict[str, Any], shuffled: bool) -> None:
    state = play(last_turn(**parts, other_cards=2), "end")
    assert (state.due is not None) is shuffled
    if shuffled:
        state = play(state, "!shuffle resources silk")  # a one-card pile is an event too
    cards = format_position(state)["resources"]
    held = [*parts["row"], *parts["deck"], *(parts["discard"] if shuffled else [])]
    assert cards == {"row": held, "deck": [], "discard": [] if shuffled else parts["discard"]}
    assert state.phase == "bid"


def test_rule_3_4_a_row_that_cannot_be_filled_stays_short() -> None:
    state = play(last_turn(row=["fish"], other_cards=2, djinn_row=["leta"], other_djinns=2), "end")
    shown = format_position(state)
    assert (shown["resources"]["row"], shown["djinns"]["row"], state.phase) == (["fish"], ["leta"], "bid")


def test_point_8_8_no_clean_up_after_the_last_round() -> None:
    state = last_turn(
        row=["fish"], djinn_row=["leta"], ending="camels", seats={2: {"djinns": ["enki"], "used": ["enki"]}}
    )
    after = play(state, "end")
    shown = format_position(after)
    assert (after.phase, after.to_act, shown["to_act"], shown["turn"]) == ("over", 0, None, None)
    assert (shown["resources"]["row"], shown["djinns"]["row"], shown["round"]) == (["fish"], ["leta"], 3)
    assert legal(after) == []
    assert refusal(after, "end") == "GAME_OVER"
    assert refusal(after, "bid 1") == "GAME_OVER"


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
    """The stream of section 9, in its own words."""
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
    """The order of section 9: tiles, meeples, markers, resources, Djinns, from the words of one stream."""
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
        for pile in ("resources", "djinns"):  # what is hidden is shuffled once more, with the seed
            expected[pile]["deck"] = shuffled(source, expected[pile]["deck"])
    state, stream = start_with_stream(Ruleset(players), SEED, deal)
    assert stream.word() == next(source)  # all later chance goes on with the seed's stream
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


# What a seat may see (2.3, R39, R57, notation).


def test_view_of_a_seat_and_of_a_spectator() -> None:
    seats = {1: {"gold": 7, "hand": {"fish": 2, "fakir": 1}}, 2: {"gold": 9, "hand": {"gold": 1}}}
    state = position(players=3, phase="sell", discard=["ivory"], djinn_discard=["enki"], seats=seats)
    mine, watched = view(state, 1), view(state, 0)
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
    assert view(state, 1)["turn"]["drawn"] == ["utug", "leta", "enki"]
    assert [view(state, other)["turn"]["drawn"] for other in (0, 2, 3, 4)] == [3] * 4


def test_view_of_a_game_that_is_over_hides_nothing() -> None:
    state = position(phase="over", seats={1: {"hand": {"fish": 2}}})
    assert view(state, 2) == format_position(state) | {"view": 2}


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
