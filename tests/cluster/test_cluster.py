"""An arena on fifteen machines: links fail, in one or both directions, and machines die, including Redis and
PostgreSQL.

Nothing is lost, nothing happens twice, and nobody is charged for it. Every day a few faults are tried. `make
soak-cluster` tries every link, every machine, both failovers, random links for ARENA_CLUSTER_S seconds, and a rolling
update of everything. ARENA_CLUSTER_SEED changes the random links, and ARENA_CLUSTER_LOGS is a directory for all logs.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from itertools import cycle

import pytest

from tests.cluster.cluster import MACHINES, OURS, POSTGRES, REDIS, Cluster
from tests.cluster.load import Load, wait

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.timeout(3 * 3600)]
soak = pytest.mark.soak

DURATIONS = (1, 20, 3, 60, 8)
DIRECTIONS = ("both", "there", "back")
RANDOM_S = float(os.environ.get("ARENA_CLUSTER_S", "300"))
LONGEST_S = 60.0
CUTS_AT_ONCE = 3
DEAD_S = 8.0
"""Time for which a machine is dead: longer than a lease."""


def links(cluster: Cluster) -> dict[str, Callable[[], tuple[str, str]]]:
    """Return the links in use now, by the kinds of their machines."""

    def master() -> str:
        return cluster.master.machine.name

    def replica() -> str:
        return next(name for name in REDIS if name != master())

    def standby() -> str:
        return next(name for name in POSTGRES if name != cluster.primary)

    return {
        "gateway - Redis": lambda: ("gateway-1", master()),
        "gateway - PostgreSQL": lambda: ("gateway-1", cluster.primary),
        "referee - Redis": lambda: ("referee-1", master()),
        "referee - PostgreSQL": lambda: ("referee-1", cluster.primary),
        "upkeep - Redis": lambda: ("upkeep", master()),
        "upkeep - PostgreSQL": lambda: ("upkeep", cluster.primary),
        "site - Redis": lambda: ("site-1", master()),
        "site - PostgreSQL": lambda: ("site-1", cluster.primary),
        "bots - gateway": lambda: ("bots", "gateway-1"),
        "Redis - its replica": lambda: (master(), replica()),
        "PostgreSQL - its standby": lambda: (cluster.primary, standby()),
    }


def cut(load: Load, kind: str, direction: str, seconds: float) -> None:
    """Cut a link for a while."""
    cluster = load.cluster
    here, there = links(cluster)[kind]()
    ways = [(here, there)] if direction != "back" else []
    ways += [(there, here)] if direction != "there" else []
    arrow = {"both": " - ", "there": " -> ", "back": " <- "}[direction]
    own_s = seconds if kind.startswith("bots") else 0.0
    with load.fault(f"{kind.replace(' - ', arrow)}: cut, {seconds:g} s", own_s=own_s):
        for way in ways:
            cluster.network.cut(*way)
        load.hold(seconds, feeds="PostgreSQL - its" not in kind)
        for way in ways:
            cluster.network.heal(*way)
    standby = next(name for name in POSTGRES if name != cluster.primary)
    assert cluster.postgres[standby].process is not None


def die(load: Load, name: str, seconds: float) -> None:
    """Crash a machine and boot it again."""
    cluster = load.cluster
    kind = name.rstrip("-123456789")
    own_s = seconds if kind == "bots" else 0.0
    with load.fault(f"machine of {kind} dead for {seconds:g} s", own_s=own_s) as fault:
        cluster.crash(name)
        load.hold(seconds, feeds=name not in POSTGRES)
        cluster.boot(name)
        fault.healed = time.time()
    if name in OURS:
        wait(lambda: cluster.works(name), load, f"{name} at work")


def fail_over_redis(load: Load, how: str) -> None:
    """Make the master of Redis die, be cut off, or hand over; the Sentinels promote a replica."""
    cluster = load.cluster
    former = cluster.master
    with load.fault(f"Redis: master {how}, a replica promoted") as fault:
        if how == "dead":
            cluster.crash(former.machine.name)
        elif how == "cut off":
            cluster.network.unplug(former.machine.name)
        else:
            former.fail_over()
        others = [node for node in cluster.redis.values() if node is not former]
        wait(lambda: any(node.is_master() for node in others), load, "another master")
        fault.healed = time.time()
        fault.row.note = f"promoted after {fault.healed - fault.begun:.1f} s"
    if how == "dead":
        cluster.boot(former.machine.name)
    elif how == "cut off":
        cluster.network.plug(former.machine.name)
    wait(lambda: any(node.knows_replicas(2) for node in cluster.redis.values()), load, "Redis and its replicas")


def fail_over_postgres(load: Load, how: str, *, follows: bool = True) -> None:
    """Make the primary die, be cut off and killed, or stop in an orderly way; its standby is promoted, and the old one
    `follows`."""
    cluster = load.cluster
    former = cluster.postgres[cluster.primary]
    name = former.machine.name
    with load.fault(f"PostgreSQL: primary {how}, its standby promoted") as fault:
        if how == "dead":
            cluster.crash(name)
        elif how == "cut off":
            cluster.network.unplug(name)
            load.hold(3, feeds=False)
            former.crash()  # before another one becomes the primary: otherwise the two would diverge
        else:
            former.halt()
        load.hold(1, feeds=False)
        cluster.fail_over_postgres()
        fault.healed = time.time()
        fault.row.note = f"promoted after {fault.healed - fault.begun:.1f} s"
    if follows:
        cluster.network.plug(name)
        former.follow(cluster.postgres[cluster.primary])


def update(load: Load) -> None:
    """Restart every process, one after the other, while matches are played."""
    cluster = load.cluster
    with load.fault("rolling update of everything") as fault:
        left = {}
        for name in OURS:
            left[name] = cluster.replace(name)
            load.hold(1)
        for node in list(cluster.redis.values()):
            if node.is_master():
                node.fail_over()
                wait(lambda: not node.is_master(), load, "another master")  # noqa: B023
            node.crash()
            node.boot()
            wait(lambda: any(one.knows_replicas(2) for one in cluster.redis.values()), load, "Redis and its replicas")
        for _ in POSTGRES:
            former = cluster.postgres[cluster.primary]
            former.halt()
            cluster.fail_over_postgres()
            former.follow(cluster.postgres[cluster.primary])
            load.hold(2)
        slowest = max(left, key=lambda name: left[name])
        fault.row.note = f"all of ours left within {left[slowest]:.1f} s ({slowest})"


# --- every day ---


def test_a_few_faults(load: Load) -> None:
    """Try one fault of each kind."""
    cut(load, "gateway - Redis", "there", 2)
    die(load, "referee-1", 0.5)
    fail_over_redis(load, "dead")
    fail_over_postgres(load, "dead", follows=False)
    load.judge()


# --- soak ---


@soak
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_each_link_is_cut(load: Load, direction: str) -> None:
    """Cut each kind of link for a different time in each direction."""
    durations = cycle(DURATIONS[DIRECTIONS.index(direction) :] + DURATIONS)
    for kind in links(load.cluster):
        cut(load, kind, direction, next(durations))
    load.judge()


@soak
def test_each_machine_dies(load: Load) -> None:
    cluster = load.cluster
    for name in ("gateway-1", "referee-2", "site-1", "upkeep", "bots"):
        die(load, name, DEAD_S)
    die(load, next(name for name in REDIS if name != cluster.master.machine.name), DEAD_S)
    die(load, next(name for name in POSTGRES if name != cluster.primary), DEAD_S)
    load.judge()


@soak
def test_servers_fail_over(load: Load) -> None:
    for how in ("dead", "cut off", "handing over"):
        fail_over_redis(load, how)
        fail_over_postgres(load, how)
    load.judge()


@soak
def test_links_are_cut_at_random(load: Load) -> None:
    cluster, network = load.cluster, load.cluster.network
    chance = random.Random(int(os.environ.get("ARENA_CLUSTER_SEED", "1")))
    done: Counter[str] = Counter()
    with load.fault(f"links and machines at random, for {RANDOM_S:g} s") as fault:
        end = time.monotonic() + RANDOM_S
        cuts: dict[tuple[str, str], float] = {}
        dead: dict[str, float] = {}
        while time.monotonic() < end or cuts or dead:
            now = time.monotonic()
            for way, until in list(cuts.items()):
                if now >= until:
                    network.heal(*way)
                    del cuts[way]
            for name, until in list(dead.items()):
                if now >= until:
                    cluster.boot(name)
                    del dead[name]
            lasts = min(chance.uniform(1, LONGEST_S) ** 2 / LONGEST_S + 1, LONGEST_S)
            if now + lasts < end and len(cuts) < CUTS_AT_ONCE:
                here, there = chance.sample(MACHINES, 2)
                ways = [(here, there)] if chance.random() < 0.5 else [(here, there), (there, here)]
                if not any(way in cuts for way in ways):
                    for way in ways:
                        network.cut(*way)
                        cuts[way] = now + lasts
                    done["cut"] += 1
                    if "bots" in (here, there):
                        fault.own_s += lasts
            if now + DEAD_S < end and not dead and chance.random() < 0.02:
                name = chance.choice([*OURS, *REDIS])
                cluster.crash(name)
                dead[name] = now + DEAD_S
                done["dead"] += 1
            load.hold(0.5, feeds=not any(set(way) <= set(POSTGRES) for way in cuts))
        fault.row.note = f"{done['cut']} cuts, {done['dead']} deaths"
    for name in OURS:
        wait(lambda: cluster.works(name), load, f"{name} at work")  # noqa: B023
    load.judge()


@soak
def test_everything_is_updated_in_turn(load: Load) -> None:
    update(load)
    load.judge()


@pytest.mark.parametrize("site", ["site-1", "site-2"])
def test_sites_are_there_after_all(load: Load, site: str) -> None:
    assert load.cluster.answers(site)
