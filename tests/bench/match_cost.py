"""What a match costs: `python -m tests.bench.match_cost`; with `--write` it renews the constants and the document.

Whole arenas (`arena up`), on SQLite and on PostgreSQL, play matches of two bots that choose at random (`arena load`),
while the kernel counts the processor time of each process, Redis its commands and bytes, PostgreSQL its transactions.
Nothing else is asked of them meanwhile, and what they use without matches is taken off. Then pages are read, and tables
are measured. All of it is processor time, which other work on the machine changes little.

`--write` writes `arena/simulation/costs.py` and the tables between the marks in docs/scale.md.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import django
import redis

from arena.host.places import Places
from arena.simulation.costs import Costs
from tests.e2e.processes import descendants
from tests.e2e.running import COMMAND, RunningArena
from tests.kit.arena.database import using
from tests.kit.postgres_server import PostgresServer, postgres_directory
from tests.kit.until import until

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "scale.md"
CONSTANTS = ROOT / "arena" / "simulation" / "costs.py"
MATCHES = 16
AT_ONCE = 16
THINK = "100ms"
PAGES = 40
IDLE_S = 10.0
BEGIN, END = "<!-- measured: {} -->", "<!-- end -->"
ON_THE_WAY = ("referee", "gateway", "redis", "database")
"""What a decision passes."""
PROCESSES = ("gateway", "referee", "redis", "site", "upkeep")


class Measured(NamedTuple):
    """What was used on one database, of a decision unless another unit is named."""

    processor_ms: dict[str, float]
    """By process; that of SQLite is in the processes that use it."""
    page_ms: dict[str, float]
    """Of a page."""
    decisions: list[float]
    """Of each match."""
    transactions: float | None
    commands: float
    redis_bytes: float
    to_bot_bytes: float
    from_bot_bytes: float
    log_bytes: float
    """Of a match, as the rest: its log with indexes."""
    live_bytes: float
    """What is kept for spectators while it runs; the most of any match."""
    kept_bytes: float
    """By which all tables and indexes have grown when it has ended."""
    record_bytes: float

    @property
    def of_match_s(self) -> float:
        """Processor time of a match where its decisions pass."""
        return sum(self.processor_ms.get(name, 0.0) for name in ON_THE_WAY) * mean(self.decisions) / 1e3


def processor_s(pid: int, *, with_ended: bool = False) -> float:
    """The processor time of a process until now, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = sum(map(int, fields[11:15] if with_ended else fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


class Meter:
    """The counters of an arena."""

    def __init__(self, arena: RunningArena, postgres: PostgresServer | None) -> None:
        self._arena, self._postgres = arena, postgres
        self._redis = arena.state("redis")["address"].removeprefix("unix://").partition("?")[0]

    def read(self) -> dict[str, float]:
        """All of them, and the time."""
        found = {name: processor_s(self._arena.state(name)["pid"]) for name in PROCESSES}
        if self._postgres is not None:
            assert self._postgres.process is not None
            server = self._postgres.process.pid
            found["database"] = processor_s(server, with_ended=True)
            for backend in descendants(server):
                with suppress(FileNotFoundError):  # it has just ended, which the server counts
                    found["database"] += processor_s(backend.pid)
            found["transactions"] = query("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        with redis.Redis(unix_socket_path=self._redis) as client:
            info: Any = client.info()
        found["commands"] = info["total_commands_processed"]
        found["redis_bytes"] = info["total_net_input_bytes"] + info["total_net_output_bytes"]
        found["time"] = time.monotonic()
        return found


def query(sql: str) -> float:
    """The number that the database answers."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(sql)
        return float(cursor.fetchone()[0] or 0)


def is_read(address: str) -> bool:
    """Whether a page is given; 503: the site says to come again."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return bool(answer.read())
    except urllib.error.HTTPError as error:
        if error.code != HTTPStatus.SERVICE_UNAVAILABLE:
            raise
        return False


def table_bytes(is_postgres: bool, tables: str = "") -> float:
    """Bytes of the tables whose names begin so, with their indexes."""
    if is_postgres:
        return query(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            f" WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname LIKE '{tables}%%'"
        )
    return query(
        "SELECT sum(pgsize) FROM dbstat WHERE name IN"
        f" (SELECT name FROM sqlite_master WHERE tbl_name LIKE '{tables}%%')"
    )


def live_bytes() -> float:
    """Of the match that has most for spectators now."""
    sums = "SELECT sum(length(view) + length(text) + 40) AS bytes FROM matches_spectatorrow GROUP BY match_id"
    return query(f"SELECT max(bytes) FROM ({sums}) AS sums")


def used(before: Mapping[str, float], after: Mapping[str, float], idle: Mapping[str, float]) -> dict[str, float]:
    """What was used between two readings, without what is used when nothing goes on, `idle` a second."""
    seconds = after["time"] - before["time"]
    return {name: max(0.0, after[name] - before[name] - idle[name] * seconds) for name in before if name != "time"}


def measure(postgres: PostgresServer | None) -> Measured:
    """Play and measure on this database; None: on SQLite."""
    from webui.matches.models import LogRow, MatchRecord

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-cost-")))
        var, file = folder / "var", folder / "bots.json"
        more = {"DATABASE_URL": postgres.url} if postgres else {}
        arena = stack.enter_context(RunningArena(var, ARENA_MATCHES=str(4 * AT_ONCE), with_nothing=False, **more))
        ready = arena.wait_ready()
        stack.enter_context(using(postgres.url if postgres else f"sqlite:///{Places(var).database}"))
        arena.run("admin", "load-bots", str(2 * AT_ONCE), str(file))
        meter = Meter(arena, postgres)
        first, tables = meter.read(), table_bytes(postgres is not None)
        time.sleep(IDLE_S)
        last = meter.read()
        idle = {name: (last[name] - first[name]) / (last["time"] - first["time"]) for name in first}
        before = meter.read()
        load = [*COMMAND, "load", "--bots", str(2 * AT_ONCE), "--matches", str(AT_ONCE), "--total", str(MATCHES)]
        load += ["--think", THINK, "--for", "1h", "--json", "--from", str(file)]
        load += ["--site", ready["site"], "--server", ready["gateway"]]
        playing = stack.enter_context(
            subprocess.Popen(load, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        )
        live = 0.0
        while playing.poll() is None:
            live = max(live, live_bytes())
            time.sleep(1.0)
        assert playing.stdout is not None and playing.returncode == 0
        report = json.loads(playing.stdout.read())
        assert report["matches"]["ended"] == MATCHES
        found = used(before, meter.read(), idle)
        before = meter.read()
        some = list(MatchRecord.objects.values_list("match_id", flat=True))
        for number in range(PAGES):
            path = (
                "/",
                "/matches/",
                f"/matches/{some[number % MATCHES]}/",
                f"/matches/{some[number % MATCHES]}/frames.json",
            )
            until(partial(is_read, ready["site"] + path[number % len(path)]), "a page", 120)
        pages = used(before, meter.read(), idle)
        logged = Counter(LogRow.objects.filter(kind="decision").values_list("match", flat=True))
        total = report["decisions"]
        return Measured(
            processor_ms={name: 1e3 * found[name] / total for name in (*PROCESSES, "database") if name in found},
            page_ms={name: 1e3 * pages[name] / PAGES for name in ("site", "database") if name in pages},
            # Those without a choice are in the log, too, and nobody is asked for them.
            decisions=[count * total / logged.total() for count in logged.values()],
            transactions=found["transactions"] / total if postgres else None,
            commands=found["commands"] / total,
            redis_bytes=found["redis_bytes"] / total,
            to_bot_bytes=report["bytes_a_decision"]["to_bots"],
            from_bot_bytes=report["bytes_a_decision"]["from_bots"],
            log_bytes=table_bytes(postgres is not None, "matches_logrow") / MATCHES,
            live_bytes=live,
            kept_bytes=(table_bytes(postgres is not None) - tables) / MATCHES,
            record_bytes=mean(len(one) for one in MatchRecord.objects.values_list("packed", flat=True)),
        )


def round_to(value: float, digits: int = 2) -> float:
    """To so many significant digits: more are not repeatable."""
    return float(f"{value:.{digits}g}")


def costs(found: Measured) -> Costs:
    """The constants, from PostgreSQL."""
    assert found.transactions is not None
    return Costs(
        decisions=round_to(mean(found.decisions), 3),
        decisions_sd=round_to(stdev(found.decisions)),
        referee_ms=round_to(found.processor_ms["referee"]),
        gateway_ms=round_to(found.processor_ms["gateway"]),
        database_ms=round_to(found.processor_ms["database"]),
        redis_ms=round_to(found.processor_ms["redis"]),
        page_ms=round_to(found.page_ms["site"]),
        page_database_ms=round_to(found.page_ms["database"]),
        transactions=round_to(found.transactions),
        redis_commands=round_to(found.commands),
        to_bot_bytes=round_to(found.to_bot_bytes),
        from_bot_bytes=round_to(found.from_bot_bytes),
        redis_bytes=round_to(found.redis_bytes),
        record_bytes=round_to(found.record_bytes),
        log_bytes=round_to(found.log_bytes),
        live_bytes=round_to(found.live_bytes),
        kept_bytes=round_to(found.kept_bytes),
    )


Row = tuple[str, Callable[[Measured], float | None], str]
ROWS: tuple[Row, ...] = (
    ("decisions of a match", lambda one: mean(one.decisions), ""),
    ("their standard deviation", lambda one: stdev(one.decisions), ""),
    ("processor time of a decision: referee", lambda one: one.processor_ms["referee"], "ms"),
    ("processor time of a decision: gateway", lambda one: one.processor_ms["gateway"], "ms"),
    ("processor time of a decision: redis", lambda one: one.processor_ms["redis"], "ms"),
    ("processor time of a decision: database", lambda one: one.processor_ms.get("database"), "ms"),
    ("processor time of a match, these together", lambda one: one.of_match_s, "s"),
    ("processor time of a page: site", lambda one: one.page_ms["site"], "ms"),
    ("processor time of a page: database", lambda one: one.page_ms.get("database"), "ms"),
    ("transactions of a decision", lambda one: one.transactions, ""),
    ("Redis commands of a decision", lambda one: one.commands, ""),
    ("Redis traffic of a decision, both ways", lambda one: one.redis_bytes, "bytes"),
    ("messages to bots, of a decision", lambda one: one.to_bot_bytes, "bytes"),
    ("messages from bots, of a decision", lambda one: one.from_bot_bytes, "bytes"),
    ("for spectators while a match runs, at most", lambda one: one.live_bytes, "bytes"),
    ("record of a match, packed", lambda one: one.record_bytes, "bytes"),
    ("log of a match, with its index", lambda one: one.log_bytes, "bytes"),
    ("what a match leaves in the database, all together", lambda one: one.kept_bytes, "bytes"),
)
"""Of the document's table: what, its value and its unit."""


def table(*found: Measured) -> str:
    """SQLite and PostgreSQL, as Markdown."""
    lines = ["| | SQLite | PostgreSQL |", "|---|---:|---:|"]
    for name, value, unit in ROWS:
        digits = 3 if name == "decisions of a match" else 2
        cells = ["–" if (one := value(each)) is None else number(round_to(one, digits), unit) for each in found]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return "\n".join(lines)


def number(value: float, unit: str) -> str:
    """With thousands and a unit."""
    digits = f"{value:,.0f}" if value >= 100 else f"{value:g}"
    return f"{digits} {unit}".strip()


def write(made: Costs, tables: str) -> None:
    """Renew the constants, and the tables of the document."""
    text = CONSTANTS.read_text()
    values = "".join(f"    {name}={value!r},\n" for name, value in vars(made).items())
    CONSTANTS.write_text(text[: text.index("MEASURED = Costs(")] + f"MEASURED = Costs(\n{values})\n")
    fill("costs", tables)
    for name, words in (("fleets", ()), ("threads", ("--threads", "1000"))):
        done = subprocess.run([*COMMAND, "simulate", "load", *words], capture_output=True, text=True, check=True)
        fill(name, f"```\n$ arena simulate load {' '.join(words)}".rstrip() + f"\n{done.stdout.rstrip()}\n```")


def fill(name: str, text: str) -> None:
    """Put a text between two marks of the document."""
    before = DOCUMENT.read_text()
    begin = BEGIN.format(name)
    after = re.sub(f"{begin}.*?{END}", lambda _: f"{begin}\n{text}\n{END}", before, count=1, flags=re.DOTALL)
    DOCUMENT.write_text(after)


def main() -> None:
    """Measure and print."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
    os.environ.setdefault("ARENA_SECRET_KEY", "bench")
    django.setup()
    if postgres_directory() is None:
        sys.exit("no PostgreSQL here: install Debian's package postgresql")
    sqlite = measure(None)
    print(table(sqlite, sqlite), flush=True)
    with PostgresServer(durable=True, tables=True) as server:
        postgres = measure(server)
    made = costs(postgres)
    tables = table(sqlite, postgres)
    print(tables)
    print("others on PostgreSQL, ms of a decision:", {k: round(v, 2) for k, v in postgres.processor_ms.items()})
    print(made)
    if "--write" in sys.argv[1:]:
        write(made, tables)


if __name__ == "__main__":
    main()
