"""A bot that says hello and then sends arbitrary bytes: `python -m tests.gateway.fuzzer ADDRESS TOKEN FRAMES SEED`.

The bytes are those of valid messages with some of them replaced, removed or repeated, messages of other matches, and
noise. When the gateway ends a stream, another one is opened. It prints the numbers of written frames and of streams.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from random import Random
from typing import Any

import grpc.aio

from arena.wire.service import PROTOCOL, SERVICE
from arena.wire.v1.bot_pb2 import Accept, Answer, BotMessage, Decline, Hello, Leave, Ping, Pong, Reveal

GOOD = [
    BotMessage(answer=Answer(match_id="m1", index=3, actions=["move A1", "end"], note="because")),
    BotMessage(accept=Accept(match_id="m1", nonce_hash=bytes(32))),
    BotMessage(decline=Decline(match_id="m2", reason="no")),
    BotMessage(reveal=Reveal(match_id="m1", nonce=bytes(16))),
    BotMessage(pong=Pong(id=1)),
    BotMessage(ping=Ping(id=2**31)),
    BotMessage(leave=Leave()),
    BotMessage(hello=Hello(token="naqala_x", process="p", version="1")),
]
STREAMS = 4


def damaged(chance: Random) -> bytes:
    """Return one frame."""
    data = bytearray(chance.choice(GOOD).SerializeToString())
    for _ in range(chance.randrange(4)):
        begin = chance.randrange(len(data) + 1)
        end = min(len(data), begin + chance.randrange(9))
        data[begin:end] = chance.choice([chance.randbytes(chance.randrange(9)), bytes(data[begin:end]) * 3])
    if not chance.randrange(500):
        data += chance.randbytes(chance.choice([1_000, 70_000, 300_000]))
    return bytes(data)


class Fuzzer:
    """Sends `frames` frames, on as many streams as needed."""

    def __init__(self, address: str, token: str, frames: int, chance: Random) -> None:
        self.left, self.written, self.streams = frames, 0, 0
        self._channel = grpc.aio.insecure_channel(address)
        self._play = self._channel.stream_stream(f"/{SERVICE}/Play")
        self._hello = Hello(token=token, version="1", protocol=PROTOCOL, max_matches=1)
        self._chance = chance

    async def run(self) -> None:
        """Send all of them."""
        await asyncio.gather(*(self._go_on(f"fuzz{number}") for number in range(STREAMS)))
        await self._channel.close()

    async def _go_on(self, process: str) -> None:
        self._hello.process = process
        hello = BotMessage(hello=self._hello).SerializeToString()
        while self.left > 0:
            self.streams += 1
            call: Any = self._play()
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError):
                await call.write(hello if self._chance.randrange(20) else damaged(self._chance))
                reader = asyncio.create_task(_read(call))
                while self.left > 0 and not reader.done():
                    self.left -= 1
                    self.written += 1
                    await call.write(damaged(self._chance))
                    await asyncio.sleep(0)
            call.cancel()


async def _read(call: Any) -> None:
    with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
        while await call.read() is not grpc.aio.EOF:
            pass


async def main() -> None:
    """Run from the command line."""
    address, token, frames, seed = sys.argv[1:]
    fuzzer = Fuzzer(address, token, int(frames), Random(int(seed)))
    await fuzzer.run()
    print(fuzzer.written, fuzzer.streams)


if __name__ == "__main__":
    asyncio.run(main())
