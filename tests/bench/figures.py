"""What benchmarks measure of processes and times, and how they print a goal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple


class Used(NamedTuple):
    """What a process has used until now."""

    cpu_s: float
    rss_kib: int

    @classmethod
    def by(cls, pid: int) -> Used:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return cls(ticks / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE") // 1024)


class Goal(NamedTuple):
    """What a measure is to be."""

    name: str
    got: float
    bound: float
    is_least: bool = False

    def __str__(self) -> str:
        is_met = self.got >= self.bound if self.is_least else self.got <= self.bound
        sign, verdict = "≥" if self.is_least else "≤", "met" if is_met else "missed"
        return f"{self.name:66} {self.got:8.2f}  goal {sign} {self.bound:g}: {verdict}"


def p99(times: Sequence[float]) -> float:
    """The 99th percentile; of few the greatest."""
    return quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else max(times, default=0.0)
