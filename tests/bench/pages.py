"""What benchmarks of pages share: a site served as in production over a private PostgreSQL, and a table of times."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median, quantiles

import django
from django.conf import settings
from rich.progress import track

from tests.kit.arena.database import using
from tests.kit.ports import ReservedPort
from tests.kit.postgres_server import PostgresServer
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from webui.commands.services.ready import page_answers
from webui.settings.storage import broker_url

TRIVIAL = "/sign-up/"
"""The reference: it reads nothing from the database."""
FIRST = 3
"""Rounds that are not counted."""


@contextmanager
def private_arena() -> Iterator[None]:
    """An empty database, for this process and those that it starts."""
    with ExitStack() as stack:
        postgres, redis = stack.enter_context(PostgresServer(tables=True)), stack.enter_context(RedisServer())
        os.environ |= {
            "REDIS_URL": redis.url,
            "DATABASE_URL": postgres.url,
            "DJANGO_SETTINGS_MODULE": "webui.settings",
            "ARENA_VAR": stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-bench-")),
        }
        # What was imported so far may have read the settings before.
        settings.REDIS_URL, settings.BROKER_URL = redis.url, broker_url(redis.url)
        django.setup()
        os.environ["ARENA_SECRET_KEY"] = settings.SECRET_KEY  # the site accepts sessions that this process makes
        stack.enter_context(using(postgres.url))
        yield


@contextmanager
def served() -> Iterator[int]:
    """The site, as in production; its port."""
    with ExitStack() as stack:
        port = stack.enter_context(ReservedPort()).number
        command = [sys.executable, "-m", "uvicorn", "webui.asgi:application", "--port", f"{port}"]
        site = stack.enter_context(subprocess.Popen([*command, "--log-level", "error"]))
        stack.callback(site.terminate)
        until(lambda: page_answers(port), "the site's first page")
        yield port


def measure(
    port: int, pages: Mapping[str, Sequence[str]], rounds: int, cookies: Mapping[str, str] | None = None
) -> None:
    """Ask for every page in turn with the trivial one, over one connection, and print what they took.

    `pages`: addresses by name, of which one is asked for in each round. `cookies`: of some pages, by name.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(address: str, cookie: str) -> tuple[float, int]:
        headers = {"Accept-Encoding": "gzip"} | ({"Cookie": cookie} if cookie else {})
        began = time.perf_counter()
        connection.request("GET", address, headers=headers)
        answer = connection.getresponse()
        size = len(answer.read())
        assert answer.status == 200, (address, answer.status)
        return (time.perf_counter() - began) * 1e3, size

    asked = {TRIVIAL: [TRIVIAL], **pages}
    took: dict[str, list[float]] = {name: [] for name in asked}
    size: dict[str, int] = {}
    for number in track(range(rounds + FIRST), "Asking"):
        for name, addresses in asked.items():
            milliseconds, size[name] = ask(addresses[number % len(addresses)], (cookies or {}).get(name, ""))
            if number >= FIRST:
                took[name].append(milliseconds)
    floor = median(took[TRIVIAL])
    print(f"{'page':24} {'p50 ms':>8} {'p95 ms':>8} {'of trivial':>11} {'KB':>6}")
    for name, times in took.items():
        p95 = quantiles(times, n=20)[18]
        print(f"{name:24} {median(times):8.1f} {p95:8.1f} {median(times) / floor:11.1f} {size[name] / 1e3:6.1f}")
