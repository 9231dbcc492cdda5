"""Measure how much two bots at one table can signal to each other: `python -m tests.bench.signals [CHANNEL]`.

As in a match, one bot runs at a time, on a core of its own, and is frozen afterwards. In its turn, the sender does one
of two things, by a random bit. In the next turn, the receiver measures something. The first half of the turns teaches
the bench which measure means which bit. The second half gives the share of errors, and from it the capacity of a binary
symmetric channel. It should be less than one bit a second.

Every bot can see how long its opponent thinks, and how much memory the machine has left. These channels stay open.
Measure on a quiet machine: other work is noise, which hides signals.
"""

from __future__ import annotations

import math
import os
import random
import socket
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.sandbox.cores import CoreTurn
from arena.sandbox.limits import SOCKET_PATH
from arena.sandbox.running import RunningSandbox
from tests.bench.fair_core import sandboxed_bot
from tests.bench.figures import Goal

TURNS = 200
"""Turns of each bot for each channel."""

BOT = f"""
import fcntl, os, socket, struct, sys, time
runner = socket.socket(socket.AF_UNIX)
runner.connect({SOCKET_PATH!r})
def compute(rounds):
    total = 0
    for number in range(rounds):
        total += number * number
def seconds(function, *arguments):
    begun = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begun
"""
SEND = """
runner.send(b"r")
while True:
    bit = runner.recv(1) == b"1"
    {}
    runner.send(b"a")
"""
RECEIVE = """
runner.send(b"r")
last = time.perf_counter()
while runner.recv(1):
    {}
    last = time.perf_counter()
    runner.send(struct.pack("=d", value))
"""


@dataclass(frozen=True, slots=True)
class Channel:
    """A way to signal: what the sender does for a bit, and what the receiver measures as `value`."""

    send: str
    receive: str
    before: str = ""
    """Code that both run at their start."""
    has_one_core: bool = True
    """Whether both run on the same core."""
    is_open: bool = False
    """Whether the arena cannot close it."""


WALK = "buffer = bytearray(8 << 20)\ndef walk(to):\n  for at in range(0, to, 64): buffer[at] += 1 & 1"
CHANNELS: Final = {
    "processor": Channel("compute(60_000 if bit else 1_000)", "value = seconds(compute, 20_000)"),
    "cache, one core": Channel("walk((8 << 20) if bit else 64)", "value = seconds(walk, 1 << 20)", WALK),
    "cache, two cores": Channel(
        "walk((8 << 20) if bit else 64)", "value = seconds(walk, 1 << 20)", WALK, has_one_core=False
    ),
    "locks": Channel(
        "try: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB if bit else fcntl.LOCK_UN)\n    except OSError: pass",
        "value = 0.0\n    try: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB); fcntl.flock(file, fcntl.LOCK_UN)\n"
        "    except BlockingIOError: value = 1.0\n    except OSError: pass",
        "file = open('/usr/bin/env', 'rb')",
    ),
    "files in memory": Channel(
        "if bit: os.pread(file, 4096, 0)\n    else:\n"
        "      try: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)\n      except OSError: pass",
        "value = seconds(os.pread, file, 4096, 0)\n"
        "    try: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)\n    except OSError: pass",
        "file = os.open('/usr/bin/dpkg-deb', os.O_RDONLY)",
    ),
    "memory of the machine": Channel(
        "held = bytearray(b'x') * (120 << 20) if bit else None",
        "value = float(os.sysconf('SC_AVPHYS_PAGES'))",
        is_open=True,
    ),
    "answer times": Channel("time.sleep(0.02 if bit else 0.001)", "value = time.perf_counter() - last", is_open=True),
}


def turn(sandbox: RunningSandbox, connection: socket.socket, core: int, request: bytes, length: int) -> bytes:
    """Give a bot its turn on a core, and return its answer."""
    connection.send(request)
    one = CoreTurn(sandbox, core)
    one.begin()
    answer = connection.recv(length)
    sandbox.freeze()
    return answer


def capacity(bits: Sequence[bool], values: Sequence[float]) -> tuple[float, float]:
    """Return the share of errors with the best threshold of the first half, and the capacity in bits for one turn."""
    half = len(bits) // 2
    taught = list(zip(bits[:half], values[:half], strict=True))
    candidates = [
        (sum((value > threshold) == (bit == sign) for bit, value in taught), threshold, sign)
        for threshold in {value for _, value in taught}
        for sign in (True, False)
    ]
    _, threshold, sign = max(candidates)
    asked = list(zip(bits[half:], values[half:], strict=True))
    errors = sum((value > threshold) != (bit == sign) for bit, value in asked) / len(asked)
    entropy = -sum(share * math.log2(share) for share in (errors, 1 - errors) if share > 0)
    # An error in more than half of the turns has taught the receiver nothing.
    return errors, 1 - entropy if errors < 0.5 else 0.0


def measure(channel: Channel, cores: Sequence[int]) -> tuple[float, float, float]:
    """Return the share of errors, the bits for one turn, and the bits a second."""
    chance = random.Random(1)
    bits = [chance.random() < 0.5 for _ in range(TURNS)]
    values = []
    begin = f"{BOT}{channel.before}\n"
    with (
        sandboxed_bot(begin + SEND.format(channel.send)) as (sender, to_sender),
        sandboxed_bot(begin + RECEIVE.format(channel.receive)) as (receiver, to_receiver),
    ):
        begun = time.monotonic()
        for bit in bits:
            turn(sender, to_sender, cores[0], b"1" if bit else b"0", 1)
            answer = turn(receiver, to_receiver, cores[0 if channel.has_one_core else -1], b"?", 8)
            values.append(struct.unpack("=d", answer)[0])
        seconds = time.monotonic() - begun
    errors, each = capacity(bits, values)
    return errors, each, each * TURNS / seconds


def main(word: str) -> None:
    """Measure and print."""
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    cores = sorted(os.sched_getaffinity(0))[-2:]
    goals = []
    print(f"{'channel':24}{'errors':>8}{'bits a turn':>13}{'bits a second':>15}")
    for name, channel in CHANNELS.items():
        if word in name:
            errors, each, rate = measure(channel, cores)
            note = "  open to all bots" if channel.is_open else ""
            print(f"{name:24}{100 * errors:6.0f} %{each:13.3f}{rate:15.2f}{note}", flush=True)
            if not channel.is_open:
                goals.append(Goal(f"bits a second by {name}", rate, 1))
    print(*goals, sep="\n")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
