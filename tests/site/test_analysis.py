"""The analysis board: its lines against the rules, its addresses, its judgement, and what it refuses."""

from __future__ import annotations

import json
import re
from html import unescape
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from django.http import QueryDict
from django.test import Client

from arena.rules import Game, Reseed, Ruleset, format_position, read_game, start, verify_replay, view
from arena.rules.view import format_view
from arena.story import Option
from tests.kit.ladder import Kit, Writer, play_out
from tests.site.world import text
from webui.analysis.addresses import MOST_DECISIONS, MOST_KEPT, Address, BadAddress, pack_position, read_address
from webui.analysis.tables import seed_of
from webui.fair_queue import Busy
from webui.matches import queries as match_queries

pytestmark = pytest.mark.django_db

EVERY_GAME = [Ruleset(2), Ruleset(3, ("whims",)), Ruleset(4, ("artisans",)), Ruleset(5, ("artisans", "whims"))]
PAGES = ("", "table.json", "judge/", "position.json", "line.json")
FOUR = "players=4&seed=oasis"


def table(query: str, **more: str) -> dict[str, Any]:
    """Return the document of a line that the script gets."""
    answer = Client().get(f"/analysis/table.json?{query}{'&' if more else ''}{urlencode(more)}")
    assert answer.status_code == 200, answer.content[:300]
    told: dict[str, Any] = answer.json()
    return told


def played(query: str, *actions: str) -> str:
    """Return the query after some actions."""
    for action in actions:
        query = table(query, play=action)["query"]
    return query


def deal(ruleset: Ruleset) -> str:
    expansions = [("expansions", name) for name in ruleset.expansions]
    return urlencode([("players", str(ruleset.players)), *expansions, ("seed", "oasis")])


def file(query: str, name: str = "position") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Client().get(f"/analysis/{name}.json?{query}").content)
    return found


@pytest.fixture
def finished(kit: Kit) -> str:
    """A match of three that has finished."""
    return kit.finish(kit.versions(3)).match_id


@pytest.mark.parametrize("ruleset", EVERY_GAME, ids=str)
def test_any_line_that_is_played_through_the_pages_is_the_one_of_the_rules(ruleset: Ruleset) -> None:
    rng, query = Random(str(ruleset)), deal(ruleset)
    game = Game(ruleset, seed_of("oasis"), None, Reseed(0, seed_of("1")))
    for number in range(50):
        told = table(query)
        legal = [action.text for action in game.state.legal]
        assert [choice["text"] for choice in told["legal"]["actions"]] == legal
        assert told["seat"] == told["legal"]["seat"] == game.state.to_act
        action = rng.choice(legal)
        game.play(action)
        query = played(query, action)
        if not number % 10:
            assert file(query) == format_position(game.state)
    assert file(query) == format_position(game.state)
    replay = file(query, "line")
    assert replay["events"] == [event.document() for event in game.events]
    assert read_game(replay).state.to_act == game.state.to_act


def test_a_whole_game_ends_with_its_result() -> None:
    """Along the whole line in one address, and the file is a replay that anybody can verify."""
    rng, ruleset = Random(7), Ruleset(2)
    game = Game(ruleset, seed_of("short"), None, Reseed(0, seed_of("1")))
    while not game.state.is_over:
        game.play(rng.choice(game.state.legal))
    line = tuple(event.text for event in game.events if event.seat)
    if len(line) > MOST_DECISIONS:
        pytest.skip("a longer game than an address holds")
    query = Address((("players", "2"), ("seed", "short")), line=line, at=len(line)).query
    told = table(query)
    assert told["legal"] is None and told["seat"] == 0
    outcome = game.state.outcome
    assert outcome is not None and "Result" in told["parts"]["score-table"]
    winner = outcome.ranks.index(1) + 1
    assert re.search(rf"<b>Seat {winner} wins|draw", told["parts"]["caption"])
    verify_replay(file(query, "line"))


