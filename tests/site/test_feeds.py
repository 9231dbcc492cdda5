"""What is followed live, without a site: how its readers are told, who take what they are sent at their own pace."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit.until import soon
from webui.core import feeds
from webui.core.feeds import BEAT, Feed, Reader


class Words(Feed):
    """Words that are said one after the other."""

    def __init__(self) -> None:
        super().__init__("words")
        self.said: list[bytes] = []

    async def read(self) -> None:
        pass

    def events(self, after: int) -> Iterator[bytes]:
        number = after
        while not self._is_gone:
            while number < len(self.said):
                if self.said[number] == b"fault":
                    raise ValueError(number)
                yield self.said[number]
                number += 1
            yield b""

    def say(self, word: bytes) -> None:
        self.said.append(word)
        self.tell()


class Socket:
    """What a reader takes; nothing while it is stopped."""

    def __init__(self, feed: Words) -> None:
        self.taken: list[bytes] = []
        self.offered: list[bytes] = []
        self.is_over = False
        self.goes = asyncio.Event()
        self.goes.set()
        self.reader = Reader(feed.events(0), self.send)
        feed.join(self.reader)

    async def send(self, message: dict[str, Any]) -> None:
        assert not self.is_over, "the response is complete"
        self.offered.append(message.get("body", b""))
        await self.goes.wait()
        self.is_over = not message.get("more_body", False)
        self.taken.append(message.get("body", b""))


def test_a_reader_who_takes_nothing_holds_up_no_other_and_misses_nothing() -> None:
    async def follow() -> None:
        feed = Words()
        slow, quick = Socket(feed), Socket(feed)
        slow.goes.clear()
        words = [b"%d" % number for number in range(100)]
        for word in words:
            feed.say(word)
            await asyncio.sleep(0)
        await soon(lambda: quick.taken == words)
        assert (slow.offered, slow.taken) == ([b"0"], []), "one piece waits for it, and no more"
        slow.goes.set()
        await soon(lambda: slow.taken == words)

    asyncio.run(follow())


def test_silence_is_broken_by_heartbeats_while_there_are_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "HEARTBEAT_S", 0.05)

    async def follow() -> None:
        feed = Words()
        early, late = Socket(feed), Socket(feed)
        feed.say(b"word")
        await soon(lambda: early.taken.count(BEAT) >= 3 and late.taken.count(BEAT) >= 3)
        assert early.taken.count(b"word") == late.taken.count(b"word") == 1
        for socket in (early, late):
            feed.leave(socket.reader)
            await socket.reader.leave()
        assert feed._beat_due is None

    asyncio.run(follow())


def test_who_has_been_sent_the_end_is_sent_nothing_more() -> None:
    async def follow() -> None:
        feed = Words()
        socket = Socket(feed)
        feed.say(b"word")
        await soon(lambda: socket.taken == [b"word"])
        feed.fail()
        feed.fail()
        await soon(lambda: socket.is_over)
        feed.tell()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert socket.offered == [b"word", b""]

    asyncio.run(follow())


def test_a_fault_ends_the_connection_of_its_reader_alone() -> None:
    async def follow() -> None:
        feed = Words()
        feed.said = [b"fault"]
        reader, other = Socket(feed), Socket(feed)
        reader.reader.wake()
        await soon(lambda: reader.is_over)
        assert reader.taken == [b""] and not other.is_over
        await reader.reader.leave()

    asyncio.run(follow())
