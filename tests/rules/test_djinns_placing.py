"""Djinns that place meeples, palms, palaces and camels: table 4, and the points of section 8 about them."""

from __future__ import annotations

import pytest

from arena.rules import format_position
from tests.kit.builder import NAMES, before_last_drop, golds, legal, meeples, owner, play, position, refusal, seat, tile
from tests.kit.djinns import has

# Anun-Nak.


def test_anun_nak_needs_an_empty_tile() -> None:
    state = position(
        tiles={"A1": "y"}, owners={"B1": 2}, palms={"C1": 1}, palaces={"D1": 1}, seats={1: has("anun-nak", fakirs=1)}
    )
    empty = sorted(name for name in NAMES if name not in ("A1", "B1", "C1", "D1"))
    assert legal(state, "use") == [f"use anun-nak f {name}" for name in empty]
    for taken in ("A1", "B1", "C1", "D1"):
        assert refusal(state, f"use anun-nak f {taken}") == "WRONG_TARGET"
    assert refusal(state, "use anun-nak f A6") == "WRONG_TARGET"


def test_anun_nak_draws_three_from_the_bag() -> None:
    state = play(position(tiles={"A1": "y"}, seats={1: has("anun-nak", fakirs=1)}), "use anun-nak f B2")
    assert (state.due.kind, state.due.count) == ("bag", 3)
    assert len(state.legal) == 0
    for wrong in ("!bag yw", "!bag y", "!shuffle resources fish", "!bag ppp"):
        assert refusal(state, wrong) == "WRONG_CHANCE"
    assert refusal(state, "skip") == "CHANCE_DUE"
    after = play(state, "!bag ryr")
    assert meeples(after, "B2") == "yrr"
    assert (format_position(after)["bag"].count("r"), format_position(after)["bag"].count("y")) == (16, 14)


def test_anun_nak_draws_only_what_is_in_the_bag() -> None:
    state = position(bag="rrrrr", heap="A1 B1 C1 D1", seats={1: has("anun-nak", fakirs=1)})
    assert refusal(play(state, "use anun-nak f A5"), "!bag rry") == "WRONG_CHANCE"


@pytest.mark.parametrize(("bag", "drawn"), [("y", "y"), ("yr", "ry"), ("yrr", "ryr")])
def test_anun_nak_with_one_or_two_in_the_bag_places_those(bag: str, drawn: str) -> None:
    state = position(bag=bag, heap="A1 B1 C1 D1", seats={1: has("anun-nak", fakirs=1)})
    after = play(state, "use anun-nak f A5", f"!bag {drawn}")
    assert (meeples(after, "A5"), format_position(after)["bag"]) == (bag, "-")


def test_point_8_13_the_elder_paid_for_anun_nak_is_in_the_bag_when_it_is_drawn_from() -> None:
    state = position(bag="r", heap="A1 B1 C1 D1", seats={1: has("anun-nak", elders=1)})
    after = play(state, "use anun-nak w A5")
    assert after.due.count == 2
    assert meeples(play(after, "!bag rw"), "A5") == "wr"


def test_anun_nak_places_and_the_meeples_may_be_moved_in_the_same_turn() -> None:
    state = position(tiles={"A2": "y"}, ending="no-moves", seats={1: has("anun-nak", fakirs=1)})
    state = play(state, "use anun-nak f B2", "!bag ywy", "take B2", "drop B1 w", "drop A1 y", "drop A2 y")
    assert (owner(state, "A2"), seat(state, 1)["viziers"]) == (1, 2)


# Bouraq and Enki.

PLACERS = [
    pytest.param("bouraq", "palaces", ["B5", "C5", "D5", "E5", "F5"], "A3", id="Bouraq: any village"),
    pytest.param("enki", "palms", ["A3", "B3", "C3", "D3", "E3", "F3"], "B5", id="Enki: any oasis"),
]


@pytest.mark.parametrize(("djinn", "piece", "targets", "wrong"), PLACERS)
def test_bouraq_and_enki(djinn: str, piece: str, targets: list[str], wrong: str) -> None:
    owners, tiles = {targets[0]: 1, targets[1]: 2}, {targets[2]: "yw"}
    state = position(
        phase="sell", owners=owners, tiles=tiles, seats={1: has(djinn, elders=1)}, **{piece: {targets[3]: 2}}
    )
    assert legal(state, "use") == [f"use {djinn} w {name}" for name in targets]  # any owner or none
    assert refusal(state, f"use {djinn} w {wrong}") == "WRONG_TARGET"
    for target in targets:
        before = tile(state, target)[piece]
        after = play(state, f"use {djinn} w {target}")
        assert tile(after, target)[piece] == before + 1
        assert format_position(after)["supply"][piece] == {"palms": 9, "palaces": 7}[piece]


