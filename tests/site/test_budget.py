"""Limits that are judged before Django: what they refuse, what they let through, and that Django is never asked."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.urls import URLPattern, reverse
from django.urls.converters import IntConverter

from tests.kit.until import until
from webui import budget as limits
from webui.asgi import application
from webui.budget import ProcessorBudget, is_limited
from webui.core.feeds import ReaderSlots
from webui.site.api.api import api
from webui.site.urls import urlpatterns
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


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send refusals at once."""
    monkeypatch.setattr(limits, "LATE_S", 0.0)


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


def test_a_limited_number_of_refusals_is_sent_late(used_up: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LATE_S", 86_400.0)
    monkeypatch.setattr(limits, "MOST_LATE", 2)

    async def flood() -> None:
        sent: list[int] = []

        async def refused(number: int) -> None:
            async def send(message: Any) -> None:
                sent.append(number)

            scope = {"type": "http", "method": "GET", "path": "/", "client": ("8.8.8.8", 7)}
            await application(scope, asyncio.Queue[Any]().get, send)

        late = [asyncio.create_task(refused(number)) for number in (1, 2)]
        await asyncio.sleep(0)
        await refused(3)
        assert sent == [3, 3], "its head and its body"
        late[0].cancel()
        await asyncio.wait(late[:1])
        late.append(asyncio.create_task(refused(4)))
        await asyncio.sleep(0)
        await refused(5)
        assert sent == [3, 3, 5, 5], "the place of the one that left is taken again"
        for task in late:
            task.cancel()
        await asyncio.wait(late)

    asyncio.run(flood())


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


def paths(word: str) -> Iterator[tuple[str, str]]:
    """Yield a path of every route of the site and of the API, with its name. `word` is each text argument."""
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        converters = pattern.pattern.converters
        names = converters or re.compile(str(pattern.pattern)).groupindex
        arguments = {name: 1 if isinstance(converters.get(name), IntConverter) else word for name in names}
        yield reverse(str(pattern.name), kwargs=arguments), str(pattern.name)
    for path, operations in api.get_openapi_schema()["paths"].items():
        for operation in operations.values():
            yield re.sub(r"\{\w+\}", word, path), operation["operationId"]


@pytest.mark.parametrize("word", ["some", "parts", "live", "table"])
def test_routes_are_charged_by_what_they_are_for(word: str) -> None:
    """A bot or an event whose name is a part of another route has no other budget for it."""
    routes = list(paths(word))
    assert len(routes) > 150

    def charged(budget: ProcessorBudget, method: str) -> set[str]:
        return {name for path, name in routes if limits.budget_of({"method": method, "path": path}) is budget}

    for method in ("GET", "HEAD"):
        assert charged(limits.refreshes, method) == {
            "event-parts",
            "table-choices",
            "trial-parts",
            "position-games-parts",
            "tv-table",
            "tv-json",
        }
        assert charged(limits.actions, method) == set()
    for method in ("POST", "DELETE"):
        assert charged(limits.actions, method) == {name for _, name in routes}
    live = {name for path, name in routes if limits.LIVE.fullmatch(path)}
    pages = {"live", "event-live", "table-live", "submission-live", "trial-live", "position-games-live"}
    assert live == pages | {"follow_match", "follow_match_data", "follow_event"}


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
