"""What staff do: orders about matches, locks, messages, terms of ladders; and how they find what they look for."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from typer.testing import CliRunner

from arena.cli.files import InputError
from arena.rules import Ruleset
from tests.kit.events import Played
from tests.kit.ladder import CLOCK, LEASE, Kit, Writer, play_out
from tests.kit.stored_events import bots as event_bots
from tests.kit.stored_events import store
from tests.ladder.test_matchmaker import Online
from webui.commands import admin
from webui.ladder import actions, doctor, queries
from webui.ladder.actions import Act, Actor, BadRequest, NameTaken, NotFound, Stale, TooMany, orders
from webui.ladder.actions import locks as locking
from webui.ladder.models import (
    AuditEntry,
    Bot,
    BotNotice,
    Challenge,
    DoctorRun,
    Exclusion,
    Ladder,
    LadderTerms,
    MailState,
    Match,
    MatchOrder,
    Participant,
    User,
)
from webui.ladder.values.challenges import WantedSeat
from webui.ladder.values.staff import AuditSearch, MatchSearch

pytestmark = pytest.mark.django_db

WHY = "Its gateway has died"


@pytest.fixture
def staff() -> Actor:
    return Actor(actions.create_user("warden", "a quiet caravan", role="admin"), "203.0.113.9")


def entries(act: Act) -> list[tuple[str, str, Any]]:
    """Subject, reason and changes of what was done so, the latest first."""
    rows = AuditEntry.objects.filter(act=act).order_by("-pk")
    return list(rows.values_list("subject", "reason", "changes"))


def run(*words: str) -> str:
    result = CliRunner().invoke(admin.app, list(words))
    if result.exception is not None:
        raise result.exception
    return result.output


# Orders


@pytest.mark.parametrize("again", [False, True])
def test_an_ordered_void_is_carried_out_once(kit: Kit, staff: Actor, again: bool) -> None:
    claim = kit.claim(kit.match(kit.versions(3)))
    Writer(claim).append(play_out(claim).entries[:30])
    kind = "void_again" if again else "void"
    assert actions.order_match(claim.match_id, kind, WHY, by=staff)
    assert not actions.order_match(claim.match_id, kind, WHY, by=staff), "the same once more"
    with pytest.raises(BadRequest, match="something else"):
        actions.order_match(claim.match_id, "void" if again else "void_again", WHY, by=staff)
    assert Match.objects.get(pk=claim.match_id).state == "RUNNING", "the site itself ends nothing"
    assert (actions.carry_out_orders(), actions.carry_out_orders()) == (1, 0)
    match = Match.objects.get(pk=claim.match_id)
    assert (match.state, match.reason, match.server_seed) == ("VOID", WHY, claim.server_seed.hex())
    successors = Match.objects.filter(replaces=match)
    assert successors.count() == again
    ((subject, reason, changes),) = entries(Act.MATCH_VOIDED)
    another = successors.get().pk if again else None
    assert (subject, reason) == (claim.match_id, WHY)
    assert changes == {"state": ["RUNNING", "VOID"], "played_again": [None, another]}
    order = queries.staff_match(claim.match_id).orders[0]
    assert (order.state, order.by, order.reason) == ("done", "warden", WHY)
    assert MatchOrder.objects.get().address == "", "it is in the audit log"
    assert AuditEntry.objects.get(act=Act.MATCH_VOIDED).address == staff.address
    with pytest.raises(actions.LostOwnership):
        actions.renew(claim.match_id, claim.epoch, LEASE)


def test_an_order_that_comes_too_late_is_refused(kit: Kit, staff: Actor) -> None:
    claim, played = kit.ready_to_finish()
    actions.order_match(claim.match_id, "void", WHY, by=staff)
    actions.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    assert actions.carry_out_orders() == 0
    assert queries.staff_match(claim.match_id).orders[0].state == "refused"
    assert Match.objects.get(pk=claim.match_id).state == "FINISHED" and entries(Act.MATCH_VOIDED) == []
    with pytest.raises(BadRequest, match="ended already"):
        actions.order_match(claim.match_id, "void", WHY, by=staff)


def test_who_is_no_longer_staff_orders_nothing(kit: Kit, staff: Actor) -> None:
    match = kit.match()
    actions.order_match(match, "void", WHY, by=staff)
    User.objects.filter(pk=staff.user_id).update(is_staff=False)
    assert actions.carry_out_orders() == 0 and Match.objects.get(pk=match).state == "SCHEDULED"
    assert queries.staff_match(match).orders[0].state == "refused"


def test_a_fault_of_ours_leaves_the_order_and_the_others(
    kit: Kit, staff: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = kit.match(), kit.match()
    for match in (first, second):
        actions.order_match(match, "void", WHY, by=staff)
    original = orders.void_match

    def fail(match_id: str, *arguments: Any, **more: Any) -> bool:
        done = original(match_id, *arguments, **more)
        if match_id == first:
            raise RuntimeError("killed in the middle")
        return done

    with monkeypatch.context() as patched:
        patched.setattr(orders, "void_match", fail)
        assert actions.carry_out_orders() == 1
    assert [Match.objects.get(pk=match).state for match in (first, second)] == ["SCHEDULED", "VOID"]
    assert actions.carry_out_orders() == 1 and Match.objects.get(pk=first).state == "VOID"
    assert len(entries(Act.MATCH_VOIDED)) == 2


def test_a_match_without_a_result_is_played_again_once(kit: Kit, staff: Actor) -> None:
    versions = kit.versions(3)
    claim = kit.claim(kit.match(versions))
    actions.abort_match(claim.match_id, claim.epoch, "NO_ANSWER")
    actions.order_match(claim.match_id, "again", WHY, by=staff)
    assert actions.carry_out_orders() == 1
    another = Match.objects.get(replaces=claim.match_id)
    seats = Participant.objects.filter(match=another).order_by("seat").values_list("version", flat=True)
    assert list(seats) == versions and another.rated and another.ladder == Match.objects.get(pk=claim.match_id).ladder
    secret, former = another.secret, Match.objects.get(pk=claim.match_id).secret  # type: ignore[attr-defined]
    assert secret.server_seed != former.server_seed
    assert actions.play_again(claim.match_id, WHY, by=staff) == another.pk, "the first answer"
    assert entries(Act.MATCH_AGAIN) == [(claim.match_id, WHY, {"played_again": [None, another.pk]})]


def test_what_has_a_result_or_goes_on_is_not_played_again(kit: Kit, staff: Actor) -> None:
    finished, running = kit.finish().match_id, kit.match()
    for match in (finished, running):
        with pytest.raises(BadRequest):
            actions.play_again(match, WHY, by=staff)
        with pytest.raises(BadRequest):
            actions.order_match(match, "again", WHY, by=staff)
        assert not queries.staff_match(match).can_be_played_again
    with pytest.raises(NotFound):
        actions.order_match("nope", "void", WHY, by=staff)
    for reason in ("", " ", "x" * 201, "a\u202eb"):
        with pytest.raises(BadRequest):
            actions.order_match(running, "void", reason, by=staff)
    assert not MatchOrder.objects.exists()


@pytest.mark.parametrize("kept_off", ["locked", "paused", "retired", "retired version", "owner", "taken off"])
def test_nothing_is_played_again_with_a_bot_that_may_not_play(kit: Kit, staff: Actor, kept_off: str) -> None:
    aborted, running = (kit.claim(kit.match(kit.versions(2))) for _ in range(2))
    actions.abort_match(aborted.match_id, aborted.epoch, "seat 1 declined", declined=[1])
    for claim in (aborted, running):
        seat = claim.seats[0]
        bot = Bot.objects.get(versions=seat.version_id)
        match kept_off:
            case "locked":
                actions.lock_bot(bot.pk, WHY, by=staff)
            case "paused":
                actions.set_bot_state(bot.pk, "PAUSED")
            case "retired":
                actions.retire_bot(bot.pk)
            case "retired version":
                actions.retire_version(bot.pk, bot.versions.get(pk=seat.version_id).name)
            case "owner":
                User.objects.filter(pk=bot.owner_id).update(is_active=False)
            case "taken off":
                Exclusion.objects.create(version_id=seat.version_id, matches=["m"])
    with pytest.raises(BadRequest, match="may not play"):
        actions.play_again(aborted.match_id, WHY, by=staff)
    with pytest.raises(BadRequest, match="may not play"):
        actions.void_match(running.match_id, WHY, again=True, by=staff)
    assert Match.objects.count() == 2 and Match.objects.get(pk=running.match_id).state == "RUNNING"
    assert actions.void_match(running.match_id, WHY, again=False, by=staff)


def test_the_pages_of_two_matches_do_not_name_each_other_before_the_second_has_begun(kit: Kit, staff: Actor) -> None:
    claim = kit.claim(kit.match(kit.versions(3)))
    actions.abort_match(claim.match_id, claim.epoch, "seat 1 declined", declined=[1])
    another = actions.play_again(claim.match_id, WHY, by=staff)
    assert queries.match_page(claim.match_id).replaced_by is queries.match_page(another).replaces is None
    Writer(begun := kit.claim(another)).append(play_out(begun).entries[:30])
    assert queries.match_page(claim.match_id).replaced_by == another
    assert queries.match_page(another).replaces == claim.match_id


def test_a_match_of_an_examination_is_played_again_by_that(kit: Kit, staff: Actor) -> None:
    match = kit.match(rated=False)
    version = Participant.objects.filter(match=match).first()
    assert version is not None
    Exclusion.objects.create(version=version.version, matches=[], asked_at="2026-01-01T00:00:00Z", examination_id=match)
    actions.void_match(match, WHY, again=False)
    assert not queries.staff_match(match).can_be_played_again
    with pytest.raises(BadRequest, match="part of"):
        actions.play_again(match, WHY, by=staff)


def test_the_operator_voids_and_has_played_again_by_command(kit: Kit) -> None:
    match = kit.match()
    assert run("void", match, "--reason", WHY) == f"{match}: void\n"
    assert entries(Act.MATCH_VOIDED)[0][:2] == (match, WHY)
    another = Match.objects.exclude(pk=match)
    assert not another.exists()
    assert run("again", match, "--reason", WHY) == f"{match}: played again as {another.get().pk}\n"
    with pytest.raises(InputError, match="reason"):
        run("void", another.get().pk, "--reason", " ")


def test_the_database_keeps_orders_sound(kit: Kit, staff: Actor) -> None:
    match = kit.match()
    wrong = (
        {"kind": "nope"}, {"reason": ""}, {"state": "done"}, {"state": "waiting", "ended_at": "2026-01-01T00:00:00Z"},
    )  # fmt: skip
    for values in wrong:
        with pytest.raises(IntegrityError), transaction.atomic():
            MatchOrder.objects.create(
                **{"match_id": match, "kind": "void", "reason": WHY, "by_id": staff.user_id, **values}
            )


# Locks and messages


def test_a_locked_user_is_shut_out_and_let_in_again(kit: Kit, staff: Actor) -> None:
    user = actions.create_user("nadir", "sirocco-7-dunes")
    token = actions.issue_token(actions.register_bot(user, "Fox"))
    api = actions.issue_api_token(user, ["read"])
    assert actions.lock_user(user, "Floods", by=staff) and not actions.lock_user(user, "Floods", by=staff)
    assert queries.session_for_token(token.token) is None and queries.caller(api.token) is None
    assert token.token_id not in queries.valid_tokens([token.token_id]), "gateways end its streams"
    assert actions.unlock_user(user, "It was a bug", by=staff) and not actions.unlock_user(user, "Again", by=staff)
    assert queries.session_for_token(token.token) is not None
    assert entries(Act.USER_LOCKED) == [("nadir", "Floods", {"is_active": [True, False]})]
    assert entries(Act.USER_UNLOCKED) == [("nadir", "It was a bug", {"is_active": [False, True]})]


def test_who_is_not_locked(kit: Kit, staff: Actor) -> None:
    house = actions.create_user("arena", None, role="house")
    actions.register_bot(house, "House", is_house=True)
    for user in (staff.user_id, house, actions.create_user("guard", "sirocco-7-dunes", role="admin")):
        assert user is not None
        with pytest.raises(BadRequest):
            actions.lock_user(user, WHY, by=staff)
    erased = actions.create_user("nadir", "sirocco-7-dunes")
    actions.erase_account(erased)
    with pytest.raises(BadRequest, match="erased"):
        actions.unlock_user(erased, WHY, by=staff)


def test_an_owner_cannot_undo_the_lock_of_a_bot(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    bot = actions.register_bot(owner, "Fox")
    assert actions.lock_bot(bot, "Floods", by=staff) and not actions.lock_bot(bot, "Floods", by=staff)
    for state in ("ACTIVE", "PAUSED"):
        with pytest.raises(BadRequest, match="locked"):
            actions.set_bot_state(bot, state, by=Actor(owner))
    with pytest.raises(BadRequest):
        actions.set_bot_state(bot, "LOCKED", by=Actor(owner))
    assert Bot.objects.get().state == "LOCKED"
    assert actions.unlock_bot(bot, "Repaired", by=staff) and not actions.unlock_bot(bot, "Repaired", by=staff)
    assert Bot.objects.get().state == "ACTIVE"
    told = list(BotNotice.objects.order_by("pk").values_list("user", "kind", "about", "data", "mail"))
    assert told == [
        (owner, "locked", "fox", {"bots": ["Fox"], "why": "Floods"}, MailState.DUE),
        (owner, "unlocked", "fox", {"bots": ["Fox"], "why": "Repaired"}, MailState.DUE),
    ]
    assert [line.reason for line in queries.audit(owner)[:2]] == ["Repaired", "Floods"]


def test_a_locked_bot_gets_no_match(kit: Kit, staff: Actor) -> None:
    versions = kit.versions(2)
    online = [Online(version) for version in versions]
    bot = Bot.objects.get(versions=versions[0])
    actions.lock_bot(bot.pk, WHY, by=staff)
    assert actions.matchmake(online, 4) == []
    with pytest.raises(actions.LadderError):
        actions.challenge(bot.owner_id, [WantedSeat(bot.pk), WantedSeat(Bot.objects.get(versions=versions[1]).pk)])
    actions.unlock_bot(bot.pk, WHY, by=staff)
    assert actions.matchmake(online, 4)


def test_a_bot_that_has_retired_stays_so_when_it_is_unlocked(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    bot = actions.register_bot(owner, "Fox")
    actions.lock_bot(bot, "Floods", by=staff)
    actions.retire_bot(bot, by=Actor(owner))
    assert Bot.objects.get().state == "LOCKED" and queries.staff_bot("fox").is_retired
    assert actions.unlock_bot(bot, "Repaired", by=staff) and Bot.objects.get().state == "PAUSED"


def test_a_message_is_sent_once_and_to_who_can_read_it(kit: Kit, staff: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    user = actions.create_user("nadir", "sirocco-7-dunes")
    assert actions.message_user(user, "Hello.\r\nPlease write.", 7, by=staff)
    assert not actions.message_user(user, "Hello.\nPlease write.", 7, by=staff)
    (line,) = queries.notices(user)
    assert (line.kind, line.data["text"]) == ("message", "Hello.\nPlease write.")
    assert entries(Act.USER_MESSAGED) == [("nadir", "Hello. Please write.", None)]
    for text in ("", "x" * 2001, "a\x07b"):
        with pytest.raises(BadRequest):
            actions.message_user(user, text, 8, by=staff)
    monkeypatch.setattr(locking, "MESSAGES_AN_HOUR", 2)
    assert actions.message_user(user, "Once more.", 9, by=staff)
    with pytest.raises(TooMany):
        actions.message_user(user, "And again.", 10, by=staff)
    actions.lock_user(user, WHY, by=staff)
    with pytest.raises(BadRequest, match="locked"):
        actions.message_user(user, "Still there?", 11, by=actions.OPERATOR)


def test_a_name_is_corrected_with_its_address_and_look(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    bot, other = actions.register_bot(owner, "Rude Fox"), actions.register_bot(owner, "Sand Fox")
    assert actions.correct_bot(bot, name="Polite Fox", description="Counts.", by=staff)
    row = Bot.objects.get(pk=bot)
    assert (row.name, row.slug, row.description) == ("Polite Fox", "polite-fox", "Counts.")
    assert actions.register_bot(owner, "Rude Fox"), "the former name is free"
    with pytest.raises(NameTaken):
        actions.register_bot(owner, "Po1ite Fox")
    for name in ("Sand-Fox", "sand fox", "Naqala"):
        with pytest.raises(NameTaken):
            actions.correct_bot(bot, name=name, description="", by=staff)
    assert not actions.correct_bot(other, name="Sand Fox", description="", by=staff)
    assert entries(Act.STAFF_CHANGED) == [
        ("Polite Fox", "", {"name": ["Rude Fox", "Polite Fox"], "description": ["", "Counts."]})
    ]


def test_notices_follow_a_bot_to_its_new_address(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    bot, other = actions.register_bot(owner, "Rude Fox"), actions.register_bot(owner, "Sand Fox")
    for each in (bot, other):
        actions.lock_bot(each, WHY, by=staff)
    actions.unlock_bot(bot, WHY, by=staff)
    actions.correct_bot(bot, name="Polite Fox", description="", by=staff)
    told = {(line.kind, line.about) for line in queries.notices(owner)}
    assert told == {("locked", "polite-fox"), ("unlocked", "polite-fox"), ("locked", "sand-fox")}


def test_locks_by_command() -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    actions.register_bot(owner, "Fox")
    assert run("lock-bot", "Fox", "--reason", WHY) == "locked Fox\n"
    assert run("lock-bot", "Fox", "--reason", WHY) == "Fox is locked\n"
    assert run("unlock-bot", "Fox", "--reason", WHY) == "unlocked Fox\n"
    assert run("message", "nadir", "Hello.") == "told nadir\n"
    assert run("lock-user", "nadir", "--reason", WHY) == "locked nadir\n" and not User.objects.get(pk=owner).is_active
    assert run("unlock-user", "nadir", "--reason", WHY) == "unlocked nadir\n"
    for words in (("lock-user", "nobody"), ("lock-bot", "nobody")):
        with pytest.raises(InputError, match="nobody"):
            run(*words, "--reason", WHY)
    said = run("audit").splitlines()
    assert [line.split()[2] for line in said] == [
        "USER_UNLOCKED", "USER_LOCKED", "USER_MESSAGED", "BOT_UNLOCKED", "BOT_LOCKED"
    ]  # fmt: skip
    assert all(line.split()[1] == "-" for line in said) and WHY in said[0]
    assert "ACCOUNT_MADE" in run("audit", "--all") and run("audit", "--by", "nobody") == ""


# Terms of ladders

SLOW = {"bank_ms": 120_000, "increment_ms": 2_000, "cap_ms": 20_000}


def test_a_game_without_terms_is_played_as_it_comes() -> None:
    terms = queries.game_terms()
    assert len(terms) == 15 and all(one.is_open and one.clock == CLOCK and not one.revision for one in terms.values())
    assert [terms[game].share for game in ("2", "3", "4", "5-whims", "2-artisans-whims")] == [4, 4, 4, 2, 1]


def test_terms_hold_for_the_matches_that_are_made_then(kit: Kit, staff: Actor) -> None:
    versions = kit.versions(2)
    online = [Online(version, player_counts=(2,), expansions=()) for version in versions]
    (before,) = actions.matchmake(online, 1)
    assert actions.set_ladder_terms("2", is_open=True, share=9, clock=SLOW, revision=0, reason=WHY, by=staff)
    scheduled = actions.matchmake(online, 2)
    assert scheduled
    former, new = (Match.objects.get(pk=match) for match in (before, scheduled[0]))
    assert (former.clock, new.clock) == (CLOCK, SLOW), "the former goes on as it was agreed"
    assert new.ladder is not None and former.ladder is not None and new.ladder != former.ladder
    game = queries.staff_game("2")
    assert game.current is not None and game.current.ladder.id == new.ladder.pk
    assert [(one.ladder.id, one.is_played) for one in game.ladders] == [
        (new.ladder.pk, True),
        (former.ladder.pk, False),
    ]
    terms = queries.terms_of_game("2")
    actions.set_ladder_terms("2", is_open=False, share=9, clock=SLOW, revision=terms.revision, reason=WHY, by=staff)
    assert actions.matchmake(online, 9) == [], "it is closed, and they play nothing else"
    assert [changes for _, _, changes in entries(Act.LADDER_CHANGED)] == [
        {"is_open": [True, False]}, {"share": [4, 9], "clock": [CLOCK, SLOW]}
    ]  # fmt: skip
    assert LadderTerms.objects.get().revision == 2


def test_of_two_who_change_a_game_the_second_looks_again(staff: Actor) -> None:
    wanted: dict[str, Any] = {"is_open": True, "clock": CLOCK, "reason": WHY, "by": staff}
    assert actions.set_ladder_terms("3", share=5, revision=0, **wanted)
    assert not actions.set_ladder_terms("3", share=5, revision=0, **wanted), "the same once more changes nothing"
    with pytest.raises(Stale):
        actions.set_ladder_terms("3", share=6, revision=0, **wanted)
    assert actions.set_ladder_terms("3", share=6, revision=1, **wanted)
    with pytest.raises(Stale):
        actions.set_ladder_terms("3", share=7, revision=1, **wanted)
    assert queries.terms_of_game("3").share == 6 and len(entries(Act.LADDER_CHANGED)) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": 0}, {"share": 101}, {"clock": {**SLOW, "bank_ms": 3_600_001}}, {"clock": {**SLOW, "cap_ms": 99}},
        {"clock": {"bank_ms": 0, "increment_ms": 0, "cap_ms": 1000}}, {"clock": {**SLOW, "more": 1}},
        {"clock": {**SLOW, "bank_ms": 1.5}}, {"clock": {**SLOW, "bank_ms": "9"}}, {"reason": ""},
    ],
    ids=str,
)  # fmt: skip
def test_terms_that_nobody_could_play_by_are_refused(staff: Actor, wrong: dict[str, Any]) -> None:
    wanted: dict[str, Any] = {"is_open": True, "share": 5, "clock": SLOW, "revision": 0, "reason": WHY, "by": staff}
    with pytest.raises(BadRequest):
        actions.set_ladder_terms("3", **{**wanted, **wrong})
    with pytest.raises(NotFound):
        actions.set_ladder_terms("6", **wanted)
    assert not LadderTerms.objects.exists() and not entries(Act.LADDER_CHANGED)


def test_the_delay_is_moved_by_compare_and_set(kit: Kit, staff: Actor) -> None:
    kit.match()
    slug = Ladder.objects.get().slug
    assert actions.set_delay(slug, 4, seen=0, reason=WHY, by=staff)
    assert not actions.set_delay(slug, 4, seen=0, reason=WHY, by=staff)
    with pytest.raises(Stale):
        actions.set_delay(slug, 5, seen=0, reason=WHY, by=staff)
    for delay in (-1, 501):
        with pytest.raises(BadRequest):
            actions.set_delay(slug, delay, seen=4, reason=WHY, by=staff)
    with pytest.raises(NotFound):
        actions.set_delay("nope", 1, seen=0, reason=WHY, by=staff)
    assert entries(Act.LADDER_CHANGED) == [(slug, WHY, {"delay": [0, 4]})]


def test_ladders_by_command(kit: Kit) -> None:
    kit.match()
    assert run("ladder", "2", "--share", "8", "--reason", WHY) == "2: changed\n"
    assert run("ladder", "2", "--share", "8", "--reason", WHY) == "2: as it was\n"
    assert run("ladder", "2", "--delay", "3", "--reason", WHY) == "2: changed\n"
    assert run("ladder", "3-whims", "--close", "--bank", "90", "--reason", WHY) == "3-whims: changed\n"
    said = run("ladders").splitlines()
    # 8 of 8 + 4 + 4 and, without 3-whims, of 1 + 1 + 2 + 1 + 1 + 1 + 2 + 1 + 1 + 1 + 2
    assert said[0] == "2: share 8 (27 %), 60 s + 1 s, at most 10 s, 0 run, 1 wait, 0 finished, spectators 3 behind"
    assert "3-whims: closed, 90 s + 1 s, at most 10 s" in said
    with pytest.raises(InputError, match="no ladder yet"):
        run("ladder", "4", "--delay", "3", "--reason", WHY)
    with pytest.raises(InputError, match="no game"):
        run("ladder", "9", "--share", "3", "--reason", WHY)


# Searches


def found(**wanted: str) -> list[str]:
    return [one.line.id for one in queries.search_matches(MatchSearch(**wanted), limit=50)]


def test_matches_are_found_by_what_is_asked(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", None)
    own = kit.version(owner=owner)
    others = kit.versions(2)
    finished = kit.finish([own, *others]).match_id
    aborted = kit.claim(kit.match([own, others[0]]))
    actions.abort_match(aborted.match_id, aborted.epoch, "NO_ANSWER")
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
    (line,) = queries.search_matches(MatchSearch(), limit=5)
    assert line.line.seats == [] and queries.staff_match(waiting).page.line.seats == []
    assert found(bot=bot.slug) == found(owner=bot.owner.username) == []
    assert (
        queries.staff_bot(bot.slug).in_flight.running == [] and queries.staff_bot(bot.slug).in_flight.waiting_count == 1
    )
    kit.begin_all()
    assert found(bot=bot.slug) == [waiting] and len(queries.staff_match(waiting).page.line.seats) == 2


def test_what_a_lock_would_meet(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", None)
    own, other = kit.version(owner=owner), kit.version()
    bot = Bot.objects.get(versions=own)
    running = kit.claim(kit.match([own, other]))
    Writer(running).append(play_out(running).entries[:30])
    kit.match([own, other])
    kit.finish([own, other])
    newer = actions.register_version(bot.pk, "2")
    actions.challenge(owner, [WantedSeat(bot.pk, own), WantedSeat(bot.pk, newer)])
    assert Challenge.objects.exists()
    names = ["Mirage", "Oud", "Simoom"]
    cup = Played({"kind": "swiss", "rounds": 2}, 3, 3, name="Autumn Cup")
    cup.draw()
    store(cup, owner, "cup", event_bots(owner, names))
    flying = queries.staff_user("nadir").in_flight
    assert (list(flying.running), flying.running_count, flying.waiting_count, flying.challenges) == (
        [running.match_id], 1, 1, 1
    )  # fmt: skip
    assert list(flying.events) == [("cup", "Autumn Cup")]
    of_bot = queries.staff_bot(bot.slug).in_flight
    assert (of_bot.running_count, of_bot.waiting_count, list(of_bot.events)) == (1, 1, [])
    assert queries.staff_user(User.objects.get(bots__versions=other).username).in_flight.running_count == 1


def test_users_and_bots_are_found(kit: Kit, staff: Actor) -> None:
    nadir = actions.create_user("nadir", None, email="nadir@example.org")
    kit.version(owner=nadir)
    actions.lock_user(nadir, WHY, by=staff)

    def names(search: str = "", kind: str = "") -> list[str]:
        return [line.name for line in queries.search_users(search, kind, limit=9)]

    assert names() == ["nadir", "warden"] and names("NAD") == names("Nadir@example.org") == ["nadir"]
    assert names(kind="locked") == ["nadir"] and names(kind="staff") == ["warden"] and names("example") == []
    assert queries.search_users("nadir", limit=1)[0].bots == 1
    bot = Bot.objects.get()
    assert [line.bot.id for line in queries.search_bots("nadir", limit=9)] == [bot.pk]
    assert queries.search_bots(kind="locked", limit=9) == []
    actions.lock_bot(bot.pk, WHY, by=staff)
    assert [line.state for line in queries.search_bots(kind="locked", limit=9)] == ["LOCKED"]


def test_the_audit_log_is_searched(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", None)
    bot = actions.register_bot(owner, "Fox")
    actions.lock_bot(bot, WHY, by=staff)
    actions.unlock_bot(bot, WHY, by=actions.OPERATOR)

    def acts(**wanted: Any) -> list[Act]:
        return [line.act for line in queries.search_audit(AuditSearch(**wanted))]

    assert acts() == [Act.BOT_UNLOCKED, Act.BOT_LOCKED]
    assert acts(actor="Warden") == [Act.BOT_LOCKED] and acts(actor="-") == [Act.BOT_UNLOCKED]
    assert acts(account="nadir", is_all=True)[-1] == Act.ACCOUNT_MADE and acts(actor="nobody") == []
    assert acts(act="BOT_REGISTERED") == [Act.BOT_REGISTERED] and acts(act="nope") == acts()
    assert acts(subject="Fox", act="BOT_LOCKED") == [Act.BOT_LOCKED] and acts(subject="Fo") == []
    assert len(queries.search_audit(AuditSearch(is_all=True), first=1, most=2)) == 2
    assert [line.act for line in queries.history_of("Fox", acts=(Act.BOT_LOCKED,))] == [Act.BOT_LOCKED]


# The arena at work


def test_what_waits_and_who_is_there(kit: Kit, staff: Actor) -> None:
    now = queries.operations()
    assert (list(now.processes), now.matches.waiting, now.running, now.orders.waiting, now.doctor) == (
        [],
        0,
        0,
        0,
        None,
    )
    actions.announce_process("a" * 32, "referee", "1.0 naqala-rules/1")
    actions.announce_process("b" * 32, "gateway")
    match = kit.match()
    actions.order_match(match, "void", WHY, by=staff)
    actions.message_user(actions.create_user("nadir", None), "Hello.", 1, by=staff)
    running = kit.claim(kit.match())
    Match.objects.filter(pk=running.match_id).update(lease_expires_at="2026-01-01T00:00:00Z")
    BotNotice.objects.update(at="2026-01-01T00:00:00Z")
    now = queries.operations()
    assert [(one.kind, one.version, one.is_alive) for one in now.processes] == [
        ("gateway", "", True), ("referee", "1.0 naqala-rules/1", True)
    ]  # fmt: skip
    assert all(one.started_at is not None for one in now.processes)
    assert (now.matches.waiting, now.running, now.leases_over, now.orders.waiting, now.mails.waiting) == (1, 1, 1, 1, 1)
    assert now.mails.oldest_s > 86400 and now.mails.failed == 0
    BotNotice.objects.update(mail=MailState.FAILED)
    assert (queries.operations().mails.waiting, queries.operations().mails.failed) == (0, 1)
    assert "1 matches run, 1 wait" in run("processes") and "referee aaaaaaaa: since " in run("processes")


def test_a_process_that_says_so_again_is_the_same(kit: Kit) -> None:
    actions.announce_process("a" * 32, "referee", "1.0")
    (first,) = queries.operations().processes
    actions.announce_process("a" * 32, "referee", "1.0")
    (second,) = queries.operations().processes
    assert first.started_at == second.started_at and second.seen_at >= first.seen_at


def test_the_nightly_doctor_leaves_its_findings(kit: Kit) -> None:
    kit.finish()
    doctor.examine_nightly()
    report = queries.operations().doctor
    assert report is not None and report.found == 0 and report.looked_at["records"] == 1
    waiting = kit.match()
    Match.objects.filter(pk=waiting).update(waits_since="2026-01-01T00:00:00Z")
    doctor.examine_nightly()
    report = queries.operations().doctor
    assert report is not None and report.found == 1 and DoctorRun.objects.count() == 2
    assert (report.findings[0]["check"], report.findings[0]["subject"]) == ("leases", waiting)


def test_games_are_named_after_their_rulesets() -> None:
    terms = queries.game_terms()
    assert terms["4-artisans-whims"].ruleset == Ruleset(4, ("artisans", "whims")) and terms["2"].ruleset == Ruleset(2)
