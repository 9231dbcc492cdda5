"""Examples of the rulings on the Whims, the Artisans and five players, on the slow engine."""

import pytest

from tests.kit.slow import GivenChance, apply, legal, new_position, score, view, view_event
from tests.kit.slow.board import Position, is_connected, steps

BOTH = ("artisans", "whims")


def bare(players: int = 3, phase: str = "move", **turn: object) -> Position:
    """Return a position with both expansions in play: red markets, every meeple in the bag, seat 1 to act."""
    position, _ = new_position(players, bytes(32), expansions=BOTH)
    for tile in position["board"]["tiles"].values():
        tile.update(meeples="-", kind="small-market", colour="red", value=6)
        tile.pop("mountains", None)
        tile.pop("whim", None)
    position["phase"], position["to_act"], position["turn"] = phase, 1, dict(turn)
    position["bid_order"] = [1]
    position["turn_track"][0] = 2
    return position


def put(position: Position, name: str, **what: object) -> None:
    position["board"]["tiles"][name].update(what)


def play(position: Position, *texts: str, chance: list[str] | None = None) -> Position:
    given = GivenChance(chance or [])
    for text in texts:
        position, _ = apply(position, text, given)
    given.finish()
    return position


def test_a_second_bid_on_a_pair_pushes_the_first() -> None:
    position, _ = new_position(5, bytes(32), expansions=("whims",))
    position["bid_order"], position["to_act"] = [1, 2, 3, 4, 5], 1
    position["seats"][0]["djinns"] = ["kali"]
    after = play(position, "bid 6", "bid 4", "bid 6", "bid 10")
    assert after["turn_track"] == [None, None, None, 2, None, 3, 1, None, None, 4, None, None]
    assert "bid 6" not in legal(after)
    assert after["seats"][0]["gold"] == 50 - 3 + 2  # pushed by seat 3
    after = play(after, "bid 10")
    assert [after["to_act"], *(m for m in after["turn_track"] if m)] == [2, 3, 1, 5, 4]


def test_an_own_push_pays_kali_one_for_each_other_marker() -> None:
    position, _ = new_position(2, bytes(32), expansions=("whims",))
    position["bid_order"], position["to_act"] = [1, 2, 1, 2], 1
    position["seats"][0]["djinns"] = ["kali"]
    after = play(position, "bid 7", "bid 7")  # seat 2 pushes seat 1
    assert after["seats"][0]["gold"] == 52
    after = play(after, "bid 7")  # seat 1 pushes seat 2, and its own first marker
    assert after["seats"][0]["gold"] == 53


@pytest.mark.parametrize(("cities", "points"), [(1, 5), (2, 20), (3, 45), (4, 80), (5, 125)])
def test_cities_score_by_their_table_alone(cities: int, points: int) -> None:
    position = bare()
    for name in ["A1", "A3", "A5", "C1", "C3"][:cities]:
        put(position, name, kind="city", value=5, owner=1)
    assert score(position)[0]["tiles"] == points


def test_pieces_beside_the_lake_and_red_tiles_around_a_tent() -> None:
    position = bare()
    put(position, "C3", kind="lake", colour=None, value=0)
    put(position, "B2", owner=1, palms=2, palaces=1, tent=True, colour="blue")
    put(position, "A1", owner=1, palms=1)
    row = score(position)[0]
    assert (row["palms"], row["palaces"]) == (2 * 6 + 3, 10)
    assert row["tiles"] == 6 + 6 + 7  # of the nine tiles one is the lake and one is blue
    position["seats"][0]["djinns"] = ["haurvatat"]
    assert score(position)[0]["palms"] == 2 * 10 + 5


def test_the_most_artisans_and_precious_items() -> None:
    position = bare()
    for seat, artisans in zip(position["seats"], (4, 4, 1), strict=True):
        seat["artisans"] = artisans
    position["seats"][0] |= {"items": ["crown", "jewelry", "lamp"], "djinns": ["geb"]}
    position["seats"][2]["djinns"] = ["ptah"]
    assert [row["artisans"] for row in score(position)] == [12, 12, 4]
    assert score(position)[0]["items"] == 9 + 3 + 5 + 3


def test_a_whim_is_paid_once_even_in_the_turn_of_another_seat() -> None:
    position = bare()
    put(position, "B2", meeples="g")
    put(position, "B3", kind="village", meeples="gg", owner=2, palaces=2)
    position["seats"][1]["whims"]["open"] = ["h16", "h01"]
    after = play(position, "take B2", "drop B3 g")
    assert after["seats"][1]["whims"] == {"open": ["h01"], "paid": ["h16"]}
    assert after["seats"][1]["gold"] == 65
    assert play(after, "end")["seats"][1]["gold"] == 65


