"""Ladder, bots, matches and users in lists: filters, sorting, tables for programs, and what only an owner reads."""

from __future__ import annotations

import csv
import html
import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.http import Http404, QueryDict
from django.test import Client

from arena.bus import Bus, Presence
from arena.referee import Entry, Kind
from arena.rules import Game, Ruleset, view
from tests.kit.ladder import LEASE, Kit, play_out
from webui.accounts import actions as account_actions
from webui.accounts.values import TokenLine
from webui.bots import actions as bot_actions
from webui.bots import presence
from webui.bots import queries as bot_queries
from webui.bots.models import Bot, BotVersion
from webui.bots.values import BotRef, ExclusionLine, OwnBot, VersionRef
from webui.core.paging import page_number, page_of
from webui.matches import ending, ownership
from webui.pairing.idle_reason import idle_reason
from webui.pairing.rests import Rest
from webui.profiles.statistics import BotStatistics
from webui.profiles.values import Opponent, PastSeat
from webui.ratings import queries as rating_queries
from webui.ratings.charts import sparkline
from webui.ratings.fitting import fit_due
from webui.ratings.standings import Filters
from webui.ratings.values import LadderRow, Rated
from webui.site.templatetags.arena import think

LADDER = "/ladder/3-players-60-s-1-s/"


def text(answer: Any) -> str:
    assert answer.status_code == 200, answer.status_code
    return str(answer.content.decode())


def row(number: int, rank: int | None, *, house: bool = False, games: int = 50, wins: int = 5) -> LadderRow:
    bot = BotRef(number, f"Bot {number}", f"bot-{number}", number, f"owner{number}", house)
    points = 1900 - 100 * number
    rating = Rated(points, points - 60, points + 60, games, 0, rank, rank, rank, 0.9, is_settled=rank in (1, 3, 4))
    return LadderRow(VersionRef(number, "1", bot), rating if number < 6 else None, games, wins)


ROWS = [
    row(1, 1, house=True), row(2, 2, games=9), row(3, 3, wins=40), row(4, 4, house=True, games=400),
    row(5, None), row(6, None, games=1, wins=0),
]  # fmt: skip
"""The fifth is a former version, or has long been idle; the sixth has just come."""


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", [1, 2, 3, 4, 6]),
        ("versions=all", [1, 2, 3, 4, 5, 6]),
        ("kind=house", [1, 4]),
        ("kind=guests", [2, 3, 6]),
        ("kind=nonsense&sort=nonsense", [1, 2, 3, 4, 6]),
        ("online=1", [3]),
        ("settled=1", [1, 3, 4]),
        ("q=BOT+3", [3]),
        ("q=owner2", [2]),
        ("sort=games", [4, 1, 3, 2, 6]),
        ("sort=won", [3, 2, 1, 4, 6]),
        ("sort=bot&kind=house", [1, 4]),
        ("q=nobody", []),
    ],
)
def test_filters_of_a_ladder(asked: str, found: list[int]) -> None:
    lines = Filters.of(QueryDict(asked)).apply(ROWS, online={3})
    assert [line.version.id for line in lines] == found


def test_pages_of_a_list() -> None:
    items = list(range(120))
    assert page_of(items, None, 50).items == items[:50] and page_of(items, "3", 50).items == items[100:]
    first, last = page_of(items, "1", 50), page_of(items, "3", 50)
    assert (first.before, first.after, last.before, last.after) == (0, 2, 2, 0)
    for wrong in ("0", "-1", "x", "301", "9" * 30, "²", "00000000199999999999", "1\n"):
        with pytest.raises(Http404):
            page_number(wrong)


@pytest.mark.django_db
def test_pages_of_many_bots_and_versions_are_bounded(kit: Kit) -> None:
    version = BotVersion.objects.get(pk=kit.version())
    owner, bot = version.bot.owner, version.bot
    BotVersion.objects.bulk_create(BotVersion(bot=bot, name=f"1.{number}") for number in range(70))
    slugs = [f"copy-{number}" for number in range(70)]
    Bot.objects.bulk_create(Bot(owner=owner, name=slug, slug=slug, skeleton=slug) for slug in slugs)
    client = Client()
    lists = ((f"/bots/{bot.slug}/", '<th scope="row"><code>', 20), (f"/users/{owner}/", 'bot-card"', 60))
    for where, row, most in lists:
        first, second = text(client.get(where)), text(client.get(f"{where}?page=2"))
        assert first.count(row) == most and 1 < second.count(row) <= most
        assert 'rel="next"' in first and 'rel="prev"' in second
        assert client.get(f"{where}?page=999999999999999999").status_code == 404
    assert "version 1.69" in text(client.get(f"/bots/{bot.slug}/"))
    assert "71 bots" in text(client.get(f"/users/{owner}/"))
    client.force_login(owner)
    assert [text(client.get(f"/account/bots/?page={n}")).count('bot-card"') for n in (1, 2)] == [60, 11]


