"""Requests of a match's loop: it yields one, stops there, and goes on with the result.

The loops of all matches of a process share one thread (`workers.group`), which serves many requests at once.
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
    """Write something durably into the row and the log.

    The write is retried until the database is available. It raises `LostOwnership`.
    """

    append: LogAppend


@dataclass(frozen=True, slots=True)
class Send:
    """Put messages on the bus, and notify the readers of the match that its log has grown.

    The result has the error of each gateway that did not get its messages.
    """

    mail: Mapping[str, Sequence[ToBot]]
    wakes: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait until a time (monotonic, in nanoseconds), or until a message arrives.

    The result is the messages that have arrived.
    """

    until: int


@dataclass(frozen=True, slots=True)
class SlowWork:
    """Run slow work in another thread (`workers.slow_work`), so that no other match waits for it.

    The result is what it returns or raises.
    """

    work: Callable[[], Any]


Need: TypeAlias = Write | Send | Wait | SlowWork
Steps: TypeAlias = Generator[Need, Any, T]
"""Work in steps, up to its result."""
