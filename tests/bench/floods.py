"""An honest visitor during floods from one other address: `python -m tests.bench.floods [NAME …]`, all unless named.

A private PostgreSQL is filled with finished matches (`history.py`), and the site and a gateway run as in production.
The visitor asks for one page after the other: alone, then during a flood, and so on in turn, so that other work on the
machine falls on both. The ratio of the times is the result. A bot of the visitor's says hello to the gateway during
the flood of hellos. A flood is a process of its own with a low priority (`flooding.py`), and comes from an address
of its own. Addresses are named in `X-Forwarded-For`, as by a proxy in front.
"""

from __future__ import annotations

import http.client
import itertools
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from statistics import median, quantiles
from typing import TYPE_CHECKING

import grpc

from arena.wire.service import PROTOCOL, SERVICE
from arena.wire.v1.bot_pb2 import BotMessage, Hello, ServerMessage
from tests.bench.flooding import Flood
from tests.bench.pages import TRIVIAL, private_arena
from tests.kit.ports import ReservedPort
from tests.kit.until import until
from webui.commands.services.ready import page_answers

if TYPE_CHECKING:
    from tests.bench.history import Past

MATCHES = 300
ALONE_S, FLOOD_S = 5.0, 6.0
"""Seconds for which the visitor is watched before each flood and during it."""
RECOVERED = 2.0
"""The site has recovered when a round of pages takes at most so many times as long as before the flood."""
MOST_RECOVERY_S = 30.0
CONNECTIONS = 24
"""Connections of a flood that sends requests."""
IDLE = 90
"""Connections of a flood that sends nothing, or one byte a second."""
BETWEEN_PAGES_S = 0.05
"""Pause of the visitor between two pages.

Pages are made anew every two seconds. A visitor who asked as fast as possible would meet fewer new pages the faster the
site is, and the times would not compare.
"""
BETWEEN_HELLOS_S = 0.1
"""Pause of the visitor's bot between two hellos. The gateway allows ten hellos a second in the long run."""
VISITOR = "198.51.100.7"

Times = dict[str, list[float]]
"""Milliseconds that each page took, by its name."""


@contextmanager
def process(module: str, *arguments: str) -> Iterator[None]:
    """A process of the arena."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        try:
            yield
        finally:
            running.terminate()


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


def new_token() -> str:
    """The token of the visitor's bot."""
    from webui.accounts import actions as account_actions
    from webui.bots import actions as bot_actions
    from webui.bots import token_actions

    bot = bot_actions.register_bot(account_actions.create_user("visitor", None), "Bench")
    return token_actions.issue_token(bot).token


def floods_of(past: Past, site: int, gateway: int) -> dict[str, Flood]:
    """The floods by name, each from an address of its own."""
    event, cookie = draft()
    addresses = (f"203.0.113.{number}" for number in itertools.count(1))

    def requests(*paths: str, cookie: str = "", body_bytes: int = 0) -> Flood:
        return Flood("requests", site, next(addresses), CONNECTIONS, paths, cookie, body_bytes)

    pages = [f"/matches/{match}/" for match in past.matches]
    return {
        "front": requests("/"),
        "front, never the same": requests("/?n={n}"),
        "search": requests("/bots/?q=copy+{n}"),
        "deep lists": requests(*(f"/matches/?page={number}" for number in range(2, 52))),
        "cold frames": requests(*(f"{page}frames.json" for page in pages)),
        "matches": requests(*(f"{page}?d={{n}}" for page in pages)),
        "live readers": requests(*(f"{page}live" for page in pages)),
        "dry runs": requests(*(f"{event}?bots={number}" for number in range(3, 43)), cookie=cookie),
        "uploads": requests("/csp-reports/", body_bytes=60_000),
        "idle connections": Flood("idle", site, "", IDLE),
        "slow connections": Flood("slow", site, "", IDLE),
        "hellos": Flood("hellos", gateway, next(addresses), CONNECTIONS),
    }


@contextmanager
def flooded(flood: Flood) -> Iterator[Counter[str]]:
    """Run a flood while the context lasts. After it, the counter has the answers that the flood got."""
    command = [sys.executable, "-m", "tests.bench.flooding"]
    answers = Counter[str]()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None and running.stdout is not None
        running.stdin.write(json.dumps(asdict(flood)) + "\n")
        running.stdin.flush()
        try:
            yield answers
        finally:
            running.stdin.close()
            answers.update(json.loads(running.stdout.read() or "{}"))