def test_a_sparkline_stays_in_its_frame() -> None:
    assert sparkline([1500]) is None
    drawn = sparkline([1500, 1900, 1100])
    assert drawn is not None and drawn[0].count("L") == 2
    assert all(0 <= number <= 76 for number in drawn[1:])


def test_a_record_counts_seats_opponents_and_faults() -> None:
    def seat(match: str, number: int, placement: int | None, *others: tuple[str, int], **more: Any) -> PastSeat:
        opponents = [Opponent(hash(slug), slug.upper(), slug, place) for slug, place in others]
        return PastSeat(match, number, placement, more.get("forfeit", ""), more.get("declined", False), "1", opponents)

    statistics = BotStatistics.of(
        [
            seat("d", 2, None),
            seat("c", 1, None, declined=True),
            seat("b", 1, 3, ("oud", 1), ("mirage", 2), forfeit="LATE"),
            seat("a", 2, 1, ("oud", 1)),
        ]
    )
    assert statistics.games == 2 and statistics.counts == [2, 3]
    assert [(share.number, share.wins, share.games, share.equal) for share in statistics.by_players] == [
        (2, 1, 1, 50), (3, 0, 1, 33)]  # fmt: skip
    assert all(0 <= share.low <= share.percent <= share.high <= 100 for share in statistics.by_seat)
    oud = statistics.rivals[0]
    assert oud.name == "OUD" and [meeting and meeting.percent for meeting in oud.meetings] == [50, 0]
    assert [(fault.reason, fault.matches, fault.latest) for fault in statistics.forfeits] == [("LATE", 1, "b")]
    assert statistics.declined is not None and statistics.declined.latest == "c"


def session(bot: int, owner: int, **more: Any) -> Presence:
    return Presence(id=f"s{bot}", gateway="g", bot=bot, bot_version=bot, owner=owner, process="p", **more)


TOKEN = TokenLine(1, "naqala_ab", "", ("play",), None, None, None, "", None, False)  # nobody asks when


@pytest.mark.parametrize(
    ("state", "tokens", "online", "why"),
    [
        ("PAUSED", [TOKEN], {}, "paused"),
        ("ACTIVE", [], {}, "no valid token"),
        ("ACTIVE", [TOKEN], None, "not known"),
        ("ACTIVE", [TOKEN], {}, "not connected"),
        ("ACTIVE", [TOKEN], {1: [session(1, 7, leaving=True)]}, "no further matches"),
        ("ACTIVE", [TOKEN], {1: [session(1, 7)]}, "Nobody else"),
        ("ACTIVE", [TOKEN], {1: [session(1, 7)], 2: [session(2, 7)]}, "other owners"),
        ("ACTIVE", [TOKEN], {1: [session(1, 7)], 2: [session(2, 8, player_counts=(5,))]}, "other numbers"),
        ("ACTIVE", [TOKEN], {1: [session(1, 7)], 2: [session(2, 8)]}, "in the queue"),
        ("ACTIVE", [TOKEN], {1: [session(1, 7, running=1)]}, ""),
    ],
)
def test_why_there_is_no_match(state: str, tokens: list[TokenLine], online: Any, why: str) -> None:
    own = OwnBot(BotRef(1, "Oud", "oud", 7, "lena", False), "", state, 0, tokens)
    said = idle_reason(own, online)
    assert why in said and bool(why) == bool(said)


@pytest.mark.parametrize(
    ("is_asked", "said"), [(False, "Have it examined below"), (True, "after its examination: 1.2")]
)
def test_a_version_that_was_taken_off_says_what_it_waits_for(is_asked: bool, said: str) -> None:
    off = ExclusionLine(1, 1, "1.2", datetime(2026, 1, 1, tzinfo=UTC), ("m",), is_asked, None)
    own = OwnBot(BotRef(1, "Oud", "oud", 7, "lena", False), "", "ACTIVE", 1, [TOKEN], (off,))
    assert said in idle_reason(own, {1: [session(1, 7)]})
    rests = idle_reason(own, {1: [session(1, 7)]}, Rest(1, 60, datetime(2026, 1, 1, tzinfo=UTC), ("Oud",)))
    assert ("left out" if is_asked else said) in rests, "its examination waits for that"


