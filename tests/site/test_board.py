"""The drawing of the board: well-formed, complete, named for readers, within its tiles."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from arena.rules import Ruleset, TileView, View, parse_view, position, read_game, start
from tests.kit.games import RULESETS, random_states, seed_of
from webui.board.drawing import Sowing, draw_board, draw_parts
from webui.board.names import mountain_sides, tile_label
from webui.board.pieces import places
from webui.board.route import arc, corners, is_flight, lanes, line, step_points
from webui.core.static_files import FILE, shown_in
from webui.replays.replay import FinishedReplay

ROOT = Path(__file__).parents[2]
VECTORS = sorted((ROOT / "tests/golden/vectors").glob("base-*.json"))
SVG = "{http://www.w3.org/2000/svg}"
SYMBOLS = {symbol.get("id") for symbol in ET.parse(FILE).iter(f"{SVG}symbol")}
NAMES = ["Oud", "Mirage", "Sirocco & <Sons>", "Wadi", "Two Palms"]


def test_a_markup_gets_the_drawings_that_it_shows() -> None:
    carried = shown_in('<use href="#palm"/><use href="#m-y" width="3"/><a href="#camel"><use href="#palm"/>')
    assert re.findall(r'<symbol id="([^"]+)"', carried) == ["m-y", "palm"], "each once, in the order of the file"


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def tiles_of(root: ET.Element) -> dict[str, ET.Element]:
    return {name: element for element in root.iter("g") if (name := element.get("data-tile"))}


def hrefs(element: ET.Element) -> list[str]:
    return [use.get("href", "") for use in element.iter("use")]


@pytest.fixture(scope="module", params=VECTORS, ids=lambda path: path.stem)
def replay(request: pytest.FixtureRequest) -> Any:
    return json.loads(request.param.read_text())


def test_there_are_vectors() -> None:
    assert VECTORS


def test_set_up_has_every_tile_with_its_three_meeples(replay: Any) -> None:
    setup = parse_view(replay["setup"])
    root = parsed(draw_board(setup, NAMES))
    tiles = tiles_of(root)
    assert set(tiles) == set(setup.tiles)
    for name, tile in setup.tiles.items():
        assert [href[-1] for href in hrefs(tiles[name])] == list(tile.meeples)
    assert root.get("aria-label") == "Board, 6 columns by 5 rows. Arrow keys move between tiles."
    assert [tile.get("tabindex") for tile in tiles.values()].count("0") == 1, "one tab stop"


@pytest.mark.slow
def test_every_position_of_a_game_is_well_formed(replay: Any) -> None:
    replay = FinishedReplay.of_game(read_game(replay))
    drawn = set()
    for ply in range(len(replay.steps) + 1):
        shown = replay.position(ply)
        svg = draw_board(shown, NAMES, sowing=replay.sowing(ply), current="A1")
        root = parsed(svg)
        owners = sum(bool(tile.owner) for tile in shown.tiles.values())
        assert sum(element.get("class", "").startswith("own") for element in root.iter("g")) == owners
        drawn.update(hrefs(root))
    assert {href[1:] for href in drawn} <= SYMBOLS


def test_route_follows_the_sowing(replay: Any) -> None:
    replay = FinishedReplay.of_game(read_game(replay))
    taken = next(number for number, step in enumerate(replay.steps, 1) if step.verb == "take")
    after_two = replay.sowing(taken + 2)
    assert after_two is not None
    assert after_two.path == tuple(step.text.split(" ")[1] for step in replay.steps[taken - 1 : taken + 2])
    root = parsed(draw_board(replay.position(taken + 2), NAMES, sowing=after_two))
    steps = [group for group in root.iter("g") if group.get("class", "").startswith("route-step")]
    drawn = [text.text for group in steps for text in group.iter("text")]
    assert drawn == [str(number) for number in range(1, len(after_two.path) + len(after_two.ahead))]


def test_names_are_escaped() -> None:
    svg = draw_board(with_tiles(position(start(Ruleset(3), bytes(32))), A1={"owner": 3}), NAMES)
    assert "<Sons>" not in svg
    label = tiles_of(parsed(svg))["A1"].get("aria-label")
    assert label is not None and label.endswith("owned by Sirocco & <Sons>")


def with_tiles(view: View, **changes: dict[str, Any]) -> View:
    """The view with changes to some tiles."""
    return replace(view, tiles=view.tiles | {name: replace(view.tiles[name], **more) for name, more in changes.items()})


GROUND: dict[str, Any] = {"kind": "small-market", "value": 6, "colour": "red", "meeples": ""}


def tile(name: str, **more: Any) -> TileView:
    return TileView(**{"name": name, "owner": None, "palms": 0, "palaces": 0} | GROUND | more)


@pytest.mark.parametrize(
    ("shown", "label"),
    [
        (tile("E2", meeples="wggb", owner=1, palms=1),
         "E2, Small Market, worth 6, red; elder, 2 merchants, builder; owned by Oud; 1 palm"),
        (tile("A1", kind="village", value=5, colour="blue", palaces=2),
         "A1, Village, worth 5, blue; no meeples; 2 palaces"),
        (tile("G5", kind="lake", value=0, colour=None), "G5, Great Lake, impassable"),
        (tile("B2", kind="city", value=5, colour="blue", meeples="pp"), "B2, Great City, blue; 2 artisans"),
        (tile("B2", kind="city", value=5, colour="red", whim="h04"),
         "B2, Great City, red; whim: 3 viziers and 3 elders, pays 10 gold; no meeples"),
        (tile("C3", owner=2, tent=True), "C3, Small Market, worth 6, red; no meeples; owned by Mirage (tent)"),
    ],
)  # fmt: skip
def test_tiles_say_what_is_on_them(shown: TileView, label: str) -> None:
    assert tile_label(shown, NAMES) == label


def test_from_six_on_a_tribe_is_one_glyph_with_its_number() -> None:
    heap = with_tiles(position(start(Ruleset(2), bytes(32))), A1={"meeples": "yywgggbrr"})
    group = tiles_of(parsed(draw_board(heap, NAMES)))["A1"]
    assert hrefs(group) == ["#n-y", "#m-w", "#n-g", "#m-b", "#n-r"]
    assert [text.text for text in group.iter("text") if "meeple-number" in text.get("class", "")] == ["2", "3", "2"]


@pytest.mark.parametrize(("count", "has_buildings"), list(product(range(7), (False, True))))
def test_meeples_stay_on_their_tile_and_apart(count: int, has_buildings: bool) -> None:
    drawn = places(count, has_buildings)
    assert len(drawn) == count
    for x, y, size in drawn:
        assert x >= 3 and y >= 26 and x + size <= 97.5 and y + size <= 97.5
    for index, (x, y, size) in enumerate(drawn):
        for other_x, other_y, _ in drawn[:index]:
            assert abs(x - other_x) >= size or abs(y - other_y) >= size


def test_mountains_are_named_on_both_sides() -> None:
    tiles = {name: tile(name) for name in ("B1", "C1", "A2", "B2", "C2", "B3")}
    tiles["B2"] = tile("B2", kind="workshop", value=5, colour="blue", mountains="NW")
    tiles["C2"] = tile("C2", kind="workshop", value=5, colour="blue", mountains="SE")
    sides = mountain_sides(tiles)
    assert {name: sides.get(name) for name in ("B2", "B1", "A2", "C2", "C1", "B3")} == {
        "B2": "NW", "B1": "S", "A2": "E", "C2": "ES", "C1": None, "B3": None,
    }  # fmt: skip
    label = tile_label(tiles["A2"], NAMES, sides["A2"])
    assert label == "A2, Small Market, worth 6, red; no meeples; mountains to the east"
    assert tile_label(tiles["B2"], NAMES, "NW").endswith("; mountains to the north and west")


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_every_ruleset_is_drawn_whole(ruleset: Ruleset) -> None:
    """In random games all that a position holds stands on its tile, by known symbols, and readers hear of it."""
    for number, state in enumerate(random_states(ruleset, seed_of("drawn", *ruleset))):
        if number % 12 and not state.is_over:
            continue
        whole = position(state)
        root = parsed(draw_board(whole, NAMES))
        assert {href[1:] for href in hrefs(root)} <= SYMBOLS
        columns, rows = whole.columns, whole.rows
        assert root.get("viewBox") == f"0 0 {columns * 106 + 52} {rows * 106 + 52}"
        drawn = tiles_of(root)
        assert len(drawn) == columns * rows
        for name, shown in whole.tiles.items():
            there, label = hrefs(drawn[name]), drawn[name].get("aria-label", "")
            glyphs = [href for href in there if href[1:3] in ("m-", "n-")]
            tribes = shown.meeples
            assert [href[-1] for href in glyphs] == (
                list(tribes) if len(tribes) < 6 else sorted(set(tribes), key="ywgbrp".index)
            )
            assert ("#camel" in there) == bool(shown.owner and not shown.tent)
            assert ("#tent" in there) == shown.tent
            assert ("#palm" in there, "#palace" in there) == (bool(shown.palms), bool(shown.palaces))
            assert ("#whim" in there) == bool(shown.whim) == ("whim:" in label)
            assert (shown.kind in ("lake", "chasm")) == label.endswith("impassable")


def test_parts_are_what_the_board_is_made_of() -> None:
    whole = position(start(Ruleset(5, ("artisans", "whims")), bytes(32)))
    board, parts = draw_board(whole, NAMES), draw_parts(whole, NAMES)
    assert set(parts) == {f"{kind}-{name}" for kind in ("ground", "tile") for name in whole.tiles} | {
        "marks", "route", "steps",
    }  # fmt: skip
    for name, text in parts.items():
        assert text in board and f'data-part="{name}"' in text
    some = draw_parts(whole, NAMES, only={"A1"})
    assert set(some) == {"ground-A1", "tile-A1", "marks", "route", "steps"}
    assert all(parts[name] == text for name, text in some.items())


def every_feature() -> View:
    """Both expansions' things on one board, as no game would lay them."""
    whole = position(start(Ruleset(4), bytes(32)))
    tiles = dict(whole.tiles)
    tiles["A1"] = tile("A1", kind="lake", value=0, colour=None)
    tiles["B1"] = tile("B1", kind="chasm", value=0, colour=None)
    tiles["C1"] = tile("C1", kind="city", value=5, colour="blue", whim="h03")
    tiles["D3"] = tile("D3", kind="workshop", value=5, colour="blue", mountains="NW", meeples="ywgbrp")
    tiles["E4"] = tile("E4", kind="special-market", value=10, owner=4, tent=True)
    tiles["F5"] = tile("F5", kind="workshop", value=5, colour="blue", mountains="SE", palms=3, palaces=2)
    return replace(whole, tiles=tiles)


