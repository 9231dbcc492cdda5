"""Playing on from a position: what is drawn anew, who answers, what stays hidden, and how a game ends."""

from __future__ import annotations

import json
import re
from html import unescape
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from django.test import Client

from arena.rules import Ruleset, State, format_position, parse_position, settle, start, view
from tests.kit.ladder import Kit
from tests.site.world import text
from webui.analysis import playing
from webui.analysis.addresses import pack_position
from webui.analysis.tables import Start, drawn_anew, seed_of, start_from_position
from webui.fair_queue import Busy
from webui.matches import queries as match_queries

pytestmark = pytest.mark.django_db

DEAL = "players=3&seed=oasis&seat=2&house=greedy"


def table(query: str, code: int = 200, **more: str) -> dict[str, Any]:
    """Return the document that the script gets."""
    answer = Client().get(f"/analysis/play.json?{query}{'&' if more else ''}{urlencode(more)}")
    assert answer.status_code == code, answer.content[:300]
    told: dict[str, Any] = answer.json()
    return told


def legal(told: dict[str, Any]) -> list[str]:
    return [action["text"] for action in told["legal"]["actions"]]


def finish(query: str, rng: Random, most: int = 400) -> tuple[str, dict[str, Any]]:
    """Play random decisions to the end of a game. Return its query, and its document."""
    told = table(query)
    for _ in range(most):
        if told["legal"] is None:
            break
        told = table(told["query"], play=rng.choice(legal(told)))
    return told["query"], told


@pytest.fixture
def finished(kit: Kit) -> str:
    """A match of three that has finished."""
    return kit.finish(kit.versions(3)).match_id


def at_decision(match_id: str, verb: str) -> tuple[int, int]:
    """Return index and seat of the first decision of a match with this verb."""
    record = match_queries.match_record(match_id) or {}
    index = next(number for number, event in enumerate(record["events"]) if event[1].startswith(f"{verb} "))
    return index, record["events"][index][0]


def test_a_visitor_plays_on_from_a_match_to_the_end(finished: str) -> None:
    index, seat = at_decision(finished, "drop")
    page = unescape(text(Client().get(f"/matches/{finished}/?d={index}")))
    assert f'href="/analysis/play/?match={finished}&d={index}"' in page
    answer = Client().get(f"/analysis/play/?match={finished}&d={index}")
    query = f"match={finished}&d={index}&seat={seat}&house=search-1"
    assert answer.status_code == 302 and answer["Location"] == f"/analysis/play/?{query}"
    page = unescape(text(Client().get(f"/analysis/play/?{query}")))
    assert "What your seat does not see was drawn anew" in page and 'content="noindex' in page
    assert table(query)["legal"]["seat"] == seat
    last, told = finish(query.replace("search-1", "random"), Random(3))
    end = unescape(told["parts"]["line-lines"])
    assert told["seat"] == 0 and ("wins over" in end or "draw" in end)
    real = match_queries.match_page(finished).line.seats[seat - 1]
    assert f"ended on this seat with {real.score} points, in place {real.placement}." in end
    opened = re.search(r'href="/analysis/\?([^"]*)"', end)
    assert opened and parse_qs(opened[1])["seat"] == [str(seat)]
    whole = unescape(text(Client().get(f"/analysis/?{opened[1]}")))
    assert f"What seat {seat} could not know is drawn anew." in whole
    own = re.findall(r'<b class="tabular">(\d+)</b>', end)
    assert own and all(number in whole for number in own), "the analysis ends with the same points"
    assert table(last)["parts"] == told["parts"], "the address shows the same game again"


def test_an_address_holds_only_what_the_visitor_decides() -> None:
    told = table(DEAL, play="bid 3")
    assert told["query"] == "players=3&seed=oasis&seat=2&line=bid.3&house=greedy"
    told = table(told["query"])
    assert told["legal"]["seat"] == 2 and told["query"].count("bid.") == 1
    assert len(re.findall("<li", told["parts"]["line-moves"])) >= 3, "all three have decided"


