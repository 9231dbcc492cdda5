"""Structured logs of every process: one line an event, with the match and seat that were bound.

Code logs through `structlog.get_logger()`; libraries log through the standard library and come out in the same form.
`structlog.contextvars.bind_contextvars(match=…, seat=…)` adds to every line of the running task or coroutine.
"""

import logging.config
import sys
from typing import Any, TextIO

import structlog
from structlog.typing import Processor

_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


class StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to what stderr is when there is something to write: what it was at the start may be closed by then."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record."""
        self.stream = sys.stderr
        super().emit(record)


def logging_config(form: str, level: str) -> dict[str, Any]:
    """The standard library's logging configuration for `form` (console or json) from `level` on."""
    if form not in {"console", "json"}:
        raise ValueError(f"log format {form!r}; use console or json")
    last: list[Processor] = (
        [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer()]
        if form == "json"
        else [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "arena": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
                "foreign_pre_chain": [*_SHARED, structlog.stdlib.ExtraAdder()],
            }
        },
        "handlers": {"stderr": {"()": StderrHandler, "formatter": "arena"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {"django.server": {"handlers": [], "propagate": True}},
    }


def configure(config: dict[str, Any]) -> None:
    """Put a configuration of `logging_config` in force (Django calls this at start, through LOGGING_CONFIG)."""
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
