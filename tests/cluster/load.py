"""Matches that are played all the time while something breaks, and their outcomes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from django.db import Error, connection

from arena.referee import Kind
from tests.cluster.cluster import Cluster
from tests.faults import table
from tests.kit.arena.ledger import check_ladders, complaints
from tests.kit.stalls import HOPS, StallWatch
from tests.kit.until import until
from webui.matches.models import ENDED, LogRow, Match, MatchState

AT_ONCE = 4
"""Number of matches played at a time."""
LOOK_S = 0.2
GO_ON_S = 150.0
"""Maximum time until play goes on after the end of a fault."""
SILENCE_S = 15.0
"""Time of silence after which a bot and its gateway treat the stream as lost."""


@dataclass
class Fault:
    """Something that was broken for a while, by the wall clock."""

    row: table.Row
    victims: list[str]
    begun: float
    healed: float = 0.0
    own_s: float = 0.0
    """Time for which bots were kept away from their gateways, which is their own."""


class Load:
    """The matches of one cluster."""

    def __init__(self, cluster: Cluster, stalls: StallWatch) -> None:
        self.cluster = cluster
        self._stalls = stalls
        self._numbers = count()
        self._begun: dict[str, tuple[float, float]] = {}
        """When each match was scheduled, by the wall clock and by the monotonic one."""
        self._judged: set[str] = set()
        self._faults: list[Fault] = []
        self.withdrawn = 0
        """Number of matches that were withdrawn while they were offered, which is nobody's fault."""
        cluster.finish(cluster.begin("undisturbed"))
        fate = cluster.fate("undisturbed")
        assert fate.state == "FINISHED"
        self.record = fate.record

    def feed(self) -> None:
        """Keep `AT_ONCE` matches running, if the database is available."""
        try:
            for _ in range(AT_ONCE - self.cluster.unfinished()):
                name = f"m{next(self._numbers)}"
                self._begun[name] = (time.time(), time.monotonic())
                self.cluster.begin(name)
        except Error:
            connection.close()

    def hold(self, seconds: float, *, feeds: bool = True) -> None:
        """Let time pass, which is the fault itself."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if feeds:
                self.feed()
            time.sleep(max(0.0, min(LOOK_S, end - time.monotonic())))

    @contextmanager
    def fault(self, name: str, *, own_s: float = 0.0, note: str = "") -> Iterator[Fault]:
        """Break something and repair it within the block. Matches that were running have to go on after it."""

        def are_there() -> bool:
            self.feed()
            return len(self.cluster.under_way()) >= AT_ONCE // 2

        until(are_there, "matches to be disturbed")
        victims = self.cluster.under_way()
        row = table.row(name, "postgres", tries=len(victims))
        row.note = note
        found = Fault(row, victims, time.time(), own_s=own_s)
        self._faults.append(found)
        yield found
        self._recover(found)

    def _recover(self, fault: Fault) -> None:
        fault.healed = fault.healed or time.time()
        fault.row.decisions = self.cluster.decisions(fault.begun, fault.healed)
        left = [match for match in fault.victims if not self.cluster.has_ended(match)]

        def has_gone_on(match: str) -> bool:
            return self.cluster.went_on_after(match, fault.healed) > 0 or self.cluster.has_ended(match)

        def have_gone_on() -> bool:
            self.feed()
            return all(map(has_gone_on, left))

        try:
            until(have_gone_on, "that all go on", GO_ON_S)
        except AssertionError as error:
            stuck = [match for match in left if not has_gone_on(match)]
            raise AssertionError(f"{fault.row.fault}: {error}: {stuck}") from None
        recoveries = (self.cluster.went_on_after(match, fault.healed) for match in left)
        fault.row.recoveries = [seconds for seconds in recoveries if seconds]
        print(fault.row.text(), flush=True)

    def judge(self) -> None:
        """Wait for the end of all matches, and check each."""
        names = [name for name in self._begun if name not in self._judged and Match.objects.filter(pk=name).exists()]
        self.cluster.finish(*names, timeout=600)
        self._judged.update(names)
        wrong: dict[str, list[str]] = {}
        for name in names:
            if self._was_withdrawn(name):
                self.withdrawn += 1
            elif found := list(complaints(self.cluster, name, self.record, self._own_s(name))):
                wrong[name] = found
                print(f"{name}: {'; '.join(found)}")
        for fault in self._faults:
            fault.row.survived = sum(match not in wrong for match in fault.victims)
        self._faults = []
        check_ladders()
        assert Match.objects.filter(state=MatchState.VOID).count() == 0
        assert not wrong, f"{len(wrong)} of {len(names)} matches suffered; see the output"

    def _was_withdrawn(self, name: str) -> bool:
        row = Match.objects.get(pk=name)
        assert row.state in ENDED
        abort = LogRow.objects.filter(match_id=name, kind=Kind.ABORT).first()
        if abort is None or row.ladder_number is not None:
            return False
        assert isinstance(abort.data, dict)
        return not abort.data["seats"] and not LogRow.objects.filter(match_id=name, kind=Kind.DECISION).exists()

    def _own_s(self, name: str) -> float:
        """Return the time that a match's bots were kept away, or that the machine took."""
        at, since = self._begun[name]
        ended = Match.objects.get(pk=name).finished_at
        end = ended.timestamp() if ended is not None else time.time()
        away = sum(
            fault.own_s + SILENCE_S for fault in self._faults if fault.own_s and fault.begun < end and fault.healed > at
        )
        return away + HOPS * self._stalls.longest_s(since=since)


def wait(look: Callable[[], bool], load: Load, what: str) -> None:
    """Wait for a condition while matches go on."""

    def looked() -> bool:
        load.feed()
        return look()

    until(looked, what, every=LOOK_S)
