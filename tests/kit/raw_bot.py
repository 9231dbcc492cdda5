"""A bot made directly from the generated messages, with bad habits, for tests of programs that connect.

`python -m tests.kit.raw_bot [HABIT]` reads ARENA_SERVER and ARENA_TOKEN, and plays the first legal action. The habits:

- `drop`: it drops its stream once after five answers, and reconnects.
- `quit`: it ends after five answers.
- `once`: it ends at a second offer.
- `stranger`: it has another token.
- `old`: it has another protocol.
- `long-winded`: it declines with a reason that is too large for a message.
"""

from __future__ import annotations

import os
import sys
import time
from hashlib import sha256
from queue import SimpleQueue

import grpc

from arena.wire.service import PROTOCOL
from arena.wire.v1.bot_pb2 import Accept, Answer, BotMessage, Decline, Hello, Pong, Reveal, ServerMessage
from arena.wire.v1.bot_pb2_grpc import BotServiceStub

NONCE = b"a nonce of twenty-one"
PATIENCE = 5
"""Number of answers before it misbehaves."""


class RawBot:
    """One process of the bot."""

    def __init__(self, habit: str) -> None:
        self.habit = habit
        self.answers = 0
        self.has_dropped = False
        self.offers = 0

    def play(self) -> None:
        """Play over one stream, to its end."""
        outbox: SimpleQueue[BotMessage | None] = SimpleQueue()
        outbox.put(BotMessage(hello=self.hello()))
        with grpc.insecure_channel(os.environ["ARENA_SERVER"], [("grpc.use_local_subchannel_pool", 1)]) as channel:
            for message in BotServiceStub(channel).Play(iter(outbox.get, None)):
                if (reply := self.reply(message)) is None:
                    continue
                if reply.HasField("answer"):
                    self.answers += 1
                    if self.answers > PATIENCE and self.habit == "quit":
                        sys.exit("I have had enough")
                    if self.answers > PATIENCE and self.habit == "drop" and not self.has_dropped:
                        self.has_dropped = True
                        return
                outbox.put(reply)

    def hello(self) -> Hello:
        """Return the hello of its habit."""
        token = "another" if self.habit == "stranger" else os.environ["ARENA_TOKEN"]
        protocol = "arena.wire/0" if self.habit == "old" else PROTOCOL
        return Hello(token=token, version="raw", process="raw", max_matches=1, wants_legal=True, protocol=protocol)

    def reply(self, message: ServerMessage) -> BotMessage | None:
        """Return the reply to a message."""
        match message.WhichOneof("kind"):
            case "ping":
                return BotMessage(pong=Pong(id=message.ping.id))
            case "offer":
                self.offers += 1
                if self.offers > 1 and self.habit == "once":
                    sys.exit("once is enough")
                if self.habit == "long-winded":
                    return BotMessage(decline=Decline(match_id=message.offer.match_id, reason="because " * 2_500))
                return BotMessage(accept=Accept(match_id=message.offer.match_id, nonce_hash=sha256(NONCE).digest()))
            case "reveal_request":
                return BotMessage(reveal=Reveal(match_id=message.reveal_request.match_id, nonce=NONCE))
            case "request":
                request = message.request
                return BotMessage(
                    answer=Answer(match_id=request.match_id, index=request.index, actions=request.legal[:1])
                )
        return None


def main() -> None:
    """Connect again and again, unless it was refused."""
    bot = RawBot(sys.argv[1] if len(sys.argv) > 1 else "")
    while True:
        try:
            bot.play()
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                sys.exit(f"refused: {error.details()}")
        time.sleep(0.05)


if __name__ == "__main__":
    main()
