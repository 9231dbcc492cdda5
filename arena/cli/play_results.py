"""The results of games, as JSON and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.local.results import SideTally


def summary(names: Sequence[str], tallies: Sequence[SideTally]) -> list[dict[str, Any]]:
    """Return for each competitor its share of wins with a 95 % interval, mean score, faults and think times."""
    return [_row(number, name, tally) for number, (name, tally) in enumerate(zip(names, tallies, strict=True), start=1)]


def _row(number: int, name: str, tally: SideTally) -> dict[str, Any]:
    means, share = tally.means, tally.share
    return {
        "number": number,
        "player": name,
        "wins": share and share.share,
        "interval": share and [share.low, share.high],
        "wins_by_seat": tally.share_by_seat,
        "mean": means.pop("total", None),
        "split": means,
        "faults": dict(tally.faults),
        "forfeits": tally.forfeits,
        "think_ms": {"median": tally.think_ms(0.5), "p99": tally.think_ms(0.99)},
    }


def print_results(rows: Sequence[dict[str, Any]], games: int, *, is_mirrored: bool) -> None:
    """Print a table with one column for each competitor."""
    from rich.console import Console
    from rich.table import Table

    title = f"{games} game{'s' * (games != 1)}{' in deal blocks' * is_mirrored}, means by source"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for row in rows:
        table.add_column(f"{row['number']} {row['player']}", justify="right")
    for source in next((row["split"] for row in rows if row["split"]), ()):
        table.add_row(source, *(_points(row["split"].get(source)) for row in rows))
    table.add_row("score", *(_points(row["mean"]) for row in rows), style="bold")
    table.add_row("win share", *(f"{row['wins']:.1%}" for row in rows), style="bold")
    table.add_row("95 % interval", *(f"{row['interval'][0]:.1%} – {row['interval'][1]:.1%}" for row in rows))
    if is_mirrored:
        for seat in range(len(rows[0]["wins_by_seat"])):
            table.add_row(f"at seat {seat + 1}", *(_share(row["wins_by_seat"][seat]) for row in rows))
    for reason in sorted({reason for row in rows for reason in row["faults"]}):
        table.add_row(f"faults {reason}", *(str(row["faults"].get(reason, 0)) for row in rows))
    if any(row["forfeits"] for row in rows):
        table.add_row("forfeits", *(str(row["forfeits"]) for row in rows))
    if any(row["think_ms"]["median"] is not None for row in rows):
        for part, name in (("median", "think time, median"), ("p99", "think time, 99 %")):
            table.add_row(name, *(_ms(row["think_ms"][part]) for row in rows))
    Console().print(table)


def _points(mean: float | None) -> str:
    return "–" if mean is None else f"{mean:.1f}"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _ms(ms: float | None) -> str:
    return "–" if ms is None else f"{ms:.2f} ms" if ms < 10 else f"{ms:.0f} ms"
