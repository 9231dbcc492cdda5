"""Structured logs of every process: one line for each event, with the bound match and seat.

Our code logs through `structlog.get_logger()`. Libraries log through the standard library, in lines of the same form.
`structlog.contextvars.bind_contextvars(match=…, seat=…)` adds to every line of the running task or coroutine.

The number of lines a minute is limited for each event. No line holds a secret
(`arena.host.redaction`), and no traceback the values of variables. `arena.host.redaction` handles output that bypasses
logging, such as uncaught exceptions.
"""

from __future__ import annotations

import logging
import logging.config
import re
import secrets
import sys
import time
from collections.abc import Callable
from typing import Any, Final, TextIO

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, Processor, WrappedLogger

from arena.host.redaction import catch_tracebacks, redact, redact_event, redacted_repr, write_traceback

# Ids of requests to the site. They are in every log line of a request, and in its answer.


HEADER: Final = "X-Request-ID"
SCOPE_KEY: Final = "arena.request_id"
"""Key of the request's id: in the scope, where the server puts the proxy's id, and in Django's `META`."""
_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")


def is_request_id(text: str) -> bool:
    """Return whether a proxy's id may be used unchanged in logs and headers."""
    return _ID.fullmatch(text) is not None


def new_request_id() -> str:
    """Return a random id of 16 hexadecimal digits."""
    return secrets.token_hex(8)


# A limit of lines a minute for each event, so that strangers cannot fill the disk.
#
# Suppressed lines are counted, and the next written line of the event has their number (`suppressed`).


WINDOW_S = 60.0
MOST = 100
"""Maximum number of lines of one event within a window, in one process."""
MOST_TRACEBACKS = 10
"""Lower limit for lines with a traceback, which is as long as fifty lines."""


class Sampler(logging.Filter):
    """Lets the first lines of each event pass in each window.

    Our events are identified by name. A library's line is identified only by its logger and level, because its text may
    hold what somebody sent.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._windows: dict[tuple[str, str], _Window] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line is written. If so, it gets the number of lines suppressed before it."""
        ours = record.msg if isinstance(record.msg, dict) else None
        key = record.name, str(ours.get("event")) if ours is not None else record.levelname
        has_traceback = bool(record.exc_info or (ours is not None and ours.get("exc_info")))
        now = self._now()
        window = self._windows.setdefault(key, _Window(now))
        if now - window.since >= WINDOW_S:
            window.since, window.written = now, 0
        if window.written >= (MOST_TRACEBACKS if has_traceback else MOST):
            window.suppressed += 1
            return False
        window.written += 1
        if window.suppressed:
            if ours is not None:
                ours["suppressed"] = window.suppressed
            else:
                record.suppressed = window.suppressed  # shown like all attributes that a library adds to its records
            window.suppressed = 0
        return True


class _Window:
    def __init__(self, since: float) -> None:
        self.since = since
        self.written = self.suppressed = 0


_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


def _name_request(_: WrappedLogger, __: str, event_dict: EventDict) -> EventDict:
    """Replace the whole request in Django's lines by its id, as in our lines (`arena.host.logs`)."""
    if id := getattr(event_dict.get("request"), "META", {}).get(SCOPE_KEY):
        event_dict["request"] = id
    return event_dict


class _Console(structlog.dev.ConsoleRenderer):
    """Redacts the rendered text again, because objects and tracebacks may show secrets when they are rendered."""

    def __call__(self, logger: WrappedLogger, name: str, event_dict: EventDict) -> str:
        return redact(super().__call__(logger, name, event_dict))


WITH_HANDLERS = ("django.server", "uvicorn", "uvicorn.error")
"""Loggers with their own handlers, which would bypass the redaction."""


class StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to the current stderr: the one at the start may be closed by now."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record."""
        self.stream = sys.stderr
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # the name is the standard library's
        """Report that a line could not be written. The standard library's version would show its arguments
        unredacted."""
        kind, error, trace = sys.exc_info()
        if self.stream is not None and not isinstance(error, BrokenPipeError):
            write_traceback(f"A log line of {record.name} could not be written.\n", kind, error, trace)


def logging_config(form: str, level: str) -> dict[str, Any]:
    """Return the standard library's logging configuration for `form` (console or json) from `level` on."""
    if form not in {"console", "json"}:
        raise ValueError(f"log format {form!r}; use console or json")
    last: list[Processor]
    if form == "json":
        tracebacks = structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False))
        last = [tracebacks, redact_event, structlog.processors.JSONRenderer(default=redacted_repr)]
    else:
        last = [redact_event, _Console(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "arena": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
                "foreign_pre_chain": [*_SHARED, structlog.stdlib.ExtraAdder(), _name_request],
            }
        },
        "filters": {"sampled": {"()": Sampler}},
        "handlers": {"stderr": {"()": StderrHandler, "formatter": "arena", "filters": ["sampled"]}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            **{name: {"handlers": [], "propagate": True} for name in WITH_HANDLERS},
            # Requests are not logged: an address may hold a secret, and a proxy in front of the site logs them.
            "uvicorn.access": {"handlers": [], "propagate": False},
            # If DEBUG is set, Django gives its own logger a handler that prints unredacted.
            "django": {"handlers": [], "propagate": True},
            # At DEBUG it would log statements with their values.
            "django.db.backends": {"level": "INFO"},
        },
    }


def configure(config: dict[str, Any]) -> None:
    """Apply a configuration of `logging_config`. Django calls this at start, through LOGGING_CONFIG."""
    catch_tracebacks()
    logging.config.dictConfig(config)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
