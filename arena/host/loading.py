"""Loading modules without looking for garbage among what they make, which is a quarter of the start of a process."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Keep Python's garbage collector from running while the block imports modules, and from ever looking at what is
    there at its end: that stays until the process exits, which is quicker for it, too."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
