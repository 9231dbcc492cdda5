"""Measurements of a load test: quantiles by a second method, matches from their bots' messages, and valid plans."""

from __future__ import annotations

import asyncio
import random
from math import ceil

import pytest

from arena.cli.load import duration
from arena.load.generator import LoadPlan
from arena.load.hub import Hub
from arena.load.quantiles import Quantiles
from arena.load.tally import LoadTally


def test_quantiles_are_within_one_percent_of_the_sorted_times() -> None:
    chance = random.Random(5)
    times = [chance.lognormvariate(-4, 1.5) for _ in range(20_000)]
    one, other = Quantiles(), Quantiles()
    for number, time in enumerate(times):
        (one if number % 3 else other).add(time)
    one.merge(other)
    times.sort()
    for share in (0.01, 0.5, 0.9, 0.99, 0.999):
        assert one.at(share) == pytest.approx(times[ceil(share * len(times)) - 1], rel=0.011)
    assert one.at(1) == pytest.approx(times[-1], rel=0.011) and one.document()["max"] == round(1e3 * times[-1], 2)
    assert one.count == len(times) and one.total_s == pytest.approx(sum(times))


def test_quantiles_of_nothing_and_of_one_time() -> None:
    none, one = Quantiles(), Quantiles()
    one.add(0.0)
    assert none.at(0.5) is None and none.document()["p99"] is None
    assert one.at(0.5) == one.at(0.99) == 0.0


async def test_a_match_is_followed_from_its_bots_messages() -> None:
    tally = LoadTally()
    hub = Hub(tally)
    table = hub.expect(["ada", "bob"])
    hub.known("m", ["bob", "ada"])
    hub.known("m", ["bob", "ada"])  # the other seat gets the message, too
    assert table.match == "m" and table.matched.is_set()
    hub.requested("m", 0)
    hub.answered("m")
    hub.requested("m", 3)
    hub.requested("m", 3)  # repeated after a reconnect
    assert (tally.started, tally.requests, tally.decisions, tally.overhead.count) == (1, 2, 1, 1)
    hub.answered("m")
    hub.lost_time("m")  # nothing is measured while its bot is disconnected
    hub.requested("m", 4)
    assert tally.overhead.count == 1 and tally.running == 1
    hub.ended("m", ["LATE"])
    hub.ended("m", ["LATE"])  # the other seat
    assert table.over.is_set() and tally.ended == 1 and tally.running == 0
    assert tally.losses == {"forfeits": 1}


async def test_matches_that_end_otherwise_are_losses() -> None:
    tally = LoadTally()
    hub = Hub(tally)
    void, silent, left = (hub.expect([name]) for name in "abc")
    for match, name in (("1", "a"), ("2", "b"), ("3", "c")):
        hub.known(match, [name])
        hub.requested(match, 0)
    hub.ended("1", [], "VOID")
    hub.given_up(silent, on_wish=False)
    hub.given_up(left, on_wish=True)
    assert void.over.is_set() and tally.losses == {"matches void": 1, "matches without an end": 1}
    assert tally.unfinished == 1 and tally.running == 0
    await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("matches", "players", "bots", "places"), [(50, 2, 100, 1), (51, 2, 100, 2), (200, 2, 100, 4), (3, 4, 4, 3)]
)
def test_places_of_a_bot(matches: int, players: int, bots: int, places: int) -> None:
    assert LoadPlan(matches, players, 60).places(bots) == places


@pytest.mark.parametrize(("matches", "players", "bots"), [(201, 2, 100), (1, 3, 2), (5, 4, 4)])
def test_too_few_bots_are_refused(matches: int, players: int, bots: int) -> None:
    with pytest.raises(ValueError, match=r"bots"):
        LoadPlan(matches, players, 60).places(bots)


def test_thinking_times_have_their_mean() -> None:
    plan = LoadPlan(1, 2, 60, think_s=2.0, is_exponential=True)
    drawn = [plan.think() for _ in range(20_000)]
    assert sum(drawn) / len(drawn) == pytest.approx(2.0, rel=0.05)  # seven standard errors
    assert (
        LoadPlan(1, 2, 60, think_s=2.0).think() == 2.0
        and LoadPlan(1, 2, 60, think_s=0.0, is_exponential=True).think() == 0
    )


@pytest.mark.parametrize(
    ("text", "seconds"), [("2s", 2), ("500ms", 0.5), ("0", 0), ("1.5", 1.5), ("5m", 300), ("1h", 3600)]
)
def test_durations(text: str, seconds: float) -> None:
    assert duration(text) == seconds
