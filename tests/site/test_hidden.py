"""Hidden information never reaches a page while a match runs."""

from __future__ import annotations

import gzip
import json
import random
import re
from hashlib import sha256

import pytest
from django.test import Client

from arena.referee import Entry, Kind
from arena.rules import Game, match_seed, view
from tests.kit.ladder import Kit, Writer
from webui.ladders.models import Ladder
from webui.matches.values import MatchClaim

pytestmark = pytest.mark.django_db

DEAL = bytes(range(32))
SEEDS = (b"\x01" * 32, b"\x02" * 32)


def begin(kit: Kit, versions: list[int], seed: bytes) -> tuple[MatchClaim, Game, list[Entry]]:
    """A match of a shared deal: the set-up is the same for all, the order of the hidden decks follows from the seed."""
    claim = kit.claim(kit.match(versions, deal=DEAL, server_seed=seed))
    nonces = [bytes([seat.seat]) * 16 for seat in claim.seats]
    game = Game(claim.ruleset, match_seed(claim.server_seed, nonces), claim.deal)
    hashes = [Entry(i, Kind.COMMIT, i + 1, sha256(nonce).hexdigest()) for i, nonce in enumerate(nonces)]
    revealed = [Entry(len(hashes) + i, Kind.READY, i + 1, nonce.hex()) for i, nonce in enumerate(nonces)]
    return claim, game, hashes + revealed


def shown(client: Client, claim: MatchClaim, where: str = "") -> str:
    """The page without what is public and differs by design: id, commitment, number of the signed offer, time."""
    page = client.get(f"/matches/{claim.match_id}/{where}").content.decode()
    assert claim.commitment in page and claim.server_seed.hex() not in page
    page = page.replace(claim.match_id, "MATCH").replace(claim.commitment, "COMMITMENT")
    page = re.sub(r'\?after=\d+">Number \d+<', "OFFER", page)
    return re.sub(r"<time.*?</time>", "TIME", page)


@pytest.mark.slow
def test_two_matches_that_differ_in_what_is_hidden_have_the_same_page(kit: Kit) -> None:
    versions = kit.versions(3)
    one, two = (begin(kit, versions, seed) for seed in SEEDS)
    decks = [game.state.deck for _, game, _ in (one, two)]
    assert decks[0] != decks[1], "there is something to hide"
    draw, client, compared = random.Random(5), Client(), 0
    appended, writers = [0, 0], [Writer(one[0]), Writer(two[0])]
    while view(one[1].state, 0) == view(two[1].state, 0):
        assert [event.text for event in one[1].seen_events(0)] == [event.text for event in two[1].seen_events(0)]
        legal = [action.text for action in one[1].state.legal]
        choice = draw.choice(legal)
        if choice not in [action.text for action in two[1].state.legal]:
            break
        for number, (_, game, entries) in enumerate((one, two)):
            for event in game.play(choice):
                kind = Kind.DECISION if event.seat else Kind.CHANCE
                entries.append(Entry(len(entries), kind, event.seat, event.text))
            if len(game.events) % 4 == 0:
                writers[number].append(entries[appended[number] :])
                appended[number] = len(entries)
        if appended == [len(one[2]), len(two[2])] and view(one[1].state, 0) == view(two[1].state, 0):
            seen = shown(client, one[0])
            assert seen == shown(client, two[0]) and ">counted<" in seen
            assert shown(client, one[0], "?d=3") == shown(client, two[0], "?d=3")
            asked = "?spoilers=0&chart=chance"
            assert shown(client, one[0], asked) == shown(client, two[0], asked)
            compared += 1
        assert not one[1].state.is_over
    assert compared >= 3, "the two games parted too early to prove anything"


def pictures(client: Client, claim: MatchClaim) -> list[str]:
    """The small board, the card for other sites, and the row of the lists, each without what differs by design."""
    board = client.get(f"/matches/{claim.match_id}/board.svg")
    preview = client.get(f"/matches/{claim.match_id}/preview.png")
    assert (board.status_code, preview.status_code) == (200, 200) and b"<use" in board.content
    page = client.get("/matches/?state=live").content.decode()
    (row,) = (row for row in page.split('<li class="result')[1:] if claim.match_id in row)
    row = re.sub(r"<time.*?</time>", "TIME", row.split("</li></ul>")[0])
    return [board.content.decode(), preview.content.hex(), row.replace(claim.match_id, "MATCH")]


