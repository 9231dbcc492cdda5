"""The bus on a real Redis: mailboxes and their bounds, presence, wake-ups, and recovery from outages."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.bus import (
    AsyncBus,
    Bus,
    BusUnavailable,
    EnvelopeError,
    Evict,
    FromBot,
    MailboxFull,
    Presence,
    ToBot,
    WireKind,
    WireReason,
    clients,
    codec,
    keys,
    session_id,
    watch,
)
from arena.bus.envelopes import (
    decode_from_bot,
    decode_presence,
    decode_to_gateway,
    encode_from_bot,
    encode_presence,
    encode_to_gateway,
)
from tests.kit import sync_bus
from tests.kit.redis_server import RedisServer, redis_executables

ASK = ToBot("s1", "m1", 2, 3, "w1", b"\n\x00payload\n", ask=True, index=7)
ANSWER = FromBot("m1", 2, "s1", "message", b"\xff\n", 3, 7, is_answer=True, think_ns=5, gateway="g1")
SESSION = Presence("s1", "g1", bot=1, bot_version=2, owner=3, process="p1", capacity=4, player_counts=(2, 3))


@pytest.fixture(scope="module", params=redis_executables())
def process(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    """Run the system's Redis and that of the wheel, with which an arena runs where the system has none."""
    with RedisServer(executable=request.param) as server:
        yield server


@pytest.fixture
def redis(process: RedisServer) -> RedisServer:
    if process.process is None:
        process.start()
    process.flush()
    return process


@pytest.fixture
def hasty_bus(redis: RedisServer) -> Iterator[Bus]:
    """A bus with the timeouts of a deployment."""
    with Bus(redis.url) as bus:
        yield bus


@pytest.fixture
def bus(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bus]:
    """A bus that never takes a busy Redis for an unavailable one.

    Its messages arrive once, however slow this machine is.
    """
    monkeypatch.setattr(clients, "_COMMANDS", dict.fromkeys(clients._COMMANDS, 60.0))
    with Bus(redis.url) as bus:
        yield bus


# Envelopes

TEXT = st.text(max_size=20)
PAYLOAD = st.binary(max_size=50)
INT = st.integers(-1, 2**63)


@given(st.builds(ToBot, TEXT, TEXT, INT, INT, TEXT, PAYLOAD, st.booleans(), INT, st.booleans()))
def test_to_bot_survives_the_bus(envelope: ToBot) -> None:
    assert decode_to_gateway(encode_to_gateway(envelope)) == envelope


@given(st.builds(FromBot, TEXT, INT, TEXT, st.just("message"), PAYLOAD, INT, INT, st.booleans(), INT, INT, INT, INT))
def test_from_bot_survives_the_bus(envelope: FromBot) -> None:
    assert decode_from_bot(encode_from_bot(envelope)) == envelope


@given(st.builds(Presence, TEXT, TEXT, INT, INT, INT, TEXT, player_counts=st.lists(INT, max_size=4).map(tuple)))
def test_a_session_survives_the_bus(session: Presence) -> None:
    assert decode_presence(encode_presence(session)) == session


@given(st.binary(max_size=200))
def test_other_bytes_are_envelope_errors(data: bytes) -> None:
    for decode in (decode_to_gateway, decode_from_bot, decode_presence):
        with pytest.raises(EnvelopeError):
            decode(data)


def test_a_neighbouring_version_may_know_more_or_fewer_fields() -> None:
    newer = encode_to_gateway(ASK).replace(b',"session"', b',"colour":"blue","session"')
    assert b"colour" in newer
    assert decode_to_gateway(newer) == ASK
    older = encode_to_gateway(replace(ASK, final=False)).replace(b',"final":false', b"")
    assert b"final" not in older
    assert decode_to_gateway(older) == ASK


