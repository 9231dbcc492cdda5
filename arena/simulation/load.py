"""An arena under load: the fleet for a number of matches a day, and its waiting times by simulation of its queues.

Matches arrive at random, at a rate that follows the hours of a day. Each waits for the next step of the matchmaker and
for a free place at a referee. Then it has its decisions, between which bots think. A decision passes four stations one
after the other: gateway, Redis, referee and database. Its work at a station, on the way in and out, is taken together.

Each process of the arena is a station with one server, because Python and Redis run on one core at a time. A match
stays with its referee, and a bot with its gateway. The database is one station with several cores, which pages use as
well. Arrivals at a station are Poisson at the rate of the busiest hour, and service times are exponential. The
stations of a decision are assumed to be independent.

The simulation is pure: the same seed gives the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heapreplace
from math import ceil, inf
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.choices import Floats
from arena.simulation.costs import Costs

# Queues served in the order of arrival: waiting times by theory and by simulation.
#
# Rates are per second, times in seconds. `load` is the offered work in servers: arrival rate times mean service time.


def erlang_c(servers: int, load: float) -> float:
    """Return the probability that an arrival at M/M/c has to wait (A.

    K. Erlang, 1917); 1 if the queue grows without limit.
    """
    if load >= servers:
        return 1.0
    blocked = 1.0  # of M/M/c/c, by the recursion of Erlang B: stable for thousands of servers
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


def mean_wait(servers: int, rate: float, service_s: float) -> float:
    """Return the mean waiting time at M/M/c."""
    load = rate * service_s
    return erlang_c(servers, load) * service_s / (servers - load) if load < servers else inf


def mean_wait_single(rate: float, service_s: float, variation: float) -> float:
    """Return the mean waiting time at M/G/1 (Pollaczek and Khinchine).

    `variation` is the coefficient of variation of service times: 0 for M/D/1, 1 for M/M/1.
    """
    load = rate * service_s
    return load * service_s * (1 + variation**2) / (2 * (1 - load)) if load < 1 else inf


def waits(arrivals: Floats, services: Floats, servers: int = 1) -> Floats:
    """Return how long each arrival waits. `arrivals` are ascending times, `services` are service times."""
    if servers == 1:
        # Lindley's recursion in one step: the wait is the walk minus its minimum so far.
        steps = services[:-1] - np.diff(arrivals)
        walk = np.concatenate([[0.0], np.cumsum(steps)])
        single: Floats = walk - np.minimum.accumulate(walk)
        return single
    free = [-inf] * servers
    heapify(free)
    waited = np.empty(len(arrivals))
    for number, (at, service) in enumerate(zip(arrivals.tolist(), services.tolist(), strict=True)):
        begins = free[0] if free[0] > at else at
        waited[number] = begins - at
        heapreplace(free, begins + service)
    return waited


HOURS: Final = (2, 2, 1, 1, 1, 2, 2, 3, 4, 5, 5, 5, 5, 5, 5, 6, 6, 7, 7, 7, 7, 6, 4, 2)
"""Matches of each hour of a day in percent (an assumption). The busiest hour has 1.68 times the mean."""
STEP_S: Final = 3.0
"""Time between two steps of the matchmaker."""
SAMPLES: Final = 200_000
"""Number of decisions simulated at each station."""
MOST_MATCHES: Final = 1_500_000
"""Maximum number of matches simulated: those of the busiest hour, and of as many earlier hours as fit."""


@dataclass(frozen=True)
class LoadSetting:
    """Assumptions about an arena, apart from its costs."""

    matches_a_day: int
    think_s: float = 1.0
    """Mean thinking time of a decision."""
    pages: float = 20.0
    """Pages and live feeds viewed for each match."""
    players: int = 2
    threads: int = 100
    """Maximum number of simultaneous matches of a referee process."""
    utilisation: float = 0.7
    """Maximum utilisation of a station in the busiest hour, where the fleet can be chosen."""
    cores: int | None = None
    """Cores of the database; None: as many as needed."""
    seed: int = 0


class Station(NamedTuple):
    """Processes of one kind, in the busiest hour."""

    name: str
    servers: int
    """Number of processes; for the database, of cores."""
    rate: float
    """Requests per second to all of them."""
    service_s: float
    """Processor time of one request."""
    is_shared: bool = False
    """Whether any server can take any request, as the cores of the database do."""

    @property
    def utilisation(self) -> float:
        """Share of the time in which a server works."""
        return self.rate * self.service_s / self.servers

    @property
    def mean_wait_s(self) -> float:
        """Mean waiting time of a request, by theory."""
        if self.is_shared:
            return mean_wait(self.servers, self.rate, self.service_s)
        return mean_wait_single(self.rate / self.servers, self.service_s, 1.0)


class Waits(NamedTuple):
    """Quantiles of waiting times, in seconds."""

    p50: float
    p99: float

    @classmethod
    def of(cls, times: Floats) -> Waits:
        """Return the quantiles of samples."""
        return cls(*(float(value) for value in np.quantile(times, (0.5, 0.99))))


class Volumes(NamedTuple):
    """Storage in gigabytes, and traffic per second in the busiest hour."""

    records_a_year: float
    logs_a_year: float
    all_a_year: float
    running: float
    """Data for spectators of the matches that are played at the same time."""
    bots_mbit: float
    """Messages to and from all bots, without the overhead of the transport."""
    redis_mbit: float
    redis_commands: float
    transactions: float

    @classmethod
    def of(cls, setting: LoadSetting, costs: Costs, decisions: float, at_once: float) -> Volumes:
        """Return the volumes for this number of decisions per second and of simultaneous matches."""
        a_year = setting.matches_a_day * 365 / 1e9
        return cls(
            records_a_year=a_year * costs.record_bytes,
            logs_a_year=a_year * costs.log_bytes,
            all_a_year=a_year * costs.kept_bytes,
            running=at_once * costs.live_bytes / 1e9,
            bots_mbit=decisions * (costs.to_bot_bytes + costs.from_bot_bytes) * 8 / 1e6,
            redis_mbit=decisions * costs.redis_bytes * 8 / 1e6,
            redis_commands=decisions * costs.redis_commands,
            transactions=decisions * costs.transactions,
        )


class LoadOutlook(NamedTuple):
    """Results for an arena of one size."""

    setting: LoadSetting
    peak_matches: float
    """Matches per second in the busiest hour."""
    peak_decisions: float
    at_once: float
    """Simultaneous matches in the busiest hour."""
    places: int
    """Places of all referees."""
    stations: tuple[Station, ...]
    start: Waits
    """Time from the request for a match to its start, in the busiest hours."""
    overhead: Waits
    """Time that the arena adds to a decision."""
    volumes: Volumes

    @property
    def first(self) -> Station:
        """The station with the highest utilisation."""
        return max(self.stations, key=lambda station: station.utilisation)


def peak_share() -> float:
    """Return the ratio of the matches in the busiest hour to the mean of all hours."""
    return max(HOURS) * len(HOURS) / sum(HOURS)


def outlook(setting: LoadSetting, costs: Costs) -> LoadOutlook:
    """Return the fleet and its waiting times."""
    chance = np.random.default_rng([setting.seed, setting.matches_a_day])
    peak = setting.matches_a_day / 86_400 * peak_share()
    decisions = peak * costs.decisions
    at_once = peak * costs.decisions * setting.think_s
    stations = fleet(setting, costs, decisions, peak * setting.pages, at_once)
    places = next(station.servers for station in stations if station.name == "referee") * setting.threads
    passed = {station.name: _times(station, chance) for station in stations if station.name != "site"}
    overhead = sum(passed.values(), np.zeros(SAMPLES))
    return LoadOutlook(
        setting=setting,
        peak_matches=peak,
        peak_decisions=decisions,
        at_once=at_once,
        places=places,
        stations=stations,
        start=Waits.of(_starts(setting, costs, places, chance)),
        overhead=Waits.of(overhead),
        volumes=Volumes.of(setting, costs, decisions, at_once),
    )


def fleet(setting: LoadSetting, costs: Costs, decisions: float, pages: float, at_once: float) -> tuple[Station, ...]:
    """Return the smallest fleet within the wanted utilisation, for this number of decisions and pages per second."""

    def needed(rate: float, service_s: float) -> int:
        return max(1, ceil(rate * service_s / setting.utilisation))

    referees = max(needed(decisions, costs.referee_ms / 1e3), ceil(at_once / setting.threads / setting.utilisation))
    queries = decisions + pages
    database_s = (decisions * costs.database_ms + pages * costs.page_database_ms) / queries / 1e3
    cores = setting.cores or needed(queries, database_s)
    return (
        Station("gateway", needed(decisions, costs.gateway_ms / 1e3), decisions, costs.gateway_ms / 1e3),
        Station("redis", needed(decisions, costs.redis_ms / 1e3), decisions, costs.redis_ms / 1e3),
        Station("referee", referees, decisions, costs.referee_ms / 1e3),
        Station("database", cores, queries, database_s, is_shared=True),
        Station("site", needed(pages, costs.page_ms / 1e3), pages, costs.page_ms / 1e3),
    )


def ceilings(setting: LoadSetting, costs: Costs) -> dict[str, float]:
    """Return the matches a day at which one process of a kind, or one core of the database, is fully busy in the
    busiest hour."""
    day = 86_400 / peak_share()
    a_match = {
        "gateway": costs.decisions * costs.gateway_ms,
        "redis": costs.decisions * costs.redis_ms,
        "referee": costs.decisions * costs.referee_ms,
        "database": costs.decisions * costs.database_ms + setting.pages * costs.page_database_ms,
        "site": setting.pages * costs.page_ms,
    }
    return {name: day / (ms / 1e3) for name, ms in a_match.items()}


def _times(station: Station, chance: np.random.Generator) -> Floats:
    """Return the times that requests spend at a station, waiting and being served.

    Waits of an overloaded station grow.
    """
    servers = station.servers if station.is_shared else 1
    rate = station.rate if station.is_shared else station.rate / station.servers
    arrivals = np.cumsum(chance.exponential(1 / rate, SAMPLES))
    services = chance.exponential(station.service_s, SAMPLES)
    times: Floats = waits(arrivals, services, servers) + services
    return times


def _starts(setting: LoadSetting, costs: Costs, places: int, chance: np.random.Generator) -> Floats:
    """Return how long matches of the busiest hours wait for the matchmaker's next step and for a place."""
    busiest = max(range(len(HOURS)), key=HOURS.__getitem__)
    end = busiest + HOURS.count(max(HOURS))
    first, expected = end, 0.0
    while first > 0 and expected + (more := setting.matches_a_day * HOURS[first - 1] / sum(HOURS)) <= MOST_MATCHES:
        expected += more
        first -= 1
    if first == end:  # even part of one hour is as much as can be simulated
        arrivals = np.cumsum(chance.exponential(1 / (setting.matches_a_day / 86_400 * peak_share()), MOST_MATCHES))
        counted = arrivals > arrivals[-1] / 2
    else:
        hours = [
            np.sort(
                chance.uniform(
                    3600 * hour, 3600 * (hour + 1), chance.poisson(setting.matches_a_day * HOURS[hour] / sum(HOURS))
                )
            )
            for hour in range(first, end)
        ]
        arrivals = np.concatenate(hours)
        counted = arrivals >= 3600 * busiest
    seen = (np.floor(arrivals / STEP_S) + 1) * STEP_S
    decisions = np.maximum(1.0, chance.normal(costs.decisions, costs.decisions_sd, len(seen)))
    # The sum of this many thinking times varies little around its mean.
    lasting = decisions * setting.think_s + np.sqrt(decisions) * setting.think_s * chance.normal(size=len(seen))
    waited = waits(seen, np.maximum(0.0, lasting), places)
    starts: Floats = ((seen - arrivals) + waited)[counted]
    return starts
