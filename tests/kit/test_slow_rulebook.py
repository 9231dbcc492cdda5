"""Examples of the rulebooks and of the rulings, on the slow engine."""

from typing import Any

import pytest

from tests.kit import slow
from tests.kit.slow import GivenChance, apply, legal, new_position, score
from tests.kit.slow.board import Position


def bare(players: int = 4, phase: str = "move", to_act: int = 1, **turn: Any) -> Position:
    """Return a position with an empty board: every meeple in the bag, red centre tiles where a test says so."""
    position, _ = new_position(players, bytes(32))
    for tile in position["board"]["tiles"].values():
        tile.update(meeples="-", kind="small-market", colour="red", value=6)
    position["phase"], position["to_act"], position["turn"] = phase, to_act, dict(turn)
    position["bid_order"] = [to_act]
    position["turn_track"][0] = 1 + to_act % players
    return position


def put(position: Position, **meeples: str) -> None:
    for tile, group in meeples.items():
        position["board"]["tiles"][tile]["meeples"] = group


def play(position: Position, *texts: str, chance: list[str] | None = None) -> Position:
    given = GivenChance(chance or [])
    for text in texts:
        position, _ = apply(position, text, given)
    given.finish()
    return position


@pytest.mark.parametrize(("centre", "gold"), [("red", 20), ("blue", 25)])
def test_builders_with_fakirs(centre: str, gold: int) -> None:
    position = bare(phase="tribe", at="C3", lifted="bbb")
    for tile in ("B2", "C2", "D4", "B4"):
        position["board"]["tiles"][tile]["colour"] = "blue"
    position["board"]["tiles"]["C3"]["colour"] = centre
    position["seats"][0]["hand"] = {"fakir": 2}
    assert play(position, "build 2")["seats"][0]["gold"] == 50 + gold


def test_nine_goods_in_two_sales() -> None:
    position = bare(phase="sell")
    goods = ["fish", "gold", "ivory", "jewels", "pottery", "wheat"]
    position["seats"][0]["hand"] = {kind: 2 if kind in goods[:3] else 1 for kind in goods}
    assert score(position)[0]["goods"] == 30 + 7
    after = play(position, "sell " + " ".join(goods), "sell " + " ".join(goods[:3]))
    assert after["seats"][0]["gold"] == 50 + 37
    assert after["resources"]["discard"] == goods + goods[:3]


def test_the_latest_zero_bid_plays_first_of_the_zeros() -> None:
    position, _ = new_position(4, bytes(32))
    put(position, A1="ywr")
    position["bid_order"], position["to_act"] = [1, 2, 3, 4], 1
    after = play(position, "bid 5", "bid 6", "bid 7")
    assert after["turn_track"] == [None, None, None, None, 1, 2, 3, None, None]
    after = play(after, "bid 7")
    assert after["to_act"] == 1 and after["turn_track"] == [None, None, None, None, None, 2, 4, 3, None]


def test_five_meeples_may_end_on_an_earlier_drop() -> None:
    position = bare()
    put(position, C3="gbryg", C2="g")
    after = play(position, "take C3", "drop C2 g", "drop B2 b", "drop B3 r", "drop C3 y", "drop C2 g")
    assert after["seats"][0]["hand"] != {} and sum(after["seats"][0]["hand"].values()) == 3
    assert after["board"]["tiles"]["C2"]["owner"] == 1


def test_no_step_back_not_even_to_the_origin() -> None:
    position = bare()
    put(position, C3="yw", C2="w", B2="w", C1="y")
    position = play(position, "take C3", "drop C2 y")
    assert legal(position) == ["drop B2 w"]


def test_control_needs_an_emptied_tile() -> None:
    position = bare()
    put(position, A1="w", A2="ww", C1="w", C2="wwwb")
    taken = play(position, "take A1", "drop A2 w")
    assert taken["board"]["tiles"]["A2"]["owner"] == 1 and taken["seats"][0]["elders"] == 3
    mixed = play(position, "take C1", "drop C2 w")
    assert mixed["board"]["tiles"]["C2"]["owner"] is None and mixed["seats"][0]["elders"] == 4


def test_the_last_camel_goes_to_the_final_tile() -> None:
    position = bare()
    position["seats"][0]["camels"] = 1
    put(position, A1="r", A2="r", A3="w", F5="wwb", E5="w")
    after = play(position, "take A1", "drop A2 r", "kill A3 w")
    assert after["board"]["tiles"]["A2"]["owner"] == 1
    assert after["board"]["tiles"]["A3"]["owner"] is None
    assert after["ending"] is None
    assert play(after, "pass", "end")["ending"] == "camels"


def test_a_kill_is_compulsory_without_fakirs_and_optional_with_them() -> None:
    position = bare(phase="tribe", at="A1", lifted="rr")
    put(position, A3="y", A4="g")
    position["seats"][0]["hand"] = {"fakir": 1}
    assert legal(position) == ["kill A3 y", "kill A4 g"]
    put(position, A3="-")
    assert legal(position) == ["kill A4 g", "spare"]
    position["seats"][0]["hand"] = {}
    assert legal(position) == ["spare"]


def test_boaz_protects_and_own_meeples_are_no_victims() -> None:
    position = bare(3, phase="tribe", at="A1", lifted="rr")
    for seat in position["seats"]:
        seat["viziers"] = 1
    position["seats"][1]["djinns"] = ["boaz"]
    assert legal(position) == ["kill @3 y"]