def test_an_envelope_is_a_line_of_json_and_the_payload() -> None:
    """Processes of two neighbouring versions use the same names of fields, in any order."""
    address = b'"session":"s1","match":"m1","seat":2,"epoch":3,"reply_to":"w1","ask":true,"index":7,"final":false'
    ask = b"{" + address + b',"_":"ToBot"}'
    assert decode_to_gateway(ask + b"\n" + ASK.payload) == ASK
    line, _, payload = encode_to_gateway(ASK).partition(b"\n")
    assert payload == ASK.payload
    assert json.loads(line) == json.loads(ask) | {"payload": ""}
    evict = b'{"session":"s1","gateway":"g2","connected_at_ns":5,"_":"Evict"}'
    assert decode_to_gateway(evict + b"\n") == Evict("s1", "g2", 5)
    assert json.loads(encode_presence(SESSION))["_"] == "Session"


def test_a_reason_that_only_a_newer_version_knows_loses_no_message() -> None:
    notice = FromBot("m1", 2, "s1", WireKind.LOST, reason=WireReason.SILENT)
    assert decode_from_bot(encode_from_bot(notice)) == notice
    newer = encode_from_bot(notice).replace(b"SILENT", b"DOZING")
    assert decode_from_bot(newer) == replace(notice, reason=WireReason.OTHER)
    with pytest.raises(EnvelopeError, match="whispered"):
        decode_from_bot(encode_from_bot(notice).replace(b"lost", b"whispered"))


def test_the_identity_of_a_process_is_token_and_name() -> None:
    ids = {session_id(token, process) for token in (1, 12) for process in ("2p", "p")}
    assert len(ids) == 4
    assert session_id(1, "p") == session_id(1, "p")


def test_availability() -> None:
    assert SESSION.is_available
    changes = [{"running": 4}, {"leaving": True}, {"connected": False}]
    assert not any(replace(SESSION, **change).is_available for change in changes)


# Mailboxes


def test_mail_arrives_in_order_and_once(bus: Bus) -> None:
    asks = [replace(ASK, index=index) for index in range(300)]
    bus.send_to_gateway("g1", *asks[:200])
    bus.send_to_gateway("g1", *asks[200:], Evict("s1", "g2", 9))
    received: list[ToBot | Evict] = []
    while mail := bus.receive_for_gateway("g1", 0.05):
        received += mail
    assert received == [*asks, Evict("s1", "g2", 9)]
    bus.send_to_worker("w1", ANSWER)
    assert bus.receive_for_worker("w2", 0) == []
    assert bus.receive_for_worker("w1", 0) == [ANSWER]


def test_a_waiting_reader_gets_mail_at_once(bus: Bus) -> None:
    sender = threading.Timer(0.1, bus.send_to_worker, ("w1", ANSWER))
    sender.start()
    began = time.monotonic()
    assert bus.receive_for_worker("w1", 60) == [ANSWER]
    sender.join()
    assert time.monotonic() - began < 50, "not only when it looks again"


def test_a_full_mailbox_is_the_writers_error(redis: RedisServer) -> None:
    with Bus(redis.url, mailbox_limit=3) as bus:
        bus.send_to_worker("w1", ANSWER, ANSWER, ANSWER)
        with pytest.raises(MailboxFull) as caught:
            bus.send_to_worker("w1", replace(ANSWER, index=99))
        assert caught.value.mailbox == keys.worker_key("w1")
        assert bus.receive_for_worker("w1", 0) == [ANSWER] * 3


def test_bytes_that_are_no_envelope_are_dropped(bus: Bus, redis: RedisServer) -> None:
    with redis.client() as client:
        client.rpush(keys.worker_key("w1"), b"garbage", encode_from_bot(ANSWER), encode_to_gateway(ASK))
    assert bus.receive_for_worker("w1", 0) == [ANSWER]


def test_everything_has_a_time_to_live(bus: Bus, redis: RedisServer) -> None:
    bus.send_to_worker("w1", ANSWER)
    bus.send_to_gateway("g1", ASK)
    bus.announce(SESSION)
    with redis.client() as client:
        found = {key.decode(): client.ttl(key) for key in client.keys("*")}
    limits = {"arena:worker:w1": 60, "arena:gateway:g1": 60, "arena:session:s1": 15, "arena:session-index": 15}
    assert found.keys() == limits.keys()
    assert all(0 < found[key] <= limit for key, limit in limits.items())


# Presence


def test_presence_is_announced_and_withdrawn(bus: Bus) -> None:
    other = replace(SESSION, id="s2")
    bus.announce(other, SESSION)
    assert bus.presences() == [SESSION, other]
    assert bus.presence("s2") == other
    bus.withdraw(SESSION)
    assert bus.presences() == [other]
    assert bus.presence("s1") is None


