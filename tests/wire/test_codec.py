"""The codec: encoded values come back, for real positions of every expansion, and arbitrary bytes do no harm."""

import contextlib
import copy
import dataclasses
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.referee import VerdictKind
from arena.rules import Ending, Phase, PositionError, SeatView, TileView, TurnView, parse_view
from arena.rules.components import Colour, KindOfTile
from arena.wire import codec
from arena.wire.codec import CodecError
from arena.wire.names import COLOURS, ENDINGS, KINDS, PHASES, VERDICTS, Names
from arena.wire.v1 import bot_pb2, game_pb2
from arena.wire.v1.bot_pb2 import DecisionRequest, ServerMessage
from arena.wire.v1.game_pb2 import GameView, Meeples
from tests.kit.slow.view import view as seen

POSITIONS = [json.loads(line) for line in (Path(__file__).parent / "positions.jsonl").read_text().splitlines()]
IDS = ["+".join([*position["expansions"], str(position["players"])]) for position in POSITIONS]

# Every phase with a turn of its own, with the keys of the notation's table.
TURNS: list[tuple[str, dict[str, Any]]] = [
    ("move", {}),
    ("sell", {"doubled": ["echidna", "iblis"], "item_used": True}),
    ("sow", {"origin": "A1", "at": "A1", "hand": "ywr"}),
    ("sow", {"origin": "A1", "at": "A2", "from": "A1", "hand": "yw"}),
    ("tribe", {"at": "C3", "lifted": "bb"}),
    ("tile", {"at": "C3"}),
    ("choose", {"drawn": ["enki", "lamia", "geb"], "back": "sell"}),
    ("choose", {"drawn": 3, "back": "tribe", "at": "C3", "lifted": "rr"}),
    ("horn", {"drawn": ["fish", "fakir"], "back": "tile", "at": "B2", "item_used": True}),
    ("item", {"at": "C3", "drawn": ["crown", "ring"]}),
    ("item", {"at": "C3", "drawn": 2}),
    ("flute", {"target": "D4", "pulls": 0, "item_used": True}),
    ("scimitar", {"left": 2, "back": "sell", "item_used": True}),
    ("control", {"target": "A1", "next": "tribe", "lifted": "r", "at": "A1"}),
    ("control", {"target": "A1", "back": "sell", "left": 0}),
]


def played(position: dict[str, Any]) -> dict[str, Any]:
    """Return the set-up with some of everything that a game brings."""
    later = copy.deepcopy(position)
    tile = next(iter(later["board"]["tiles"].values()))
    tile.update(owner=2, palms=2, palaces=1, meeples="-")
    later.update(round=4, ending="camels", turn_track=[2, *later["turn_track"][1:-1], 1])
    later["seats"][0].update(gold=0, hand={"fish": 2, "fakir": 1}, djinns=["kumarbi"], used=["kumarbi"])
    later["resources"]["discard"] = ["gold", "ivory"]
    later["bag"] = "yywgbr"
    if "artisans" in later["expansions"]:
        tile["tent"] = True
        later["seats"][0].update(items=["lamp", "ring"], tent=0, artisans=3)
        later["items"]["discard"] = ["crown"]
    if "whims" in later["expansions"]:
        later["seats"][0]["whims"] = {"open": ["h01"], "paid": ["h02", "h03"]}
        next(tile for tile in later["board"]["tiles"].values() if tile["kind"] == "city")["whim"] = None
    return later


def over_the_wire(document: dict[str, Any]) -> dict[str, Any]:
    message = codec.encode_view(parse_view(document))
    return codec.decode_view(GameView.FromString(message.SerializeToString())).document


@pytest.mark.parametrize("position", POSITIONS, ids=IDS)
def test_positions_come_back(position: dict[str, Any]) -> None:
    assert over_the_wire(position) == position
    assert over_the_wire(played(position)) == played(position)


@pytest.mark.parametrize("position", POSITIONS, ids=IDS)
def test_views_come_back_with_their_holes(position: dict[str, Any]) -> None:
    for seat in range(position["players"] + 1):
        for view in (seen(position, seat), seen(played(position), seat)):
            assert over_the_wire(view) == view