@pytest.mark.parametrize(("seats_a_minute", "said"), [(12.0, "20 seconds"), (3.0, "1 minute."), (0.5, "6 minutes")])
def test_the_next_match_is_foretold_from_the_pace(seats_a_minute: float, said: str) -> None:
    """By hand: three owners are online, so every third seat; 12 seats a minute are one in 15 s."""
    own = OwnBot(BotRef(1, "Oud", "oud", 7, "lena", False), "", "ACTIVE", 0, [TOKEN])
    online: Any = {1: [session(1, 7)], 2: [session(2, 8)], 3: [session(3, 9)]}
    assert said in idle_reason(own, online, None, seats_a_minute)
    # A second bot of the same owner shares its turns.
    assert "30 seconds" in idle_reason(own, online | {4: [session(4, 7)]}, None, 12.0)


@pytest.fixture
def bus(redis_server: Any) -> Iterator[Bus]:
    presence._presence.cache_clear()
    with Bus(redis_server.url) as bus:
        yield bus
        for found in bus.presences():
            bus.withdraw(found)
    presence._presence.cache_clear()


@pytest.mark.django_db
def test_who_is_online_is_seen_everywhere(kit: Kit, bus: Bus) -> None:
    versions = kit.versions(3)
    kit.finish(versions)
    bot = bot_queries.find_bot("Bot 2")
    assert bot is not None
    stranger, owner = Client(), Client()
    owner.force_login(get_user_model().objects.get(pk=bot.owner_id))
    assert "No bot matches these filters" in text(stranger.get("/bots/?kind=online"))
    here = Presence(
        id="s", gateway="g", bot=bot.id, bot_version=versions[1], owner=bot.owner_id, process="laptop", capacity=4,
        connected_at_ns=time.time_ns(), round_trip_ns=31_000_000,
    )  # fmt: skip

    def seen(client: Client, where: str) -> str:
        bus.announce(here)  # an announcement holds for seconds, as a gateway's does
        presence._presence.cache_clear()
        return text(client.get(where))

    assert "Bot 2" in seen(stranger, "/bots/?kind=online")
    ladder = seen(stranger, f"{LADDER}?online=1")
    assert "Bot 2" in ladder and "Bot 1" not in ladder
    page = seen(owner, "/bots/bot-2/")
    assert "laptop" in page and "31 ms" in page and "0 of 4" in page
    assert "laptop" not in seen(stranger, "/bots/bot-2/"), "the names of processes are the owner's"


@pytest.mark.django_db
def test_pages_stand_without_redis(kit: Kit, settings: Any) -> None:
    kit.finish(kit.versions(3))
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    presence._presence.cache_clear()
    assert "is not known at the moment" in text(Client().get(f"{LADDER}?online=1"))
    assert "online" not in text(Client().get("/bots/bot-1/"))
    presence._presence.cache_clear()


@pytest.mark.django_db
def test_tables_for_programs(kit: Kit) -> None:
    owner = account_actions.create_user("lena", None)
    formula = bot_actions.register_version(bot_actions.register_bot(owner, "=SUM(A1)"), "1")
    kit.finish([formula, *kit.versions(2)])
    fit_due()
    ladder = rating_queries.ladder("3-players-60-s-1-s")
    lines = list(csv.DictReader(text(Client().get(f"{LADDER}table.csv")).splitlines()))
    assert {line["bot"] for line in lines} == {"'=SUM(A1)", "Bot 1", "Bot 2"}
    table = json.loads(text(Client().get(f"{LADDER}table.json")))
    assert table["matches"] == 1 and table["players"] == 3
    assert [bot["points"] for bot in table["bots"]] == [row.rated and row.rated.points for row in ladder.rows]
    assert {bot["bot"] for bot in table["bots"]} == {"=SUM(A1)", "Bot 1", "Bot 2"} and table["bots"][0]["rank"] == 1


@pytest.mark.django_db
def test_matches_by_state_ladder_and_bot(kit: Kit) -> None:
    two, three = kit.versions(2), kit.versions(3)
    of_two, of_three = kit.finish(two).match_id, kit.finish(three).match_id
    client = Client()

    def shown(asked: str) -> set[str]:
        page = text(client.get(f"/matches/?{asked}"))
        return {match for match in (of_two, of_three) if f"/matches/{match}/" in page}

    assert shown("") == shown("state=finished") == {of_two, of_three}
    assert shown("bot=bot-1") == shown("bot=Bot+1") == shown("ladder=2-players-60-s-1-s") == {of_two}
    assert shown("state=live") == shown("state=void") == shown("ladder=none") == shown("bot=bot-1&state=live") == set()
    assert "There is no bot of this name" in text(client.get("/matches/?bot=nobody"))