def test_an_older_gateway_does_not_withdraw_what_a_newer_has_announced(bus: Bus) -> None:
    moved = replace(SESSION, gateway="g2")
    bus.announce(SESSION)
    bus.announce(moved)
    bus.withdraw(SESSION)
    assert bus.presence("s1") == moved


def test_a_session_that_nobody_announces_again_is_gone(bus: Bus, redis: RedisServer) -> None:
    bus.announce(SESSION)
    with redis.client() as client:
        client.pexpire(keys.session_key("s1"), 1)
        while client.exists(keys.session_key("s1")):
            pass
    assert bus.presences() == []
    bus.expire_presences()
    with redis.client() as client:
        assert not client.exists(keys.SESSIONS)


def test_a_session_outlives_no_clock_that_is_set_back(bus: Bus, redis: RedisServer) -> None:
    bus.announce(SESSION)
    with redis.client() as client:
        client.pexpire(keys.session_key("s1"), 3_600_000)
        bus.expire_presences()
        assert client.ttl(keys.session_key("s1")) <= keys.PRESENCE_TTL_S
    assert bus.presences() == [SESSION]


# Outages


def test_a_blocked_read_goes_on_after_a_restart(bus: Bus, redis: RedisServer) -> None:
    received: list[FromBot] = []

    def read() -> None:
        while not received:
            received.extend(bus.receive_for_worker("w1", 20))

    reader = threading.Thread(target=read)
    reader.start()
    with redis.client() as client:
        while not client.info("clients")["blocked_clients"]:
            pass
    redis.restart()
    bus.send_to_worker("w1", ANSWER)
    reader.join(60)
    assert not reader.is_alive()
    assert set(received) == {ANSWER}, "at least once: a send whose acknowledgement is lost is sent again"
    assert bus.outages > 0


def test_a_send_waits_for_a_restart(bus: Bus, redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "PATIENCE_S", 60.0)
    redis.kill()
    starter = threading.Timer(0.3, redis.start)
    starter.start()
    bus.send_to_worker("w1", ANSWER)
    starter.join()
    while not (received := bus.receive_for_worker("w1", 5)):
        pass
    assert set(received) == {ANSWER}