@pytest.mark.parametrize(("phase", "turn"), TURNS)
def test_turns_come_back(phase: str, turn: dict[str, Any]) -> None:
    document = seen(POSITIONS[0], 1) | {"phase": phase, "turn": turn}
    assert over_the_wire(document) == document


def test_a_game_that_is_over_comes_back() -> None:
    document = played(POSITIONS[-1]) | {"phase": "over", "to_act": None, "turn": None, "ending": "no-moves", "view": 2}
    assert over_the_wire(document) == document


def test_an_empty_pile_that_is_public_is_not_a_hidden_one() -> None:
    decks: list[int | list[str]] = [0, []]
    for deck in decks:
        document = seen(POSITIONS[0], 1)
        document["resources"]["deck"] = document["djinns"]["deck"] = deck
        assert over_the_wire(document) == document


@pytest.mark.parametrize(
    "damage",
    [
        lambda d: d.update(surprise=1),
        lambda d: d["board"]["tiles"]["A1"].update(lamp=True),
        lambda d: d["seats"][0].update(hand={"camel": 1}),
        lambda d: d["seats"][0].update(hand={"fish": 0}),
        lambda d: d["seats"][0].update(hand={"fish": -1}),
        lambda d: d["seats"][0].pop("camels"),
        lambda d: d["board"]["tiles"]["A1"].update(meeples="rw"),
        lambda d: d["board"]["tiles"]["A1"].update(kind="swamp"),
        lambda d: d.update(phase="sleep"),
        lambda d: d.update(phase=None),
        lambda d: d.update(to_act=0),
        lambda d: d.update(turn={"mood": "good"}),
        lambda d: d.update(format="naqala/position/2"),
        lambda d: d.update(board=None),
        lambda d: d.update(round="one"),
    ],
)
def test_a_document_that_would_not_come_back_is_refused(damage: Any) -> None:
    document = copy.deepcopy(POSITIONS[0])
    damage(document)
    with pytest.raises(PositionError):
        parse_view(document)


@pytest.mark.parametrize(
    "damage",
    [
        {"phase": "sleep"},
        {"phase": None},
        {"to_act": 0},
        {"round": "one"},
        {"tiles": None},
        {"bag": "rw"},
        {"market": ("camel",)},
        {"turn_track": (0,)},
        {"turn": TurnView(back="sleep"), "phase": "choose"},
        {"seats": (SeatView(1, None, 8, 0, 0, {"camel": 1}, 1, (), ()),)},
        {"seats": (SeatView(1, None, 8, 0, 0, {"fish": 0}, 0, (), ()),)},
        {"seats": (SeatView(1, None, 8, 0, 0, {"fish": -1}, 0, (), ()),)},
        {"tiles": {"A1": TileView("A1", "swamp", 0, None, "", None, 0, 0)}},
        {"tiles": {"A1": TileView("A1", "lake", 0, None, "rw", None, 0, 0)}},
    ],
    ids=str,
)
def test_a_view_that_would_not_come_back_is_refused(damage: dict[str, Any]) -> None:
    view = dataclasses.replace(parse_view(seen(POSITIONS[0], 1)), **damage)
    with pytest.raises(CodecError):
        codec.encode_view(view)


def test_a_position_with_something_hidden_is_refused() -> None:
    for seat in (0, 1):
        document = seen(POSITIONS[0], seat)
        message = codec.encode_view(parse_view(document))
        message.ClearField("viewer")
        with pytest.raises(CodecError):
            codec.decode_view(message)
        del document["view"]
        with pytest.raises(PositionError):
            parse_view(document)


def test_nobody_sees_from_a_seat_that_there_is_not() -> None:
    message = codec.encode_view(parse_view(seen(POSITIONS[0], 1)))
    message.viewer = 9
    with pytest.raises(CodecError):
        codec.decode_view(message)


