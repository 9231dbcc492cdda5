"""Verifying a match in the visitor's own browser: the panel on a true replay, and on false ones."""

from __future__ import annotations

import copy
import itertools
import json
import os
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import expect

from arena.rules import Game, Ruleset, match_seed
from tests.kit.ladder import CLOCK, LEASE, POLICY, Kit, terms_of
from tests.kit.records import refereed
from tests.site.chromium import chromium, in_chromium
from webui.matches import ending, ownership
from webui.matches import queries as match_queries
from webui.replays.proof import proof_of

pytestmark = in_chromium

SECOND = 1000
NONCES = [b"\x01" * 16, b"\x02" * 20, b"\x03" * 32]
BUSY = ("use", "summon", "sell", "buy", "craft", "item")
"""What calls chance in: played wherever it is legal."""


def busy_game(server_seed: bytes, ruleset: Ruleset) -> Game:
    choice = random.Random(server_seed)
    game = Game(ruleset, match_seed(server_seed, NONCES))
    while not game.state.is_over:
        legal = [action.text for action in game.state.legal]
        game.play(choice.choice([text for text in legal if text.startswith(BUSY)] or legal))
    return game


@cache
def first_eventful(ruleset: Ruleset) -> tuple[bytes, Game]:
    """The first game that has both draws from the bag and a shuffle after the set-up."""
    for number in range(1000):
        server_seed = number.to_bytes(32, "big")
        game = busy_game(server_seed, ruleset)
        chance = {event.text.split()[0] for event in game.events if not event.seat}
        if chance == {"!bag", "!shuffle"}:
            return server_seed, game
    raise AssertionError("no game calls chance in any more")


@pytest.fixture
def finished(transactional_db: None, kit: Kit) -> str:
    """A match with all expansions, and with chance after its set-up."""
    ruleset = Ruleset(3, ("artisans", "whims"))
    server_seed, game = first_eventful(ruleset)
    match = ownership.schedule_match(ruleset, kit.versions(3), CLOCK, POLICY, False, server_seed=server_seed)
    claim = kit.claim(match)
    played = refereed(terms_of(claim), NONCES, lambda ask: game.events[ask.index].text)
    assert [event[:2] for event in played.referee.record.running.events] == [event[:2] for event in game.events]
    ownership.append(match, claim.epoch, 0, played.log, LEASE)
    document = played.document([(seat.bot, seat.version) for seat in claim.seats])
    ending.finish_match(match, claim.epoch, document["verdict"], document)
    return match


@pytest.fixture
def record(finished: str) -> dict[str, Any]:
    found = match_queries.match_record(finished)
    assert found is not None
    return found


@pytest.fixture
def page(finished: str, record: dict[str, Any], live_server: Any) -> Iterator[Any]:
    # The database is asked before: while Playwright's loop runs, Django refuses it in this thread.
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"{live_server.url}/matches/{finished}/")
        yield page


def _other_decision(replay: dict[str, Any]) -> str:
    index = next(i for i, event in enumerate(replay["events"]) if event[1].startswith("take"))
    replay["events"][index][1] = "take A1" if replay["events"][index][1] != "take A1" else "take B1"
    return f"Event {index}"


def _other_draw(replay: dict[str, Any]) -> str:
    index = next(i for i, event in enumerate(replay["events"]) if event[1].startswith("!shuffle"))
    words = replay["events"][index][1].split()
    replay["events"][index][1] = " ".join([*words[:2], *reversed(words[2:])])
    return f"Event {index} differs: the seed gives !shuffle"


def _no_last_decision(replay: dict[str, Any]) -> str:
    replay["events"].pop()
    return f"ends at event {len(replay['events'])}"


def _other_tile(replay: dict[str, Any]) -> str:
    tile = replay["setup"]["board"]["tiles"]["C2"]
    tile["value"] += 1
    return f"differs at board.tiles.C2.value: the seed gives {tile['value'] - 1}"