def test_iblis_kills_two_where_there_are_two_and_kandicha_draws_for_each() -> None:
    position = bare(phase="tribe", at="A1", lifted="rr", doubled=["iblis"])
    position["seats"][0].update(djinns=["iblis", "kandicha", "nekir"], used=["iblis"])
    position["resources"].update(deck=["gold"], discard=["silk"])
    put(position, A2="ggw", A3="y")
    assert legal(position) == ["kill A2 gg", "kill A2 wg", "kill A3 y"]
    after, events = apply(position, "kill A2 gg", GivenChance(["!shuffle resources silk"]))
    assert events == ["!shuffle resources silk"]
    assert after["seats"][0]["hand"] == {"gold": 1, "silk": 1}
    assert after["seats"][0]["gold"] == 51  # Nekir pays for the event, not for each victim
    assert play(position, "kill A2 wg")["seats"][0]["elders"] == 1


def test_anun_nak_draws_from_a_bag_that_holds_the_elder_paid() -> None:
    position = bare()
    position["seats"][0].update(djinns=["anun-nak"], elders=1)
    put(position, A1="y", A2="y")
    position["bag"] = "r"
    assert "use anun-nak w C3" in legal(position)
    after = play(position, "use anun-nak w C3", chance=["!bag wr"])
    assert after["bag"] == "-" and after["board"]["tiles"]["C3"]["meeples"] == "wr"
    position["bag"] = "-"
    assert not [text for text in legal(position) if text.startswith("use")]


def test_sloar_needs_a_card_before_its_payment() -> None:
    position = bare(phase="sell")
    position["seats"][0].update(djinns=["sloar"], hand={"fakir": 1})
    position["resources"].update(deck=[], discard=[])
    assert legal(position) == ["end"]
    position["resources"]["discard"] = ["fish"]
    after = play(position, "use sloar f", chance=["!shuffle resources fish fakir"])
    assert after["seats"][0]["hand"] == {"fish": 1} and after["resources"]["deck"] == ["fakir"]


def test_baal_does_not_see_its_own_coming() -> None:
    position = bare(phase="tile", at="A1")
    position["board"]["tiles"]["A1"]["kind"] = "sacred"
    position["djinns"]["row"] = ["baal", "leta"]
    position["seats"][0]["elders"] = 4
    position["seats"][1]["djinns"] = []
    after = play(position, "summon baal ww")
    assert [seat["gold"] for seat in after["seats"]] == [50, 50, 50, 50]
    after.update(phase="tile", turn={"at": "A1"})
    assert play(after, "summon leta ww")["seats"][0]["gold"] == 51


def test_a_placement_that_lost_its_last_piece_lapses() -> None:
    position = bare(phase="tile", at="A1")
    for tile in ("A1", "C3"):
        position["board"]["tiles"][tile]["kind"] = "oasis"
    position["seats"][0].update(djinns=["enki", "lamia"], elders=1)
    position["supply"]["palms"] = 1
    after = play(position, "use enki w C3")
    assert after["phase"] == "sell" and after["board"]["tiles"]["A1"]["palms"] == 0
    position["supply"]["palms"] = 2
    after = play(position, "use enki w C3")
    assert legal(after) == ["palm A1"]


def test_a_bidder_who_can_pay_for_nothing_pays_all_it_has() -> None:
    position, _ = new_position(4, bytes(32))
    position["bid_order"], position["to_act"] = [4], 4
    position["turn_track"][5:] = [None, 1, 2, 3]
    position["seats"][3]["gold"] = 0
    assert legal(position) == ["bid 6"]
    position["seats"][3].update(djinns=["kumarbi"], hand={"fakir": 1})
    assert legal(position) == ["bid 6 f 1"]
    assert play(position, "bid 6 f 1")["seats"][3]["used"] == ["kumarbi"]


def test_kumarbi_takes_no_more_fakirs_than_make_it_free() -> None:
    position, _ = new_position(2, bytes(32))
    position["seats"][position["to_act"] - 1].update(djinns=["kumarbi"], hand={"fakir": 3})
    assert [text for text in legal(position) if text.startswith(("bid 5", "bid 6", "bid 7"))] == [
        "bid 5",
        "bid 5 f 1",
        "bid 5 f 2",
        "bid 6",
        "bid 6 f 1",
        "bid 7",
    ]


def test_wild_goods_and_vizier_bonus() -> None:
    position = bare(3)
    position["seats"][0].update(djinns=["al-amin", "jafaar"], hand={"fish": 2, "fakir": 5}, viziers=2)
    position["seats"][1].update(viziers=2)
    points = score(position)
    assert points[0]["goods"] == 7 + 1  # two wilds beside the fish, one fish left
    assert [row["viziers"] for row in points] == [6 + 10, 2 + 10, 0]


def test_views_hide_what_a_seat_cannot_know() -> None:
    position = bare(2, phase="sell")
    position["seats"][0].update(djinns=["sibittis"], elders=2, hand={"fish": 2})
    after = play(position, "use sibittis ww")
    own, other = slow.view(after, 1), slow.view(after, 2)
    assert own["turn"]["drawn"] == position["djinns"]["deck"][:3] and other["turn"]["drawn"] == 3
    assert own["seats"][0]["hand"] == {"fish": 2} and "cards" not in own["seats"][0]
    assert other["seats"][0]["hand"] is None and other["seats"][0]["cards"] == 2 and other["seats"][0]["gold"] is None
    assert own["djinns"]["deck"] == len(after["djinns"]["deck"])
    assert slow.view_event("!shuffle djinns leta utug") == "!shuffle djinns 2"
    assert slow.view_event("keep leta") == "keep leta"


def test_perft_of_the_first_bids() -> None:
    position, stream = new_position(2, bytes(32))
    # the second bidder finds one spot less, but the zeros have room for both
    assert [slow.perft(position, stream, depth) for depth in (0, 1, 2)] == [1, 7, 6 * 6 + 7]
