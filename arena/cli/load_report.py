"""The progress display of `arena load`, and its report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from rich.table import Table

    from arena.load.generator import Generator

LINE_S: Final = 10.0
"""Seconds between two lines when there is no terminal."""


@contextmanager
def showing(out: TextIO) -> Iterator[Callable[[Generator], None]]:
    """Yield a function that shows the progress of a load test: a live table on a terminal, lines elsewhere."""
    if not out.isatty():
        printed_at = 0.0

        def write(generator: Generator) -> None:
            nonlocal printed_at
            if time.monotonic() - printed_at >= LINE_S:
                printed_at = time.monotonic()
                print("  ".join(f"{name} {value}" for name, value in standing(generator)), file=out, flush=True)

        yield write
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(file=out), auto_refresh=False, transient=True) as live:
        yield lambda generator: live.update(_table(standing(generator)), refresh=True)


def standing(generator: Generator) -> list[tuple[str, str]]:
    """Return names and values of the current state."""
    tally, now = generator.tally, time.monotonic()
    wait = tally.waiting.at(0.5)
    return [
        ("connected", f"{tally.connected}/{tally.bots}"),
        ("running", f"{tally.running}/{generator.plan.matches}"),
        ("ended", f"{tally.ended}"),
        ("void", f"{tally.void.total() + tally.silent}"),
        ("decisions/s", f"{tally.rate(now):.0f}"),
        ("overhead", _quantiles(tally.overhead.at(0.5), tally.overhead.at(0.99))),
        ("wait for a match", "–" if wait is None else f"{wait:.1f} s"),
        ("faults", f"{tally.faults.total() + tally.forfeits.total()}"),
        ("refused", f"{tally.refused.total() + tally.refused_bots.total()}"),
        ("reconnections", f"{tally.reconnections}"),
        ("time", f"{max(0.0, now - generator.began):.0f} s" if generator.is_playing else "dialling in"),
    ]


def _quantiles(half: float | None, most: float | None) -> str:
    return "–" if half is None or most is None else f"{1e3 * half:.1f} ms, p99 {1e3 * most:.1f} ms"


def _table(rows: list[tuple[str, str]]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    for name, value in rows:
        table.add_row(name, value)
    return table


def report_text(report: Mapping[str, Any]) -> str:
    """Return the report as text."""
    plan, matches, overhead = report["plan"], report["matches"], report["overhead_ms"]
    waited, sizes, own = report["wait_for_match_ms"], report["bytes_a_decision"], report["generator"]
    made, put_off = report["challenges"]["made"], report["challenges"]["put_off"]
    lines = [
        f"{report['bots']} bots, {plan['matches']} matches of {plan['players']} at once, thinking {plan['think_s']:g} s"
        f" ({plan['thinking']}), {report['seconds']:.0f} s",
        f"matches    {matches['started']} started, {matches['ended']} ended, {matches['most_at_once']} at once at most,"
        f" {sum(matches['void'].values())} void, {matches['silent']} without an end, {matches['unfinished']} left",
        f"decisions  {report['decisions']}, {report['decisions_a_second']:.1f} a second;"
        f" {sizes['to_bots']} bytes to bots and {sizes['from_bots']} from them for each",
        f"overhead   {_spread(overhead)}, from an answer to the next request",
        f"waiting    {_spread(waited)}, from a challenge to the first request",
        f"challenges {made} made; requests put off by the site: {put_off}",
        f"streams    {report['reconnections']} reconnections",
        f"generator  late by {_spread(own['lag_ms'])} itself; {own['processor_s']:.1f} s of processor time",
    ]
    for name in ("refused_bots", "faults", "forfeits", "errors"):
        lines += [f"{name.replace('_', ' ')}: {reason} {count}" for reason, count in sorted(report[name].items())]
    for name, counts in (("void", matches["void"]), ("challenge", report["challenges"]["without_match"])):
        lines += [f"{name}: {reason} {count}" for reason, count in sorted(counts.items())]
    if report["hurried"]:
        lines.append(f"thinking was cut short {report['hurried']} times: the clock ran out")
    losses = ", ".join(f"{count} {name}" for name, count in report["losses"].items())
    if not matches["ended"]:
        losses = losses or "no match was played to its end"
    return "\n".join([*lines, f"lost: {losses}" if losses else "nothing was lost"])


def _spread(times: Mapping[str, Any]) -> str:
    if not times["samples"]:
        return "–"
    if times["p99"] >= 10_000:
        return "p50 {:.1f} s, p99 {:.1f} s, max {:.1f} s".format(*(times[name] / 1e3 for name in ("p50", "p99", "max")))
    return f"p50 {times['p50']:.1f} ms, p99 {times['p99']:.1f} ms, max {times['max']:.1f} ms"
