"""What stands around the board, for every ruleset: seats, tracks, market, Djinns, cities, items, scores, tile cards."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.template.loader import render_to_string

from arena.rules import Game, Ruleset, State, View, format_position, parse_view, position, view, view_event
from arena.rules.components import CITY_VALUE, EXPANSIONS, TRACK_OF_FIVE, WHIMS
from tests.kit.games import RULESETS, random_game, random_states, seed_of
from webui.board import panel_cards, rows, seats, tracks
from webui.board.fragments import FOLDER, _source, fragments
from webui.bots.values import BotRef, VersionRef
from webui.matches.values import SeatLine, SeenDecision
from webui.replays.parts import TablePart, table_parts
from webui.replays.replay import FinishedReplay, LiveReplay, Replay, steps_of
from webui.words import cards as words_cards

BOTH = Ruleset(5, EXPANSIONS)
NAMES = ["Oud", "Mirage", "Sirocco & <Sons>", "Wadi", "Two Palms"]


def lines(players: int) -> list[SeatLine]:
    bots = [VersionRef(n, "1", BotRef(n, NAMES[n - 1], f"bot-{n}", 1, "lena", False)) for n in range(1, players + 1)]
    return [SeatLine(n, bot, None, None, None, None, "") for n, bot in enumerate(bots, 1)]


@pytest.fixture(scope="module")
def game() -> Game:
    return random_game(BOTH, seed_of("panels"))


@pytest.fixture(scope="module")
def rich() -> State:
    """A state in which seats hold items and open and paid whims."""
    for number in range(100):
        for state in random_states(BOTH, seed_of("rich", number)):
            holds = [seat.items for seat in state.seats if seat.items and seat.open]
            if holds and any(seat.paid for seat in state.seats) and not state.is_over and state.due is None:
                return state
    raise AssertionError("no such state in 100 games")


def live(game: Game, decisions: int) -> LiveReplay:
    """The replay that a spectator has after so many decisions."""
    replay, state = LiveReplay(game.ruleset, view(game.setup, 0)), game.setup
    steps = steps_of([view_event(event, 0) for event in game.events])[:decisions]
    for ply, step in enumerate(steps, 1):
        for event in game.events[step.index : step.index + 1 + len(step.chance)]:
            state = state.play(state.parse(event.text))
        replay.extend([SeenDecision(ply, step.index, step.seat, step.text, step.chance, view(state, 0))])
    return replay


def rendered(replay: Replay, ply: int) -> dict[str, str]:
    parts = table_parts(replay, lines(replay.ruleset.players), ply)
    return {name: str(part.render(name)) for name, part in parts.items()}


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_every_part_of_every_ruleset_is_one_element_with_its_name(ruleset: Ruleset) -> None:
    replay = FinishedReplay.of_game(random_game(ruleset, seed_of("parts", *ruleset)))
    for ply in (0, len(replay.steps) // 2, len(replay.steps)):
        parts = rendered(replay, ply)
        for name, text in parts.items():
            assert text.startswith("<") and text.count(f'data-part="{name}"') == 1
            assert not re.search(r"%\(|{{|{%|None", text), name
        assert ("<template" in parts["cities"]) != ruleset.whims
        assert ("<template" in parts["items"]) != ruleset.artisans
        assert ("<template" in parts["seat-1-items"]) != ruleset.artisans
        assert ("<template" in parts["seat-1-whims"]) != ruleset.whims
        table = parts["score-table"]
        assert ("source-artisans" in table) == ("source-items" in table) == ruleset.artisans
        assert parts["turn-track"].count("<li") == len(ruleset.track.costs)


def seat_panels(position: View) -> list[seats.SeatPanel]:
    known = seats.seats_known(position, None)
    return [seats.seat_panel(position, *one) for one in zip(lines(position.players), known, strict=True)]


def test_a_spectator_sees_backs_with_their_number(rich: State) -> None:
    shown = seat_panels(view(rich, 0))
    for panel, seat in zip(shown, rich.seats, strict=True):
        assert panel.hand is None and panel.gold is None
        assert panel.items is not None and panel.items.cards is None and panel.items.number == len(seat.items)
        assert panel.whims is not None and panel.whims.face_down == len(seat.open)
        assert [whim.id for whim in panel.whims.cards] == [WHIMS[whim].id for whim in seat.paid]
        assert all(whim.is_paid for whim in panel.whims.cards)
        assert (panel.artisans, panel.tents) == (seat.artisans, seat.tents)
    text = "".join(TablePart("seat_items", {"seat": panel}).render("x") for panel in shown)
    assert not any(str(item.name) in text for item in words_cards.ITEMS.values())


def test_who_may_look_sees_what_is_there(rich: State) -> None:
    for panel, seat in zip(seat_panels(position(rich)), rich.seats, strict=True):
        assert panel.items is not None and panel.items.cards is not None and panel.whims is not None
        assert sum(item.number for item in panel.items.cards) == panel.items.number == len(seat.items)
        assert panel.whims.face_down == 0
        assert [whim.is_paid for whim in panel.whims.cards] == [False] * len(seat.open) + [True] * len(seat.paid)
        assert all(whim.needs and whim.gold for whim in panel.whims.cards)


def test_without_expansions_nothing_of_them_is_shown() -> None:
    plain = position(random_game(4, seed_of("plain")).setup)
    panel = seat_panels(plain)[0]
    assert (panel.artisans, panel.tents, panel.items, panel.whims) == (None, None, None, None)
    assert rows.cities(plain) is None and rows.items(plain) is None


def test_cities_show_their_whims_and_owners(game: Game) -> None:
    document = format_position(game.setup)
    tiles = {name: tile for name, tile in document["board"]["tiles"].items() if tile["kind"] == "city"}
    first, second = list(tiles)[:2]
    tiles[first]["owner"], tiles[second]["whim"] = 3, None
    cities = rows.cities(parse_view(document))
    assert cities is not None and {city.tile: city.owner for city in cities.cities}[first] == 3
    for city in cities.cities:
        whim = tiles[city.tile]["whim"]
        assert (city.whim and city.whim.id) == whim and city.colour == tiles[city.tile]["colour"]
    assert cities.deck == 22 - 5
    assert cities.values == [(1, 5), (2, 20), (3, 45), (4, 80), (5, 125)] and len(CITY_VALUE) == 6
    text = fragments().draw("cities", {"cities": cities})
    assert "A new whim comes at clean-up." in text and text.count("pays") == 4


def test_piles_are_numbers_for_whoever_looks(game: Game) -> None:
    for shown in (position(game.setup), view(game.setup, 0), view(game.setup, 2)):
        items, cities = rows.items(shown), rows.cities(shown)
        assert items is not None and items.pile == 18 and items.discard == []
        assert cities is not None and cities.deck == 17
        assert rows.market(shown).deck == 54 - 9


def test_items_say_what_they_do_and_add_up() -> None:
    kinds = rows.item_kinds()
    assert sum(item.number for item in kinds) == 18
    assert [item.value for item in kinds if item.value] == [5, 7, 9]
    text = render_to_string("board/item_kinds.html", {"kinds": kinds})
    assert all(f"#x-{item.id}" in text and item.name in text for item in kinds)


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_every_tile_has_a_card(ruleset: Ruleset) -> None:
    whole = position(random_game(ruleset, seed_of("cards", *ruleset)).setup)
    cards = {card.kind: card for card in rows.tile_cards(whole)}
    assert set(cards) == {tile.kind for tile in whole.tiles.values()}
    assert all(card.name and card.about.endswith(".") for card in cards.values())
    text = render_to_string("board/tile_cards.html", {"cards": list(cards.values())})
    assert text.count("<template") == len(cards)


def test_spots_of_one_price_are_joined_with_five() -> None:
    five = position(random_game(BOTH, seed_of("track")).setup)
    spots = tracks.turn_track(five, TRACK_OF_FIVE.costs)
    assert [spot.label for spot in spots if spot.is_joined] == ["5", "3", "1"]
    assert len(spots) == 12 and len(tracks.bid_track(five)) == 5
    base = position(random_game(4, seed_of("track")).setup)
    assert not any(spot.is_joined for spot in tracks.turn_track(base, Ruleset(4).track.costs))


@pytest.mark.parametrize(("phase", "turn"), [
    ("tribe", {"at": "A1", "lifted": "bbb"}),
    ("choose", {"drawn": ["enki", "leta"], "back": "sell"}),
    ("item", {"at": "A1", "drawn": ["crown", "horn"]}),
    ("horn", {"drawn": ["fish", "fakir", "fish"], "back": "sell"}),
])  # fmt: skip
def test_what_is_lifted_or_drawn_is_shown(phase: str, turn: dict[str, Any]) -> None:
    document = format_position(random_game(BOTH, seed_of("held")).setup) | {"phase": phase, "turn": turn}
    held = tracks.held_of(parse_view(document))
    assert held is not None and held.words and held.title
    assert [drawing[2:] for drawing, _css in held.drawings] == list(turn.get("lifted") or turn["drawn"])


@pytest.mark.parametrize(("phase", "back"), [("choose", "card"), ("item", "item")])
def test_what_somebody_else_drew_is_backs(phase: str, back: str) -> None:
    document = format_position(random_game(BOTH, seed_of("held")).setup) | {"phase": phase, "turn": {"drawn": 3}}
    held = tracks.held_of(parse_view(document))
    assert held is not None and [drawing for drawing, _css in held.drawings] == [back] * 3
    assert tracks.held_of(parse_view(document | {"phase": "sell", "turn": {}})) is None


def test_the_market_names_every_price_in_play() -> None:
    for ruleset in (Ruleset(4), Ruleset(4, ("artisans",))):
        market = rows.market(position(random_game(ruleset, seed_of("market")).setup))
        rules = [row.rule for row in market.rows if row.rule]
        assert ["3 gold" in rules[0], "6 gold" in rules[1]] == [True, True]
        assert len(rules) == (3 if ruleset.artisans else 2)


def test_two_djinns_say_what_they_do_with_the_artisans() -> None:
    plain, revised = (panel_cards.djinn_card("boaz", artisans=artisans).effect for artisans in (False, True))
    assert "artisans" not in plain and "artisans" in revised


def test_names_of_bots_are_escaped(game: Game) -> None:
    replay = live(game, 40)
    assert replay.position(len(replay.steps)) is not None
    assert all("<Sons>" not in text for text in rendered(replay, len(replay.steps)).values())


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.html")))
def test_icons_and_sentences_without_values_are_drawn_when_a_fragment_is_loaded(name: str) -> None:
    source = _source(name)
    assert re.search(r'icon\("[\w-]+", ', source) is None
    assert "translate" not in source and 'term("' not in source