@pytest.mark.parametrize(
    ("names", "words", "enum"),
    [
        (PHASES, get_args(Phase), game_pb2.Phase),
        (ENDINGS, get_args(Ending), game_pb2.EndTrigger),
        (KINDS, get_args(KindOfTile), game_pb2.TileKind),
        (COLOURS, get_args(Colour), game_pb2.TileColour),
        (VERDICTS, get_args(VerdictKind), bot_pb2.VerdictKind),
    ],
)
def test_every_word_of_the_types_has_its_number_and_no_number_has_another(
    names: Names[Any], words: tuple[str, ...], enum: Any
) -> None:
    assert {names.name(number) for number in enum.values() if number} == set(words)
    assert [names.name(names.number(word)) for word in words] == list(words)


def test_mountains_are_on_two_sides_that_there_are() -> None:
    message = codec.encode_view(parse_view(seen(POSITIONS[0], 1)))
    message.board.tiles[0].mountains = "SE"
    assert codec.decode_view(message).tiles["A1"].mountains == "SE"
    message.board.tiles[0].mountains = "UP"
    with pytest.raises(CodecError, match="UP"):
        codec.decode_view(message)


def test_an_absurd_count_is_refused() -> None:
    message = codec.encode_view(parse_view(POSITIONS[0]))
    message.bag.CopyFrom(Meeples(viziers=4_000_000_000))
    with pytest.raises(CodecError):
        codec.decode_view(message)


@given(st.binary(max_size=400))
def test_garbage_gives_the_error_of_the_codec_or_a_message(payload: bytes) -> None:
    for decode in (codec.decode_bot, codec.decode_server):
        with contextlib.suppress(CodecError):
            decode(payload)


REQUEST = ServerMessage(
    request=DecisionRequest(view=codec.encode_view(parse_view(seen(played(POSITIONS[0]), 1))))
).SerializeToString()


@given(st.data())
def test_a_damaged_view_gives_the_error_of_the_codec_or_a_document(data: st.DataObject) -> None:
    payload = bytearray(REQUEST)
    for _ in range(data.draw(st.integers(1, 4))):
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    try:
        view = codec.decode_view(codec.decode_server(bytes(payload)).request.view)
    except CodecError:
        return
    json.dumps(view.document)


@given(st.lists(st.tuples(st.integers(0, 5), st.text(max_size=30))), st.integers(0, 1000))
def test_events_come_back(events: list[tuple[int, str]], first: int) -> None:
    got = codec.decode_events(codec.encode_events(events, first))
    assert [(event.seat, event.text) for event in got] == events
    assert [event.index for event in got] == list(range(first, first + len(events)))


def test_terms_and_ends_come_back() -> None:
    clock = {"bank_ms": 60_000, "increment_ms": 1000, "cap_ms": 10_000}
    policy = {"strikes": 3, "grace_ms": 60_000, "house": "greedy"}
    seats = [{"name": "a", "version": "1"}, {"name": "b", "version": "2", "owner": "o"}]
    score = dict.fromkeys(["gold", "viziers", "elders", "djinns", "tiles", "palms", "palaces", "goods"], 3) | {
        "total": 24
    }
    result = {"scores": [score, score | {"artisans": 0, "items": 5, "total": 29}], "ranks": [2, 1], "reason": "camels"}
    verdict = {"kind": "forfeit", "placements": [1, 2], "forfeits": [{"seat": 2, "at": 137, "reason": "LATE"}]}
    assert codec.decode_clock(codec.encode_clock(clock)) == clock
    assert codec.decode_policy(codec.encode_policy(policy)) == policy
    assert codec.decode_participants(codec.encode_participants(seats)) == seats
    assert codec.decode_result(codec.encode_result(result)) == result
    assert codec.decode_verdict(codec.encode_verdict(verdict)) == verdict
    assert codec.decode_round_trip(codec.encode_round_trip(1_500, 2_000_000, 3_000_000_000)) == {
        "network_ns": 1_000, "queue_ns": 2_000_000, "thinking_ns": 3_000_000_000,
    }  # fmt: skip


@pytest.mark.parametrize("bad", [{"bank_ms": -1}, {"bank_ms": "x"}, {"tempo": 1}])
def test_a_clock_that_is_none_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(CodecError):
        codec.encode_clock(bad)
