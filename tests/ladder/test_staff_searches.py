"""How staff find what they look for, and see what the arena is at."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import Ruleset
from tests.kit.events import Played
from tests.kit.ladder import Kit, Writer, play_out
from tests.kit.stored_events import bots as event_bots
from tests.kit.stored_events import store
from tests.ladder.staff import WHY, run
from webui.accounts import actions as account_actions
from webui.accounts import values as account_values
from webui.accounts.models import User
from webui.accounts.values import Act, Actor
from webui.bots import actions as bot_actions
from webui.bots.models import Bot
from webui.challenges import actions as challenge_actions
from webui.challenges.models import Challenge
from webui.challenges.values import WantedSeat
from webui.ladders import terms as ladder_terms
from webui.matches import ending
from webui.matches.models import Match, Participant
from webui.notices.models import BotNotice, MailState
from webui.staff import doctor, locks, match_queries, operations, orders, people_queries
from webui.staff.values import AuditSearch, MatchSearch
from webui.status import actions as status_actions
from webui.status.models import DoctorRun

pytestmark = pytest.mark.django_db


def found(**wanted: str) -> list[str]:
    return [one.line.id for one in match_queries.search_matches(MatchSearch(**wanted), limit=50)]


def test_matches_are_found_by_what_is_asked(kit: Kit, staff: Actor) -> None:
    owner = account_actions.create_user("nadir", None)
    own = kit.version(owner=owner)
    others = kit.versions(2)
    finished = kit.finish([own, *others]).match_id
    aborted = kit.claim(kit.match([own, others[0]]))
    ending.abort_match(aborted.match_id, aborted.epoch, "NO_ANSWER")
    running = kit.claim(kit.match([own, others[1]]))
    Writer(running).append(play_out(running).entries[:30])
    waiting = kit.match(others)
    slug = Bot.objects.get(versions=own).slug
    assert found() == [waiting, running.match_id, aborted.match_id, finished]
    assert found(match=finished) == [finished] and found(match="nope") == []
    assert found(bot=slug) == found(owner="Nadir") == [running.match_id, aborted.match_id, finished]
    assert found(owner="nadir", state="RUNNING") == [running.match_id] and found(bot="nobody") == []
    assert found(state="SCHEDULED") == [waiting] and found(ladder="3-players-60-s-1-s") == [finished]
    assert found(ladder="nope") == []
    assert found(trouble="taken-over") == found(trouble="late") == found(age="old") == []
    Match.objects.filter(pk=running.match_id).update(epoch=2, lease_expires_at="2026-01-01T00:00:00Z")
    Match.objects.filter(pk=waiting).update(waits_since="2026-01-01T00:00:00Z", created_at="2026-01-01T00:00:00Z")
    assert found(trouble="taken-over") == [running.match_id]
    assert found(trouble="late") == [running.match_id, waiting] and found(age="old") == [waiting]
    assert found(age="hour") == [running.match_id, aborted.match_id, finished]
    assert found(trouble="forfeit") == []
    Participant.objects.filter(match=finished, version=own).update(forfeit_reason="TIMEOUT")
    assert found(trouble="forfeit") == [finished]


def test_who_plays_in_a_match_that_has_not_begun_is_told_to_nobody(kit: Kit) -> None:
    """Staff may have bots, too."""
    versions = kit.versions(2)
    waiting = kit.match(versions)
    bot = Bot.objects.get(versions=versions[0])
    (line,) = match_queries.search_matches(MatchSearch(), limit=5)
    assert line.line.seats == [] and match_queries.staff_match(waiting).page.line.seats == []
    assert found(bot=bot.slug) == found(owner=bot.owner.username) == []
    assert (
        people_queries.staff_bot(bot.slug).in_flight.running == []
        and people_queries.staff_bot(bot.slug).in_flight.waiting_count == 1
    )
    kit.begin_all()
    assert found(bot=bot.slug) == [waiting] and len(match_queries.staff_match(waiting).page.line.seats) == 2


def test_what_a_lock_would_meet(kit: Kit, staff: Actor) -> None:
    owner = account_actions.create_user("nadir", None)
    own, other = kit.version(owner=owner), kit.version()
    bot = Bot.objects.get(versions=own)
    running = kit.claim(kit.match([own, other]))
    Writer(running).append(play_out(running).entries[:30])
    kit.match([own, other])
    kit.finish([own, other])
    newer = bot_actions.register_version(bot.pk, "2")
    challenge_actions.challenge(owner, [WantedSeat(bot.pk, own), WantedSeat(bot.pk, newer)])
    assert Challenge.objects.exists()
    names = ["Mirage", "Oud", "Simoom"]
    cup = Played({"kind": "swiss", "rounds": 2}, 3, 3, name="Autumn Cup")
    cup.draw()
    store(cup, owner, "cup", event_bots(owner, names))
    flying = people_queries.staff_user("nadir").in_flight
    assert (list(flying.running), flying.running_count, flying.waiting_count, flying.challenges) == (
        [running.match_id], 1, 1, 1
    )  # fmt: skip
    assert list(flying.events) == [("cup", "Autumn Cup")]
    of_bot = people_queries.staff_bot(bot.slug).in_flight
    assert (of_bot.running_count, of_bot.waiting_count, list(of_bot.events)) == (1, 1, [])
    assert people_queries.staff_user(User.objects.get(bots__versions=other).username).in_flight.running_count == 1


def test_users_and_bots_are_found(kit: Kit, staff: Actor) -> None:
    nadir = account_actions.create_user("nadir", None, email="nadir@example.org")
    kit.version(owner=nadir)
    locks.lock_user(nadir, WHY, by=staff)

    def names(search: str = "", kind: str = "") -> list[str]:
        return [line.name for line in people_queries.search_users(search, kind, limit=9)]

    assert names() == ["nadir", "warden"] and names("NAD") == names("Nadir@example.org") == ["nadir"]
    assert names(kind="locked") == ["nadir"] and names(kind="staff") == ["warden"] and names("example") == []
    assert people_queries.search_users("nadir", limit=1)[0].bots == 1
    bot = Bot.objects.get()
    assert [line.bot.id for line in people_queries.search_bots("nadir", limit=9)] == [bot.pk]
    assert people_queries.search_bots(kind="locked", limit=9) == []
    locks.lock_bot(bot.pk, WHY, by=staff)
    assert [line.state for line in people_queries.search_bots(kind="locked", limit=9)] == ["LOCKED"]


def test_the_audit_log_is_searched(kit: Kit, staff: Actor) -> None:
    owner = account_actions.create_user("nadir", None)
    bot = bot_actions.register_bot(owner, "Fox")
    locks.lock_bot(bot, WHY, by=staff)
    locks.unlock_bot(bot, WHY, by=account_values.OPERATOR)

    def acts(**wanted: Any) -> list[Act]:
        return [line.act for line in people_queries.search_audit(AuditSearch(**wanted))]

    assert acts() == [Act.BOT_UNLOCKED, Act.BOT_LOCKED]
    assert acts(actor="Warden") == [Act.BOT_LOCKED] and acts(actor="-") == [Act.BOT_UNLOCKED]
    assert acts(account="nadir", is_all=True)[-1] == Act.ACCOUNT_MADE and acts(actor="nobody") == []
    assert acts(act="BOT_REGISTERED") == [Act.BOT_REGISTERED] and acts(act="nope") == acts()
    assert acts(subject="Fox", act="BOT_LOCKED") == [Act.BOT_LOCKED] and acts(subject="Fo") == []
    assert len(people_queries.search_audit(AuditSearch(is_all=True), first=1, most=2)) == 2
    assert [line.act for line in people_queries.history_of("Fox", acts=(Act.BOT_LOCKED,))] == [Act.BOT_LOCKED]


def test_what_waits_and_who_is_there(kit: Kit, staff: Actor) -> None:
    now = operations.operations()
    assert (list(now.processes), now.matches.waiting, now.running, now.orders.waiting, now.doctor) == (
        [],
        0,
        0,
        0,
        None,
    )
    status_actions.announce_process("a" * 32, "referee", "1.0 naqala-rules/1")
    status_actions.announce_process("b" * 32, "gateway", "1.0")
    match = kit.match()
    orders.order_match(match, "void", WHY, by=staff)
    locks.message_user(account_actions.create_user("nadir", None), "Hello.", 1, by=staff)
    running = kit.claim(kit.match())
    Match.objects.filter(pk=running.match_id).update(lease_expires_at="2026-01-01T00:00:00Z")
    BotNotice.objects.update(at="2026-01-01T00:00:00Z")
    now = operations.operations()
    assert [(one.kind, one.version, one.is_alive) for one in now.processes] == [
        ("gateway", "1.0", True), ("referee", "1.0 naqala-rules/1", True)
    ]  # fmt: skip
    assert (now.matches.waiting, now.running, now.leases_over, now.orders.waiting, now.mails.waiting) == (1, 1, 1, 1, 1)
    assert now.mails.oldest_s > 86400 and now.mails.failed == 0
    BotNotice.objects.update(mail=MailState.FAILED)
    assert (operations.operations().mails.waiting, operations.operations().mails.failed) == (0, 1)
    assert "1 matches run, 1 wait" in run("processes") and "referee aaaaaaaa: since " in run("processes")


def test_a_process_that_says_so_again_is_the_same(kit: Kit) -> None:
    status_actions.announce_process("a" * 32, "referee", "1.0")
    (first,) = operations.operations().processes
    status_actions.announce_process("a" * 32, "referee", "1.0")
    (second,) = operations.operations().processes
    assert first.started_at == second.started_at and second.seen_at >= first.seen_at


def test_the_nightly_doctor_leaves_its_findings(kit: Kit) -> None:
    kit.finish()
    doctor.examine_nightly()
    report = operations.operations().doctor
    assert report is not None and report.found == 0 and report.looked_at["records"] == 1
    waiting = kit.match()
    Match.objects.filter(pk=waiting).update(waits_since="2026-01-01T00:00:00Z")
    doctor.examine_nightly()
    report = operations.operations().doctor
    assert report is not None and report.found == 1 and DoctorRun.objects.count() == 2
    assert (report.findings[0]["check"], report.findings[0]["subject"]) == ("leases", waiting)


def test_games_are_named_after_their_rulesets() -> None:
    terms = ladder_terms.game_terms()
    assert terms["4-artisans-whims"].ruleset == Ruleset(4, ("artisans", "whims")) and terms["2"].ruleset == Ruleset(2)
