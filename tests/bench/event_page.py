"""The page of a large event, beside a page that reads nothing: `python -m tests.bench.event_page`.

A Swiss of 64 bots with six rounds, the last one being played, is written into a private PostgreSQL and served as in
production. Its page is asked for in turn with the sign-up form: what counts is the ratio, and that the median stays
under 100 ms. Who is not signed in is served the page that was made for others; therefore it is also asked for in a way
that makes it anew.
"""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from statistics import median, quantiles

import django

from tests.kit.ports import ReservedPort
from tests.kit.postgres_server import PostgresServer
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from webui.commands.services.ready import page_answers

BOTS, ROUNDS = 64, 6
TIMES = 60
TRIVIAL = "/sign-up/"


def fill() -> None:
    """The event, its last round half played: its games have matches, eight of which run."""
    from django.db import connection

    from arena.events import FactKind
    from tests.kit.events import Played, by_chance
    from tests.kit.ladder import Kit
    from tests.kit.stored_events import bots, store
    from webui.ladder import actions, models

    kit = Kit()
    owner = actions.create_user("orga", None)
    versions = bots(owner, [f"Bot {number} of the field" for number in range(1, BOTS + 1)])
    played = Played({"kind": "swiss", "rounds": ROUNDS}, 2, BOTS, name="Swiss of 64")
    for _ in range(ROUNDS - 1):
        played.draw()
        played.play(by_chance())
    played.draw()
    for pairing in played.event.pairings()[: BOTS // 4]:
        number, table, game = pairing.key
        played.say(FactKind.RESULT, round=number, table=table, game=game, placements=by_chance()(pairing))
    row = store(played, owner, "swiss-of-64", versions)
    running = 0
    for number, drawn in enumerate(played.event.rounds, start=1):
        for table in drawn.tables:
            match = kit.match([versions[seat - 1] for seat in table.seats], rated=False)
            is_over = (number, table.number, 0) in played.event.games
            if not is_over and running < 8:
                kit.claim(match)
                running += 1
            models.EventMatch.objects.create(
                event=row, round=number, table=table.number, game=0, attempt=0, match_id=match, is_counted=is_over
            )
    connection.close()


def measure(port: int) -> None:
    """Ask for every page in turn with the trivial one, over one connection, and print what they took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(address: str) -> tuple[float, int]:
        began = time.perf_counter()
        connection.request("GET", address, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        size = len(answer.read())
        assert answer.status == 200, (address, answer.status)
        return (time.perf_counter() - began) * 1e3, size

    pages = {
        "trivial": TRIVIAL,
        "event": "/events/swiss-of-64/",
        "event, made anew": "/events/swiss-of-64/?n=%s",  # an address that nobody has asked for
        "list of events": "/events/",
    }
    took: dict[str, list[float]] = {name: [] for name in pages}
    size: dict[str, int] = {}
    for number in range(TIMES + 3):
        for name, address in pages.items():
            milliseconds, size[name] = ask(address.replace("%s", str(number)))
            if number >= 3:
                took[name].append(milliseconds)
    floor = median(took["trivial"])
    print(f"{'page':24} {'p50 ms':>8} {'p95 ms':>8} {'of trivial':>11} {'KB':>6}")
    for name, times in took.items():
        p95 = quantiles(times, n=20)[18]
        print(f"{name:24} {median(times):8.1f} {p95:8.1f} {median(times) / floor:11.1f} {size[name] / 1e3:6.1f}")


def main() -> None:
    with ExitStack() as stack:
        postgres, redis = stack.enter_context(PostgresServer()), stack.enter_context(RedisServer())
        os.environ |= {
            "REDIS_URL": redis.url,
            "DATABASE_URL": postgres.url,
            "DJANGO_SETTINGS_MODULE": "webui.settings",
            "ARENA_VAR": stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-bench-")),
        }
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        fill()
        port = stack.enter_context(ReservedPort()).number
        command = [
            sys.executable,
            "-m",
            "uvicorn",
            "webui.asgi:application",
            "--port",
            str(port),
            "--log-level",
            "error",
        ]
        site = stack.enter_context(subprocess.Popen(command))
        stack.callback(site.terminate)
        until(lambda: page_answers(port), "the site's first page")
        measure(port)


if __name__ == "__main__":
    main()
