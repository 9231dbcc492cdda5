"""Frequent log events are sampled, with a count of the suppressed lines."""

from __future__ import annotations

import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from arena.host import logs
from arena.host.logs import MOST, MOST_TRACEBACKS, WINDOW_S, configure, logging_config


class Logged:
    """The log configuration of a process, with a clock that only the test advances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.now = 1_000.0
        self._capsys = capsys
        self._written: list[dict[str, Any]] = []
        monkeypatch.setattr(logs.Sampler.__init__, "__defaults__", (lambda: self.now,))
        configure(logging_config("json", "INFO"))

    def lines(self, **values: Any) -> list[dict[str, Any]]:
        """Return the written lines with these values."""
        self._written += map(json.loads, self._capsys.readouterr().err.splitlines())
        return [line for line in self._written if values.items() <= line.items()]


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Logged]:
    yield Logged(monkeypatch, capsys)
    monkeypatch.undo()
    configure(logging_config("console", "INFO"))


def test_an_event_is_written_so_often_a_minute_and_counted(logged: Logged) -> None:
    log = structlog.get_logger("gateway")
    for number in range(MOST + 50):
        log.info("hello_refused", address=f"192.0.2.{number}")
    log.info("gateway_drains")
    assert len(logged.lines(event="hello_refused")) == MOST and len(logged.lines(event="gateway_drains")) == 1
    logged.now += WINDOW_S
    log.info("hello_refused", address="198.51.100.1")
    log.info("hello_refused", address="198.51.100.2")
    assert [line.get("suppressed") for line in logged.lines(event="hello_refused")[MOST:]] == [50, None]


def test_what_a_visitor_sent_makes_no_new_event(logged: Logged) -> None:
    for number in range(MOST + 50):
        logging.getLogger("django.request").warning(f"Not Found: /{number}")
    assert len(logged.lines(logger="django.request")) == MOST
    logged.now += WINDOW_S
    logging.getLogger("django.request").warning("Not Found: %s", "/again")
    assert logged.lines(event="Not Found: /again")[0]["suppressed"] == 50


@pytest.mark.parametrize("own", [True, False])
def test_tracebacks_are_fewer(logged: Logged, own: bool) -> None:
    log: Any = structlog.get_logger("site") if own else logging.getLogger("site")
    for _ in range(MOST):
        try:
            raise OSError("no descriptors")
        except OSError:
            log.exception("request_failed")
    assert len(logged.lines(logger="site")) == MOST_TRACEBACKS
