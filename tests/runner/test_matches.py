"""Real matches between hosted bots, with a real referee, while runners and Redis are killed and stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.kit.until import until
from tests.kit.users import USERS, process_user
from tests.runner.conftest import FIRST
from tests.runner.running import HostedArena, RunnerProcess, hosting_arena


@pytest.fixture(scope="module", params=USERS)
def hosted_arena(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[HostedArena]:
    user = process_user(request.param)
    with django_db_blocker.unblock(), hosting_arena(user, {"ada": FIRST, "bob": FIRST}) as hosted:
        yield hosted


@contextmanager
def two_runners(hosted: HostedArena) -> Iterator[tuple[RunnerProcess, RunnerProcess]]:
    """Yield a runner that plays, and another one that could take over from it."""
    runners = hosted.start_runner(), hosted.start_runner()
    try:
        yield runners
    finally:
        for runner in runners:
            runner.process.kill()
            runner.process.wait()


def test_two_hosted_bots_play_a_match_and_leave_nothing(hosted_arena: HostedArena) -> None:
    runner = hosted_arena.start_runner()
    try:
        hosted_arena.play("whole", "ada", "bob")
        hosted_arena.check("whole")
        begun = time.monotonic()
        until(lambda: not hosted_arena.left(), "the end of all sandboxes")
        print(f"gone {time.monotonic() - begun:.2f} s after the end of the match")
        until(lambda: not hosted_arena.holders("whole"), "that no runner announces the match")
        until(lambda: len(runner.reports()) == 2, "the reports on both seats")
    finally:
        runner.process.kill()
        runner.process.wait()


def kill(hosted: HostedArena, runner: RunnerProcess) -> None:
    runner.process.kill()


def drain(hosted: HostedArena, runner: RunnerProcess) -> None:
    runner.process.terminate()
    runner.process.wait()
    assert "drained" in runner.log.read_text()


def stop_for_long(hosted: HostedArena, runner: RunnerProcess) -> None:
    """Stop a runner until the other one has taken over, and let it run on."""
    runner.process.send_signal(signal.SIGSTOP)
    until(
        lambda: not any(runner_id in runner.log.read_text() for runner_id in hosted.holders(stop_for_long.__name__)),
        "a hand-over",
    )
    runner.process.send_signal(signal.SIGCONT)


def stop_for_a_moment(hosted: HostedArena, runner: RunnerProcess) -> None:
    runner.process.send_signal(signal.SIGSTOP)
    time.sleep(3)
    runner.process.send_signal(signal.SIGCONT)


def restart_redis(hosted: HostedArena, runner: RunnerProcess) -> None:
    hosted.arena.redis.kill()
    hosted.arena.redis.start()


@pytest.mark.soak
@pytest.mark.parametrize("harm", [kill, drain, stop_for_long, stop_for_a_moment, restart_redis])
def test_a_match_goes_on_whatever_happens_to_its_runner(
    hosted_arena: HostedArena, harm: Callable[[HostedArena, RunnerProcess], None]
) -> None:
    match = harm.__name__
    with two_runners(hosted_arena) as runners:
        hosted_arena.play(match, "ada", "bob")
        hosted_arena.wait_for_length(match, 30)
        holder = next(runner for runner in runners if runner.sandboxes())
        harm(hosted_arena, holder)
        hosted_arena.check(match)
        until(lambda: not any(runner.groups() for runner in runners if runner.process.poll() is None), "no sandbox")
