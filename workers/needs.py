"""What the loop of a match needs done for it: it says so, stops there, and goes on with what came of it.

The loops of all matches of a process share one thread (`workers.group`), which does this for many of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from arena.bus import ToBot
from webui.matches.values import LogAppend

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Write:
    """Something is to be written into the row and the log, durably; raises `LostOwnership`. Tried until the database is
    there."""

    append: LogAppend


@dataclass(frozen=True, slots=True)
class Send:
    """Messages are to be put on the bus, and the readers of the match told that its log has grown. Comes back with the
    gateways that did not get theirs."""

    mail: Mapping[str, Sequence[ToBot]]
    wakes: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    """There is nothing to do until then (monotonic, in nanoseconds), or until a message comes. Comes back with all that
    have come."""

    until: int


@dataclass(frozen=True, slots=True)
class Aside:
    """Something takes long: it is done in a thread for such work (`workers.asides`), so that no other match waits for
    it. Comes back with what it returns, or raises what it raises."""

    work: Callable[[], Any]


Need: TypeAlias = Write | Send | Wait | Aside
Steps: TypeAlias = Generator[Need, Any, T]
"""Work in steps, up to its result."""
