"""Stories: made once for each match that has finished, replaced by a better evaluator, and told to nobody too early."""

from __future__ import annotations

import signal
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.story import DecidedBy, Evaluation, Loss, Point, StoryValues, TurningKind, TurningPoint
from tests.kit.ladder import LEASE, Kit
from tests.ladder.rivals import Rival
from webui.accounts import actions as account_actions
from webui.core.upkeep import UpkeepWorker
from webui.events import actions as event_actions
from webui.events.models import EventMatch, EventRow
from webui.matches import ending, ownership
from webui.matches.models import Match, MatchRecord
from webui.status import actions as status_actions
from webui.stories import actions as story_actions
from webui.stories import queries as story_queries
from webui.stories.models import Story, pack_story, unpack_losses, unpack_story
from webui.stories.values import StorySummary

pytestmark = pytest.mark.django_db

POINTS = (Point(0, (0.5, 0.5), 0.02), Point(40, (0.7, 0.3), 0.015), Point(90, (1.0, 0.0), 0.0))
TURNS = (
    TurningPoint(12, 40, 1, 1, TurningKind.DJINN, "jafaar", 9, 0.2),
    TurningPoint(40, 90, 2, 1, TurningKind.GAIN, "", -3, 0.3),
)


def evaluation(excitement: float = 0.5, **values: object) -> Evaluation:
    told = {"winners": (1,), "margin": 12, "lead_changes": 9, "decided_by": DecidedBy.DJINN, "decided_what": "jafaar"}
    return Evaluation(POINTS, TURNS, StoryValues(**{**told, "excitement": excitement, **values}))  # type: ignore[arg-type]


