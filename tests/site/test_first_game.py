"""The first game: twelve guided decisions over HTTP, what is said beside them, and what is refused."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from arena.rules import Game, Reseed, Ruleset, format_position, position
from webui.analysis.addresses import MOST_DECISIONS, Address, read_line
from webui.analysis.tables import seed_of
from webui.board.choices import choices
from webui.site.learn import first_game as game

pytestmark = pytest.mark.django_db

PAGE, TABLE, HINTS = "/learn/game/", "/learn/game/table.json", "/learn/game/hints.json"
LANGUAGES = {"en": "Decision 1 of 12", "es": "Decisión 1 de 12", "fr": "Décision 1 sur 12", "ru": "Решение 1 из 12"}


def text_of(html: str) -> str:
    """The text of a page, without tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def play(client: Client, address: str, action: str) -> str:
    """Play a decision as the form does, and return the address of the page after Omar's answers."""
    query = parse_qs(urlsplit(address).query)
    answer = client.get(PAGE, {**query, "play": action})
    assert answer.status_code == 302, answer.content
    return str(answer.url)


def legal_at(address: str) -> list[str]:
    shown = game.first_game(Address((), line=line_of(address)).goto(999))
    return [action.text for action in shown.state.legal]


def line_of(address: str) -> tuple[str, ...]:
    return read_line(parse_qs(urlsplit(address).query).get("line", [""])[0])


@pytest.mark.slow
def test_it_is_played_to_its_end_with_what_is_advised() -> None:
    client, address, titles = Client(), PAGE, []
    for number in range(1, game.DECISIONS + 1):
        page = text_of(client.get(address).content.decode())
        assert f"Decision {number} of 12" in page and "Now play a whole game" not in page
        titles.append(game.lesson(game.first_game(Address((), line=line_of(address)).goto(999))).guide.title)
        hints = client.get(HINTS, parse_qs(urlsplit(address).query)).json()["hints"]
        assert hints[0]["points"] == "looks best"
        for action in hints[0]["actions"]:
            assert action in legal_at(address)
            address = play(client, address, action)
        assert "A house player would have chosen the same." in client.get(address).content.decode()
    end = client.get(address).content.decode()
    assert "Now play a whole game" in end and 'href="/play/"' in end and "<noscript>" not in end
    assert set(map(str, titles)) >= {
        "Bid for a place in the turn order",
        "Bid with your second marker",
        "Sow the meeples of a tile",
        "Buy at the market",
        "Summon a Djinn",
        "Sell goods, or keep them",
    }


def test_the_rules_play_the_same_game() -> None:
    client, address = Client(), PAGE
    for _ in range(6):
        address = play(client, address, legal_at(address)[-1])
    played = Game(Ruleset(2), seed_of(game.SEED), None, Reseed(0, seed_of("1")))
    for action in line_of(address):
        played.play(action)
    shown = game.first_game(Address((), line=line_of(address)).goto(999))
    assert format_position(shown.state) == format_position(played.state)
    assert any(event.seat == 2 for event in played.events), "Omar has answered"


def test_otherwise_is_allowed_and_explained() -> None:
    client = Client()
    best = client.get(HINTS).json()["hints"][0]
    other = next(action for action in legal_at(PAGE) if [action] != best["actions"])
    page = text_of(client.get(play(client, PAGE, other)).content.decode())
    assert "Decision 2 of 12" in page and "What has happened" in page
    assert "A house player would rather have chosen this" in page or "A house player has another favourite" in page


def test_the_script_is_shown_own_choice_first_and_then_omars() -> None:
    client = Client()
    address = PAGE
    while (told := client.get(TABLE, {**parse_qs(urlsplit(address).query), "play": legal_at(address)[0]}).json())[
        "seat"
    ] == 1:
        address = play(client, address, legal_at(address)[0])
    assert told["seat"] == 2 and told["legal"] is None and told["next"]
    assert "Omar plays" in told["parts"]["line-lesson"]
    while told["next"]:
        told = client.get(f"{TABLE}?{told['next']}").json()
    assert told["seat"] == 1
    seen = game.first_game(Address((), line=line_of(f"?{told['query']}")).goto(999)).state
    expected = choices(position(seen), [action.text for action in seen.legal], game.NAMES)
    assert [each["path"] for each in told["legal"]["actions"]] == [each["path"] for each in expected["actions"]]


def test_a_sowing_is_tried_out_without_an_answer() -> None:
    client, address = Client(), PAGE
    while not legal_at(address)[0].startswith("take"):
        address = play(client, address, legal_at(address)[-1])
    query = parse_qs(urlsplit(address).query)
    take = legal_at(address)[0]
    tried = client.get(TABLE, {**query, "play": take}).json()
    assert tried["legal"]["held"]["drawings"] and tried["next"] == ""
    drop = tried["legal"]["actions"][0]["text"]
    again = client.get(TABLE, {**query, "play": [take, drop]}).json()
    assert len(again["legal"]["held"]["drawings"]) == len(tried["legal"]["held"]["drawings"]) - 1


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"line": "bid.99"}, "Decision 1, bid 99, is not possible"),
        ({"line": "x" * 50}, "is not possible"),
        ({"line": "~".join(["bid.1"] * (MOST_DECISIONS + 1))}, "A line has at most"),
    ],
)
def test_what_the_rules_do_not_allow_is_refused(query: dict[str, Any], words: str) -> None:
    client = Client()
    for address in (TABLE, HINTS):
        answer = client.get(address, query)
        assert answer.status_code == 422 and words in answer.json()["error"]
    page = client.get(PAGE, query)
    assert page.status_code == 422 and words in text_of(page.content.decode())


def test_it_does_not_go_on_after_the_last_guided_decision() -> None:
    client, address = Client(), PAGE
    while "Now play a whole game" not in client.get(address).content.decode():
        address = play(client, address, legal_at(address)[-1])
    line = line_of(address)
    assert game.decided(game.first_game(Address((), line=line).goto(999)), len(line)) == game.DECISIONS
    assert client.get(TABLE, parse_qs(urlsplit(address).query)).json()["legal"] is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_four_languages(language: str) -> None:
    page = Client(headers={"accept-language": language}).get(PAGE).content.decode()
    assert LANGUAGES[language] in text_of(page)
    assert ("Bid for a place" in page) == (language == "en")
