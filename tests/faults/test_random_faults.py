"""A whole arena that is overloaded, while random processes of it are killed, stopped and restarted.

Some bots dial in, and others were submitted and are hosted. Runners are among the processes, and so is Redis.
`ARENA_FAULTS=40` makes fewer faults, `ARENA_FAULTS_SEED` chooses others, and `ARENA_FAULTS_LOAD` sets the number of
processes that want the processors as well.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings

from arena.host.places import Places
from arena.players import GRADED
from tests.e2e.holding import hold, show
from tests.e2e.playing import FAST, pause
from tests.e2e.processes import descendants
from tests.e2e.registering import register, submit
from tests.e2e.running import COMMAND, ROOT, RunningArena
from tests.faults import table
from tests.faults.test_overload import NORMAL_WITHIN_S, finished, is_normal, load, states
from tests.kit.kits import bot_environment
from tests.kit.lacking import give_up, require_sandboxes
from tests.kit.postgres_server import PostgresServer
from tests.kit.receiver import Receiver
from tests.kit.remains import groups_of, processes_that_use
from tests.kit.until import until
from webui.accounts.values import Actor
from webui.bots.models import Bot
from webui.hosting.models import HostedSeat
from webui.matches.models import Match, MatchState, Participant
from webui.webhooks import actions as webhook_actions
from webui.webhooks.models import Delivery, DeliveryState, WebhookKind
from webui.webhooks.values import WebhookTerms

FAULTS = int(os.environ.get("ARENA_FAULTS", "250"))
SEED = os.environ.get("ARENA_FAULTS_SEED", "1")
LOAD = int(os.environ.get("ARENA_FAULTS_LOAD", "100"))
OF_A_SESSION = 25
"""Number of these processes in a session. With fewer, a process that is killed takes minutes to become ready again."""
LONGEST_STOP_S = 20.0
READY_S = 60.0
"""Seconds for which every second fault waits until all processes are ready again. The others come before."""
REST_S = 600.0
"""Patience for the last matches, messages and rounds after the faults."""
GUESTS = {"ada": "Sirocco", "bob": "Simoom", "eve": "Mistral"}
HOSTED = {"joe": "Harmattan", "kim": "Zephyr"}
PROGRAM = """\
from arena.bots import Bot


class First(Bot):
    def choose(self, view, legal):
        return legal[0]
"""
ENTRANTS = [*GUESTS.values(), *HOSTED.values(), "greedy"]
TERMS = {"name": "Cup", "format": {"kind": "round_robin"}, "game": {"players": 2}, "entry": {"entrants": len(ENTRANTS)}}

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3 * 3600)]


def prefer(process: subprocess.Popen[bytes]) -> None:
    """Give a bot a processor first, as if it had a machine of its own."""
    os.setpriority(os.PRIO_PROCESS, process.pid, -20)
    group = Path(f"/proc/{process.pid}/autogroup")
    if group.exists():
        group.write_text("-20")


@contextmanager
def guest(server: str, token: str, log: Path) -> Iterator[None]:
    """Run a bot that answers at once, whatever the load."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*COMMAND, "bot", "run", "--house", "greedy"], cwd=ROOT, env=bot_environment(server, token, "guest"),
            stdout=out, stderr=out, start_new_session=True,
        )  # fmt: skip
    try:
        prefer(process)
        yield
        assert process.poll() is None, log.read_text()
    finally:
        process.kill()
        process.wait(10)


class Driver:
    """Makes one fault after the other, and counts them by kind."""

    def __init__(self, arena: RunningArena, postgres: PostgresServer | None) -> None:
        self.done: Counter[str] = Counter()
        self.victims: Counter[str] = Counter()
        """Number of faults of each process, by its name."""
        self._arena = arena
        self._postgres = postgres
        self._chance = random.Random(SEED)
        self._given_up = Event()
        self._threads = ThreadPoolExecutor(1)

    def __enter__(self) -> Driver:
        self._end = self._threads.submit(self._run)
        return self

    def __exit__(self, *_: object) -> None:
        self._given_up.set()
        self._threads.shutdown()

    def wait(self) -> None:
        """Wait until all faults are made."""
        self._end.result(timeout=3 * 3600)

    def _run(self) -> None:
        kinds: list[Callable[[], str]] = [self._kill, self._kill_two, self._stop, self._stop, self._terminate]
        if self._postgres is not None:
            kinds.append(self._restart_postgres)
        while self.done.total() < FAULTS and not self._given_up.wait(self._chance.uniform(0.5, 6)):
            self.done[self._chance.choice(kinds)()] += 1
            if self._chance.random() < 0.5:
                self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline and not self._given_up.wait(1):
            if all(one["state"] == "ready" for one in states(self._arena).values()):
                return

    def _victims(self) -> dict[str, int]:
        living = {process.pid for process in descendants(self._arena.process.pid)}
        return {name: one["pid"] for name, one in states(self._arena).items() if one["pid"] in living}

    def _signal(self, number: int, count: int = 1) -> list[int]:
        victims = self._victims()
        chosen = self._chance.sample(sorted(victims), min(count, len(victims)))
        for name in chosen:
            send(victims[name], number)
        self.victims.update(chosen)
        return [victims[name] for name in chosen]

    def _kill(self) -> str:
        self._signal(signal.SIGKILL)
        return "killed"

    def _kill_two(self) -> str:
        self._signal(signal.SIGKILL, 2)
        return "two killed"

    def _terminate(self) -> str:
        self._signal(signal.SIGTERM)
        return "ended"

    def _stop(self) -> str:
        stopped = self._signal(signal.SIGSTOP)
        self._given_up.wait(0.5 * (LONGEST_STOP_S / 0.5) ** self._chance.random())
        for pid in stopped:
            send(pid, signal.SIGCONT)
        return "stopped"

    def _restart_postgres(self) -> str:
        assert self._postgres is not None
        self._postgres.kill()
        self._given_up.wait(self._chance.uniform(0, 5))
        self._postgres.start()
        return "PostgreSQL killed"


