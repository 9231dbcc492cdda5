"""What the site's user in Redis may do, and what not. All other tests of this folder run as it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis

from arena.bus import Bus, Presence, ToBot
from arena.bus.keys import SESSIONS, gateway_key, session_key, wake_channel, worker_key
from tests.kit.redis_server import RedisServer
from tests.kit.until import PATIENCE_S

MAIL = gateway_key("g1")


@pytest.fixture(autouse=True)
def empty_again(redis_server: RedisServer) -> Iterator[None]:
    yield
    redis_server.flush()


@pytest.mark.parametrize(
    "command",
    [
        *(("LRANGE", MAIL, 0, -1), ("LPOP", MAIL), ("BLPOP", MAIL, 1), ("GET", MAIL), ("MGET", SESSIONS, MAIL)),
        *(("LRANGE", worker_key("w1"), 0, -1), ("DUMP", MAIL), ("COPY", MAIL, SESSIONS), ("RENAME", MAIL, SESSIONS)),
        *(("EVAL", "return redis.call('LRANGE', KEYS[1], 0, -1)", 1, MAIL), ("RPUSH", MAIL, "forged"), ("DEL", MAIL)),
        *(("SET", session_key("s1"), "forged"), ("ZADD", SESSIONS, 1, "forged"), ("PUBLISH", "mail", "")),
        *(("SUBSCRIBE", "__keyspace@0__:x"), ("PSUBSCRIBE", "*"), ("MONITOR",), ("KEYS", "*"), ("SCAN", 0)),
        *(("CONFIG", "GET", "requirepass"), ("ACL", "LIST"), ("CLIENT", "LIST"), ("FLUSHALL",)),
    ],
    ids=str,
)  # fmt: skip
def test_the_site_can_do_nothing_with_the_mail_of_others(
    command: tuple[Any, ...], settings: Any, redis_server: RedisServer
) -> None:
    with Bus(redis_server.url) as bus:
        bus.send_to_gateway("g1", ToBot("s1", "m1", 1, 1, "w1", b"what seat 1 sees"))
    with redis.Redis.from_url(settings.REDIS_URL) as site, pytest.raises(redis.exceptions.NoPermissionError):
        site.execute_command(*command)
    with redis_server.client() as everything:
        assert everything.llen(MAIL) == 1


def test_the_site_sees_who_is_connected_and_is_woken_and_wakes(settings: Any, redis_server: RedisServer) -> None:
    present = Presence("s1", "g1", bot=7, bot_version=8, owner=9, process="p1")
    with Bus(redis_server.url) as bus, Bus(settings.REDIS_URL) as site:
        site.ping()
        bus.announce(present)
        assert site.presences() == [present]
        assert site.presence("s1") == present
        with redis.Redis.from_url(settings.REDIS_URL) as client, client.pubsub() as pubsub:
            pubsub.subscribe(wake_channel("m1"))
            assert pubsub.get_message(timeout=PATIENCE_S)["type"] == "subscribe"
            bus.wake("m1")
            assert pubsub.get_message(timeout=PATIENCE_S)["type"] == "message"
            site.wake("m1")
            assert pubsub.get_message(timeout=PATIENCE_S)["type"] == "message"