def test_what_a_seat_sees_stays_and_the_rest_is_drawn_anew() -> None:
    state = after_random(Ruleset(4, ("artisans", "whims")), 11, 90)
    begun = start_from_position(pack_position(format_position(state)))
    drawn = [drawn_anew(begun, "3", chance).state for chance in ("1", "1", "2")]
    for other in drawn:
        assert view(other, 3) == view(state, 3)
        assert [seat.gold for seat in other.seats] == [seat.gold for seat in state.seats]
    assert format_position(drawn[0]) == format_position(drawn[1])
    assert drawn[0].deck != state.deck and drawn[0].deck != drawn[2].deck


def test_what_others_hide_is_in_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games in which two other seats have each other's cards look the same to the visitor."""
    state = next(found for number in range(500) if can_be_swapped(found := after_random(Ruleset(3), number, 70)))
    document = format_position(state)
    swapped = json.loads(json.dumps(document))
    one, two = swapped["seats"][1], swapped["seats"][2]
    one["hand"], two["hand"] = two["hand"], one["hand"]
    assert swapped != document and view(parse_position(swapped), 1) == view(state, 1)
    monkeypatch.setattr("webui.analysis.pages.drawn_anew", kept)
    monkeypatch.setattr("webui.analysis.playing.make_player", lambda *_: Last())
    packed = [pack_position(each) for each in (document, swapped)]

    def both(path: str, query: str) -> list[str]:
        answers = [Client().get(f"/analysis/{path}?position={each}&seat=1&house=greedy&{query}") for each in packed]
        assert {answer.status_code for answer in answers} == {200}
        return [text(answer).replace(each, "POSITION") for answer, each in zip(answers, packed, strict=True)]

    own: list[str] = []
    for _ in range(12):
        line = urlencode({"line": "~".join(own).replace(" ", ".")}, safe="~")
        shown = both("play.json", line)
        assert shown[0] == shown[1]
        pages = [re.sub(r"nonce-?=?\S+", "", page) for page in both("play/", line)]
        assert pages[0] == pages[1]
        told = json.loads(shown[0])
        if told["legal"] is None:
            break
        moved = both("play.json", f"{line}&{urlencode({'play': legal(told)[0]})}")
        assert moved[0] == moved[1]
        own.append(legal(told)[0])
    assert len(own) > 3


def kept(begun: Start, seat: str, _chance: str) -> Start:
    """Stand for `drawn_anew` where nothing is drawn anew."""
    drawn = drawn_anew(begun, seat, "1")
    return Start(begun.ruleset, begun.state, drawn.seats, seat=drawn.seat)


class Last:
    """A house player that does not look at its cards."""

    def choose(self, _seen: object, legal: list[str]) -> str:
        return min(legal, key=lambda text: (text != "end", text.startswith("sell"), text))


def test_going_back_and_playing_otherwise_replaces_what_followed() -> None:
    first = table(DEAL, play="bid 3")["query"]
    game = table(first)
    told = table(first, at="0")
    assert told["query"] == f"{first}&at=0"
    mine = next(at for at in range(10) if (table(first, at=str(at))["legal"] or {}).get("seat") == 2)
    other = table(first, at=str(mine), play="bid 1")
    assert other["query"] == first.replace("bid.3", "bid.1")
    assert other["parts"] != game["parts"]
    if mine:
        assert "It is not your turn" in table(first, 422, at="0", play="bid 1")["error"]


def test_all_that_follows_a_decision_can_be_watched() -> None:
    told = table(DEAL)
    told = table(told["query"], play="bid 2")
    assert len(told["between"]) > 1, "the bid, and what the others did until the next decision"
    assert all(decision["motions"] or decision["parts"] for decision in told["between"])
    assert told["between"][0]["parts"].keys() >= {"turn-track", "caption"}
    assert table(told["query"])["between"] == []


def test_without_scripts_a_form_has_all_legal_actions() -> None:
    page = unescape(text(Client().get(f"/analysis/play/?{DEAL}")))
    buttons = re.findall(r'<button class="button compact" name="play" value="([^"]*)">', page)
    assert buttons == legal(table(DEAL))
    answer = Client().get(f"/analysis/play/?{DEAL}&{urlencode({'play': buttons[0]})}")
    assert answer.status_code == 302 and "line=bid" in answer["Location"]
    assert Client().get(answer["Location"]).status_code == 200