def test_from_any_decision_of_a_finished_match(finished: str) -> None:
    record = match_queries.match_record(finished) or {}
    index = next(number for number, event in enumerate(record["events"]) if event[1].startswith("drop "))
    state = read_game(record, index).state
    start_query = f"match={finished}&d={index}"
    page = text(Client().get(f"/matches/{finished}/?d={index}"))
    assert f'href="/analysis/?match={finished}&amp;d={index}"' in page
    page = unescape(text(Client().get(f"/analysis/?{start_query}")))
    assert "All cards are open, also those that a seat could not know." in page and 'content="noindex' in page
    assert f'href="/matches/{finished}/?d={index}"' in page
    action = state.legal[0].text
    told = table(start_query, play=action)
    assert told["parts"]["route"].count("route-done") == 1, "the sowing began before the line"
    assert file(told["query"]) == format_position(state.play(state.parse(action)))
    replay = file(told["query"], "line")
    assert replay["reseed"]["at"] == index and replay["events"][-1] == [state.to_act, action]
    read_game(replay)


def test_the_result_of_the_match_is_not_told_as_that_of_a_line(finished: str) -> None:
    page = unescape(text(Client().get(f"/analysis/?match={finished}&d=0")))
    assert "wins over" not in page and "forfeit" not in page


def test_other_chance_has_another_seed_in_the_address() -> None:
    page = unescape(text(Client().get(f"/analysis/?{FOUR}")))
    assert f'href="?{FOUR}&chance=2"' in page and "from seed 1." in page
    page = unescape(text(Client().get(f"/analysis/?{FOUR}&chance=2")))
    assert "from seed 2." in page and f'href="?{FOUR}&chance=3"' in page


@pytest.mark.parametrize("path", PAGES)
def test_only_finished_public_matches_are_shown(kit: Kit, finished: str, path: str) -> None:
    client = Client()
    claim = kit.claim(kit.match(kit.versions(3)))
    Writer(claim).append(play_out(claim).entries[:60])
    for match_id in (claim.match_id, kit.match(kit.versions(3)), "nosuchmatch"):
        answer = client.get(f"/analysis/{path}?match={match_id}&d=20")
        assert answer.status_code == 404, match_id


def test_a_line_that_goes_on_otherwise_is_kept_and_compared() -> None:
    query = played(FOUR, "bid 3", "bid 4")
    assert dict(parse_qsl(query))["line"] == "bid.3~bid.4"
    assert table(query)["parts"]["line-lines"].count("<tr") == 0, "there is nothing to compare"
    back = f"{query}&at=1"
    assert played(back, "bid 4") == query, "the same decision only goes forward"
    other = played(back, "bid 7")
    assert parse_qsl(other)[-2:] == [("line", "bid.3~bid.7"), ("kept", "bid.3~bid.4")]
    lines = unescape(table(other)["parts"]["line-lines"])
    rows = re.findall(r"<tr.*?</tr>", lines, re.DOTALL)
    assert len(rows) == 3 and "bids nothing" in rows[1] and "bids 5 gold" in rows[2]
    points = [re.findall(r"<b>(\d+)</b>", row) for row in rows[1:]]
    assert [sorted(of_line) for of_line in points] == [["42", "50", "50", "50"], ["42", "45", "50", "50"]]
    opened = re.search(r'<a href="\?([^"]*)" data-line>', rows[2])
    assert opened and dict(parse_qsl(opened[1]))["line"] == "bid.3~bid.4"
    removed = re.search(r'href="\?([^"]*)"[^>]*aria-label="Remove this line"', rows[2])
    assert removed and "kept" not in removed[1]


def test_a_longer_line_takes_the_place_of_its_beginning() -> None:
    address = Address((("players", "4"),))
    first = address.play("bid 1").play("bid 2")
    assert first.kept == () and first.line == ("bid 1", "bid 2")
    other = first.goto(0).play("bid 3")
    assert other.kept == (("bid 1", "bid 2"),)
    again = other.goto(0).play("bid 1")
    assert again.line == ("bid 1",) and again.kept == (("bid 1", "bid 2"), ("bid 3",))


