"""Limits that are judged before Django: what they refuse, what they let through, and that Django is never asked."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator

from tests.kit.until import until
from webui import budget as limits
from webui.asgi import application
from webui.budget import ProcessorBudget, is_limited
from webui.core.feeds import ReaderSlots
from webui.threads import PageThreads


def ask(path: str, address: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """The status, the headers and the body for a visitor from this address."""

    async def answered() -> tuple[int, dict[str, str], bytes]:
        scope: dict[str, Any] = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "client": (address, 7),
        }
        visit = ApplicationCommunicator(application, {**scope, "headers": [(b"host", b"localhost")]})
        await visit.send_input({"type": "http.request", "body": b""})
        start = await visit.receive_output(120)
        body = await visit.receive_output(120)
        await visit.wait(120)
        headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return start["status"], headers, body["body"]

    return asyncio.run(answered())


@pytest.fixture
def used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """8.8.8.8 has used its processor time, and Django answers nothing."""
    spent = ProcessorBudget(burst_s=2, share=0.001)
    spent.charge("8.8.8.8", 3)
    monkeypatch.setattr(limits, "pages", spent)


@pytest.mark.django_db(transaction=True)
def test_an_address_that_has_used_its_time_is_refused_before_django(
    used_up: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    original = application.handle

    async def noted(scope: Any, *more: Any) -> None:
        asked.append(scope["client"][0])
        await original(scope, *more)

    monkeypatch.setattr(application, "handle", noted)
    status, headers, body = ask("/robots.txt", "8.8.8.8")
    assert status == 429 and int(headers["retry-after"]) > 900 and b"Try again" in body
    assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
    status, headers, body = ask("/api/v1/bots", "8.8.8.8")
    assert (status, headers["content-type"]) == (429, "application/problem+json")
    assert json.loads(body)["code"] == "TOO_MANY_REQUESTS"
    assert asked == []
    assert ask("/robots.txt", "8.8.4.4")[0] == 200 and ask("/robots.txt", "127.0.0.1")[0] == 200
    assert asked == ["8.8.4.4", "127.0.0.1"]


@pytest.mark.django_db(transaction=True)
def test_pages_are_charged_to_the_address_that_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    charged = Counter[str]()
    monkeypatch.setattr(
        limits.ProcessorBudget, "charge", lambda _, address, seconds: charged.update({address: seconds})
    )
    for address in ("8.8.8.8", "2001:db8::1:2", "8.8.4.4"):
        assert ask("/docs/rules/", address)[0] == 200
    # A thread is charged after its answer.
    until(lambda: set(charged) == {"8.8.8.8", "2001:db8::/64", "8.8.4.4"})
    assert all(seconds > 0 for seconds in charged.values())


def test_time_comes_back_and_debts_end() -> None:
    spent = ProcessorBudget(burst_s=2, share=0.001)
    assert spent.wait_s("8.8.8.8") == 0
    spent.charge("8.8.8.8", 1)
    assert spent.wait_s("8.8.8.8") == 0
    spent.charge("8.8.8.8", 100)
    assert 1000 < spent.wait_s("8.8.8.8") <= 2025, "a debt is at most as large as what may be used at once"
    assert spent.wait_s("8.8.4.4") == 0
    spent.clear()
    assert spent.wait_s("8.8.8.8") == 0


def test_pages_that_were_asked_for_at_once_are_all_charged() -> None:
    spent = ProcessorBudget(burst_s=2, share=0.001)
    spent.charge("8.8.8.8", 1.9999)
    for _ in range(50):
        spent.charge("8.8.8.8", 0.05)
    assert spent.wait_s("8.8.8.8") > 1250


@pytest.mark.django_db(transaction=True)
def test_a_page_that_waited_for_a_thread_is_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = ProcessorBudget(burst_s=2, share=0.001)
    monkeypatch.setattr(limits, "pages", spent)
    original = PageThreads.thread_for

    @asynccontextmanager
    async def used_up_meanwhile(*args: Any) -> AsyncIterator[None]:
        async with original(*args):
            spent.charge("8.8.8.8", 3)
            yield

    monkeypatch.setattr(PageThreads, "thread_for", used_up_meanwhile)
    status, headers, body = ask("/robots.txt", "8.8.8.8")
    assert status == 429 and int(headers["retry-after"]) > 900 and b"Try again" in body


@pytest.mark.django_db(transaction=True)
def test_open_pages_use_up_no_time_of_other_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets = {name: ProcessorBudget(burst_s=60, share=0.001) for name in ("pages", "refreshes", "actions")}
    for name, budget in budgets.items():
        monkeypatch.setattr(limits, name, budget)

    def refused() -> list[bool]:
        requests = (("/events/cup/", "GET"), ("/events/cup/parts/", "GET"), ("/events/cup/organise/", "POST"))
        return [ask(path, "8.8.8.8", method)[0] == 429 for path, method in requests]

    assert refused() == [False, False, False]
    for name, expected in (
        ("refreshes", [False, True, False]),
        ("pages", [True, True, False]),
        ("actions", [True, True, True]),
    ):
        budgets[name].charge("8.8.8.8", 120)
        assert refused() == expected


def test_programs_of_this_machine_have_no_budget() -> None:
    assert not any(map(is_limited, ("", "127.0.0.1", "127.0.0.2", "::/64")))
    assert all(map(is_limited, ("8.8.8.8", "10.0.0.1", "2001:db8::/64")))


@pytest.mark.parametrize(("in_all", "status", "code"), [(0, 503, "TRY_AGAIN"), (8, 429, "TOO_MANY_REQUESTS")])
def test_readers_without_a_slot_are_refused_before_django(
    monkeypatch: pytest.MonkeyPatch, in_all: int, status: int, code: str
) -> None:
    monkeypatch.setattr(limits, "live_slots", ReaderSlots(in_all, pages_per_address=0))
    monkeypatch.setattr(application, "handle", None)
    for path, kind in (("/matches/m/live", "text/plain"), ("/api/v1/matches/m/live", "application/problem+json")):
        answer, headers, body = ask(path, "8.8.8.8")
        assert (answer, headers["content-type"], headers["retry-after"]) == (status, kind, "10")
        assert kind == "text/plain" or json.loads(body)["code"] == code
