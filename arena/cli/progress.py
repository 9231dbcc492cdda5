"""What commands print while they work, and tables as plain text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import TaskID


def print_lines(lines: Sequence[Sequence[str]], *, to_the_right: bool = False) -> None:
    """Print cells in columns, two spaces apart. All lines must have the same number of cells."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [f"{cell:{'>' if to_the_right else '<'}{width}}" for cell, width in zip(line, widths, strict=True)]
        print("  ".join(cells).rstrip())


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[], Any]]:
    """Show one bar. Yield a function that advances it by one."""
    finished = 0

    def advance() -> None:
        nonlocal finished
        finished += 1
        show(what, finished, total)

    with progress_bars() as show:
        show(what, 0, total)
        yield advance


@contextmanager
def byte_bar(total: int, what: str) -> Iterator[Callable[[int], Any]]:
    """Show one bar of `total` bytes. Yield a function that advances it by a number of bytes."""
    if not sys.stderr.isatty():
        yield lambda size: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description:8}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=total)
        yield lambda size: bars.advance(task, size)


@contextmanager
def progress_bars() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows a bar for each name; it takes name, finished steps and total."""
    if not sys.stderr.isatty():
        yield lambda name, finished, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:8}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def show(name: str, finished: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=total)
            bars.update(tasks[name], completed=finished)

        yield show