@pytest.mark.parametrize(("djinn", "piece", "target"), [("bouraq", "palaces", "B5"), ("enki", "palms", "A3")])
def test_bouraq_and_enki_are_limited_by_the_supply(djinn: str, piece: str, target: str) -> None:
    last = position(phase="sell", seats={1: has(djinn, elders=1)}, **{f"{piece}_left": 1})
    after = play(last, f"use {djinn} w {target}")
    assert format_position(after)["supply"][piece] == 0


# Hagis and Lamia.

DIVERTERS = [
    pytest.param("lamia", "palm", "oasis", id="Lamia"),
    pytest.param("hagis", "palace", "village", id="Hagis"),
]


@pytest.mark.parametrize(("djinn", "piece", "kind"), DIVERTERS)
def test_lamia_and_hagis_offer_the_eight_tiles_around_r12(djinn: str, piece: str, kind: str) -> None:
    parts = {"phase": "tile", "at": "C3", "kinds": {"C3": kind}, "owners": {"B2": 2, "C2": 1}, "tiles": {"D2": "y"}}
    state = position(**parts, seats={1: has(djinn, elders=1)})
    around = ["B2", "B3", "B4", "C2", "C3", "C4", "D2", "D3", "D4"]
    assert legal(state) == [f"{piece} {name}" + " w" * (name != "C3") for name in around]
    both = position(**parts, seats={1: has(djinn, elders=1, fakirs=1)})
    expected = [f"{piece} {name} {how}" for name in around if name != "C3" for how in "fw"]
    assert legal(both) == sorted([*expected, f"{piece} C3"])
    assert refusal(state, f"{piece} B2 f") == "NO_POWER"  # not payable
    assert refusal(both, f"{piece} A3 w") == "NO_POWER"  # two tiles away
    assert refusal(both, f"{piece} C3 w") == "NO_POWER"  # a payment for the tile itself


@pytest.mark.parametrize(("djinn", "piece", "kind"), DIVERTERS)
def test_lamia_and_hagis_in_a_corner(djinn: str, piece: str, kind: str) -> None:
    state = position(phase="tile", at="A1", kinds={"A1": kind}, seats={1: has(djinn, elders=1)})
    assert legal(state) == [f"{piece} A1", f"{piece} A2 w", f"{piece} B1 w", f"{piece} B2 w"]


@pytest.mark.parametrize(("djinn", "piece", "kind"), DIVERTERS)
def test_lamia_and_hagis_put_one_piece_elsewhere_and_are_paid(djinn: str, piece: str, kind: str) -> None:
    parts = {"phase": "tile", "at": "C3", "kinds": {"C3": kind, "B2": "sacred"}, "owners": {"B2": 2}}
    pieces = piece + "s"
    state = position(**parts, seats={1: has(djinn, elders=1, fakirs=1)})
    after = play(state, f"{piece} B2 f")
    assert (tile(after, "B2")[pieces], tile(after, "C3")[pieces]) == (1, 0)
    assert (seat(after, 1)["used"], seat(after, 1)["hand"], after.phase) == ([djinn], {}, "sell")
    plain = play(state, f"{piece} C3")
    assert (tile(plain, "C3")[pieces], seat(plain, 1)["used"], seat(plain, 1)["elders"]) == (1, [], 1)


def test_lamia_is_asked_when_a_move_ends_on_an_oasis() -> None:
    state = before_last_drop(tiles={"C3": "yr"}, seats={1: has("lamia", elders=1)})
    state = play(state, "drop C3 y")
    assert (state.phase, "palm C3" in legal(state), "palm C2 w" in legal(state)) == ("tile", True, True)


ENKI_LAMIA = [
    pytest.param("enki", "lamia", "palm", "A3", "B4", id="Enki with Lamia"),
    pytest.param("bouraq", "hagis", "palace", "B5", "A4", id="Bouraq with Hagis"),
]


@pytest.mark.parametrize(("placer", "diverter", "piece", "at", "to"), ENKI_LAMIA)
def test_point_8_4_a_power_may_be_diverted_and_both_are_paid(
    placer: str, diverter: str, piece: str, at: str, to: str
) -> None:
    seats = {1: has(placer, diverter, elders=1, fakirs=1)}
    state = position(phase="sell", seats=seats)
    assert f"use {placer} w {at}" in legal(state)
    assert legal(state, f"use {placer} w {at} w") == []
    after = play(state, f"use {placer} w {at} f {to}")
    assert (tile(after, to)[piece + "s"], tile(after, at)[piece + "s"]) == (1, 0)
    assert seat(after, 1)["used"] == [placer, diverter]
    assert (seat(after, 1)["elders"], seat(after, 1)["hand"]) == (0, {})
    assert refusal(state, f"use {placer} w {at} w {to}") == "CANNOT_PAY"
    assert refusal(state, f"use {placer} w {at} f F1") == "NO_POWER"
    alone = position(phase="sell", seats={1: has(placer, elders=1, fakirs=1)})
    assert refusal(alone, f"use {placer} w {at} f {to}") == "NO_POWER"
    spent = position(phase="sell", seats={1: has(placer, diverter, elders=1, fakirs=1, used=[diverter])})
    assert refusal(spent, f"use {placer} w {at} f {to}") == "NO_POWER"
    plain = play(state, f"use {placer} w {at}")
    assert (seat(plain, 1)["used"], tile(plain, at)[piece + "s"]) == ([placer], 1)


