"""What is read: joined, in a fixed number of queries, and nothing of a running match that its players may not know."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.referee import Entry, Kind
from tests.kit.ladder import Kit, Writer, play_out
from tests.kit.live import seen_match
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots import token_actions
from webui.bots.models import BotVersion
from webui.core.errors import NotFound
from webui.ladders.models import Ladder
from webui.matches import ending, ownership
from webui.matches import queries as match_queries
from webui.matches.models import MatchSecret
from webui.profiles import queries as profile_queries
from webui.ratings import queries as rating_queries
from webui.ratings.fitting import fit_due

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


def test_a_ladder_shows_who_stands_where(kit: Kit) -> None:
    versions = kit.versions(3)
    for _ in range(3):
        kit.finish(versions)
    page = rating_queries.ladder("3-players-60-s-1-s")
    assert (page.matches, page.ladder.title, page.ladder.players) == (3, "3 players · 60 s + 1 s", 3)
    assert {row.version.id for row in page.rows} == set(versions)
    assert sum(row.wins for row in page.rows) >= 3 and [row.games for row in page.rows] == [3, 3, 3]
    assert page.fitted == 0 and not any(row.rated for row in page.rows)
    fit_due()
    page = rating_queries.ladder("3-players-60-s-1-s")
    ratings = [row.rated for row in page.rows if row.rated]
    assert [rated.rank for rated in ratings] == [1, 2, 3] and page.fitted == 3
    assert all(rated.low < rated.points < rated.high and rated.games == 3 for rated in ratings)
    assert ratings == sorted(ratings, key=lambda rated: -rated.points)
    assert rating_queries.ladder_top(page.ladder.slug, 2) == page.rows[:2]
    with pytest.raises(NotFound):
        rating_queries.ladder("no-ladder")


def test_a_bot_has_a_page_of_all_it_did(kit: Kit) -> None:
    versions = kit.versions(2)
    kit.finish(versions)
    kit.finish(kit.versions(2))
    fit_due()
    page = profile_queries.bot_page("bot-1")
    assert [line.version.name for line in page.versions] == ["1"]
    (standing,) = page.standings
    table = {row.version.id: row.rated for row in rating_queries.ladder(standing.ladder.slug).rows}
    assert standing.rated == table[versions[0]] is not None
    (past,) = page.past
    assert past.placement is not None and [other.slug for other in past.opponents] == ["bot-2"]
    assert [[seat.version.id for seat in line.seats] for line in page.matches] == [versions]


def test_a_bot_of_many_versions_is_read_in_parts(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    for subject in ("bots", "matches", "profiles"):
        monkeypatch.setattr(f"webui.{subject}.queries.VERSIONS", 40)
    first, other = kit.versions(2)
    kit.finish([first, other])
    bot = BotVersion.objects.get(pk=first).bot
    BotVersion.objects.bulk_create(BotVersion(bot=bot, name=f"1.{number}") for number in range(39))
    page = profile_queries.bot_page(bot.slug, limit=10, offset=30)
    assert [line.version.name for line in page.versions] == [*(f"1.{number}" for number in range(8, -1, -1)), "1"]
    assert len(page.version_ids) == 40 and page.version_ids[-1] == first and page.standings and page.past
    BotVersion.objects.bulk_create(BotVersion(bot=bot, name=f"2.{number}") for number in range(40))
    page = profile_queries.bot_page(bot.slug)
    assert (len(page.versions), len(page.version_ids), page.standings, page.past) == (20, 40, [], [])
    assert match_queries.matches(bot=bot.slug) == [] and bot_queries.own_bots(bot.owner_id)[0].versions == 80


def test_revoked_tokens_are_listed_in_part_and_others_always(kit: Kit) -> None:
    bot = BotVersion.objects.get(pk=kit.version()).bot
    kept = token_actions.issue_token(bot.pk).token_id
    for _ in range(24):
        token_actions.revoke_token(token_actions.issue_token(bot.pk).token_id)
    tokens = bot_queries.own_bots(bot.owner_id)[0].tokens
    assert [token.id for token in tokens if token.revoked_at is None] == [kept] and len(tokens) == 21


def test_matches_are_found_by_what_is_asked(kit: Kit) -> None:
    first, second = kit.versions(2), kit.versions(3)
    finished, running, scheduled = kit.finish(first).match_id, kit.match(second), kit.match(second)
    kit.claim(running, "x")

    def ids(**asked: Any) -> list[str]:
        return [line.id for line in match_queries.matches(**asked)]

    assert ids() == [finished] and ids(bot="bot-5") == [], "nobody can look up who was invited"
    assert [profile_queries.bot_page("bot-5").matches, profile_queries.bot_page("bot-5").past] == [[], []]
    assert [match_queries.match_page(one).line.seats for one in (running, scheduled)] == [[], []]
    assert len(match_queries.match_page(running, hidden_too=True).line.seats) == 3
    kit.begin_all()
    assert len(match_queries.match_page(running).line.seats) == 3
    assert ids() == [scheduled, running, finished]
    assert ids(limit=1, offset=1) == [running]
    assert ids(states=["RUNNING", "SCHEDULED"]) == [scheduled, running]
    assert ids(ladder="2-players-60-s-1-s") == [finished]
    assert ids(bot="bot-5") == [scheduled, running]
    counts = match_queries.match_counts()
    assert (counts.scheduled, counts.running, counts.finished, counts.aborted, counts.void) == (1, 1, 1, 0, 0)


@pytest.mark.parametrize("read", ["matches", "ladder", "bot_page", "own_bots"])
def test_reading_more_rows_takes_no_more_queries(kit: Kit, read: str) -> None:
    owner = account_actions.create_user("nadir", None)
    mine = kit.version(owner=owner)

    def count() -> int:
        reads: dict[str, Any] = {
            "matches": match_queries.matches,
            "ladder": lambda: rating_queries.ladder("2-players-60-s-1-s"),
            "bot_page": lambda: profile_queries.bot_page("bot-1"),
            "own_bots": lambda: bot_queries.own_bots(owner),
        }
        with CaptureQueriesContext(
            connection,
        ) as captured:
            reads[read]()
        return len(captured)

    kit.finish([mine, kit.version()])
    fit_due()
    few = count()
    for _ in range(4):
        kit.finish([mine, kit.version()])
        fit_due()
        token_actions.issue_token(bot_actions.register_bot(owner, f"Other {kit.bots}"))
    assert count() == few


def test_a_running_match_shows_no_secret(kit: Kit) -> None:
    match_id = kit.match(kit.versions(3))
    assert seen_match(match_id).position is None
    claim = kit.claim(match_id)
    played = play_out(claim)
    half = len(played.entries) // 2
    while played.entries[half].kind == Kind.CHANCE:
        half += 1
    note = Entry(half, Kind.NOTE, 2, "my secret plan", {"index": 5})
    Writer(claim).append([*played.entries[:half], note])
    live = seen_match(match_id)
    assert live.position is not None and live.position.seat == 0
    assert all(seat.hand is None and seat.gold is None for seat in live.position.seats)
    assert isinstance(live.position.deck, int)
    assert len(live.events) == half - 6  # three hashes, three nonces
    assert match_queries.match_log(match_id) == [] and match_queries.match_record(match_id) is None
    everything = json.dumps(live.position.document) + str(live) + str(match_queries.match_page(match_id))
    secret = MatchSecret.objects.get(match_id=match_id).server_seed
    assert secret not in everything and "secret plan" not in everything
    with pytest.raises(NotFound):
        seen_match("nowhere")


@pytest.mark.parametrize("delay", [1, 7, 10_000])
def test_spectators_are_as_many_decisions_behind_as_the_ladder_says(kit: Kit, delay: int) -> None:
    claim = kit.claim(kit.match(kit.versions(3)))
    entries = play_out(claim).entries[:-20]
    Writer(claim).append(entries)
    at_once = seen_match(claim.match_id)
    Ladder.objects.update(delay=delay)
    late = seen_match(claim.match_id)
    made, seen = (sum(seat > 0 for seat, _ in live.events) for live in (at_once, late))
    assert seen == max(0, made - delay)
    assert late.events == at_once.events[: len(late.events)]
    assert len(late.events) == len(at_once.events) or at_once.events[len(late.events)][0], "cut before a decision"
    assert late.views == at_once.views[: seen + 1] and late.position == late.views[-1]


def test_a_log_is_open_when_the_match_has_ended_but_for_others_notes(kit: Kit) -> None:
    claim = kit.claim(kit.match())
    played = play_out(claim)
    length = len(played.entries)
    notes = [Entry(length + i, Kind.NOTE, seat, f"of {seat}", {"index": 1}) for i, seat in enumerate((1, 2))]
    ownership.append(claim.match_id, claim.epoch, 0, [*played.entries, *notes], 60)
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    assert match_queries.match_log(claim.match_id) == played.entries
    assert match_queries.match_log(claim.match_id, notes_of=[2]) == [*played.entries, notes[1]]