def test_expansions_are_drawn() -> None:
    root = parsed(draw_board(every_feature(), NAMES, label="a thumbnail", is_picture=True))
    assert root.get("role") == "img" and root.get("aria-label") == "a thumbnail"
    assert all(tile.get("tabindex") is None for tile in tiles_of(root).values()), "a picture has no tab stop"
    classes = [element.get("class") for element in root.iter()]
    assert "layer-mountains" in classes and "tent" in "".join(hrefs(root))
    assert hrefs(tiles_of(root)["D3"]) == [f"#m-{tribe}" for tribe in "ywgbrp"]


def test_a_straight_route_is_one_line_between_centres() -> None:
    assert line(corners(("A1", "B1", "C1"), lanes(("A1", "B1", "C1")))) == "M79 79h212"
    assert step_points(("A1", "B1")) == [(132, 79)]


def test_an_edge_walked_twice_has_two_lanes() -> None:
    path = ("D1", "C1", "B1", "B2", "A2", "A1", "B1", "C1")
    offsets = lanes(path)
    assert [offset for offset in offsets if offset] == [-12, 12]
    assert step_points(path)[1] == (238, 67) and step_points(path)[6] == (238, 91)
    points = corners(path, offsets)
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(points)), "lines run along an axis"


def test_a_corner_is_rounded_and_the_line_ends_where_the_path_does() -> None:
    path = ("A1", "B1", "B2", "B3", "A3", "A2")
    data = line(corners(path, lanes(path)))
    assert data == "M79 79h86q20 0 20 20v172q0 20 -20 20h-66q-20 0 -20 -20v-86", "20 round each corner"
    assert line(((79, 79), (79, 79))) == "M79 79", "on the spot"


