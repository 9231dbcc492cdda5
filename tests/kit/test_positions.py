"""The strange positions keep the invariants of the rules."""

from collections import Counter

import pytest

from tests.kit import slow
from tests.kit.positions import phases, strange_position
from tests.kit.slow import tables
from tests.kit.slow.board import Position, letters
from tests.kit.slow.whims import is_fulfilled


def assert_invariants(position: Position) -> None:
    expansions = position["expansions"]
    tiles, seats = position["board"]["tiles"].values(), position["seats"]
    turn = position["turn"] or {}
    meeples = Counter(letters(position["bag"]) + "".join(letters(tile["meeples"]) for tile in tiles))
    meeples.update(letters(turn.get("hand", "-")) + letters(turn.get("lifted", "-")))
    meeples.update({"y": sum(seat["viziers"] for seat in seats), "w": sum(seat["elders"] for seat in seats)})
    meeples.update({"p": sum(seat.get("artisans", 0) for seat in seats)})
    assert +meeples == tables.meeples(expansions)
    assert all(tile["meeples"] == "-" for tile in tiles if tile["kind"] in tables.IMPASSABLE)

    resources = Counter(kind for part in position["resources"].values() for kind in part)
    for seat in seats:
        assert all(count > 0 for count in seat["hand"].values())
        resources.update(seat["hand"])
    if position["phase"] == "horn":
        resources.update(turn["drawn"])
    assert dict(resources) == tables.RESOURCES

    djinns = [djinn for part in position["djinns"].values() for djinn in part]
    djinns += [djinn for seat in seats for djinn in seat["djinns"]]
    djinns += turn["drawn"] if position["phase"] == "choose" else []
    assert sorted(djinns) == sorted(tables.djinns(expansions))
    assert all(set(seat["used"]) <= set(seat["djinns"]) for seat in seats)

    assert position["supply"]["palms"] + sum(tile["palms"] for tile in tiles) == tables.PALMS
    assert position["supply"]["palaces"] + sum(tile["palaces"] for tile in tiles) == tables.PALACES
    for number, seat in enumerate(seats, start=1):
        assert seat["gold"] >= 0 and min(position["supply"].values()) >= 0
        assert seat["camels"] >= 0
        camels = sum(tile["owner"] == number and "tent" not in tile for tile in tiles)
        assert seat["camels"] + camels == tables.CAMELS[position["players"]]
    assert not any(tile["owner"] or tile["palms"] or tile["palaces"] for tile in tiles if tile["colour"] is None)
    markers = position["bid_order"] + [seat for seat in position["turn_track"] if seat]
    assert sorted(markers) == sorted(tables.MARKERS[position["players"]])
    if "artisans" in expansions:
        assert_artisans(position)
    if "whims" in expansions:
        assert_whims(position)


def assert_artisans(position: Position) -> None:
    tiles, seats = position["board"]["tiles"].values(), position["seats"]
    items = Counter(position["items"]["pile"] + position["items"]["discard"])
    items.update(position["turn"]["drawn"] if position["phase"] == "item" else [])
    for number, seat in enumerate(seats, start=1):
        items.update(seat["items"])
        assert seat["tent"] + sum(tile["owner"] == number and "tent" in tile for tile in tiles) == 1
    assert dict(items) == tables.ITEMS
    assert sorted(tile["mountains"] for tile in tiles if tile["kind"] == "workshop") == ["NW", "SE", "SE"]


def assert_whims(position: Position) -> None:
    tiles, seats = position["board"]["tiles"].values(), position["seats"]
    whims = position["whims"]["deck"] + [tile["whim"] for tile in tiles if tile.get("whim")]
    for number, seat in enumerate(seats, start=1):
        whims += seat["whims"]["open"] + seat["whims"]["paid"]
        assert not any(is_fulfilled(position, number, whim) for whim in seat["whims"]["open"])
    assert sorted(whims) == sorted(tables.whims(position["expansions"]))


RULESETS = [
    *((players, ()) for players in (2, 3, 4)),
    *((players, (name,)) for name in ("artisans", "whims") for players in (2, 3, 4, 5)),
    *((players, ("artisans", "whims")) for players in (2, 3, 4, 5)),
]
CASES = [(players, expansions, phase) for players, expansions in RULESETS for phase in sorted(set(phases(expansions)))]


@pytest.mark.slow
@pytest.mark.parametrize(("players", "expansions", "phase"), CASES)
def test_strange_positions_are_valid_and_can_be_played(players: int, expansions: tuple[str, ...], phase: str) -> None:
    for seed in range(20):
        position = strange_position(players, seed, phase, expansions)
        assert position["phase"] == phase
        assert_invariants(position)
        assert position == strange_position(players, seed, phase, expansions)
        if seed < 5:
            assert slow.legal(position)


@pytest.mark.parametrize(("players", "expansions"), RULESETS)
def test_the_slow_engine_keeps_the_invariants(players: int, expansions: tuple[str, ...]) -> None:
    game = slow.SlowGame(players, bytes([players]) * 32, expansions=expansions)
    while legal := slow.legal(game.position):
        game.play(legal[len(game.events) * 7 % len(legal)])
        assert_invariants(game.position)
