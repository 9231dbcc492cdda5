"""Structured logs of every process: one line an event, with the match and seat that were bound.

Our code logs through `structlog.get_logger()`. Libraries log through the standard library, in lines of the same form.
`structlog.contextvars.bind_contextvars(match=…, seat=…)` adds to every line of the running task or coroutine.

Of one event so many lines are written a minute (`arena.host.sampling`). No line holds a secret
(`arena.host.redaction`), and no traceback the values of variables. What goes past logging, such as an exception that
nobody catches, is the business of `arena.host.tracebacks`.
"""

import logging.config
import sys
from typing import Any, TextIO

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, Processor, WrappedLogger

from arena.host.redaction import redact, redact_event, redacted_repr
from arena.host.request_ids import SCOPE_KEY
from arena.host.sampling import Sampler
from arena.host.tracebacks import catch_tracebacks, write_traceback

_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


def _name_request(_: WrappedLogger, __: str, event_dict: EventDict) -> EventDict:
    """Lines of Django have a whole request where ours have its id (`arena.host.request_ids`)."""
    if id := getattr(event_dict.get("request"), "META", {}).get(SCOPE_KEY):
        event_dict["request"] = id
    return event_dict


class _Console(structlog.dev.ConsoleRenderer):
    """Redacts once more what objects and tracebacks showed when they were rendered."""

    def __call__(self, logger: WrappedLogger, name: str, event_dict: EventDict) -> str:
        return redact(super().__call__(logger, name, event_dict))


WITH_HANDLERS = ("django.server", "uvicorn", "uvicorn.error")
"""Loggers that come with handlers of their own, which would go past the redaction."""


class StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to what stderr is when there is something to write: what it was at the start may be closed by then."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record."""
        self.stream = sys.stderr
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # the name is the standard library's
        """Say that a line could not be written. The standard library's form shows its arguments as they are."""
        kind, error, trace = sys.exc_info()
        if self.stream is not None and not isinstance(error, BrokenPipeError):
            write_traceback(f"A log line of {record.name} could not be written.\n", kind, error, trace)


def logging_config(form: str, level: str) -> dict[str, Any]:
    """The standard library's logging configuration for `form` (console or json) from `level` on."""
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
            # No log of requests: an address may hold a secret, and a proxy in front of the site has that log.
            "uvicorn.access": {"handlers": [], "propagate": False},
            # Django gives its own logger a handler that prints as it likes where DEBUG is set.
            "django": {"handlers": [], "propagate": True},
            # At DEBUG it would log statements with their values.
            "django.db.backends": {"level": "INFO"},
        },
    }


def configure(config: dict[str, Any]) -> None:
    """Put a configuration of `logging_config` in force (Django calls this at start, through LOGGING_CONFIG)."""
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