def test_small_boards_cards_and_lists_of_two_matches_that_differ_in_what_is_hidden_are_the_same(kit: Kit) -> None:
    versions = kit.versions(3)
    one, two = (begin(kit, versions, seed) for seed in SEEDS)
    assert one[1].state.deck != two[1].state.deck, "there is something to hide"
    for claim, game, entries in (one, two):
        for choice in ("bid 1", "bid 2", "bid 3"):
            for event in game.play(choice):
                kind = Kind.DECISION if event.seat else Kind.CHANCE
                entries.append(Entry(len(entries), kind, event.seat, event.text))
        Writer(claim).append(entries)
    assert view(one[1].state, 0) == view(two[1].state, 0)
    client = Client()
    assert pictures(client, one[0]) == pictures(client, two[0])


def test_the_small_board_of_a_delayed_match_is_as_far_behind_as_its_page(kit: Kit) -> None:
    claim, game, entries = begin(kit, kit.versions(2), SEEDS[0])
    seen, boards = 0, []
    client = Client()
    writer = Writer(claim)
    draw = random.Random(3)
    while len(boards) < 2 or boards[-1] == boards[0]:
        for event in game.play(draw.choice(list(game.state.legal))):
            entries.append(Entry(len(entries), Kind.DECISION if event.seat else Kind.CHANCE, event.seat, event.text))
        writer.append(entries[seen:])
        seen = len(entries)
        boards.append(client.get(f"/matches/{claim.match_id}/board.svg").content)
    Ladder.objects.update(delay=1)
    assert client.get(f"/matches/{claim.match_id}/board.svg").content == boards[-2] != boards[-1]


def test_gold_and_hands_of_a_running_match_are_covered(kit: Kit) -> None:
    claim, game, entries = begin(kit, kit.versions(2), SEEDS[0])
    draw = random.Random(1)
    while game.state.round < 4:
        for event in game.play(draw.choice(list(game.state.legal))):
            kind = Kind.DECISION if event.seat else Kind.CHANCE
            facts = {"ms": 7654321} if event.seat else None
            entries.append(Entry(len(entries), kind, event.seat, event.text, facts))
    Writer(claim).append(entries)
    client = Client()
    page = client.get(f"/matches/{claim.match_id}/").content.decode()
    assert page.count('<span class="tiny faint">hidden</span>') == 2
    assert '<ul class="hand"' not in page and "7654321" not in page
    assert "If it ended here" not in page and 'class="mark-lead' not in page
    sources = {word for told in re.findall(r'(?:aria-label="Bot [^"]*in sight: |class="gained" title=")([^"]*)"', page)
               for word in re.findall("[A-Z][a-z]+", told)}  # fmt: skip
    assert sources and sources <= {"Viziers", "Elders", "Djinns", "Tiles", "Palms", "Palaces"}, "no gold, no goods"
    seats = game.state.seats
    assert any(seat.hand for seat in seats), "a match in which there is something to hide"
    for seat in seats:
        cards = sum(seat.hand >> 6 * kind & 63 for kind in range(10))
        words = "no cards" if not cards else "1 card" if cards == 1 else f"{cards} cards"
        assert f"{words}</span>" in page
    assert client.get(f"/matches/{claim.match_id}/replay.json").status_code == 404
    nonces = [entry.text for entry in entries if entry.kind == Kind.READY]
    assert not any(nonce in page for nonce in nonces) and game.seed.hex() not in page


def test_no_winner_in_the_title_of_a_running_match(kit: Kit) -> None:
    claim, _, entries = begin(kit, kit.versions(2), SEEDS[0])
    Writer(claim).append(entries)
    page = Client().get(f"/matches/{claim.match_id}/").content.decode()
    title = re.search(r"<title>(.*?)</title>", page)
    assert title is not None and title[1].startswith("Bot 1 and Bot 2 ·")


def test_a_delayed_match_says_so_and_shows_nothing_newer(kit: Kit) -> None:
    claim, game, entries = begin(kit, kit.versions(2), SEEDS[0])
    for choice in ("bid 1", "bid 2", "bid 3"):
        for event in game.play(choice):
            entries.append(Entry(len(entries), Kind.DECISION if event.seat else Kind.CHANCE, event.seat, event.text))
    Writer(claim).append(entries)
    Ladder.objects.update(delay=2)
    client = Client()
    for address in (f"/matches/{claim.match_id}/", f"/matches/{claim.match_id}/?d=2"):
        page = client.get(address).content.decode()
        assert "2 decisions behind" in page and "bid 1" in page
        assert "bid 2" not in page and "bid 3" not in page
    reel = json.loads(gzip.decompress(client.get(f"/matches/{claim.match_id}/frames.json").content))
    assert len(reel["frames"]["round"]) == 2  # the set-up and one bid