def test_point_8_17_the_last_palm_taken_by_a_power_lets_the_placement_lapse() -> None:
    seats = {1: has("enki", "lamia", elders=1, fakirs=1)}
    state = position(phase="tile", at="C3", palms_left=1, seats=seats)
    assert "palm C3" in legal(state)
    after = play(state, "use enki w A3")
    assert (after.phase, tile(after, "C3")["palms"]) == ("sell", 0)


def test_point_8_17_the_last_palace_too() -> None:
    seats = {1: has("bouraq", "hagis", elders=1, fakirs=1)}
    state = position(phase="tile", at="C5", palaces_left=1, seats=seats)
    assert play(state, "use bouraq w B5 f A5").phase == "sell"


@pytest.mark.parametrize(
    ("fakirs", "text"),
    [
        pytest.param(1, "use enki w A3 f B3", id="8.17 Lamia was used up"),
        pytest.param(0, "use enki w A3", id="8.17 the payment was used up"),
    ],
)
def test_point_8_17_the_plain_placement_stays_as_the_sole_action(fakirs: int, text: str) -> None:
    state = position(phase="tile", at="C3", seats={1: has("enki", "lamia", elders=1, fakirs=fakirs)})
    after = play(state, text)
    assert (after.phase, legal(after)) == ("tile", ["palm C3"])


# Leta and Utug.


def test_leta_needs_an_empty_tile_and_utug_one_with_meeples_only() -> None:
    parts = {
        "phase": "sell",
        "tiles": {"A1": "y", "A2": "ww", "B1": "r", "C1": "g"},
        "owners": {"B1": 2, "B2": 3},
        "palms": {"C1": 1, "C2": 1},
        "palaces": {"D1": 1},
    }
    state = position(**parts, seats={1: has("leta", "utug", elders=2)})
    occupied = {"A1", "A2", "B1", "B2", "C1", "C2", "D1"}
    empty = sorted(name for name in NAMES if name not in occupied)
    assert legal(state, "use leta") == [f"use leta ww {name}" for name in empty]
    assert legal(state, "use utug") == ["use utug ww A1", "use utug ww A2"]
    for name in sorted(occupied):
        assert refusal(state, f"use leta ww {name}") == "WRONG_TARGET"
    for name in ("A3", "B1", "B2", "C1", "C2", "D1"):
        assert refusal(state, f"use utug ww {name}") == "WRONG_TARGET"


def test_leta_places_a_camel_and_nothing_else_happens() -> None:
    state = position(phase="sell", seats={1: has("leta", elders=2)})
    after = play(state, "use leta ww C5")  # a village
    assert (owner(after, "C5"), tile(after, "C5")["palaces"], seat(after, 1)["camels"]) == (1, 0, 7)
    assert (after.phase, golds(after)) == ("sell", [50] * 4)


def test_utug_places_a_camel_and_leaves_the_meeples_r49() -> None:
    state = position(phase="sell", tiles={"C3": "yw"}, seats={1: has("utug", elders=2)})
    after = play(state, "use utug ww C3")  # an oasis
    assert (owner(after, "C3"), meeples(after, "C3"), tile(after, "C3")["palms"]) == (1, "yw", 0)


def test_utug_later_moves_do_not_change_the_owner() -> None:
    state = position(tiles={"C3": "y", "C2": "y"}, seats={2: has("utug", elders=2)}, to_act=2, track={6: 1})
    state = play(state, "use utug ww C3", "take C2", "drop C3 y")
    assert owner(state, "C3") == 2
    other = position(tiles={"C3": "y", "C2": "y"}, owners={"C3": 2}, seats={2: has("utug")})
    assert owner(play(other, "take C2", "drop C3 y"), "C3") == 2


@pytest.mark.parametrize(("djinn", "target"), [("leta", "A3"), ("utug", "A1")])
def test_ruling_33_the_last_camel_placed_by_leta_or_utug_ends_the_game(djinn: str, target: str) -> None:
    state = position(phase="sell", tiles={"A1": "y", "B1": "y"}, seats={1: has(djinn, elders=2, camels=1)})
    after = play(state, f"use {djinn} ww {target}")
    assert (seat(after, 1)["camels"], after.ending) == (0, None)  # 8.25: not before the turn ends
    assert play(after, "end").ending == "camels"
