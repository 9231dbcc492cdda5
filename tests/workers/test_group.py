"""The thread that plays all matches of a worker: no match waits for another one, or pays for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Event, Thread
from typing import Any

import pytest

from arena.bus import Bus, FromBot, ToBot, WireKind
from arena.referee import SECOND, Entry
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.workers.processes import WAIT_S
from webui.matches import ownership
from webui.matches.models import LogRow
from webui.matches.values import LogAppend, LostOwnership, MatchClaim
from workers.group import MatchGroup
from workers.needs import Send, SlowWork, Steps, Wait, Write
from workers.slow_work import SlowThreads

pytestmark = pytest.mark.django_db(transaction=True)
FAR = 1 << 62


@pytest.fixture
def stopping() -> Event:
    return Event()


@pytest.fixture
def group(redis: RedisServer, stopping: Event) -> Iterator[MatchGroup]:
    with Bus(redis.url) as bus:
        slow_threads = SlowThreads()
        group = MatchGroup(bus, stopping, slow_threads)
        slow_threads.start()
        group.start()
        yield group
        group.close()
        slow_threads.close()


def note(claim: MatchClaim, number: int, epoch: int | None = None) -> Write:
    entries = [Entry(number, "note", 1, "x")]
    return Write(LogAppend(claim.match_id, epoch or claim.epoch, number, 60, entries))


def begin(group: MatchGroup, match: str, steps: Steps[None]) -> tuple[Thread, list[BaseException]]:
    """Play in a thread of its own, as a task does. Return the thread and its errors."""
    errors: list[BaseException] = []

    def play() -> None:
        try:
            group.play(match, steps)
        except (LostOwnership, TypeError, ValueError) as error:
            errors.append(error)

    thread = Thread(target=play, daemon=True)
    thread.start()
    return thread, errors


def errors_of(group: MatchGroup, *matches: tuple[str, Steps[None]]) -> list[list[type[BaseException]]]:
    """Play matches to their ends that the group's thread begins in one turn. Return the errors of each."""
    is_busy = Event()

    def busy() -> Steps[None]:
        is_busy.set()
        until(lambda: group._news.qsize() == len(matches), "all matches in the queue")
        yield Wait(SECOND)

    begin(group, "busy", busy())
    assert is_busy.wait(WAIT_S)
    played = [begin(group, *match) for match in matches]
    for thread, _ in played:
        thread.join(WAIT_S)
        assert not thread.is_alive()
    return [[type(error) for error in errors] for _, errors in played]


def test_a_match_that_is_lost_stops_alone_and_the_others_of_its_transaction_are_written(
    group: MatchGroup, kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [kit.claim(kit.match(kit.versions(2))) for _ in range(5)]
    append_all, written = ownership.append_all, list[int]()

    def counted(appends: Sequence[LogAppend]) -> list[Exception | None]:
        written.append(len(appends))
        return append_all(appends)

    monkeypatch.setattr(ownership, "append_all", counted)

    def steps(claim: MatchClaim, epoch: int) -> Steps[None]:
        yield note(claim, 0, epoch)
        yield note(claim, 1, epoch)

    matches = [(one.match_id, steps(one, one.epoch + (n == 2))) for n, one in enumerate(claims)]
    assert errors_of(group, *matches) == [[], [], [LostOwnership], [], []]
    assert written == [5, 4]
    assert [LogRow.objects.filter(match=one.match_id).count() for one in claims] == [2, 2, 0, 2, 2]


def test_a_message_that_cannot_be_sent_stops_its_match_alone(group: MatchGroup, redis: RedisServer) -> None:
    def steps(match: str, payload: Any) -> Steps[None]:
        assert not (yield Send({"mute": [ToBot("s", match, 1, 1, "w", payload)]}))

    payloads = {"m1": b"1", "m2": "no bytes", "m3": b"3"}
    assert errors_of(group, *((name, steps(name, payload)) for name, payload in payloads.items())) == [
        [],
        [TypeError],
        [],
    ]
    with Bus(redis.url) as bus:
        found = bus.receive_for_gateway("mute", WAIT_S)
    assert [(one.match, one.payload) for one in found if isinstance(one, ToBot)] == [("m1", b"1"), ("m3", b"3")]


def test_a_match_that_takes_long_holds_no_other_up(group: MatchGroup) -> None:
    is_over = Event()

    def slow() -> Steps[None]:
        assert (yield SlowWork(lambda: is_over.wait(WAIT_S)))

    def quick(heard: list[Any]) -> Steps[None]:
        for _ in range(10):
            heard.extend((yield Wait(FAR)))
            assert not (yield Send({"nobody": [ToBot("s", "quick", 1, 1, "w")]}, wakes=True))
        yield Wait(SECOND)  # long ago: at once

    heard: list[Any] = []
    first, _ = begin(group, "slow", slow())
    second, errors = begin(group, "quick", quick(heard))
    for _ in range(10):
        before = len(heard)
        while second.is_alive() and len(heard) == before:  # messages that come before the match are dropped
            group.deliver([FromBot("quick", 1, "s", WireKind.BACK), FromBot("unknown", 1, "s", WireKind.BACK)])
            second.join(0.01)
    second.join(WAIT_S)
    assert not second.is_alive() and not errors and first.is_alive()
    assert {message.match for message in heard} == {"quick"}
    is_over.set()
    first.join(WAIT_S)
    assert not first.is_alive()


def test_what_a_loop_raises_is_raised_where_it_is_played_and_a_stop_is_seen_at_once(
    group: MatchGroup, stopping: Event
) -> None:
    waits = Event()

    def broken() -> Steps[None]:
        yield SlowWork(lambda: None)
        raise ValueError("a bug in one match")

    def waiting() -> Steps[None]:
        yield SlowWork(waits.set)
        while not stopping.is_set():
            yield Wait(FAR)

    with pytest.raises(ValueError, match="a bug"):
        group.play("broken", broken())
    thread, errors = begin(group, "waiting", waiting())
    assert waits.wait(WAIT_S)
    stopping.set()
    group.wake_all()
    thread.join(WAIT_S)
    assert not thread.is_alive() and not errors
