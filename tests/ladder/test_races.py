"""Real processes on one database file: whatever they do at the same moment, it happens once and in one order."""

from typing import Any

import pytest

from arena.referee import Entry
from tests.kit.ladder import Kit
from tests.ladder.rivals import Rival
from webui.accounts import actions as account_actions
from webui.bots import queries as bot_queries
from webui.bots.models import Bot, BotVersion
from webui.core.dbtime import before_now
from webui.ladders.models import Ladder
from webui.matches import ownership
from webui.matches.models import LogRow, Match, MatchRecord
from webui.ratings import folding
from webui.ratings.models import RatingEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database_specific]

ROUNDS = 10


def entries(who: str, length: int) -> list[list[Any]]:
    return [[number, "decision", 1, f"{who} {number}", None] for number in range(length, length + 3)]


@pytest.mark.slow
def test_of_all_claimers_one_gets_the_match(kit: Kit, rivals: list[Rival]) -> None:
    processes = rivals
    versions = kit.versions(2)
    for _ in range(ROUNDS):
        match_id = kit.match(versions)
        for number, process in enumerate(processes):
            process.tell("claim", match_id, f"owner {number}", 60)
        claims = [process.answer() for process in processes]
        assert sorted(claim is not None for claim in claims) == [False, False, False, True]
        winner = next(number for number, claim in enumerate(claims) if claim)
        row = Match.objects.get(pk=match_id)
        assert (row.owner, row.epoch, row.state) == (f"owner {winner}", 1, "RUNNING")


def test_of_two_appends_at_one_length_one_is_written_whole(kit: Kit, rivals: list[Rival]) -> None:
    one, two = rivals[:2]
    match_id = kit.match()
    epoch = kit.claim(match_id).epoch
    for number in range(ROUNDS):
        length = 3 * number
        one.tell("append", match_id, epoch, length, entries("one", length), 60)
        two.tell("append", match_id, epoch, length, entries("two", length), 60)
        assert sorted([str(one.answer()), str(two.answer())]) == ["LOST_OWNERSHIP", "None"]
        written = LogRow.objects.filter(match_id=match_id, number__gte=length).values_list("text", flat=True)
        assert len({text.split()[0] for text in written}) == 1
    numbers = list(LogRow.objects.filter(match_id=match_id).values_list("number", flat=True))
    assert numbers == list(range(3 * ROUNDS)) and Match.objects.get().length == 3 * ROUNDS


@pytest.mark.slow
def test_two_finishes_of_one_match_are_one(kit: Kit, rivals: list[Rival]) -> None:
    one, two = rivals[:2]
    versions = kit.versions(2)
    for number in range(1, ROUNDS + 1):
        claim, played = kit.ready_to_finish(versions)
        for process in (one, two):
            process.tell("finish", claim.match_id, claim.epoch, played.verdict, played.document)
        first, second = one.answer(), two.answer()
        assert first == second
        assert first[2] == number
    assert RatingEntry.objects.count() == 2 * ROUNDS
    assert MatchRecord.objects.count() == ROUNDS


@pytest.mark.slow
def test_matches_that_finish_together_take_numbers_without_a_gap(kit: Kit, rivals: list[Rival]) -> None:
    processes = rivals[:3]
    versions = kit.versions(3)
    for _ in range(ROUNDS):
        for process in processes:
            claim, played = kit.ready_to_finish(versions)
            process.tell("finish", claim.match_id, claim.epoch, played.verdict, played.document)
        assert {process.answer()[0] for process in processes} == {"FINISHED"}
    numbers = Match.objects.order_by("ladder_number").values_list("ladder_number", flat=True)
    assert list(numbers) == list(range(1, 3 * ROUNDS + 1))
    ladder = Ladder.objects.get()
    assert ladder.finished == 3 * ROUNDS
    assert folding.rebuild_ratings(ladder.slug).differences == []


def test_a_release_and_a_sweep_free_a_match_once_and_two_sweepers_sweep_it_once(kit: Kit, rivals: list[Rival]) -> None:
    one, two = rivals[:2]
    match_id = kit.match()
    for number in range(ROUNDS):
        epoch = kit.claim(match_id, f"owner {number}").epoch
        assert epoch == number + 1
        ownership.append(match_id, epoch, number, [Entry(number, "note", 1, "x")], 60)
        Match.objects.update(lease_expires_at=before_now(1))
        one.tell("sweep")
        if number % 2:
            two.tell("sweep")
            assert sorted([one.answer(), two.answer()]) == [[], [match_id]]
        else:
            two.tell("release", match_id, epoch)
            swept, released = one.answer(), two.answer()
            assert (swept == [match_id]) != released
        row = Match.objects.get()
        assert (row.state, row.owner, row.epoch) == ("SCHEDULED", "", epoch)


def test_a_renewal_or_a_sweep_wins_never_both(kit: Kit, rivals: list[Rival]) -> None:
    one, two = rivals[:2]
    match_id = kit.match()
    for number in range(ROUNDS):
        epoch = kit.claim(match_id, f"owner {number}").epoch
        ownership.append(match_id, epoch, number, [Entry(number, "note", 1, "x")], 60)
        Match.objects.update(lease_expires_at=before_now(1))
        one.tell("sweep")
        two.tell("renew", match_id, epoch, 60)
        swept, renewed = one.answer(), two.answer()
        assert (swept == [match_id]) == (renewed == "LOST_OWNERSHIP")
        ownership.release(match_id, epoch)


def test_a_version_that_dials_in_twice_is_registered_once(kit: Kit, rivals: list[Rival]) -> None:
    one, two = rivals[:2]
    kit.version()
    bot = Bot.objects.get()
    for number in range(ROUNDS):
        for process in (one, two):
            process.tell("ensure_version", bot.pk, f"v{number}")
        assert one.answer() == two.answer()
    assert BotVersion.objects.filter(bot=bot).count() == ROUNDS + 1
    assert bot_queries.own_bots(bot.owner_id)[0].versions == ROUNDS + 1


def test_a_request_with_a_key_is_done_once_at_once_and_after_a_kill(rivals: list[Rival]) -> None:
    user = account_actions.create_user("lena", None)
    for number in range(5):
        for rival in rivals:
            rival.tell("register_once", user, f"key {number}", f"Fox {number}", False)
        answers = [rival.answer() for rival in rivals]
        assert sorted(was_known for _, was_known in answers) == [False, True, True, True]
        assert len({body for body, _ in answers}) == 1
    doomed = Rival()
    assert doomed.answer() == "ready"
    doomed.tell("register_once", user, "key", "Camel", True)
    doomed.process.wait()
    assert Bot.objects.count() == 5
    rivals[0].tell("register_once", user, "key", "Camel", False)
    assert rivals[0].answer()[1] is False and Bot.objects.count() == 6