def test_an_address_is_limited() -> None:
    address = Address((("players", "4"),))
    for number in range(1, 2 * MOST_KEPT):
        address = address.goto(0).play(f"bid {number}")
    assert len(address.kept) == MOST_KEPT
    line = ("drop A2 r",) * MOST_DECISIONS
    with pytest.raises(BadAddress, match="at most 600 decisions"):
        Address((("players", "4"),), line=line, at=MOST_DECISIONS).play("end")
    long = Address((("players", "4"),), line=line, at=MOST_DECISIONS, kept=(("take A1", *line[1:]),))
    with pytest.raises(BadAddress, match="too long"):
        assert long.query
    for address in (Address((("match", "abc"), ("d", "3"))), first := Address((("seed", "a b~c"), ("players", "5")))):
        assert read_address(QueryDict(address.query)) in (address, Address(tuple(sorted(first.start))))


BAD = {
    "players=7&seed=a": "a game has 2 to 5 players",
    "players=5&seed=a": "five players need an expansion",
    "players=4&expansions=sultans&seed=a": "the expansions are artisans and whims",
    f"players=4&seed={'a' * 65}": "A seed has at most 64 characters.",
    f"{FOUR}&chance={'a' * 65}": "A seed has at most 64 characters.",
    f"{FOUR}&line=bid.9": "Decision 1, bid 9, is not possible: spot 9 cannot be entered",
    f"{FOUR}&line=bid.3~bid.3": "Decision 2, bid 3, is not possible",
    f"{FOUR}&line=dance": "Decision 1, dance, is not possible: 'dance' is not an action",
    f"{FOUR}&line=!bag.w": "Decision 1, !bag w, is not possible",
    f"{FOUR}&line={'bid.3~' * MOST_DECISIONS}bid.4": "A line has at most 600 decisions.",
    f"{FOUR}&line={'x' * 9000}": "This address is too long.",
    f"{FOUR}&kept=bid.9": "Decision 1, bid 9, is not possible",
    FOUR + "".join(f"&kept=bid.{number}" for number in range(1, 8)): "At most 5 lines can be kept.",
    "position=AAAA": "The position in this address is damaged.",
    "position=%C3%A9": "The position in this address is damaged.",
    "position=" + pack_position({"format": "naqala/position/1"}): "This position is not valid: ",
    "position=" + pack_position(" " * 40_000): "The position in this address is damaged.",
    "line=bid.3": "The address does not say where the line starts.",
}


@pytest.mark.parametrize(("query", "words"), BAD.items(), ids=range(len(BAD)))
def test_what_is_wrong_with_an_address_is_said_in_a_sentence(query: str, words: str) -> None:
    client = Client()
    answer = client.get(f"/analysis/table.json?{query}")
    assert answer.status_code == 422 and words in answer.json()["error"]
    answer = client.get(f"/analysis/?{query}")
    assert answer.status_code == (200 if query.startswith("line") else 422)
    assert query.startswith("line") or words in unescape(text(answer))
    if query != f"{FOUR}&kept=bid.9":  # the other lines do not matter there
        assert client.get(f"/analysis/position.json?{query}").status_code == 422
        assert client.get(f"/analysis/judge/?{query}").status_code == 422


@pytest.mark.parametrize("play", ["bid 9", "take A1", "", "x" * 500, "!bag w"])
def test_a_decision_that_is_not_legal_is_not_played(play: str) -> None:
    answer = Client().get(f"/analysis/?{FOUR}&{urlencode({'play': play})}")
    assert answer.status_code == (422 if play else 200)


