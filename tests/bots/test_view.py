"""The view that a bot author reads, over real games: it has the values of the document."""

import dataclasses
import random

import pytest

from arena.bots import Tile, View
from arena.rules import Game, Ruleset, parse_position, view
from arena.rules.notation import TILE_NAMES
from arena.rules.setup import start
from tests.kit.games import RULESETS, seed_of
from tests.kit.positions import phases, strange_position


def views() -> list[View]:
    """Return the views of seat 2 from a whole game of three, the last one at the game's end."""
    game, choices, found = Game(Ruleset(3), bytes(32)), random.Random(7), []
    while not game.state.is_over:
        found.append(view(game.state, 2))
        game.play(choices.choice(list(game.state.legal)))
    return [*found, view(game.state, 2)]


VIEWS = views()


def test_it_reads_like_the_table() -> None:
    first = VIEWS[0]
    assert (first.seat, first.players, first.round, first.phase) == (2, 3, 1, "bid")
    assert (first.me.number, first.me.gold, first.me.camels, first.me.fakirs) == (2, 50, 8, 0)
    assert [seat.number for seat in first.others] == [1, 3]
    assert [seat.gold for seat in first.others] == [None, None]
    assert all(seat.hand is None and seat.fakirs is None and seat.cards == 0 for seat in first.others)
    assert len(first.tiles) == 30
    assert len(first.market) == 9
    assert len(first.djinns) == 3
    assert sorted(first.bid_order) == [1, 2, 3]
    assert set(first.turn_track) == {None}
    assert (first.bag, first.ending, first.expansions) == ("", None, ())
    assert sum(len(tile.meeples) for tile in first.tiles.values()) == 90


def test_every_view_of_a_game_can_be_read_whole() -> None:
    phases = set()
    for seen in VIEWS:
        phases.add(seen.phase)
        document = seen.document
        assert [tile.meeples or "-" for tile in seen.tiles.values()] == [
            tile["meeples"] for tile in document["board"]["tiles"].values()
        ]
        assert [seat.cards for seat in seen.seats] == [
            seat["cards"] if seat["hand"] is None else sum(seat["hand"].values()) for seat in document["seats"]
        ]
        assert seen.turn.hand == ((document["turn"] or {}).get("hand", "")).strip("-")
        if seen.phase == "sow":
            assert seen.turn.at in seen.tiles
            assert seen.turn.origin in seen.tiles
            assert (seen.turn.came_from is None) == (
                seen.turn.at == seen.turn.origin
            ) or seen.turn.came_from in seen.tiles
        assert (seen.to_act is None) == (seen.phase == "over")
        assert (seen.palms, seen.palaces) == (document["supply"]["palms"], document["supply"]["palaces"])
        assert str(seen.seat) in repr(seen)
    assert {"bid", "move", "sow", "tribe", "tile", "sell", "over"} <= phases


def test_distance_and_place() -> None:
    tiles = VIEWS[0].tiles
    assert (tiles["A1"].column, tiles["A1"].row) == (0, 0)
    assert (tiles["F5"].column, tiles["F5"].row) == (5, 4)
    assert tiles["B2"].distance(tiles["D1"]) == 3


def test_it_cannot_be_changed_by_accident() -> None:
    seen = VIEWS[-1]
    with pytest.raises(dataclasses.FrozenInstanceError):
        seen.me.gold = 1000
    with pytest.raises(TypeError):
        seen.tiles["A1"] = Tile("A1", "lake", 0, None, "", None, 0, 0)


def test_a_spectator_has_no_seat() -> None:
    spectator = view(Game(Ruleset(2), bytes(32)).state, 0)
    assert spectator.seat == 0
    assert len(spectator.others) == 2
    with pytest.raises(ValueError, match="no seat"):
        _ = spectator.me


@pytest.mark.parametrize("ruleset", [ruleset for ruleset in RULESETS if ruleset.expansions], ids=str)
def test_every_view_with_expansions_can_be_read_whole(ruleset: Ruleset) -> None:
    for phase in sorted(set(phases(ruleset.expansions))):
        state = parse_position(strange_position(ruleset.players, 3, phase, ruleset.expansions))
        for number in range(ruleset.players + 1):
            seen = view(state, number)
            document = seen.document
            assert seen.phase == phase
            assert len(seen.turn_track) == (12 if ruleset.players == 5 else 9)
            for seat, row in zip(seen.seats, document["seats"], strict=True):
                own = seat.number == number
                if "whims" in ruleset.expansions:
                    assert isinstance(seat.open_whims, tuple) == own
                    assert seat.paid_whims == tuple(row["whims"]["paid"])
                if "artisans" in ruleset.expansions:
                    assert isinstance(seat.items, tuple) == own
                    assert (seat.artisans, seat.tents) == (row["artisans"], row["tent"])
            assert seen.whims_left == document.get("whims", {"deck": 0})["deck"]
            assert seen.items_left == document.get("items", {"pile": 0})["pile"]
            assert list(seen.items_discarded) == document.get("items", {"discard": []})["discard"]
            turn = document["turn"] or {}
            for key in ("target", "pulls", "left", "next", "back"):
                assert getattr(seen.turn, key) == turn.get(key)


def test_what_cannot_be_passed() -> None:
    seen = view(start(Ruleset(5, ("artisans", "whims")), bytes(32)), 1)
    kinds = {tile.kind for tile in seen.tiles.values() if not tile.is_passable}
    assert kinds == {"lake", "chasm"}
    workshops = [tile for tile in seen.tiles.values() if tile.kind == "workshop"]
    assert sorted(tile.mountains or "" for tile in workshops) == ["NW", "SE", "SE"]
    for tile in seen.tiles.values():
        for there in seen.steps(tile.name):
            assert tile.distance(there) == 1 and tile.is_passable and there.is_passable
            assert tile in seen.steps(there.name)
    corner = [tile.name for tile in seen.around("A1")]
    assert corner == ["A1", "B1", "A2", "B2"]
    assert [tile.name for tile in seen.around("C4")] == ["B3", "C3", "D3", "B4", "C4", "D4", "B5", "C5", "D5"]


@pytest.mark.parametrize("expansions", [(), ("whims",), ("artisans", "whims")], ids=str)
def test_steps_and_blocks_are_those_of_the_rules(expansions: tuple[str, ...]) -> None:
    state = start(Ruleset(3, expansions), seed_of("steps", *expansions))
    seen, geometry = view(state, 1), state.board.geometry
    for tile in geometry.reading:
        assert {there.name for there in seen.steps(TILE_NAMES[tile])} == {
            TILE_NAMES[there] for there in geometry.steps[tile]
        }
        block = {TILE_NAMES[other] for other in geometry.reading if geometry.blocks[tile] >> other & 1}
        assert {there.name for there in seen.around(TILE_NAMES[tile])} == block
