"""Points at which a test kills this process, as the kernel would: `ARENA_FAILPOINT=after_append@37`.

The process gets SIGKILL when it first reaches the point at index 37 or, if a batch skips it, beyond. Points:
`after_claim`, `before_append`, `after_append`, `after_ask`, `before_finish`, `after_finish`. If the variable is not
set, a point only costs one global look-up.
"""

from __future__ import annotations

import os
import signal
from typing import Final

POINTS: Final = ("after_claim", "before_append", "after_append", "after_ask", "before_finish", "after_finish")

armed: tuple[str, int] | None = None


def arm(text: str) -> None:
    """Die at this point, written `name@index`; nowhere if the text is empty."""
    global armed
    name, _, index = text.partition("@")
    if text and (name not in POINTS or not index.isdecimal()):
        raise ValueError(f"ARENA_FAILPOINT is {text!r}; use {'|'.join(POINTS)} and an index, as in after_append@37")
    armed = (name, int(index)) if text else None


def reach(name: str, index: int) -> None:
    """Pass the point `name` at this index of the record."""
    if armed is not None and name == armed[0] and index >= armed[1]:
        os.kill(os.getpid(), signal.SIGKILL)


arm(os.environ.get("ARENA_FAILPOINT", ""))