@pytest.mark.parametrize(("start_tile", "end"), [("A1", "G1"), ("A1", "A6"), ("G6", "A6"), ("G1", "G6"), ("B2", "F5")])
def test_a_flight_bows_within_the_drawing(start_tile: str, end: str) -> None:
    assert is_flight(start_tile, end) and is_flight("B2", "B2") and not is_flight("B2", "B3")
    data, (x, y) = arc(start_tile, end)
    assert 21 < x < 773 and 21 < y < 667, "the top of the bow, where the step's number stands"
    assert data.startswith(f"M{79 + 106 * (ord(start_tile[0]) - 65)} ")


def test_a_flight_is_the_last_step_of_a_route() -> None:
    whole = position(start(Ruleset(2, ("artisans",)), bytes(32)))
    for sowing in (
        Sowing(("A1", "A2", "E5")),
        Sowing(("A1",), ("A2", "E5")),
        Sowing(("A1", "E5")),
        Sowing(("A1", "A1")),
    ):
        root = parsed(draw_board(whole, NAMES, sowing=sowing))
        bows = [
            path
            for path in root.iter("path")
            if "Q" in path.get("d", "") and path.get("class") in ("route-flight", "route-ahead")
        ]
        steps = [group for group in root.iter("g") if group.get("class", "").split(" ")[0] == "route-step"]
        assert len(bows) == 1 and len(steps) == len(sowing.path) + len(sowing.ahead) - 1
        assert (bows[0].get("class") == "route-flight") != bool(sowing.ahead)


def test_a_sowing_of_one_tile_has_no_route() -> None:
    whole = position(start(Ruleset(2), bytes(32)))
    root = parsed(draw_board(whole, NAMES, sowing=Sowing(("A1",))))
    layers = {element.get("class"): element for element in root.iter("g")}
    assert not list(layers["layer-route"]) and not list(layers["layer-steps"])
