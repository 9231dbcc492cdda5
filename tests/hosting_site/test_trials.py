"""Trials as jobs of runners: claims, leases, turns, limits, and what the tables refuse."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from arena.hosting.messages import TrialInfo, TrialOutcome, TrialOutput
from webui.accounts import actions as account_actions
from webui.core import subjects
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.core.upkeep import UpkeepWorker
from webui.hosting import actions as hosting_actions
from webui.hosting import queries as hosting_queries
from webui.hosting.values import JobLost
from webui.writing import actions, jobs, queries
from webui.writing.models import Trial, TrialState

pytestmark = pytest.mark.django_db

BOT = "print('hello')\n"
OUTCOME = TrialOutcome(
    replay="{}", outputs=(TrialOutput(index=3, stdout="phase bid\n"),), answers=40, slowest_ms=12, processor_ms=300
)


def ask(address: str = "203.0.113.1", user: int | None = None, source: str = BOT) -> str:
    """Ask for a trial, and return its key."""
    return actions.try_source(user, address, source, "greedy")


def take(runner: int, key: str = "") -> TrialInfo:
    """Have a runner take a trial, of which there is one."""
    trial = jobs.take_trial(runner, key)
    assert trial is not None
    return trial


def state(key: str) -> str:
    return Trial.objects.get(key=key).state


def expire() -> None:
    """Let all leases end, as if their runners had been silent."""
    Trial.objects.filter(leased_by__isnull=False).update(lease_expires_at=before_now(1))


def test_a_trial_is_played_once_and_its_outcome_is_shown(runner: int) -> None:
    key = ask(source="import this\r\n")
    assert (queries.trial(key).source, queries.trial(key).opponent) == ("import this\n", "greedy")
    trial = take(runner)
    assert (trial.source, trial.opponent, trial.epoch, len(trial.seed)) == ("import this\n", "greedy", 1, 64)
    assert jobs.take_trial(runner) is None
    jobs.note_trial(runner, trial.id, trial.epoch, 17)
    assert (state(key), queries.trial(key).decisions) == ("PLAYING", 17)
    for _ in range(2):  # the answer to the first report may have been lost
        jobs.finish_trial(runner, trial.id, trial.epoch, OUTCOME)
    shown = queries.trial(key)
    assert (shown.state, shown.is_open, shown.outcome) == ("DONE", False, OUTCOME)
    with pytest.raises(JobLost):
        jobs.note_trial(runner, trial.id, trial.epoch, 18)


def test_the_mark_moves_with_the_page_and_ends_with_the_trial(runner: int) -> None:
    first, key = ask("203.0.113.1"), ask("203.0.113.2")
    marks = [queries.trial_mark(key)]
    assert marks[0] == queries.trial_mark(key) and queries.trial(key).before == 1
    other = take(runner)
    assert state(first) == "PLAYING"
    jobs.finish_trial(runner, other.id, other.epoch, OUTCOME)
    marks.append(queries.trial_mark(key))
    trial = take(runner)
    marks.append(queries.trial_mark(key))
    jobs.note_trial(runner, trial.id, trial.epoch, 5)
    marks.append(queries.trial_mark(key))
    jobs.finish_trial(runner, trial.id, trial.epoch, OUTCOME)
    marks.append(queries.trial_mark(key))
    assert len({mark.mark for mark in marks}) == 5
    assert [mark.is_settled for mark in marks] == [False] * 4 + [True]
    for find in (queries.trial, queries.trial_mark):
        with pytest.raises(NotFound):
            find("nothing")


def test_a_lost_runner_is_no_fault_of_the_bot(runner: int) -> None:
    key = ask()
    for epoch in (1, 2):
        assert take(runner).epoch == epoch
        expire()
        jobs.expire_leases()
        assert (state(key), queries.trial(key).failures) == ("QUEUED", epoch)
    late = take(runner)
    expire()
    jobs.expire_leases()
    assert (state(key), queries.trial(key).failures) == ("FAILED", 3)
    with pytest.raises(JobLost):
        jobs.finish_trial(runner, late.id, late.epoch, OUTCOME)


def test_a_trial_is_free_again_though_no_runner_calls(runner: int) -> None:
    key = ask()
    take(runner)
    expire()
    jobs.expire_now(cast(UpkeepWorker, None))
    assert state(key) == "QUEUED"


def test_a_former_holder_writes_nothing_more(runner: int) -> None:
    key = ask()
    old = take(runner)
    expire()
    new = take(runner)  # the call ends expired leases first
    assert (new.id, new.epoch) == (old.id, old.epoch + 1)
    for write in (
        lambda: jobs.note_trial(runner, old.id, old.epoch, 5),
        lambda: jobs.finish_trial(runner, old.id, old.epoch, OUTCOME),
    ):
        with pytest.raises(JobLost):
            write()
    jobs.return_trial(runner, old.id, old.epoch, is_failure=True)
    assert (state(key), queries.trial(key).failures) == ("PLAYING", 1)


def test_another_runner_writes_nothing(runner: int) -> None:
    other = hosting_queries.runner_of_token(hosting_actions.register_runner("runner 2"))
    assert other is not None
    ask()
    trial = take(runner)
    with pytest.raises(JobLost):
        jobs.finish_trial(other, trial.id, trial.epoch, OUTCOME)


def test_a_call_that_is_repeated_gets_the_same_trial(runner: int) -> None:
    ask("203.0.113.1"), ask("203.0.113.2")
    assert take(runner, "a") == take(runner, "a")
    assert take(runner, "b").id != take(runner, "a").id


def test_a_runner_that_stops_gives_its_trial_back(runner: int) -> None:
    key = ask()
    trial = take(runner)
    jobs.return_trial(runner, trial.id, trial.epoch, is_failure=False)
    assert (state(key), queries.trial(key).failures, take(runner).epoch) == ("QUEUED", 0, 2)


def test_a_paused_runner_takes_none(runner: int) -> None:
    ask()
    hosting_actions.pause_runner(runner, is_paused=True)
    assert jobs.take_trial(runner) is None


def test_an_asker_has_one_trial_at_a_time_and_waits_for_the_others(runner: int) -> None:
    ada = account_actions.create_user("ada", None)
    of_guest = [ask("203.0.113.1") for _ in range(3)]
    of_user = [ask("203.0.113.1", ada) for _ in range(2)]

    def key(trial: TrialInfo) -> str:
        return Trial.objects.values_list("key", flat=True).get(pk=trial.id)

    first, second = take(runner), take(runner)
    assert [key(first), key(second)] == [of_guest[0], of_user[0]]
    assert jobs.take_trial(runner) is None, "all others are of the same two"
    jobs.finish_trial(runner, second.id, second.epoch, OUTCOME)
    third = take(runner)
    assert key(third) == of_user[1]
    jobs.finish_trial(runner, first.id, first.epoch, OUTCOME)
    of_other = ask("203.0.113.2")
    assert key(take(runner)) == of_other, "who has had none comes before who has had one"
    assert queries.trial(of_guest[2]).before == 1


@pytest.mark.parametrize(
    ("source", "opponent", "words"),
    [
        ("", "greedy", "there is no program"),
        (" \n\t\n", "greedy", "there is no program"),
        ("x = 1\0", "greedy", "a zero byte"),
        ("x" * 65_537, "greedy", "65,537 bytes, and the page takes 65,536"),
        ("é" * 32_769, "greedy", "65,538 bytes"),
        ("x = '\ud800'", "greedy", "not UTF-8"),
        (BOT, "search-3", "'search-3' is no opponent: choose one of random, greedy"),
        (BOT, "", "'' is no opponent"),
    ],
)
def test_bad_input_is_refused(source: str, opponent: str, words: str) -> None:
    with pytest.raises(BadRequest) as refused:
        actions.try_source(None, "203.0.113.1", source, opponent)
    assert words in str(refused.value)
    assert not Trial.objects.exists()


def test_the_largest_program_is_taken() -> None:
    assert len(queries.trial(ask(source="x" * 65_536)).source) == 65_536


def test_what_waits_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    ada = account_actions.create_user("ada", None)
    ask(user=ada), ask(user=ada)
    for _ in range(10):
        ask()
    for user in (ada, None):
        with pytest.raises(TooMany, match="wait"):
            ask(user=user)
    monkeypatch.setattr(actions, "MOST_AN_HOUR", 10)
    Trial.objects.update(state=TrialState.FAILED, ended_at=Now())
    with pytest.raises(TooMany, match="within an hour"):
        ask()
    Trial.objects.update(created_at=before_now(3601))
    ask()


def test_a_full_queue_admits_who_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ada = account_actions.create_user("ada", None)
    for _ in range(3):
        ask()
    monkeypatch.setattr(actions, "MOST_WAITING", 3)
    with pytest.raises(TooMany, match="too many programs"):
        ask()
    assert state(ask(user=ada)) == state(ask("203.0.113.9")) == "QUEUED"
    for user, address in ((ada, "203.0.113.1"), (None, "203.0.113.9")):
        with pytest.raises(TooMany, match="too many programs"):
            ask(address, user)
    monkeypatch.setattr(actions, "MOST_WAITING_AT_ALL", 5)
    with pytest.raises(TooMany, match="too many programs"):
        ask("203.0.113.10")


def test_the_first_trial_of_everybody_comes_before_the_second_of_anybody(runner: int) -> None:
    first = [ask("203.0.113.1") for _ in range(3)]
    second = [ask("203.0.113.2") for _ in range(2)]
    third = ask("203.0.113.3")
    expected = [first[0], second[0], third, first[1], second[1], first[2]]
    assert [queries.trial(key).before for key in expected] == [0, 1, 2, 3, 4, 5]
    for key in expected:
        trial = take(runner)
        assert Trial.objects.get(pk=trial.id).key == key
        jobs.finish_trial(runner, trial.id, trial.epoch, OUTCOME)
    Trial.objects.update(created_at=before_now(3601))
    assert Trial.objects.get(key=ask("203.0.113.1")).turn == 0


def test_an_outcome_has_a_greatest_size(runner: int) -> None:
    ask()
    trial = take(runner)
    for outcome in (TrialOutcome(replay="x" * (jobs.LONGEST_REPLAY + 1)), TrialOutcome(fault_text="x" * 1_100_000)):
        with pytest.raises(BadRequest):
            jobs.finish_trial(runner, trial.id, trial.epoch, outcome)


def test_what_a_bot_wrote_can_be_stored_whatever_it_is(runner: int) -> None:
    key = ask()
    trial = take(runner)
    output = TrialOutput(stdout="a\0b\x1b[31m\u2028<script>", stderr="é\ufffe")
    jobs.finish_trial(runner, trial.id, trial.epoch, TrialOutcome(outputs=(output,)))
    outcome = queries.trial(key).outcome
    assert outcome is not None and outcome.outputs == (output,)


def test_an_address_is_not_stored_in_clear_text_and_all_goes_after_a_day() -> None:
    ada = account_actions.create_user("ada", None)
    old, new = ask(), ask(user=ada)
    assert "203.0.113" not in json.dumps(list(Trial.objects.values("asker", "key", "source")))
    Trial.objects.filter(key=old).update(created_at=before_now(86_401))
    subjects.let_go()
    assert list(Trial.objects.values_list("key", flat=True)) == [new]


def test_trials_are_data_of_their_author() -> None:
    ada = account_actions.create_user("ada", None)
    ask(user=ada), ask()
    (subject,) = [one for one in subjects.subjects() if Trial in one.gateway_rights]
    assert [one["source"] for one in subject.personal_data(ada)["trials"]] == [BOT]
    subject.erase(ada)
    assert list(Trial.objects.values_list("author", flat=True)) == [None]


@pytest.mark.parametrize(
    "values",
    [
        {"state": "LOST"},
        {"state": "PLAYING"},
        {"state": "DONE", "ended_at": Now()},
        {"state": "FAILED"},
        {"ended_at": Now()},
        {"outcome": "{}"},
        {"lease_expires_at": Now()},
    ],
)
def test_the_database_refuses_what_cannot_be(values: dict[str, Any]) -> None:
    key = ask()
    with pytest.raises(IntegrityError), transaction.atomic():
        Trial.objects.filter(key=key).update(**values)
