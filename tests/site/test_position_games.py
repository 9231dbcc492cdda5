"""Positions that a house player plays to the end: turns, limits, lost workers, figures and pages."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from random import Random

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from arena.rules import Ruleset, State, draw_chance, format_position, start
from arena.story import finish_game
from tests.kit.redis_server import RedisServer
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_analysis import FOUR
from tests.site.test_browser import AXE, faults
from tests.site.test_live import elsewhere, served
from tests.site.world import text
from webui.analysis import jobs, queries
from webui.analysis.addresses import Address, pack_position
from webui.analysis.models import GAMES, PositionGames
from webui.analysis.values import seat_results
from webui.core import subjects
from webui.core.dbtime import before_now
from webui.core.errors import TooMany

pytestmark = pytest.mark.django_db

ADDRESS = "203.0.113.1"


@cache
def late(number: int = 0) -> State:
    """A position of two seats near the end of a game, so that each game from it takes milliseconds."""
    rng, state = Random(number), start(Ruleset(2), bytes(32))
    states = [state]
    while not state.is_over:
        state = state.play(draw_chance(state, rng) if state.due is not None else rng.choice(state.legal))
        states.append(state)
    return next(state for state in reversed(states[:-8]) if state.due is None)


def ask(number: int = 0, address: str = ADDRESS) -> str:
    return jobs.ask_for_games(late(number), address)


def row(key: str) -> PositionGames:
    return PositionGames.objects.get(key=key)


def query(state: State) -> str:
    return Address((("position", pack_position(format_position(state))),)).query


def test_a_house_player_plays_a_position_to_its_end_in_other_ways_each_time() -> None:
    state, before = start(Ruleset(2), bytes(32)), format_position(start(Ruleset(2), bytes(32)))
    first, again, other = (finish_game(state, "random", bytes([seed]) * 32) for seed in (1, 1, 2))
    assert first is not None and other is not None and again is not None
    assert (first.scores, first.ranks) == (again.scores, again.ranks) and first.scores != other.scores
    assert format_position(state) == before
    assert finish_game(state, "random", bytes(32), lambda: True) is None


def test_every_game_of_a_position_is_played_once_and_its_figures_are_those_of_the_games() -> None:
    key = ask()
    shown = queries.position_result(key)
    assert (shown.games, shown.seats, shown.is_open, shown.before, shown.is_held) == (0, [], True, 0, False)
    assert jobs.play_positions(600) == GAMES and jobs.play_positions(600) == 0
    shown = queries.position_result(key)
    assert (shown.state, shown.games, len(shown.seats)) == ("DONE", GAMES, 2)
    assert sum(seat.wins.share for seat in shown.seats) == pytest.approx(1)
    assert row(key).held_until is None and row(key).ended_at is not None
    assert ask(address="203.0.113.2") == key and PositionGames.objects.count() == 1, "everybody shares them"


def test_the_figures() -> None:
    """Mean and interval by hand; a shared win counts half."""
    seats = seat_results([[[60, 50], [1, 2]], [[70, 70], [1, 1]], [[50, 60], [2, 1]], [[60, 40], [1, 2]]])
    assert [seat.points for seat in seats] == [60, 55]
    assert seats[0].points_error == pytest.approx(1.96 * (200 / 3) ** 0.5 / 2)
    assert [seat.wins.share for seat in seats] == [0.625, 0.375]
    # Wilson: (0.625 + 0.4802) / 1.9604 ± 1.96 / 1.9604 · √(0.234375/4 + 0.060025)
    assert seats[0].percent == (62, 22, 91)
    assert seat_results([]) == [] and seat_results([[[60, 50], [1, 2]]])[0].points_error == 0


def test_a_run_stops_after_its_time_and_the_next_one_goes_on() -> None:
    key = ask()
    assert jobs.play_positions(0) == 1
    assert (row(key).games, row(key).held_until) == (1, None)
    assert jobs.play_positions(600, lambda: row(key).games == 7) == 6
    assert jobs.play_positions(600) == GAMES - 7


def test_a_lost_worker_loses_no_game_and_the_games_are_the_same() -> None:
    key, same = ask(), ask(address="203.0.113.2")
    assert key == same
    jobs.play_positions(0)
    claimed = jobs._claim()
    assert claimed is not None and jobs._claim() is None, "one that is played is not claimed again"
    PositionGames.objects.update(held_until=before_now(1))
    assert jobs.play_positions(600) == GAMES - 1
    played = row(key).results
    assert not jobs._play_game(claimed), "the silent worker comes back: its game has been played"
    assert (row(key).results, row(key).games, row(key).failures) == (played, GAMES, 0)
    PositionGames.objects.all().delete()
    ask()
    jobs.play_positions(600)
    assert row(key).results == played


def test_a_position_that_cannot_be_played_ends_and_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = ask(), ask(1, "203.0.113.2")
    PositionGames.objects.filter(key=bad).update(position="{}")
    assert jobs.play_positions(600) == GAMES
    assert (queries.position_result(bad).state, queries.position_result(good).state) == ("FAILED", "DONE")
    assert "fault of the arena" in text(Client().get(reverse("position-games", args=[bad])))
    monkeypatch.setattr(jobs, "MOST_PROCESSOR_S", 0.0)
    third = ask(2)
    assert jobs.play_positions(600) == 1
    shown = queries.position_result(third)
    assert (shown.state, shown.games) == ("DONE", 1)
    assert "processor time was used up" in text(Client().get(reverse("position-games", args=[third])))


def test_who_has_had_few_games_comes_first_and_one_position_of_an_asker_is_played_at_a_time() -> None:
    first, second, other = ask(0), ask(1), ask(2, "203.0.113.2")
    jobs.play_positions(0)
    assert [queries.position_result(key).before for key in (first, second, other)] == [1, 2, 0]
    claimed = jobs._claim()
    assert claimed is not None and claimed.key == other
    also = jobs._claim()
    assert also is not None and also.key == first
    assert jobs._claim() is None, "the second one is of an asker of whom one is played"


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(jobs.MOST_WAITING_OF_ADDRESS):
        ask(number)
    with pytest.raises(TooMany, match="wait for them"):
        ask(9)
    assert ask(0), "what is known is no new request"
    monkeypatch.setattr(jobs, "MOST_WAITING", jobs.MOST_WAITING_OF_ADDRESS)
    with pytest.raises(TooMany, match="too many positions"):
        ask(9, "203.0.113.2")
    monkeypatch.setattr(jobs, "MOST_AN_HOUR", jobs.MOST_WAITING_OF_ADDRESS)
    with pytest.raises(TooMany, match="within an hour"):
        ask(9)


def test_they_are_kept_for_a_day() -> None:
    key, kept = ask(0), ask(1)
    PositionGames.objects.filter(key=key).update(created_at=before_now(86401))
    assert subjects.let_go()["games of positions"] == 1
    assert list(PositionGames.objects.values_list("key", flat=True)) == [kept]


def test_the_pages_without_a_script() -> None:
    client, asked = Client(), query(late())
    page = unescape(text(client.get(f"/analysis/?{asked}")))
    assert f'href="/analysis/games/?{asked}"' in page
    page = unescape(text(client.get(f"/analysis/games/?{asked}")))
    assert "50 games from here" in page and "The house player greedy plays all seats" in page
    assert "shuffled anew for each game" in page and "kept for a day" in page
    answer = client.post(f"/analysis/games/?{asked}")
    where = answer["Location"]
    assert answer.status_code == 302 and where == f"/analysis/games/{jobs.key_of(late())}/?{asked}"
    page = text(client.get(where))
    assert "0 of 50 games" in page and "It is played next." in page and 'http-equiv="refresh"' in page
    assert client.get(f"/analysis/games/?{asked}")["Location"] == where, "it leads to the games"
    jobs.play_positions(600)
    page = unescape(text(client.get(where)))
    assert "50 of 50 games" in page and "refresh" not in page and f'href="/analysis/?{asked}"' in page
    assert len(re.findall(r"\d+–\d+ %", page)) == 2 and page.count("±") == 2
    parts = text(client.get(where.replace("/?", "/parts/?")))
    assert 'data-part="games"' in parts and "50 of 50 games" in parts
    bare = unescape(text(client.get(where.partition("?")[0])))
    assert 'href="/analysis/?position=' in bare, "also who has only the address gets back to the position"


def test_what_cannot_be_asked_for() -> None:
    client = Client()
    over = late()
    while not over.is_over:
        over = over.play(draw_chance(over, Random(1)) if over.due is not None else over.legal[0])
    for answer in (client.get(f"/analysis/games/?{query(over)}"), client.post(f"/analysis/games/?{query(over)}")):
        assert "The game is over in this position." in text(answer)
    assert client.post("/analysis/games/?players=9&seed=a").status_code == 422
    assert client.get("/analysis/games/nothing/").status_code == 404
    for number in range(jobs.MOST_WAITING_OF_ADDRESS):
        jobs.ask_for_games(late(number), "127.0.0.1")
    answer = client.post(f"/analysis/games/?{FOUR}")
    assert answer.status_code == 429 and "Try again in a minute." in text(answer)
    assert not PositionGames.objects.filter(processor_ms__gt=0).exists()


@pytest.mark.slow
@pytest.mark.browser
@in_chromium[1]
def test_an_open_page_follows_the_games(transactional_db: None, redis_server: RedisServer) -> None:
    key = ask()
    with served() as site, chromium() as browser:
        page = browser.new_page()
        complaints = listen(page)
        page.goto(site + reverse("position-games", args=[key]))
        page.evaluate("window.isTheSamePage = true")
        expect(page.get_by_role("heading", name="0 of 50 games")).to_be_visible()
        elsewhere(lambda: jobs.play_positions(0))
        expect(page.get_by_role("heading", name="1 of 50 games")).to_be_visible()
        elsewhere(lambda: jobs.play_positions(600))
        expect(page.get_by_role("heading", name="50 of 50 games")).to_be_visible()
        expect(page.get_by_role("row")).to_have_count(3)
        page.evaluate(AXE)
        assert faults(page) == []
        for width in (390, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("window.isTheSamePage") and complaints == []