@pytest.mark.django_db
def test_a_transcript_tells_its_owner_everything_and_of_others_what_is_public(kit: Kit) -> None:
    versions = kit.versions(2)
    claim = kit.claim(kit.match(versions))
    played = play_out(claim)
    extra = [
        (Kind.NOTE, 1, "my thoughts", {"index": 3}),
        (Kind.NOTE, 2, "their thoughts", {"index": 3}),
        (Kind.NOTE, 1, "", {"index": 3, "network_ms": 2345, "queue_ms": 17}),
        (Kind.NOTE, 1, "", {"index": 5, "network_ms": 655, "spent_ms": 4321}),
        (Kind.NOTE, 2, "", {"index": 4, "network_ms": 98765}),
        (Kind.NOTE, 1, "", {"index": 5, "by": "my-next-process"}),
        (Kind.NOTE, 2, "", {"index": 5, "by": "their-next-process"}),
        (Kind.FAULT, 1, "ILLEGAL", {"index": 3, "strikes": 1, "message": "mine to mend"}),
        (Kind.FAULT, 2, "ILLEGAL", {"index": 3, "strikes": 1, "message": "theirs to mend"}),
    ]
    log = list(played.entries)
    log += [Entry(len(log) + at, kind, seat, words, data) for at, (kind, seat, words, data) in enumerate(extra)]
    ownership.append(claim.match_id, claim.epoch, 0, log, LEASE)
    kit.begin_all()
    owner = Client()
    owner.force_login(get_user_model().objects.get(username="owner1"))
    where = f"/account/bots/bot-1/matches/{claim.match_id}/"
    assert "once the match has ended" in text(owner.get(where)), "a running match tells nothing of the others"
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    for form in ("", "?format=jsonl"):
        page = text(owner.get(where + form))
        assert "my thoughts" in page and "mine to mend" in page and "my-next-process" in page
        assert "their-next-process" not in page
        assert "their thoughts" not in page and "theirs to mend" not in page and "98765" not in page
    page = text(owner.get(where))
    assert "not charged: 2345 ms network, 17 ms queue of the gateway" in page and "4321 ms on a connection" in page
    charged = sum((entry.data or {}).get("ms", 0) for entry in played.entries if entry.seat == 1)
    assert f"was charged {think(charged)}. Measured and not charged: 3.0 s for the network, 17 ms for" in page
    rows = dict(re.findall(r'<tr class="transcript-\w+[^>]*id="e(\d+)"><th scope="row"[^>]*><a [^>]*\?d=(\d+)"', page))
    for number, entry in enumerate(entry for entry in log if entry.kind in (Kind.DECISION, Kind.CHANCE)):
        assert rows[str(entry.number)] == str(number) and played.document["events"][number][1] == entry.text
    note, fault = (entry.number for entry in log if entry.text in ("my thoughts", "ILLEGAL") and entry.seat == 1)
    assert rows[str(note)] == rows[str(fault)] == "3"
    board = text(owner.get(f"/matches/{claim.match_id}/?d=3"))
    line = r'<li class="note-line([^"]*)" data-note="(\d+)">.*?#e(\d+)".*?<p class="note-text">(.*?)</p>'
    shown = re.findall(line, board)
    assert shown == [
        (" is-now", "3", str(note), "my thoughts"),
        (" is-fault is-now", "3", str(fault), "illegal action: mine to mend"),
    ]  # fmt: skip
    assert "theirs to mend" not in board and "my thoughts" not in text(Client().get(f"/matches/{claim.match_id}/"))
    lines = text(owner.get(f"{where}?format=jsonl")).splitlines()
    assert [json.loads(line)["number"] for line in lines] == [
        entry.number for entry in log if not (entry.kind == Kind.NOTE and entry.seat == 2)
    ]
    other = kit.finish(kit.versions(2)).match_id
    assert owner.get(f"/account/bots/bot-1/matches/{other}/").status_code == 404
    assert owner.get(f"/account/bots/bot-2/matches/{claim.match_id}/").status_code == 404


@pytest.mark.django_db
def test_the_bot_on_the_front_page_plays(settings: Any) -> None:
    """As it stands there, to the end of a match, and with the address that it should dial."""
    settings.GATEWAY_ADDRESS = "https://bots.example.org:4000"
    shown = re.search(r'<code id="thrifty">(.*?)</code>', text(Client().get("/")), re.S)
    assert shown is not None
    program = html.unescape(re.sub(r"<[^>]+>", "", shown[1]))
    *rest, start = program.strip().splitlines()
    assert start == 'run(Thrifty, server="https://bots.example.org:4000", token="naqala_…")' and len(rest) <= 10
    names: dict[str, Any] = {}
    exec("\n".join(rest), names)
    bot = names["Thrifty"]()
    game = Game(Ruleset(2), bytes(32), None)
    while not game.state.is_over:
        legal = [action.text for action in game.state.legal]
        choice = bot.choose(view(game.state, game.state.to_act), legal)
        assert choice in legal
        game.play(choice)
