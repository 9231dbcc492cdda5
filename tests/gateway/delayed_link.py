"""A link with a delay between this machine's network and a network namespace of its own.

The kernel on both sides sees the delay, as on a real link. A proxy that waits would end the connection, and its delay
would be no round trip of the kernel. The link consists of two TUN devices, between which a thread carries packets.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Final

from tests.kit.lacking import TUN, require_tun

HERE: Final = "10.213.77.1"
"""Address of this end. A server here must listen on all addresses."""
THERE: Final = "10.213.77.2"
TUNSETIFF: Final = 0x400454CA
TUN_WITHOUT_HEADER: Final = 0x1001
MAX_PACKET: Final = 65_536

RELAY: Final = """
import asyncio, sys

async def copy(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()

async def accept(reader, writer):
    far = await asyncio.open_connection(sys.argv[2], int(sys.argv[3]))
    await asyncio.gather(copy(reader, far[1]), copy(far[0], writer))

async def main():
    server = await asyncio.start_unix_server(accept, sys.argv[1])
    print(flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


@contextmanager
def delayed_link(delay_s: float, port: int, path: Path) -> Iterator[None]:
    """Carry connections to the socket at `path` over the link to `port` here. `delay_s` is the delay each way."""
    require_tun()
    name = f"naqala{os.getpid()}"
    here, there = _device(f"{name[-12:]}h"), _device(f"{name[-12:]}t")
    stop = Event()
    carrier = Thread(target=_carry, args=(here, there, delay_s, stop), daemon=True)
    try:
        _run("ip", "netns", "add", name)
        _run("ip", "link", "set", f"{name[-12:]}t", "netns", name)
        for inside, device, own, other in (
            ((), f"{name[-12:]}h", HERE, THERE),
            (("ip", "netns", "exec", name), f"{name[-12:]}t", THERE, HERE),
        ):
            _run(*inside, "ip", "addr", "add", own, "peer", other, "dev", device)
            _run(*inside, "ip", "link", "set", device, "up")
        carrier.start()
        command = ["ip", "netns", "exec", name, sys.executable, "-c", RELAY, str(path), HERE, str(port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as relay:
            try:
                assert relay.stdout is not None and relay.stdout.readline()
                yield
            finally:
                relay.terminate()
    finally:
        stop.set()
        with suppress(RuntimeError):  # it may not have started
            carrier.join()
        os.close(here)
        os.close(there)
        subprocess.run(["ip", "netns", "del", name], check=False)


def _device(name: str) -> int:
    descriptor = os.open(TUN, os.O_RDWR)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), TUN_WITHOUT_HEADER))
    return descriptor


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


def _carry(here: int, there: int, delay_s: float, stop: Event) -> None:
    waiting: list[tuple[float, int, int, bytes]] = []
    number = 0
    while not stop.is_set():
        left = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.05
        for source in select.select([here, there], [], [], min(left, 0.05))[0]:
            number += 1
            packet = os.read(source, MAX_PACKET)
            heapq.heappush(waiting, (time.monotonic() + delay_s, number, there if source == here else here, packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, to, packet = heapq.heappop(waiting)
            with suppress(OSError):
                os.write(to, packet)
