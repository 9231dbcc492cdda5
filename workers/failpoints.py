"""Places where a test has this process die, as by the kernel: `ARENA_FAILPOINT=after_append@37`.

The point is passed for the first time at index 37 or, where a batch steps over it, beyond; then the process gets
SIGKILL. Points: `after_claim`, `before_append`, `after_append`, `after_ask`, `before_finish`, `after_finish`. Where the
variable is not set, a point costs one look at a module's name.
"""

from __future__ import annotations

import os
import signal
from typing import Final

POINTS: Final = ("after_claim", "before_append", "after_append", "after_ask", "before_finish", "after_finish")

armed: tuple[str, int] | None = None


def arm(text: str) -> None:
    """Die at this point: `name@index`, nowhere if it is empty."""
    global armed
    name, _, index = text.partition("@")
    if text and (name not in POINTS or not index.isdecimal()):
        raise ValueError(f"ARENA_FAILPOINT is {text!r}; use {'|'.join(POINTS)} and an index, as in after_append@37")
    armed = (name, int(index)) if text else None


def reach(name: str, index: int) -> None:
    """Point `name`, at this index of the record."""
    if armed is not None and name == armed[0] and index >= armed[1]:
        os.kill(os.getpid(), signal.SIGKILL)


arm(os.environ.get("ARENA_FAILPOINT", ""))
