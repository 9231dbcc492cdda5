"""What staff order about matches: that one is void, or played again."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from arena.cli.files import InputError
from tests.kit.ladder import LEASE, Kit, Writer, play_out
from tests.ladder.staff import WHY, entries, run
from webui.accounts.models import AuditEntry, User
from webui.accounts.values import Act, Actor
from webui.bots import actions as bot_actions
from webui.bots import retirement
from webui.bots.models import Bot
from webui.core.errors import BadRequest, NotFound
from webui.matches import ending, ownership, queries
from webui.matches import values as match_values
from webui.matches.models import Match, Participant
from webui.pairing.models import Exclusion
from webui.staff import locks, match_queries, orders
from webui.staff.models import MatchOrder

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("again", [False, True])
def test_an_ordered_void_is_carried_out_once(kit: Kit, staff: Actor, again: bool) -> None:
    claim = kit.claim(kit.match(kit.versions(3)))
    Writer(claim).append(play_out(claim).entries[:30])
    kind = "void_again" if again else "void"
    assert orders.order_match(claim.match_id, kind, WHY, by=staff)
    assert not orders.order_match(claim.match_id, kind, WHY, by=staff), "the same once more"
    with pytest.raises(BadRequest, match="another order"):
        orders.order_match(claim.match_id, "void" if again else "void_again", WHY, by=staff)
    assert Match.objects.get(pk=claim.match_id).state == "RUNNING", "the site itself ends nothing"
    assert (orders.carry_out_orders(), orders.carry_out_orders()) == (1, 0)
    match = Match.objects.get(pk=claim.match_id)
    assert (match.state, match.reason, match.server_seed) == ("VOID", WHY, claim.server_seed.hex())
    successors = Match.objects.filter(replaces=match)
    assert successors.count() == again
    ((subject, reason, changes),) = entries(Act.MATCH_VOIDED)
    another = successors.get().pk if again else None
    assert (subject, reason) == (claim.match_id, WHY)
    assert changes == {"state": ["RUNNING", "VOID"], "played_again": [None, another]}
    order = match_queries.staff_match(claim.match_id).orders[0]
    assert (order.state, order.by, order.reason) == ("done", "warden", WHY)
    assert MatchOrder.objects.get().address == "", "it is in the audit log"
    assert AuditEntry.objects.get(act=Act.MATCH_VOIDED).address == staff.address
    with pytest.raises(match_values.LostOwnership):
        ownership.renew(claim.match_id, claim.epoch, LEASE)


def test_an_order_that_comes_too_late_is_refused(kit: Kit, staff: Actor) -> None:
    claim, played = kit.ready_to_finish()
    orders.order_match(claim.match_id, "void", WHY, by=staff)
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    assert orders.carry_out_orders() == 0
    assert match_queries.staff_match(claim.match_id).orders[0].state == "refused"
    assert Match.objects.get(pk=claim.match_id).state == "FINISHED" and entries(Act.MATCH_VOIDED) == []
    with pytest.raises(BadRequest, match="ended already"):
        orders.order_match(claim.match_id, "void", WHY, by=staff)


def test_who_is_no_longer_staff_orders_nothing(kit: Kit, staff: Actor) -> None:
    match = kit.match()
    orders.order_match(match, "void", WHY, by=staff)
    User.objects.filter(pk=staff.user_id).update(is_staff=False)
    assert orders.carry_out_orders() == 0 and Match.objects.get(pk=match).state == "SCHEDULED"
    assert match_queries.staff_match(match).orders[0].state == "refused"


def test_a_fault_of_ours_leaves_the_order_and_the_others(
    kit: Kit, staff: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = kit.match(), kit.match()
    for match in (first, second):
        orders.order_match(match, "void", WHY, by=staff)
    original = ending.void_match

    def fail(match_id: str, *arguments: Any, **more: Any) -> bool:
        done = original(match_id, *arguments, **more)
        if match_id == first:
            raise RuntimeError("killed in the middle")
        return done

    with monkeypatch.context() as patched:
        patched.setattr("webui.staff.orders.void_match", fail)
        assert orders.carry_out_orders() == 1
    assert [Match.objects.get(pk=match).state for match in (first, second)] == ["SCHEDULED", "VOID"]
    assert orders.carry_out_orders() == 1 and Match.objects.get(pk=first).state == "VOID"
    assert len(entries(Act.MATCH_VOIDED)) == 2


def test_a_match_without_a_result_is_played_again_once(kit: Kit, staff: Actor) -> None:
    versions = kit.versions(3)
    claim = kit.claim(kit.match(versions))
    ending.abort_match(claim.match_id, claim.epoch, "NO_ANSWER")
    orders.order_match(claim.match_id, "again", WHY, by=staff)
    assert orders.carry_out_orders() == 1
    another = Match.objects.get(replaces=claim.match_id)
    seats = Participant.objects.filter(match=another).order_by("seat").values_list("version", flat=True)
    assert list(seats) == versions and another.rated and another.ladder == Match.objects.get(pk=claim.match_id).ladder
    secret, former = another.secret, Match.objects.get(pk=claim.match_id).secret  # type: ignore[attr-defined]
    assert secret.server_seed != former.server_seed
    assert ending.play_again(claim.match_id, WHY, by=staff) == another.pk, "the first answer"
    assert entries(Act.MATCH_AGAIN) == [(claim.match_id, WHY, {"played_again": [None, another.pk]})]


def test_what_has_a_result_or_goes_on_is_not_played_again(kit: Kit, staff: Actor) -> None:
    finished, running = kit.finish().match_id, kit.match()
    for match in (finished, running):
        with pytest.raises(BadRequest):
            ending.play_again(match, WHY, by=staff)
        with pytest.raises(BadRequest):
            orders.order_match(match, "again", WHY, by=staff)
        assert not match_queries.staff_match(match).can_be_played_again
    with pytest.raises(NotFound):
        orders.order_match("nope", "void", WHY, by=staff)
    for reason in ("", " ", "x" * 201, "a\u202eb"):
        with pytest.raises(BadRequest):
            orders.order_match(running, "void", reason, by=staff)
    assert not MatchOrder.objects.exists()


@pytest.mark.parametrize("kept_off", ["locked", "paused", "retired", "retired version", "owner", "taken off"])
def test_nothing_is_played_again_with_a_bot_that_may_not_play(kit: Kit, staff: Actor, kept_off: str) -> None:
    aborted, running = (kit.claim(kit.match(kit.versions(2))) for _ in range(2))
    ending.abort_match(aborted.match_id, aborted.epoch, "seat 1 declined", declined=[1])
    for claim in (aborted, running):
        seat = claim.seats[0]
        bot = Bot.objects.get(versions=seat.version_id)
        match kept_off:
            case "locked":
                locks.lock_bot(bot.pk, WHY, by=staff)
            case "paused":
                bot_actions.set_bot_state(bot.pk, "PAUSED")
            case "retired":
                retirement.retire_bot(bot.pk)
            case "retired version":
                retirement.retire_version(bot.pk, bot.versions.get(pk=seat.version_id).name)
            case "owner":
                User.objects.filter(pk=bot.owner_id).update(is_active=False)
            case "taken off":
                Exclusion.objects.create(version_id=seat.version_id, matches=["m"])
    with pytest.raises(BadRequest, match="may not play"):
        ending.play_again(aborted.match_id, WHY, by=staff)
    with pytest.raises(BadRequest, match="may not play"):
        ending.void_match(running.match_id, WHY, again=True, by=staff)
    assert Match.objects.count() == 2 and Match.objects.get(pk=running.match_id).state == "RUNNING"
    assert ending.void_match(running.match_id, WHY, again=False, by=staff)


def test_the_pages_of_two_matches_do_not_name_each_other_before_the_second_has_begun(kit: Kit, staff: Actor) -> None:
    claim = kit.claim(kit.match(kit.versions(3)))
    ending.abort_match(claim.match_id, claim.epoch, "seat 1 declined", declined=[1])
    another = ending.play_again(claim.match_id, WHY, by=staff)
    assert queries.match_page(claim.match_id).replaced_by is queries.match_page(another).replaces is None
    Writer(begun := kit.claim(another)).append(play_out(begun).entries[:30])
    assert queries.match_page(claim.match_id).replaced_by == another
    assert queries.match_page(another).replaces == claim.match_id


def test_a_match_of_an_examination_is_played_again_by_that(kit: Kit, staff: Actor) -> None:
    match = kit.match(rated=False)
    version = Participant.objects.filter(match=match).first()
    assert version is not None
    Exclusion.objects.create(version=version.version, matches=[], asked_at="2026-01-01T00:00:00Z", examination_id=match)
    ending.void_match(match, WHY, again=False)
    assert not match_queries.staff_match(match).can_be_played_again
    with pytest.raises(BadRequest, match="part of"):
        ending.play_again(match, WHY, by=staff)


def test_the_operator_voids_and_has_played_again_by_command(kit: Kit) -> None:
    match = kit.match()
    assert run("void", match, "--reason", WHY) == f"void {match}: done\n"
    assert entries(Act.MATCH_VOIDED)[0][:2] == (match, WHY)
    another = Match.objects.exclude(pk=match)
    assert not another.exists()
    assert run("again", match, "--reason", WHY) == f"again {match}: done\n" and another.count() == 1
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
