"""`arena simulate load`: queues against theory, the fleet by hand, and the document's figures."""

from __future__ import annotations

import json
import re
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from arena.cli.simulate import app
from arena.simulation.costs import MEASURED, Costs
from arena.simulation.load import (
    HOURS,
    LoadSetting,
    ceilings,
    erlang_c,
    fleet,
    mean_wait,
    mean_wait_single,
    outlook,
    peak_share,
    waits,
)

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "scale.md").read_text()


def erlang_c_by_its_sum(servers: int, load: float) -> float:
    """Return the value of the textbook's formula, which overflows for many servers."""
    last = load**servers / factorial(servers) * servers / (servers - load)
    return last / (sum(load**k / factorial(k) for k in range(servers)) + last)


def test_erlang_c_by_hand() -> None:
    """One server: the load itself. Two with load 1.5: 1.125 · 4 / (1 + 1.5 + 4.5) = 9/14."""
    assert erlang_c(1, 0.8) == pytest.approx(0.8)
    assert erlang_c(2, 1.5) == pytest.approx(9 / 14)
    assert mean_wait(2, 1.5, 1.0) == pytest.approx(9 / 14 / 0.5)
    for servers, load in ((3, 0.4), (7, 5.5), (40, 33.0), (100, 99.0)):
        assert erlang_c(servers, load) == pytest.approx(erlang_c_by_its_sum(servers, load))
    assert erlang_c(2, 2.0) == 1.0 and mean_wait(2, 2.0, 1.0) == float("inf")


def test_a_single_server_by_hand() -> None:
    """With load .8, M/M/1 waits .8 / .2 = 4 service times, and M/D/1 half of that."""
    assert mean_wait_single(0.8, 1.0, 1.0) == pytest.approx(4.0) == mean_wait(1, 0.8, 1.0)
    assert mean_wait_single(0.8, 1.0, 0.0) == pytest.approx(2.0)
    assert mean_wait_single(4.0, 0.2, 0.0) == pytest.approx(0.4)


