"""An honest visitor of the site during floods from one other address: `python -m tests.bench.floods`.

A private PostgreSQL is filled with finished matches (`history.py`) and the site is served as in production. The visitor
asks for one page after the other: first alone, then during each flood. What counts is the ratio of the times. Both
addresses are named in `X-Forwarded-For`, as by a proxy in front of the site.
"""

from __future__ import annotations

import http.client
import itertools
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from statistics import median, quantiles
from typing import TYPE_CHECKING

from tests.bench.pages import TRIVIAL, private_arena
from tests.kit.ports import ReservedPort
from tests.kit.until import until
from webui.commands.services.ready import page_answers

if TYPE_CHECKING:
    from tests.bench.history import Past

MATCHES = 300
ROUNDS = 12
"""Rounds of the visitor's pages, alone and during each flood."""
CONNECTIONS = 24
"""Connections of a flood that sends requests."""
IDLE = 90
"""Connections of a flood that sends nothing, or one byte a second."""
VISITOR, FLOOD = "198.51.100.7", "203.0.113.66"

Requests = Iterator[tuple[str, str, bytes, str]]
"""Method, address, body and cookie of the requests of a flood."""


@contextmanager
def site() -> Iterator[int]:
    """The site's own process; its port."""
    with ReservedPort() as port:
        command = [sys.executable, "-m", "webui.commands.site", "--port", f"{port.number}"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                until(lambda: page_answers(port.number), "the site's first page")
                yield port.number
            finally:
                process.terminate()


def draft() -> tuple[str, str]:
    """The address of an event that is not published, and its organiser's cookie."""
    from django.test import Client

    from tests.site.world import sign_in
    from webui.accounts import actions as account_actions
    from webui.events import actions as event_actions

    organiser = account_actions.create_user("orga", None)
    terms = {"name": "Long Cup", "format": {"kind": "swiss", "rounds": 20}, "game": {"players": 2}}
    slug = event_actions.create_event(organiser, terms)
    client = Client()
    sign_in(client, organiser)
    return f"/events/{slug}/", f"sessionid={client.cookies['sessionid'].value}"


def floods_of(past: Past) -> dict[str, Requests]:
    """The floods that send requests. A number in each request makes it another one."""
    event, cookie = draft()
    numbers = itertools.count()
    matches = itertools.cycle(past.matches)

    def gets(address: Callable[[int], str], cookies: str = "") -> Requests:
        return (("GET", address(number), b"", cookies) for number in numbers)

    return {
        "front": gets(lambda _: "/"),
        "front, never the same": gets(lambda number: f"/?n={number}"),
        "search": gets(lambda number: f"/bots/?q=copy+{number}"),
        "deep lists": gets(lambda number: f"/matches/?page={number % 50 + 2}"),
        "cold frames": gets(lambda _: f"/matches/{next(matches)}/frames.json"),
        "matches": gets(lambda number: f"/matches/{next(matches)}/?d={number % 90}"),
        "live readers": gets(lambda _: f"/matches/{next(matches)}/live"),
        "dry runs": gets(lambda number: f"{event}?bots={number % 40 + 3}", cookie),
        "uploads": (("POST", "/csp-reports/", b"x" * 60_000, "") for _ in numbers),
    }


@contextmanager
def flood(port: int, requests: Requests) -> Iterator[Counter[int]]:
    """Send requests over many connections while the context lasts. Yields the answers so far, by status."""
    is_over, lock, answers = threading.Event(), threading.Lock(), Counter[int]()

    def send() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        while not is_over.is_set():
            with lock:
                method, address, body, cookie = next(requests)
            try:
                connection.request(method, address, body, headers(FLOOD, cookie))
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            except (OSError, http.client.HTTPException):
                connection.close()
                status = 0
            with lock:
                answers[status] += 1

    threads = [threading.Thread(target=send, daemon=True) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    try:
        yield answers
    finally:
        is_over.set()
        for thread in threads:
            thread.join(120)


@contextmanager
def waiting_connections(port: int, *, sends: bool) -> Iterator[Counter[int]]:
    """Hold connections that send nothing, or one byte a second of a request that never ends."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(IDLE)]
        is_over = threading.Event()

        def trickle() -> None:
            while sends and not is_over.wait(1):
                for line in held:
                    with suppress(OSError):
                        line.send(b"G")

        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        try:
            yield Counter()
        finally:
            is_over.set()
            thread.join()


def headers(address: str, cookie: str = "") -> dict[str, str]:
    return {"X-Forwarded-For": address, "Accept-Encoding": "gzip"} | ({"Cookie": cookie} if cookie else {})


def visit(port: int, past: Past) -> dict[str, list[float]]:
    """Milliseconds that each page took the visitor, by name."""
    pages = {"trivial": TRIVIAL, "front": "/", "list": "/matches/", "ladder": f"/ladder/{past.ladder}/"}
    pages |= {"bot": f"/bots/{past.busiest}/", "match": f"/matches/{past.matches[0]}/"}
    took: dict[str, list[float]] = {name: [] for name in pages}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for _ in range(ROUNDS):
        for name, address in pages.items():
            began = time.perf_counter()
            connection.request("GET", address, headers=headers(VISITOR))
            answer = connection.getresponse()
            answer.read()
            took[name].append((time.perf_counter() - began) * 1e3)
            assert answer.status == 200, (address, answer.status)
    return took


def p95(took: dict[str, list[float]]) -> float:
    return quantiles(itertools.chain.from_iterable(took.values()), n=20)[18]


def main() -> None:
    with private_arena():
        from django.db import connection

        from tests.bench.history import fill

        past = fill(MATCHES, patterns=10, bots=100)
        requests = floods_of(past)
        connection.close()
        with site() as port:
            visit(port, past)
            alone = visit(port, past)
            floor = median(alone["trivial"])
            print(f"{'page':24} {'p50 ms':>8} {'of trivial':>11}")
            for name, times in alone.items():
                print(f"{name:24} {median(times):8.1f} {median(times) / floor:11.1f}")
            print(f"\n{'flood':24} {'p95 ms':>8} {'of alone':>11}   answers of the flood, by status")
            print(f"{'none':24} {p95(alone):8.1f} {1:11.1f}")
            floods = {name: flood(port, of) for name, of in requests.items()}
            floods |= {"idle connections": waiting_connections(port, sends=False)}
            floods |= {"slow connections": waiting_connections(port, sends=True)}
            for name, running in floods.items():
                with running as answers:
                    during = p95(visit(port, past))
                    print(f"{name:24} {during:8.1f} {during / p95(alone):11.1f}   {dict(answers)}", flush=True)


if __name__ == "__main__":
    main()
