"""Tracebacks of uncaught exceptions, written to stderr without secrets."""

from __future__ import annotations

import sys
import threading
import traceback
from functools import partial
from types import TracebackType

from arena.host.redaction import redact


def catch_tracebacks() -> None:
    """Write uncaught exceptions of all threads without secrets from now on."""
    sys.excepthook = partial(write_traceback, "")
    # A test runner has its own hooks, and needs them.
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _write_unraisable
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _write_of_thread


def write_traceback(
    before: str, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
) -> None:
    """Write `before` and the traceback, without secrets and without the values of variables."""
    if sys.stderr is not None:  # under pythonw, and at the end of the process, there is no stderr
        sys.stderr.write(redact(before + "".join(traceback.format_exception(kind, error, trace))))
        sys.stderr.flush()


def _write_of_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_type is not SystemExit:
        name = arguments.thread.name if arguments.thread else "unknown"
        before = f"Exception in thread {name}:\n"
        write_traceback(before, arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def _write_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    before = f"{unraisable.err_msg or 'Exception ignored in'}: {unraisable.object!r}\n"
    write_traceback(before, unraisable.exc_type, unraisable.exc_value, unraisable.exc_traceback)
