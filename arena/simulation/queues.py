"""Queues served in the order of arrival: waiting times by theory and by simulation.

Rates are per second, times in seconds. `load` is the offered work in servers: arrival rate times mean service time.
"""

from __future__ import annotations

from heapq import heapify, heapreplace
from math import inf

import numpy as np

from arena.ratings.choices import Floats


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
    found = np.empty(len(arrivals))
    for number, (at, service) in enumerate(zip(arrivals.tolist(), services.tolist(), strict=True)):
        begins = free[0] if free[0] > at else at
        found[number] = begins - at
        heapreplace(free, begins + service)
    return found