def test_ganesha_sees_whims_taken_from_a_city() -> None:
    position = bare()
    put(position, "B2", meeples="y")
    put(position, "B3", kind="city", meeples="yy", owner=2, whim="h04")
    position["seats"][0]["djinns"] = ["ganesha"]
    after = play(position, "take B2", "drop B3 y")
    assert after["seats"][0]["whims"] == {"open": ["h04"], "paid": []}
    assert (after["seats"][0]["gold"], after["phase"]) == (51, "sell")
    assert view(after, 2)["seats"][0]["whims"]["open"] == 1


def test_mountains_block_steps_on_both_sides_and_nothing_else() -> None:
    position = bare()
    put(position, "C3", kind="workshop", mountains="NW")
    put(position, "E4", kind="chasm", colour=None, value=0)
    graph = steps(position)
    assert (graph["C3"], graph["C2"]) == (["D3", "C4"], ["C1", "B2", "D2"])
    assert "E4" not in graph and "E4" not in graph["E3"]
    assert is_connected(position)
    put(position, "B1", kind="lake")
    put(position, "A2", kind="lake")
    assert not is_connected(position)


def test_a_carpet_makes_moves_legal_and_leaves_the_skip() -> None:
    position = bare()
    put(position, "A1", meeples="yw")
    put(position, "G6", meeples="w")
    assert legal(position) == ["skip"]
    position["seats"][0]["items"] = ["carpet"]
    assert legal(position) == ["take A1", "take G6", "skip"]
    after = play(position, "take A1", "drop A2 y")
    assert legal(after) == ["fly G6 w"]
    after = play(after, "fly G6 w", "tent")
    assert after["seats"][0]["elders"] == 2 and after["board"]["tiles"]["G6"]["tent"]
    assert after["turn"]["item_used"] and after["items"]["discard"] == ["carpet"]


def test_a_scimitar_asks_for_control_between_its_blows() -> None:
    position = bare(phase="tribe", at="A1", lifted="bb")
    put(position, "C1", meeples="y")
    put(position, "D1", meeples="ww")
    position["seats"][0]["items"] = ["scimitar", "ring"]
    after = play(position, "item scimitar", "slay C1 y")
    assert after["turn"] == {
        "target": "C1", "back": "tribe", "at": "A1", "lifted": "bb", "left": 1, "item_used": True,
    }  # fmt: skip
    after = play(after, "camel", "slay D1 w")
    assert after["phase"] == "tribe"
    assert after["turn"] == {"at": "A1", "lifted": "bb", "item_used": True}
    assert legal(after) == ["build 0"]  # the ring must wait for another turn


def test_a_kept_item_is_seen_by_its_owner_alone() -> None:
    position = bare(phase="item", at="A1", drawn=["crown", "ring", "crown"])
    assert legal(position) == ["keep crown", "keep ring"]
    after = play(position, "keep crown")
    assert after["seats"][0]["items"] == ["crown"] and after["items"]["discard"] == ["ring", "crown"]
    assert view(position, 2)["turn"]["drawn"] == 3 and view(position, 1)["turn"]["drawn"][1] == "ring"
    assert view_event("keep crown", 1, 1) == "keep crown" and view_event("keep crown", 1, 2) == "keep ?"


def test_the_revised_kandicha_takes_an_item_for_an_artisan() -> None:
    position = bare(phase="tribe", at="A1", lifted="rr")
    put(position, "A2", meeples="pp", owner=2)
    position["items"] = {"pile": [], "discard": ["lamp"]}
    position["seats"][0]["djinns"] = ["kandicha"]
    after = play(position, "kill A2 p", chance=["!shuffle items lamp"])
    assert (after["seats"][0]["artisans"], after["seats"][0]["items"]) == (1, ["lamp"])


def test_a_horn_discards_the_row_before_it_draws() -> None:
    position = bare(phase="sell")
    position["seats"][0]["items"] = ["horn"]
    position["resources"] = {"row": ["fish", "gold"], "deck": ["wheat"], "discard": []}
    after = play(position, "item horn", "next gold", "next wheat", chance=["!shuffle resources gold fish"])
    assert after["resources"] == {"row": ["gold", "wheat", "fish"], "deck": [], "discard": []}
    assert after["phase"] == "sell"
