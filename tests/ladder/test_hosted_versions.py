"""Hosted versions that play: the current ones, those that somebody has chosen, and none that is locked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from arena.rules import Ruleset
from tests.hosting_site.authors import Author
from tests.kit.ladder import Kit
from tests.ladder.online import Online, tables
from tests.ladder.organised import Organised
from tests.ladder.test_places import Wish, challenge, comparison, examination, rated
from webui.bots.models import BotVersion
from webui.comparisons import actions as comparison_actions
from webui.core.errors import BadRequest
from webui.events import actions as event_actions
from webui.hosting import actions, jobs, queries
from webui.hosting.house import withdraw_house_versions
from webui.hosting.models import HostedVersion, Submission
from webui.matches.models import Match
from webui.pairing import matchmaking
from webui.pairing.models import Exclusion

pytestmark = pytest.mark.django_db


class IdleWorker:
    """The upkeep, as far as tasks need it."""

    def is_stopping(self) -> bool:
        return False


def keep() -> None:
    jobs.keep_versions_now(IdleWorker())  # type: ignore[arg-type]


def offered() -> dict[int, bool]:
    """Return whether runners offer each hosted version."""
    return {version.version: version.is_offered for version in queries.hosted_versions()}


def online() -> list[Online]:
    """Return the sessions that one runner announces."""
    return [
        Online(version.version, 50, (2, 3, 4), ("artisans",), leaving=not version.is_offered, places=50)
        for version in queries.hosted_versions()
    ]


@pytest.fixture
def runner() -> int:
    found = queries.runner_of_token(actions.register_runner("runner"))
    assert found is not None
    return found


def test_an_event_plays_with_its_versions_when_newer_ones_are_submitted(kit: Kit, tmp_path: Path, runner: int) -> None:
    cup = Organised(kit, 0, entry={"hosted_bots_only": True})
    authors = [Author(name, tmp_path) for name in ("amina", "basil")]
    for author in authors:
        author.host("v1", runner)
        event_actions.enter_event(cup.slug, BotVersion.objects.get(bot=author.bot).bot.slug, author.user)
    cup.start()
    keep()
    first = set(BotVersion.objects.filter(name="v1").values_list("pk", flat=True))
    images = dict(HostedVersion.objects.values_list("pk", "image"))
    for author in authors:
        author.host("v2", runner, "print('better')")
    second = set(BotVersion.objects.filter(name="v2").values_list("pk", flat=True))
    Exclusion.objects.all().delete()
    keep()
    assert offered() == dict.fromkeys(first | second, True), "nobody needs to be online"
    cup.online = online()
    cup.advance()
    [event_match] = cup.scheduled()
    assert set(tables([event_match])[0]) == first
    assert {pk: image for pk, image in HostedVersion.objects.values_list("pk", "image") if pk in first} == images
    [rated_match] = matchmaking.matchmake(online(), 1)
    assert set(tables([rated_match])[0]) == second, "ladders play with the current versions alone"


def test_a_comparison_of_hosted_versions_is_played(kit: Kit, tmp_path: Path, runner: int) -> None:
    author = Author("amina", tmp_path)
    author.host("v1", runner)
    author.host("v2", runner, "print('better')")
    Exclusion.objects.all().delete()
    old, new = BotVersion.objects.order_by("pk").values_list("pk", flat=True)
    assert offered() == {new: True}
    compared = comparison_actions.compare_versions(author.user, new, old, Ruleset(2))
    keep()
    comparison_actions.advance_comparisons(online(), 9)
    assert set(tables(list(Match.objects.values_list("pk", flat=True)[:1]))[0]) == {new, old}
    comparison_actions.stop_comparison(compared)
    keep()
    assert offered() == {new: True, old: False}, "it finishes its matches"


def test_a_locked_version_is_neither_built_nor_offered_nor_chosen(tmp_path: Path, runner: int) -> None:
    author = Author("amina", tmp_path)
    first = author.host("v1", runner)
    version = BotVersion.objects.get().pk
    assert actions.lock_submission(first.id, "It attacks its sandbox.")
    assert not actions.lock_submission(first.id, "Twice.") and offered() == {}
    with pytest.raises(BadRequest, match="It attacks its sandbox"):
        actions.use_version(author.bot, version)
    second = author.submit("v2", "print(2)")
    job = jobs.take_job(runner)
    assert job is not None and job.id == second.id
    assert actions.lock_submission(second.id, "It mines.")
    with pytest.raises(jobs.JobLost):
        jobs.finish_build(job.id, job.epoch, job.source)
    assert jobs.take_job(runner) is None
    assert actions.unlock_submission(second.id) and not actions.unlock_submission(second.id)
    again = jobs.take_job(runner)
    assert again is not None and again.epoch == job.epoch + 1
    assert actions.unlock_submission(first.id) and offered() == {version: True}


@pytest.mark.parametrize("wished", [rated, examination, challenge, comparison])
def test_no_maker_of_matches_takes_a_locked_version(kit: Kit, wished: Callable[[Kit], Wish]) -> None:
    wish = wished(kit)
    locked = wish.versions[0]
    kit.host(locked)
    sessions = on_a_runner(locked, wish.versions)
    actions.lock_submission(Submission.objects.get().pk, "It attacks its sandbox.")
    wish.make(sessions)
    assert not Match.objects.exists(), "although its runner has not heard of the lock yet"
    actions.unlock_submission(Submission.objects.get().pk)
    wish.make(sessions)
    assert Match.objects.filter(participants__version=locked).exists()


def on_a_runner(hosted: int, versions: Sequence[int]) -> list[Online]:
    return [Online(version, capacity=4, places=8 if version == hosted else 0) for version in versions]


def test_a_paused_runner_gets_no_jobs(tmp_path: Path, runner: int) -> None:
    author = Author("amina", tmp_path)
    author.submit("v1")
    assert actions.pause_runner(runner, is_paused=True) and not actions.pause_runner(runner, is_paused=True)
    assert queries.is_paused(runner) and jobs.take_job(runner) is None
    assert actions.pause_runner(runner, is_paused=False) and not queries.is_paused(runner)
    assert actions.pause_hosting(is_paused=True) and not actions.pause_hosting(is_paused=True)
    assert queries.is_paused(runner) and jobs.take_job(runner) is None
    assert actions.pause_hosting(is_paused=False) and not actions.pause_hosting(is_paused=False)
    assert jobs.take_job(runner) is not None


def test_house_bots_that_dial_in_again_play_and_take_no_places(kit: Kit) -> None:
    house = [kit.hosted_version(is_house=True) for _ in range(2)]
    withdraw_house_versions(BotVersion.objects.get(pk=house[0]).bot.owner_id)
    withdraw_house_versions(BotVersion.objects.get(pk=house[1]).bot.owner_id)
    assert matchmaking.matchmake([Online(version, capacity=1, player_counts=(2,)) for version in house], 9)
    hosted = [kit.hosted_version() for _ in range(2)]
    assert matchmaking.matchmake([Online(version, 50, (2,), places=2) for version in hosted], 9)
