"""The roles of an arena's processes in a test. Each function is the life of one process."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import structlog
from django.conf import settings
from django.db import Error

import arena.bots.matches
from arena.bots import Bot
from arena.bots.house_bots import run_house_bots
from arena.bots.process import run as run_bot
from arena.bots.view import View
from arena.bus import Bus
from arena.gateway.clock import ListeningLoop
from arena.gateway.limits import GatewayLimits
from arena.gateway.server import GatewayConfig
from arena.gateway.server import run as run_gateway
from arena.referee import Command, Event, Referee
from webui.commands.identities import DatabaseIdentities
from webui.matches import ending
from webui.matches.models import Match, MatchState
from workers import end_notices, failpoints
from workers.database import Pool
from workers.driver import Driver
from workers.workerlink import WorkerLink

log = structlog.get_logger(__name__)

POISON_INDEX = 20
"""Index of the record at which the step of a poisoned match fails."""
LOOK_S = 0.2
"""Seconds between two queries for matches; each costs processor time."""


def worker(
    *,
    lease_s: float,
    match: str = "",
    copies: int = 1,
    failpoint: str = "",
    fresh: bool = True,
    poison: str = "",
    kills: bool = False,
) -> None:
    """Run a worker process without Celery: a link, a pool, a thread for each match.

    With `match` it plays only that one, with its task delivered `copies` times. Without, it takes every scheduled
    match, or with `fresh` false only matches that had an owner before.

    `poison` is a match whose step at index `POISON_INDEX` raises an exception, or kills the process if `kills`.
    """
    if poison:
        _poison(poison, kills=kills)
    database = Pool()
    link = WorkerLink(Bus(settings.REDIS_URL))
    signal.signal(signal.SIGTERM, lambda *_: link.stop())
    failpoints.arm(failpoint)
    link.start()
    threads: dict[str, threading.Thread] = {}

    def play(match_id: str) -> None:
        try:
            Driver(match_id, link, database, lease_s=lease_s).run()
        except Exception:
            log.exception("task_failed", match=match_id)

    def scheduled() -> list[str]:
        rows = Match.objects.filter(state=MatchState.SCHEDULED, epoch__gte=0 if fresh else 1)
        return list(rows.values_list("id", flat=True))

    def begin(match_id: str, name: str) -> None:
        if name not in threads or not threads[name].is_alive():
            threads[name] = threading.Thread(target=play, args=[match_id], daemon=True)
            threads[name].start()

    for copy in range(copies if match else 0):
        begin(match, f"{match} {copy}")
    while not link.stopping.is_set() and (not match or any(one.is_alive() for one in threads.values())):
        if not match:
            try:
                for found in database(scheduled):
                    begin(found, found)
            except Error as error:
                log.warning("rows_not_read", error=str(error))
        link.stopping.wait(LOOK_S)
    for thread in threads.values():
        thread.join()
    link.close()
    link.bus.close()
    database.close()


def _poison(match: str, *, kills: bool) -> None:
    handle = Referee.handle

    def failing(referee: Referee, event: Event, now: int) -> Sequence[Command]:
        if referee.record.terms.match == match and referee.record.index >= POISON_INDEX:
            if kills:
                os.kill(os.getpid(), signal.SIGKILL)
            raise ValueError("a bug that only this match meets")
        return handle(referee, event, now)

    Referee.handle = failing  # type: ignore[method-assign]


def upkeep() -> None:
    """Run the sweeper with short intervals."""
    database, bus = Pool(1), Bus(settings.REDIS_URL)
    while True:
        try:
            database(ending.sweep)
            end_notices.send_missing_ends(bus, database, "", overdue_s=1.0)
        except Error as error:
            log.warning("not_swept", error=str(error))
        time.sleep(0.5)


def gateway(*, listen: str) -> None:
    """Run a gateway."""
    limits = GatewayLimits(hello_burst=1_000_000)
    config = GatewayConfig(listen=listen, redis_url=settings.REDIS_URL, limits=limits)
    with asyncio.Runner(loop_factory=ListeningLoop) as runner:
        runner.run(run_gateway(config, DatabaseIdentities()))


def bot(*, server: str, token: str, process: str, gates: str, think_s: float) -> None:
    """Run a bot on the real client, with the same nonce for every match."""
    nonce = sha256(process.encode()).digest()[:16]
    arena.bots.matches.secrets = SimpleNamespace(token_bytes=lambda _: nonce)
    Steady.gates, Steady.who, Steady.think_s = Path(gates), process, think_s
    run_bot(Steady, server=server, token=token, name=process, matches=100)


def house(*, server: str, tokens: Mapping[str, str]) -> None:
    """Run house bots, with the tokens by player."""
    asyncio.run(run_house_bots(tokens, server, None))


def celery(*, arguments: Sequence[str], lease_s: float | None = None) -> None:
    """Run a process of Celery, as `celery -A workers.app` starts it with these arguments.

    `lease_s` replaces the lease of the environment.
    """
    from workers.app import app

    if lease_s is not None:
        settings.LEASE_SECONDS = lease_s
    app.start([*arguments])


def periodic(*, match_capacity: int | None = None) -> None:
    """Run the upkeep process, with all periodic tasks. `match_capacity` replaces ARENA_MATCHES."""
    from workers.upkeep import main

    if match_capacity is not None:
        settings.MATCHES_IN_FLIGHT = match_capacity
    main()


def site(*, host: str, port: int) -> None:
    """Run the site."""
    from webui.commands.site import main

    sys.argv = ["site", "--host", host, "--port", str(port)]
    main()


class Steady(Bot):
    """Decides by the index alone, so that it can play the same game twice, and stops at gates.

    A file named after the match has the indexes of its gates. The first bot that is asked at a gate's index, or beyond
    it but before the next gate, creates `MATCH.INDEX.asked`. It answers when `MATCH.INDEX.go` exists.
    """

    version = "1"
    gates = Path()
    who = ""
    think_s = 0.0

    def choose(self, view: View, legal: Sequence[str]) -> str:
        try:
            gates = (self.gates / self.match.id).read_text().split()
        except FileNotFoundError:
            gates = []
        behind = [int(gate) for gate in gates if int(gate) <= self.ask.index]
        if behind:
            self._stop(self.gates / f"{self.match.id}.{max(behind)}")
        time.sleep(self.think_s)
        return random.Random(self.ask.index).choice(legal)

    def _stop(self, gate: Path) -> None:
        asked, draft = gate.with_suffix(f"{gate.suffix}.asked"), gate.with_suffix(f"{gate.suffix}.{os.getpid()}")
        if asked.exists():
            return
        draft.write_text(self.who)
        try:
            os.link(draft, asked)  # atomic, and only for the first one
        except FileExistsError:
            return
        finally:
            draft.unlink()
        while not gate.with_suffix(f"{gate.suffix}.go").exists():
            time.sleep(0.01)