def send(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def open_matches() -> list[str]:
    """Return the matches that have not ended, oldest first."""
    return list(Match.objects.filter(state__in=(MatchState.SCHEDULED, MatchState.RUNNING)).values_list("pk", flat=True))


def test_nothing_is_lost_or_blamed(database: str, tmp_path: Path, django_db_blocker: Any) -> None:
    if os.geteuid() != 0:
        give_up("only root may prefer the bots to the load")
    require_sandboxes()
    row = table.row(f"{FAULTS} random faults at load {LOAD}", database)
    program = tmp_path / "first.py"
    program.write_text(PROGRAM)
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        stack.enter_context(override_settings(PRIVATE_WEBHOOKS=True))
        more = {"ARENA_PRIVATE_WEBHOOKS": "1", "ARENA_SECRET_KEY": settings.SECRET_KEY}  # it signs the messages
        postgres = None
        if database == "postgres":
            postgres = stack.enter_context(PostgresServer(durable=True, tables=True))
            more["DATABASE_URL"] = postgres.url
        receiver = stack.enter_context(Receiver())
        arena = stack.enter_context(RunningArena(tmp_path / "var", "--house", **more))
        ready = arena.wait_ready()
        site = ready["site"]
        with arena.database():
            pause(set(GRADED) - set(FAST))
            for bot, token in register(GUESTS).items():
                stack.enter_context(guest(ready["gateway"], token, tmp_path / f"{bot}.log"))
                owner = Bot.objects.get(name=bot).owner_id
                hook = WebhookTerms(receiver.url(), (WebhookKind.MATCH_FINISHED,))
                webhook_actions.add_webhook(owner, hook, by=Actor(owner))
            register(HOSTED)
        for bot in HOSTED.values():
            submit(arena, bot, program)
        until(lambda: finished(arena), "a finished match", 600, every=0.5)
        slug = hold(arena, tmp_path, TERMS, [bot.lower() for bot in ENTRANTS])

        with Driver(arena, postgres) as driver, load(LOAD, of_a_session=OF_A_SESSION):
            driver.wait()
        ended = time.monotonic()
        done = finished(arena)
        until(lambda: is_normal(arena, site, done), "normal again", 10 * NORMAL_WITHIN_S, every=0.5)
        row.recoveries.append(time.monotonic() - ended)
        until(lambda: show(arena, slug)["state"] == "finished", "the end of the event", REST_S, every=5)
        with arena.database():
            made = open_matches()
            until(lambda: not set(made) & set(open_matches()), "the end of all matches", REST_S, every=1)
            until(lambda: not Delivery.objects.filter(state=DeliveryState.DUE), "all messages", REST_S, every=1)
            messages = Counter(Delivery.objects.values_list("state", flat=True))
            ends = Counter(Match.objects.exclude(pk__in=open_matches()).values_list("state", flat=True))
            voided = list(Match.objects.filter(state=MatchState.VOID).values_list("pk", "reason"))
            blamed = list(
                Participant.objects.exclude(forfeit_reason="", has_declined=False).values_list(
                    "match_id", "version__bot__name", "forfeit_reason"
                )
            )
            hosted = Participant.objects.filter(
                version__bot__name__in=HOSTED.values(), match__state=MatchState.FINISHED
            )
            hosted_seats = hosted.count()
            faults = list(HostedSeat.objects.exclude(fault="").values_list("match_id", "fault", "fault_text"))
            restarts = sum(one["restarts"] for one in states(arena).values())
            connection.close()
        health = arena.run("admin", "doctor", "--all")
    runners = {event["pid"] for event in arena.events if event["event"] == "process" and event["name"] == "runner"}
    left = [*groups_of(*runners), *processes_that_use(Places(arena.var).runner)]
    row.tries, row.survived = ends.total(), ends[MatchState.FINISHED]
    row.note = (
        f"{dict(driver.done)} of {dict(driver.victims)}, {restarts} restarts; "
        f"{done} matches finished meanwhile; in the end {dict(ends)}, "
        f"{hosted_seats} seats of hosted bots, faults {faults}, runners {len(runners)}; "
        f"messages {dict(messages)}; void {voided}, blamed {blamed}; left {left}; {health}"
    )
    print(row.note)
    assert not voided
    assert not blamed
    assert hosted_seats
    assert not faults
    assert not left
    assert set(messages) == {DeliveryState.RECEIVED}
    assert health.startswith("healthy")
    assert row.recoveries[0] < NORMAL_WITHIN_S