BAD = {
    "players=3&seed=a&seat=4&house=greedy": "Choose a seat from 1 to 3.",
    "players=3&seed=a&seat=x&house=greedy": "Choose a seat from 1 to 3.",
    "players=3&seed=a&seat=1&house=oracle": "Choose one of these house players: random, greedy, search-1, search-2.",
    f"{DEAL}&line=bid.9": "is not possible: spot 9 cannot be entered",
    f"{DEAL}&line=bid.3~bid.3": "is not possible",
    f"{DEAL}&play=dance": "is not possible: 'dance' is not an action",
    "line=bid.1": "The address does not say where the line starts.",
}


@pytest.mark.parametrize(("query", "words"), BAD.items(), ids=range(len(BAD)))
def test_what_is_wrong_with_an_address_is_said_in_a_sentence(query: str, words: str) -> None:
    for path in ("play/", "play.json"):
        answer = Client().get(f"/analysis/{path}?{query}")
        assert answer.status_code == 422, path
        assert words in unescape(answer.content.decode())


def test_nobody_plays_on_where_the_game_is_over(finished: str) -> None:
    answer = Client().get(f"/analysis/play/?match={finished}&d=9999")
    assert answer.status_code == 422 and "The game is over at this position." in unescape(text(answer))


@pytest.mark.parametrize("path", ["play/", "play.json"])
def test_only_finished_public_matches_are_played_on(kit: Kit, path: str) -> None:
    for match_id in (kit.match(kit.versions(3)), "nosuchmatch"):
        answer = Client().get(f"/analysis/{path}?match={match_id}&d=0&seat=1&house=greedy")
        assert answer.status_code == 404


def test_answers_are_computed_once_and_only_so_often(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "play_on": "2/d/ip"}
    query = table(DEAL, play="bid 3")["query"]
    monkeypatch.setattr("webui.analysis.playing.make_player", lambda *_: pytest.fail("computed again"))
    for _ in range(3):
        assert table(query)["legal"]["seat"] == 2
    monkeypatch.undo()
    assert Client().get(f"/analysis/play.json?{query}&chance=5").status_code == 200
    assert Client().get(f"/analysis/play.json?{query}&chance=6").status_code == 429


def test_a_long_computation_goes_on_with_the_next_request(monkeypatch: pytest.MonkeyPatch) -> None:
    query, told = finish(DEAL.replace("greedy", "random"), Random(5), 12)
    monkeypatch.setattr(playing, "LONGEST_S", 0.0)
    again, tries = query.replace("seed=oasis", f"seed={seed_of('oasis').hex()}"), 0  # the same game by another name
    while (answer := Client().get(f"/analysis/play.json?{again}")).status_code == 503:
        assert answer["Retry-After"] == "1"
        tries += 1
    assert tries > 1
    other = answer.json()["parts"]
    assert {name for name in other if other[name] != told["parts"][name]} <= {"line-moves", "line-steps"}


def test_a_busy_site_answers_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.analysis.play_pages.played_on", lambda *_: (_ for _ in ()).throw(Busy()))
    answer = Client().get(f"/analysis/play/?{DEAL}")
    assert answer.status_code == 503 and answer["Retry-After"] == "1" and "still think" in text(answer)


def test_any_position_of_an_analysis_can_be_played_on(finished: str) -> None:
    for query in (f"match={finished}&d=20", "players=2&seed=oasis"):
        document = Client().get(f"/analysis/table.json?{query}").json()
        assert document["play_on"] == query
        action = document["legal"]["actions"][0]["text"]
        document = Client().get(f"/analysis/table.json?{query}&{urlencode({'play': action})}").json()
        assert document["play_on"].startswith("position=")
        answer = Client().get(f"/analysis/play/?{document['play_on']}", follow=True)
        assert answer.status_code == 200


def can_be_swapped(state: State) -> bool:
    """Return whether seat 1 is to act, and the others hold as many cards, but not the same."""
    _, one, two = view(state, 1).seats
    return state.to_act == 1 and one.cards == two.cards and state.seats[1].hand != state.seats[2].hand


def after_random(ruleset: Ruleset, seed: int, decisions: int) -> State:
    """Return the state after some random decisions."""
    rng = Random(seed)
    state = start(ruleset, rng.randbytes(32))
    for _ in range(decisions):
        state = settle(state.play(rng.choice(state.legal)), rng)
    return state