def _other_deck(replay: dict[str, Any]) -> str:
    deck = replay["setup"]["resources"]["deck"]
    other = next(i for i, card in enumerate(deck) if card != deck[0])
    deck[0], deck[other] = deck[other], deck[0]
    return "differs at resources.deck.0"


def _other_seed(replay: dict[str, Any]) -> str:
    replay["server_seed"] = "00" * 32
    return "The commitment does not match"


def _other_nonce(replay: dict[str, Any]) -> str:
    replay["nonces"][1] = "00" * 16
    return "The nonce of seat 2 does not match the hash"


def _no_nonce(replay: dict[str, Any]) -> str:
    replay["nonces"][1] = ""  # as if it had been withheld
    return "but server seed and nonces give"


def _other_winner(replay: dict[str, Any]) -> str:
    replay["result"]["scores"][0]["total"] += 100
    return "differs at result.scores.0.total"


FALSE = [
    (_other_seed, "seed"),
    (_other_nonce, "seed"),
    (_no_nonce, "seed"),
    (_other_tile, "setup"),
    (_other_deck, "setup"),
    (_other_decision, "events"),
    (_other_draw, "events"),
    (_no_last_decision, "events"),
    (_other_winner, "result"),
]


@pytest.mark.slow
def test_a_true_replay_is_accepted_and_false_ones_are_refused(page: Any, record: dict[str, Any]) -> None:
    assert page.get_by_text(record["server_seed"]).is_visible()
    page.click("[data-verify]")
    expect(page.locator("[data-proof-chip]")).to_have_text("verified", timeout=60 * SECOND)
    assert page.locator("[data-proof][data-state=done]").count() == 4
    draws = sum(not seat for seat, *_ in record["events"])
    assert draws, "this game has none of what is to be checked"
    said = page.inner_text("[data-proof-says]")
    assert f"{len(record['events']) - draws} decisions" in said and f"({draws})" in said
    if folder := os.environ.get("ARENA_SCREENSHOTS"):
        for width, scheme in itertools.product((390, 1280), ("light", "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.locator("match-proof").screenshot(path=f"{folder}/proof-{width}-{scheme}.png")
    page.click("[data-verify]")  # and again
    expect(page.locator("[data-proof-chip]")).to_have_text("verified", timeout=60 * SECOND)

    page.reload()
    page.evaluate("window.requestAnimationFrame = () => 0")  # what a browser does with a tab in the background
    page.click("[data-verify]")
    expect(page.locator("[data-proof-chip]")).to_have_text("verified", timeout=60 * SECOND)

    for falsify, step in FALSE:
        false = copy.deepcopy(record)
        words = falsify(false)
        assert false != record
        page.unroute_all()
        body = json.dumps(false)
        page.route("**/replay.json", lambda route, _, body=body: route.fulfill(body=body))
        page.reload()
        page.click("[data-verify]")
        expect(page.locator("[data-proof-chip]")).to_have_text("not verified", timeout=60 * SECOND)
        assert page.get_attribute("[data-state=failed]", "data-proof") == step, falsify.__name__
        assert words in page.inner_text("[data-proof-says]"), falsify.__name__


@pytest.mark.slow
def test_a_false_record_is_found_by_the_rules(record: dict[str, Any]) -> None:
    assert proof_of(record)["fault"] is None
    false = copy.deepcopy(record)
    index = next(i for i, event in enumerate(record["events"]) if event[1].startswith("take"))
    false["events"][index][1] = "end"
    proof = proof_of(false)
    assert proof["fault"]["index"] == index and proof["result"] is None
    assert all(at < index for at in proof["urns"])


def test_a_match_has_a_proof_once_it_has_ended(transactional_db: None, client: Any, kit: Kit) -> None:
    claim, played = kit.ready_to_finish()
    address = f"/matches/{claim.match_id}/proof.json"
    assert client.get(address).status_code == 404
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    proof = client.get(address).json()
    assert proof["fault"] is None and len(proof["chain"]) == len(played.document["events"])
    assert client.get("/matches/no-such-match/proof.json").status_code == 404