def test_without_scripts_a_form_has_all_legal_actions() -> None:
    client = Client()
    page = unescape(text(client.get(f"/analysis/?{FOUR}")))
    buttons = re.findall(r'<button class="button compact" name="play" value="([^"]*)">', page)
    assert buttons == [f"bid {number}" for number in range(1, 8)]
    fields = re.findall(r'<input type="hidden" name="(players|seed)" value="([^"]*)">', page)
    answer = client.get("/analysis/", {**dict(fields), "play": buttons[2]})
    assert answer.status_code == 302 and answer["Location"] == f"/analysis/?{FOUR}&line=bid.3"


def test_a_new_deal_without_a_seed_gets_one() -> None:
    answer = Client().get("/analysis/", {"players": "3", "seed": "", "expansions": "whims"})
    assert answer.status_code == 302
    assert re.fullmatch(r"/analysis/\?players=3&expansions=whims&seed=[0-9a-f]{8}", answer["Location"])
    assert text(Client().get(answer["Location"])).count('data-part="ground-') == 36


def test_a_seed_of_64_digits_is_the_seed_itself() -> None:
    assert file(f"players=2&seed={'0' * 64}") == format_position(start(Ruleset(2), bytes(32)))


def test_a_position_as_text_is_set_up() -> None:
    client, document = Client(), format_position(start(Ruleset(3, ("whims",)), bytes(32)))
    answer = client.post("/analysis/", {"position": json.dumps(document)})
    assert answer.status_code == 302
    query = answer["Location"].partition("?")[2]
    assert len(query) < 4000 and file(query) == document
    after = file(played(query, "bid 2"), "line")
    assert after == {"setup": document, "events": [[document["to_act"], "bid 2"]]}


WRONG_POSITIONS = {
    "": "This is not JSON.",
    "{": "This is not JSON.",
    "[" * 20_000: "This is not JSON.",
    "[1]": "This position is not valid: a position",
    "null": "This position is not valid: a position",
    json.dumps(format_view(view(start(Ruleset(2), bytes(32)), 1))): "this is a view, which hides parts",
    " " * 40_000: "A position has at most 32768 bytes.",
}


@pytest.mark.parametrize(("entered", "words"), WRONG_POSITIONS.items(), ids=range(len(WRONG_POSITIONS)))
def test_what_is_wrong_with_a_position_is_said_in_the_words_of_the_rules(entered: str, words: str) -> None:
    answer = Client().post("/analysis/", {"position": entered})
    page = unescape(text(answer))
    assert answer.status_code == 422 and words in page
    assert entered[:20] in page, "what was entered can be corrected"


def test_a_house_player_judges_a_position_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def suggested(*arguments: object) -> list[Option]:
        asked.append(arguments)
        return [Option(("bid 7",), 1.25, 0.3), Option(("bid 2",), 0.0, 0.0)]

    monkeypatch.setattr("webui.analysis.judging.suggestions", suggested)
    monkeypatch.setattr("webui.analysis.judging.chances", lambda *_: ((0.5, 0.3, 0.1, 0.1), 0.04))
    for _ in range(2):
        page = unescape(text(Client().get(f"/analysis/judge/?{FOUR}&line=bid.3")))
        assert "50 %" in page and "± 4 %" in page and "bids nothing" in page
        assert f'href="/analysis/?{FOUR}&line=bid.3~bid.7"' in page
    assert len(asked) == 1


def test_nobody_has_positions_judged_all_the_time(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "alternatives": "2/d/ip"}
    monkeypatch.setattr("webui.analysis.judging.suggestions", lambda *_: [])
    codes = [Client().get(f"/analysis/judge/?{FOUR}").status_code for _ in range(3)]
    assert codes == [200, 200, 429]


def test_a_busy_site_judges_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.analysis.pages.judgement", lambda *_: (_ for _ in ()).throw(Busy()))
    answer = Client().get(f"/analysis/judge/?{FOUR}")
    assert answer.status_code == 503 and answer["Retry-After"] == "2" and "Ask again" in text(answer)
