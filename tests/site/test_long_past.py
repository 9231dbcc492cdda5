"""An arena with a past does no more for its pages, lists and periodic tasks than one without: on PostgreSQL, which is
asked how it carries out every statement. `tests/bench/growth.py` measures the same with ten million matches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.bench.cost import explain
from tests.bench.growth import works_of
from tests.bench.history import fill
from tests.kit.arena.database import using
from tests.kit.postgres_server import PostgresServer, require_postgres

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres, pytest.mark.slow]

MATCHES = 20_000
"""With 46,000 seats."""
RECENT = 2_000
"""Of the last month, with 4,600 seats: what looks a month back reads those."""
MOST_ROWS = 40_000
"""Of all grown tables together; all matches and seats are 66,000. Who filters has the newest 10,000 matches searched,
and one or two seats of each: that takes 38,008. So small as they are an index of all matches may be the best way to
join a thousand."""
OF_A_BOT = {"page: busiest bot", "page: bot", "api: history of a rating", "api: busiest bot", "api: statistics"}
"""The latest 1,000 seats of a bot are joined with their matches. At this size the planner finds it best to read all of
an index for that; with ten million matches it looks each of them up (docs/scale.md)."""
HEAVY = {"own: transcript"}
"""Its time is that of a replay; what it reads is the match alone."""


SAME_PLANS = {"autovacuum": "off", "default_statistics_target": "1000"}
"""The planner chooses by statistics. By default they are of a random sample, and are updated at any moment: one run in
twelve had another plan. Here they are of all rows, and are made once."""


@pytest.fixture(scope="module", autouse=True)
def database(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """A server of its own: filling it drops constraints."""
    require_postgres()
    with django_db_blocker.unblock(), PostgresServer(tables=True, options=SAME_PLANS) as server, using(server.url):
        yield "postgres"


def test_nothing_reads_a_grown_table_whole() -> None:
    past = fill(MATCHES, patterns=10, bots=100, recent=RECENT)
    whole, much = [], {}
    for name, work in works_of(past).items():
        if name in HEAVY:
            continue
        cost = explain(work, as_if_large=True)
        whole += [f"{name}: {scan}" for scan in sorted(cost.scans)]
        if cost.rows > MOST_ROWS and name not in OF_A_BOT:
            much[name] = (cost.rows, cost.most)
    assert not whole, "\n".join(whole)
    assert not much, "\n".join(f"{name}: {found}" for name, found in much.items())