def test_waits_by_hand() -> None:
    arrivals, services = np.array([0.0, 1.0, 2.0, 9.0]), np.array([3.0, 3.0, 1.0, 1.0])
    assert waits(arrivals, services).tolist() == [0, 2, 4, 0]
    assert waits(arrivals, services, 2).tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("servers", "load", "is_constant"), [(1, 0.7, True), (1, 0.7, False), (3, 2.1, False), (16, 12.0, False)]
)
def test_the_simulation_waits_as_theory_says(servers: int, load: float, is_constant: bool) -> None:
    """M/D/1 and M/M/c. The seed is fixed; the tolerance is some standard errors for this number of waits."""
    chance, many = np.random.default_rng(4), 400_000
    arrivals = np.cumsum(chance.exponential(1 / load, many))
    services = np.ones(many) if is_constant else chance.exponential(1.0, many)
    found = waits(arrivals, services, servers)[many // 10 :]
    expected = mean_wait_single(load, 1.0, 0.0) if is_constant else mean_wait(servers, load, 1.0)
    assert found.mean() == pytest.approx(expected, rel=0.08)
    if not is_constant:
        assert (found > 0).mean() == pytest.approx(erlang_c(servers, load), rel=0.04)


ROUND = Costs(
    decisions=100.0, decisions_sd=10.0, referee_ms=4.0, gateway_ms=2.0, database_ms=1.0, redis_ms=0.5, page_ms=10.0,
    page_database_ms=2.0, transactions=1.0, redis_commands=8.0, to_bot_bytes=1000.0, from_bot_bytes=50.0,
    redis_bytes=2000.0, record_bytes=5000.0, log_bytes=40_000.0, live_bytes=90_000.0, kept_bytes=50_000.0,
)  # fmt: skip


def test_the_fleet_by_hand() -> None:
    """50 decisions and 10 pages a second, 50 matches at once.

    Referees need 50 · 4 ms = .2 of a core, gateways .1 and Redis .025. The database needs 50 · 1 ms + 10 · 2 ms = .07,
    and the site 10 · 10 ms = .1.
    """
    setting = LoadSetting(1, utilisation=0.06, threads=10)
    found = {one.name: one for one in fleet(setting, ROUND, decisions=50, pages=10, at_once=50)}
    assert {name: one.servers for name, one in found.items()} == {
        "gateway": 2, "redis": 1, "referee": 84, "database": 2, "site": 2,
    }  # fmt: skip
    assert found["database"].utilisation == pytest.approx(0.07 / 2)
    assert found["gateway"].utilisation == pytest.approx(0.1 / 2)
    assert found["gateway"].mean_wait_s == pytest.approx(0.05 / 0.95 * 2e-3)
    assert found["database"].mean_wait_s == pytest.approx(mean_wait(2, 60, 0.07 / 60))
    few = fleet(LoadSetting(1, utilisation=0.06, threads=1000), ROUND, decisions=50, pages=10, at_once=50)
    assert next(one.servers for one in few if one.name == "referee") == 4  # .2 / .06; places are no longer the limit


def test_volumes_by_hand() -> None:
    """A million matches a day are 365 million records of 5 kB in a year.

    A decision is 1,050 bytes of 8 bits to and from bots.
    """
    found = outlook(LoadSetting(1_000_000, think_s=2.0), ROUND)
    decisions = 1_000_000 * 100 * 1.68 / 86_400
    assert found.peak_decisions == pytest.approx(decisions)
    assert found.volumes.records_a_year == pytest.approx(365e6 * 5e3 / 1e9)
    assert found.volumes.logs_a_year / found.volumes.records_a_year == pytest.approx(8)
    assert found.volumes.all_a_year / found.volumes.records_a_year == pytest.approx(10)
    assert found.volumes.running == pytest.approx(decisions * 2 * 90e3 / 1e9)  # one decision in two seconds each
    assert found.volumes.bots_mbit == pytest.approx(decisions * 1050 * 8 / 1e6)
    assert found.volumes.redis_mbit == pytest.approx(decisions * 16_000 / 1e6)
    assert found.volumes.redis_commands == pytest.approx(8 * found.volumes.transactions)


def test_what_one_process_bears_by_hand() -> None:
    """A match needs 400 ms of a referee. A day has 86,400 s, and its busiest hour has 1.68 times the mean."""
    assert sum(HOURS) == 100 and peak_share() == pytest.approx(1.68)
    assert ceilings(LoadSetting(1, pages=5), ROUND)["referee"] == pytest.approx(86_400 / 1.68 / 0.4)
    assert ceilings(LoadSetting(1, pages=5), ROUND)["database"] == pytest.approx(86_400 / 1.68 / 0.11)


def test_a_place_is_waited_for_only_where_there_are_too_few() -> None:
    """In the busiest hour, 20,000 matches a day are .39 a second, of 100 s each: 39 at once.

    Without a queue for places, matches only wait for the matchmaker's step, which is uniform between 0 and 3 s.
    """
    roomy = outlook(LoadSetting(20_000), ROUND)
    assert roomy.at_once == pytest.approx(20_000 / 86_400 * 1.68 * 100) and roomy.places == 100
    assert roomy.start.p50 == pytest.approx(1.5, abs=0.1) and roomy.start.p99 == pytest.approx(2.97, abs=0.05)
    tight = outlook(LoadSetting(20_000, threads=39, utilisation=0.9999), ROUND)
    assert tight.places == 39 and tight.start.p50 > 3


def test_the_overhead_is_the_sum_of_its_stations() -> None:
    """The stations are hardly used.

    Exponential times of means 4, 2, 1 and .5 ms are 7.5 ms on average; the median is less.
    """
    found = outlook(LoadSetting(100, utilisation=0.99), ROUND)
    assert 5.5e-3 < found.overhead.p50 < 7.5e-3 < found.overhead.p99 < 25e-3
    assert found.first.name == "referee"
    assert found == outlook(LoadSetting(100, utilisation=0.99), ROUND), "the same seed, the same numbers"


def test_more_cores_than_needed_change_nothing_else() -> None:
    found = outlook(LoadSetting(100_000, cores=64), MEASURED)
    assert next(one.servers for one in found.stations if one.name == "database") == 64


def test_the_document_has_the_measured_costs() -> None:
    cells = dict(re.findall(r"^\| ([^|]+?) \| [^|]+ \| ([^|]+?) \|$", DOCUMENT, re.MULTILINE))

    def told(name: str) -> float:
        return float(cells[name].split()[0].replace(",", ""))

    assert told("decisions of a match") == MEASURED.decisions
    for name in ("referee", "gateway", "redis", "database"):
        assert told(f"processor time of a decision: {name}") == getattr(MEASURED, f"{name}_ms")
    assert told("processor time of a page: site") == MEASURED.page_ms
    assert told("messages to bots, of a decision") == MEASURED.to_bot_bytes
    assert told("record of a match, packed") == MEASURED.record_bytes
    assert told("what a match leaves in the database, all together") == MEASURED.kept_bytes


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["load", *words])


@pytest.mark.slow
def test_the_document_has_the_commands_tables() -> None:
    """The tables are those that the commands print now."""
    for words in ("", " --threads 1000"):
        shown = run(*words.split())
        assert shown.exit_code == 0
        assert f"$ arena simulate load{words}\n{shown.stdout.strip()}\n" in DOCUMENT


def test_json_has_the_same() -> None:
    found = json.loads(run("--matches", "1000", "--json").stdout)
    assert found["sizes"][0]["setting"]["matches_a_day"] == 1000 and found["costs"]["decisions"] == MEASURED.decisions
    assert {one["name"] for one in found["sizes"][0]["stations"]} == set(found["ceilings"])
