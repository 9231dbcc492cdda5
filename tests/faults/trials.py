"""One game, played again and again while something breaks: it must get the same record every time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from tests.faults import table
from tests.kit.arena.arena import Arena
from tests.kit.arena.ledger import complaints
from tests.kit.stalls import HOPS, StallWatch
from tests.kit.until import until

AT_ONCE = 12
"""Maximum number of matches disturbed at the same time, each repeatedly at later indexes."""
EACH = 3
"""Number of indexes at which a match is disturbed before the next match is used."""


@dataclass
class Trial:
    """One match that is disturbed at some of its indexes."""

    match: str
    indexes: Sequence[int]
    begun: float = field(default_factory=time.monotonic)
    broke_at: list[float] = field(default_factory=list)
    """Times at which it was disturbed, by the wall clock."""


class Trials:
    """All trials of one arena."""

    def __init__(self, arena: Arena, stalls: StallWatch) -> None:
        self.arena = arena
        self.bots = arena.seat("ada", "bob")
        self.absent_s = 0.0
        """Longest time for which a test kept bots away from their gateway; it is also their own time."""
        self._numbers = count()
        self._stalls = stalls
        with arena.working():
            match = arena.schedule(self.bots, "undisturbed")
            arena.finish(match)
        fate = arena.fate(match)
        assert fate.state == "FINISHED"
        self.record = fate.record
        self.last = max(fate.charged_ms)
        """Index of the last ask."""

    def every(self, step: int = 1) -> range:
        """Return every index of the game, or every `step`-th."""
        return range(0, self.last + 1, step)

    def few(self) -> list[int]:
        """Return the first index, one in the middle, and the last."""
        return [0, self.last // 2, self.last]

    def name(self) -> str:
        """Return an id for a match."""
        return f"m{next(self._numbers)}"

    def kill_workers(self, point: str, indexes: Sequence[int]) -> None:
        """Kill a worker at this point of each index; the next owner of the match dies at the next index."""
        row = table.row(f"worker killed {point}".replace("_", " "), self.arena.database)
        trials = self._trials(indexes)
        for trial in trials:
            self.arena.schedule(self.bots, trial.match)
        for turn in range(max(len(trial.indexes) for trial in trials)):
            due = [trial for trial in trials if turn < len(trial.indexes)]
            self._kill(due, [f"{point}@{trial.indexes[turn]}" for trial in due])
        with self.arena.working():
            self._judge(row, trials)

    def _kill(self, trials: list[Trial], failpoints: list[str]) -> None:
        victims = {
            trial.match: self.arena.start_worker(match=trial.match, failpoint=failpoint)
            for trial, failpoint in zip(trials, failpoints, strict=True)
        }
        due = {trial.match: trial for trial in trials}

        def are_dead() -> bool:
            for match in [match for match in due if not victims[match].is_alive]:
                due.pop(match).broke_at.append(time.time())
            return not due

        until(are_dead, "the death of all workers")
        self._until_swept([trial.match for trial in trials])

    def _until_swept(self, matches: list[str]) -> None:
        until(lambda: not self.arena.running(matches), "the sweeper's coming")

    def disturb(self, fault: str, indexes: Sequence[int], act: Callable[[list[str]], None]) -> list[str]:
        """Disturb the arena at each index while the ask is pending. Return the matches.

        `act` opens the gates itself, and leaves the arena as it was.
        """
        row = table.row(fault, self.arena.database)
        trials = self._trials(indexes)
        for trial in trials:
            self.arena.schedule(self.bots, trial.match, gates=trial.indexes)
        for turn in range(max(len(trial.indexes) for trial in trials)):
            due = {trial.match: trial.indexes[turn] for trial in trials if turn < len(trial.indexes)}

            def have_come(due: dict[str, int] = due) -> bool:
                return all(self.arena.who_waits(match, gate) for match, gate in due.items())

            try:
                until(have_come, "the bots' coming to the gates")
            except AssertionError as error:
                raise AssertionError(f"{error}\n{self.arena.log_texts()[-20_000:]}") from None
            now = time.time()
            act(list(due))
            for trial in trials[: len(due)]:
                trial.broke_at.append(now)
        self._judge(row, trials)
        return [trial.match for trial in trials]

    def deliver(self, copies: int, tries: int) -> None:
        """Deliver the same task `copies` times to one worker at once, and also to another worker."""
        row = table.row(f"task delivered {2 * copies} times", self.arena.database)
        trials = [Trial(self.name(), [0]) for _ in range(tries)]
        for trial in trials:
            self.arena.schedule(self.bots, trial.match)
            for _ in range(2):
                self.arena.start_worker(match=trial.match, copies=copies)
        self._judge(row, trials)
        assert all(self.arena.fate(trial.match).epochs == 1 for trial in trials), "one owner was enough"

    # Outcomes

    def _trials(self, indexes: Sequence[int]) -> list[Trial]:
        number = min(AT_ONCE, -(-len(indexes) // EACH))
        return [Trial(self.name(), indexes[first::number]) for first in range(number)]

    def _judge(self, row: table.Row, trials: list[Trial]) -> None:
        self.arena.finish(*(trial.match for trial in trials))
        for trial in trials:
            row.tries += len(trial.indexes)
            if wrong := list(complaints(self.arena, trial.match, self.record, self._own_s(trial))):
                print(f"{row.fault} @{list(trial.indexes)} ({trial.match}): {'; '.join(wrong)}")
            else:
                row.survived += len(trial.indexes)
            row.recoveries += [self.arena.went_on_after(trial.match, moment) for moment in trial.broke_at]
        assert row.survived == row.tries, f"{row.fault}: {row.survived} of {row.tries} survived; see the output"

    def _own_s(self, trial: Trial) -> float:
        """Return the time that bots took themselves, at their gates or away from their gateway, or that the machine
        took."""
        stall_s = HOPS * self._stalls.longest_s(since=trial.begun)
        return self.arena.longest_wait_s(trial.match) + stall_s + HOPS * self.absent_s