@pytest.mark.parametrize("setting", [("maxmemory", 1, 0), ("min-replicas-to-write", 1, 0)], ids=lambda of: of[0])
def test_a_redis_that_refuses_is_waited_for(
    setting: tuple[str, int, int], bus: Bus, redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis has no memory left, or accepts no command that writes, not even one that reads and removes."""
    name, refuses, takes = setting
    with redis.client() as client:
        client.config_set(name, refuses)
        monkeypatch.setattr(codec, "PATIENCE_S", 0.2)
        monkeypatch.setattr(codec, "LOOK_AGAIN_S", 60.0)  # however slow this machine is
        try:
            for said in ("maxmemory|NOREPLICAS", "Redis is unavailable"):
                with pytest.raises(BusUnavailable, match=said):
                    bus.send_to_worker("w1", ANSWER)
                assert bus.receive_for_worker("w1", 0.1) == []
                with pytest.raises(BusUnavailable, match="out of date"):  # an expired presence is no absence
                    bus.presences()
            monkeypatch.setattr(codec, "PATIENCE_S", 60.0)
            opener = threading.Timer(0.2, client.config_set, (name, takes))
            opener.start()
            bus.send_to_worker("w1", ANSWER)
            opener.join()
        finally:
            client.config_set(name, takes)
    assert bus.receive_for_worker("w1", 5) == [ANSWER]


def test_a_send_that_fails_once_tries_again_though_another_thread_finds_redis_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other thread does so between the check of the error and that of the time."""
    outage = codec.Outage()
    noticed = codec.Outage.noticed

    def noticed_and_over(self: codec.Outage, error: Exception) -> float:
        began = noticed(self, error)
        self.is_over(writes=True)
        return began

    monkeypatch.setattr(codec.Outage, "noticed", noticed_and_over)
    assert 0 < outage.failed(TimeoutError()) <= codec.BACKOFF_CAP_S
    outage.check()


@pytest.mark.slow
@pytest.mark.parametrize("is_hung", [False, True])
def test_one_send_waits_for_an_outage_and_the_others_do_not(hasty_bus: Bus, redis: RedisServer, is_hung: bool) -> None:
    bus = hasty_bus
    bus.ping()
    assert redis.process is not None
    if is_hung:
        redis.process.send_signal(signal.SIGSTOP)
    else:
        redis.kill()
    begin = time.monotonic()
    with pytest.raises(BusUnavailable):
        bus.send_to_worker("w1", ANSWER)
    assert time.monotonic() - begin >= codec.PATIENCE_S
    begin = time.monotonic()
    for _ in range(100):
        with pytest.raises(BusUnavailable):
            bus.send_to_worker("w1", ANSWER)
    assert time.monotonic() - begin < 100 * codec.PATIENCE_S / 3
    bus.wake("m1")
    if is_hung:
        redis.process.send_signal(signal.SIGCONT)
    else:
        assert bus.receive_for_worker("w1", 0.1) == []
        redis.start()
    deadline = time.monotonic() + 60
    while True:
        try:
            bus.send_to_worker("w1", ANSWER)
            break
        except BusUnavailable:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    while not (received := bus.receive_for_worker("w1", 5)):
        pass
    assert set(received) == {ANSWER}


# asyncio


def test_the_blocking_bus_is_generated_from_the_one_for_asyncio() -> None:
    assert sync_bus.TARGET.read_text() == sync_bus.generate(), "run `make bus`"


@pytest.mark.asyncio
async def test_both_buses_speak_the_same(bus: Bus, redis: RedisServer) -> None:
    async with AsyncBus(redis.url) as other:
        await other.send_to_worker("w1", ANSWER)
        assert bus.receive_for_worker("w1", 1) == [ANSWER]
        bus.send_to_gateway("g1", ASK)
        assert await other.receive_for_gateway("g1", 1) == [ASK]
        await other.announce(SESSION)
        assert bus.presences() == await other.presences() == [SESSION]
        assert await other.presence("s1") == SESSION
        await other.withdraw(SESSION)
        assert bus.presences() == []


@pytest.mark.asyncio
async def test_a_full_mailbox_is_the_async_writers_error(redis: RedisServer) -> None:
    async with AsyncBus(redis.url, mailbox_limit=1) as bus:
        await bus.send_to_worker("w1", ANSWER)
        with pytest.raises(MailboxFull):
            await bus.send_to_worker("w1", ANSWER)


@pytest.mark.asyncio
async def test_an_async_read_goes_on_after_a_restart(redis: RedisServer) -> None:
    async with AsyncBus(redis.url) as bus:
        reader = asyncio.create_task(bus.receive_for_gateway("g1", 20))
        with redis.client() as client:
            while not client.info("clients")["blocked_clients"]:
                await asyncio.sleep(0)
        await asyncio.to_thread(redis.restart)
        assert await reader == [], "back at once, so that the reader can say what has to be said again"
        assert bus.outages > 0
        await bus.send_to_gateway("g1", ASK)
        assert await bus.receive_for_gateway("g1", 20) == [ASK]


@pytest.mark.asyncio
async def test_a_watcher_looks_at_once_at_every_wake_up_and_after_an_outage(bus: Bus, redis: RedisServer) -> None:
    async with AsyncBus(redis.url) as other, asyncio.timeout(60):
        looks = watch(other, "m1", look_every=600)
        await anext(looks)
        for _ in range(3):
            bus.wake("m1")
        bus.wake("m2")
        await anext(looks)
        next_look = asyncio.ensure_future(anext(looks))
        bus.wake("m1")
        await next_look
        next_look = asyncio.ensure_future(anext(looks))
        await asyncio.to_thread(redis.restart)
        await next_look
        await looks.aclose()


@pytest.mark.asyncio
async def test_a_watcher_looks_by_itself_in_silence(redis: RedisServer) -> None:
    async with AsyncBus(redis.url) as bus, asyncio.timeout(60):
        looks = watch(bus, "m1", look_every=0.05)
        for _ in range(3):
            await anext(looks)
        await looks.aclose()