def quick(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """An evaluator that takes no time; the records it was given."""
    seen: list[object] = []

    def evaluate(record: dict[str, object]) -> Evaluation:
        seen.append(record["match"])
        return evaluation()

    monkeypatch.setattr("webui.stories.actions.evaluate", evaluate)
    return seen


def test_a_story_is_read_as_it_was_written(kit: Kit) -> None:
    match_id = kit.finish().match_id
    assert story_queries.stories([match_id]) == {} and story_queries.story(match_id) is None
    assert story_actions.write_story(match_id, evaluation())
    summary = StorySummary(0.5, 9, 12, (1,), "DJINN", "jafaar")
    assert story_queries.stories([match_id, "nothing"]) == {match_id: summary}
    page = story_queries.story(match_id)
    assert page is not None and (page.summary, page.points, page.turning_points) == (summary, POINTS, TURNS)
    row = Story.objects.get()
    finished_at = Match.objects.get().finished_at
    assert finished_at is not None and row.day == finished_at.astimezone(UTC).date()


def test_summaries_of_any_number_of_matches_take_one_query(
    kit: Kit, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    ids = [kit.finish().match_id for _ in range(4)]
    for match_id in ids:
        story_actions.write_story(match_id, evaluation())
    with django_assert_num_queries(1):  # type: ignore[operator]
        assert set(story_queries.stories(ids)) == set(ids)


def test_a_story_is_written_once_and_replaced_by_a_later_evaluator_alone(kit: Kit) -> None:
    match_id = kit.finish().match_id
    assert story_actions.write_story(match_id, evaluation(0.5), 1)
    assert not story_actions.write_story(match_id, evaluation(0.9), 1)
    assert story_queries.stories([match_id])[match_id].excitement == 0.5
    assert story_actions.write_story(match_id, evaluation(0.9), 2)
    assert not story_actions.write_story(match_id, evaluation(0.1), 1)
    assert story_queries.stories([match_id])[match_id].excitement == 0.9 and Story.objects.get().version == 2
    assert story_actions.write_story(match_id, None, 3) and not Story.objects.exists(), "a later one finds none"


def test_a_match_that_has_not_finished_gets_none(kit: Kit) -> None:
    claim, played = kit.ready_to_finish()
    waiting = kit.match()
    assert not story_actions.write_story(claim.match_id, evaluation()) and not story_actions.write_story(
        waiting, evaluation()
    )
    ownership.append(claim.match_id, claim.epoch, len(played.entries), [], LEASE)
    ending.void_match(claim.match_id, "the arena could not go on", again=False)
    assert not story_actions.write_story(claim.match_id, evaluation()) and story_actions.make_stories(60) == 0


def test_the_newest_is_made_first_and_nothing_twice(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = quick(monkeypatch)
    ids = [kit.finish().match_id for _ in range(3)]
    for number, match_id in enumerate(ids):
        Match.objects.filter(pk=match_id).update(finished_at=timezone.now() - timedelta(hours=1 + number))
    assert story_actions.make_stories(0) == 1 and seen == ids[:1]
    newest = kit.finish().match_id
    assert story_actions.make_stories(60) == 3
    assert seen == [ids[0], newest, *ids[1:]]
    assert story_actions.make_stories(60) == 0 and len(seen) == 4


def test_stories_of_a_former_evaluator_are_made_anew_once_all_have_one(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = quick(monkeypatch)
    former, none = kit.finish().match_id, kit.finish().match_id
    story_actions.write_story(former, evaluation(), story_actions.VERSION - 1)
    assert story_actions.make_stories(60) == 2 and seen == [none, former]
    assert set(Story.objects.values_list("version", flat=True)) == {story_actions.VERSION}


def test_a_record_of_which_none_can_be_made_holds_no_other_up(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = quick(monkeypatch)
    sound, other_rules, broken, lost = (kit.finish().match_id for _ in range(4))  # the newest are looked at first
    MatchRecord.objects.filter(pk=lost).delete()
    MatchRecord.objects.filter(pk=broken).update(packed=b"no record")
    Match.objects.filter(pk=other_rules).update(rules="0")
    assert story_actions.make_stories(60) == 3 and seen == [sound]
    assert list(Story.objects.values_list("pk", flat=True)) == [sound] and story_actions.make_stories(60) == 0
    monkeypatch.setattr("webui.stories.actions.RULES", "0")
    assert (story_actions.make_stories(60), seen) == (1, [sound, other_rules]), "a worker that plays by them"
    Story.objects.update(version=0)
    Match.objects.update(story_version=0)
    assert (story_actions.make_stories(60), seen[2:]) == (1, [other_rules])
    assert set(Story.objects.values_list("pk", flat=True)) == {sound, other_rules}, "that of other rules stays"


def test_an_evaluator_that_fails_keeps_no_other_match_waiting(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = quick(monkeypatch)
    sound, odd = (kit.finish().match_id for _ in range(2))
    evaluate = story_actions.evaluate

    def fails(record: dict[str, object]) -> Evaluation:
        found = evaluate(record)
        if seen == [odd]:
            raise ZeroDivisionError
        return found

    monkeypatch.setattr("webui.stories.actions.evaluate", fails)
    assert story_actions.make_stories(60) == 2 and list(Story.objects.values_list("pk", flat=True)) == [sound]


def test_an_overloaded_arena_makes_none(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "STORY_SECONDS", 60)
    seen = quick(monkeypatch)
    worker = UpkeepWorker(list, lambda: False, lambda _: None)
    match_id = kit.finish().match_id
    status_actions.announce_process("r1", "referee", "1.0", is_starved=True)
    story_actions.make_now(worker)
    assert not seen
    status_actions.announce_process("r1", "referee", "1.0")
    story_actions.make_now(worker)
    assert seen == [match_id]


def test_it_stops_when_the_worker_does(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    quick(monkeypatch)
    for _ in range(3):
        kit.finish()
    assert story_actions.make_stories(60, lambda: True) == 1


def test_hidden_matches_and_such_that_were_voided_are_told_to_nobody(kit: Kit) -> None:
    match_id, other = kit.finish().match_id, kit.finish().match_id
    for each in (match_id, other):
        story_actions.write_story(each, evaluation())
    owner = account_actions.create_user("lena", None)
    slug = event_actions.create_event(owner, {"name": "Cup", "format": {"kind": "swiss"}, "game": {"players": 2}})
    event = EventRow.objects.get(slug=slug)
    EventMatch.objects.create(event=event, match_id=match_id, round=1, table=1, game=1, attempt=1)
    EventRow.objects.filter(pk=event.pk).update(hidden=True, revealed=0)
    Match.objects.filter(pk=other).update(state="VOID", ladder_number=None)
    assert story_queries.stories([match_id, other]) == {} and story_queries.story(match_id) is None
    assert story_queries.best_matches(5) == []


def test_the_best_of_a_week_come_first_whatever_came_before(kit: Kit) -> None:
    now = datetime(2026, 5, 20, 12, tzinfo=UTC)
    days = {0: 0.4, 3: 0.8, 7: 0.6, 8: 0.9}
    ids = {}
    for ago, excitement in days.items():
        ids[ago] = kit.finish().match_id
        Match.objects.filter(pk=ids[ago]).update(finished_at=now - timedelta(days=ago))
        story_actions.write_story(ids[ago], evaluation(excitement))
    assert story_queries.best_matches(5, now=now) == [ids[3], ids[7], ids[0]]
    assert story_queries.best_matches(1, now=now) == [ids[3]]


def test_a_packed_story_is_small(kit: Kit) -> None:
    long = Evaluation(
        tuple(Point(7 * n, (0.213, 0.187, 0.34, 0.11, 0.15), 0.021) for n in range(70)),
        TURNS * 2,
        evaluation().values,
        tuple(Loss(9 * n, n % 5 + 1, n * 37 % 190 / 10) for n in range(50)),
    )
    packed = pack_story(long)
    assert len(packed) < 3000 and unpack_story(packed) == (long.points, long.turning_points)
    assert unpack_losses(packed) == long.losses


@pytest.mark.parametrize(
    "wrong",
    [{"excitement": 1.5}, {"decided_by": "LUCK"}, {"decided_what": ""}, {"decided_by": "TIE"}],
    ids=lambda wrong: next(iter(wrong.items())),
)
def test_the_table_refuses_what_no_story_is(kit: Kit, wrong: dict[str, object]) -> None:
    story_actions.write_story(kit.finish().match_id, evaluation())
    with pytest.raises(IntegrityError), transaction.atomic():
        Story.objects.update(**wrong)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_evaluators_that_are_killed_lose_nothing_and_two_at_once_write_once(kit: Kit) -> None:
    ids = [kit.finish().match_id for _ in range(3)]
    for dies_after in ("Match", "Story"):
        rival = Rival()
        assert rival.answer() == "ready"
        rival.tell("make_stories_and_die", dies_after)
        assert rival.process.wait(60) == -signal.SIGKILL
        rival.close()
        assert not Story.objects.exists() and not Match.objects.exclude(story_version=None).exists()
    pair = [Rival(), Rival()]
    assert [rival.answer() for rival in pair] == ["ready"] * 2
    for rival in pair:
        rival.tell("make_stories")
    assert sum(rival.answer() for rival in pair) == len(ids)
    for rival in pair:
        rival.close()
    assert set(story_queries.stories(ids)) == set(ids)