def visit(port: int, past: Past, seconds: float) -> Times:
    """Ask for the visitor's pages in turn, for some seconds and at least twice."""
    pages = {"trivial": TRIVIAL, "front": "/", "list": "/matches/", "ladder": f"/ladder/{past.ladder}/"}
    pages |= {"bot": f"/bots/{past.busiest}/", "match": f"/matches/{past.matches[0]}/"}
    took: Times = {name: [] for name in pages}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(took["match"]) < 2:
        for name, address in pages.items():
            began = time.perf_counter()
            connection.request("GET", address, headers={"X-Forwarded-For": VISITOR, "Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            answer.read()
            took[name].append((time.perf_counter() - began) * 1e3)
            assert answer.status == 200, (address, answer.status)
            time.sleep(BETWEEN_PAGES_S)
    connection.close()
    return took


def connect(port: int, token: str, seconds: float) -> Times:
    """Say hello with a valid token again and again, each time over a new connection."""
    hello = BotMessage(hello=Hello(token=token, process="bench", version="1", protocol=PROTOCOL, max_matches=1))
    took: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(took) < 2:
        began = time.perf_counter()
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            play = channel.stream_stream(f"/{SERVICE}/Play", BotMessage.SerializeToString, ServerMessage.FromString)
            stream = play(iter([hello]), metadata=(("x-forwarded-for", VISITOR),))
            first = next(stream)
            took.append((time.perf_counter() - began) * 1e3)
            assert first.WhichOneof("kind") == "welcome", first
            stream.cancel()
        time.sleep(BETWEEN_HELLOS_S)
    return {"hello": took}


def p50(took: Times) -> float:
    return median(itertools.chain.from_iterable(took.values()))


def p95(took: Times) -> float:
    return quantiles(itertools.chain.from_iterable(took.values()), n=20, method="inclusive")[18]


def recovery_s(visit_for: Callable[[float], Times], alone: Times) -> float:
    """Seconds until the visitor is served as before the flood."""
    began = time.perf_counter()
    while p50(visit_for(0)) > RECOVERED * p50(alone) and time.perf_counter() - began < MOST_RECOVERY_S:
        pass
    return time.perf_counter() - began


def measure(name: str, visit_for: Callable[[float], Times], flood: Flood) -> None:
    """Print how one visitor is served alone, during a flood and after it."""
    alone = visit_for(ALONE_S)
    with flooded(flood) as answers:
        during = visit_for(FLOOD_S)
    recovered_s = recovery_s(visit_for, alone)
    print(
        f"{name:24} {p50(alone):8.1f} {p95(alone):8.1f} {p50(during):8.1f} {p95(during):8.1f}"
        f" {p50(during) / p50(alone):7.1f} {p95(during) / p95(alone):7.1f} {recovered_s:9.1f}   {dict(answers)}",
        flush=True,
    )


def main(names: list[str]) -> None:
    with ExitStack() as stack:
        stack.enter_context(private_arena())
        from django.db import connection

        from tests.bench.history import fill

        past, token = fill(MATCHES, patterns=10, bots=100), new_token()
        site, gateway = (stack.enter_context(ReservedPort()).number for _ in range(2))
        floods = floods_of(past, site, gateway)
        connection.close()
        stack.enter_context(process("webui.commands.site", "--port", f"{site}"))
        stack.enter_context(process("webui.commands.gateway", "--listen", f"127.0.0.1:{gateway}"))
        until(lambda: page_answers(site), "the site's first page")
        visit(site, past, 1)
        alone = visit(site, past, ALONE_S)
        print(f"{'page':24} {'p50 ms':>8} {'p95 ms':>8} {'of trivial':>11}")
        for page, times in alone.items():
            row = {page: times}
            print(f"{page:24} {p50(row):8.1f} {p95(row):8.1f} {p50(row) / median(alone['trivial']):11.1f}")
        print(f"\n{'':24} {'alone, ms':^17} {'flooded, ms':^17} {'ratio':^15} {'recovered':>9}")
        columns = [f"{name:>{width}}" for width in (8, 8, 7) for name in ("p50", "p95")]
        print(f"{'flood':24}", *columns, f"{'after s':>9}   answers of the flood")
        connect(gateway, token, 1)
        for name in names or floods:
            measure(name, lambda seconds: visit(site, past, seconds), floods[name])
            if floods[name].kind == "hellos":
                measure(f"{name}, for a bot", lambda seconds: connect(gateway, token, seconds), floods[name])


if __name__ == "__main__":
    main(sys.argv[1:])
