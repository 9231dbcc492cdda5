"""Structured logs of every process: one line for each event, with the bound match and seat.

Our code logs through `structlog.get_logger()`. Libraries log through the standard library, in lines of the same form.
`structlog.contextvars.bind_contextvars(match=…, seat=…)` adds to every line of the running task or coroutine.

The number of lines a minute is limited for each event (`arena.host.sampling`). No line holds a secret
(`arena.host.redaction`), and no traceback the values of variables. `arena.host.tracebacks` handles output that bypasses
logging, such as uncaught exceptions.
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
    """Replace the whole request in Django's lines by its id, as in our lines (`arena.host.request_ids`)."""
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
