"""Rights of the runners' user in Redis. The runners of `test_matches.py` use it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
import redis

from arena.bus import Bus, FromBot, Presence, ToBot, WireKind, hosted_session
from arena.bus.codec import EXPIRE, PUSH, PUSH_SHA
from arena.bus.keys import SESSIONS, WRITTEN, gateway_key, session_key, wake_channel, worker_key
from tests.kit.lacking import require_selectors
from tests.kit.redis_server import RedisServer
from tests.runner.conftest import PASSWORD, RUNNER_USER, runner_users

OWN: Final = "runner-1"
MAIL, OTHERS = gateway_key("g1"), worker_key("w1")
QUEUE: Final = "matches"
"""Celery's queue of the referees."""
OWN_SESSION: Final = hosted_session(7, OWN)


@pytest.fixture
def server() -> Iterator[RedisServer]:
    """Return a Redis with the runners' user, and mail for others."""
    require_selectors()
    server = RedisServer()
    server.users = runner_users()
    with server, Bus(server.url) as bus, server.client() as everything:
        bus.send_to_gateway("g1", ToBot("s1", "m1", 1, 1, "w1", b"what seat 1 sees"))
        bus.send_to_worker("w1", FromBot("m1", 1, "s1", WireKind.MESSAGE, b"what seat 1 plays"))
        bus.announce(Presence("s1", "g1", bot=7, bot_version=8, owner=9, process="p1"))
        everything.rpush(QUEUE, "a task")
        yield server


@pytest.mark.parametrize(
    "command",
    [
        *(("LRANGE", QUEUE, 0, -1), ("LPOP", QUEUE), ("BLPOP", QUEUE, 1), ("LLEN", QUEUE), ("RPUSH", QUEUE, "forged")),
        *(("LPOP", MAIL), ("BLPOP", MAIL, 1), ("RPUSH", MAIL, "forged"), ("EVALSHA", PUSH_SHA, 1, MAIL, 60, 9, "x")),
        *(("EVALSHA", PUSH_SHA, 1, QUEUE, 60, 9, "forged"), ("LPOP", OTHERS), ("BLPOP", OTHERS, 1), ("GET", OTHERS)),
        *(("LRANGE", OTHERS, 0, -1), ("DEL", OTHERS), ("RENAME", OTHERS, gateway_key(OWN)), ("COPY", MAIL, SESSIONS)),
        *(("GET", session_key("s1")), ("SET", session_key("s1"), "forged"), ("DEL", session_key("s1"), SESSIONS)),
        *(("SMEMBERS", SESSIONS), ("DEL", SESSIONS), ("SET", SESSIONS, "x"), ("SET", WRITTEN, "x")),
        *(("EVAL", PUSH, 1, OTHERS, 60, 9, "mail"), ("EVAL", "while true do end", 0), ("SCRIPT", "LOAD", EXPIRE)),
        *(("PUBLISH", wake_channel("m1"), ""), ("SUBSCRIBE", wake_channel("m1")), ("PSUBSCRIBE", "*"), ("MONITOR",)),
        *(("KEYS", "*"), ("SCAN", 0), ("CONFIG", "GET", "requirepass"), ("ACL", "LIST"), ("CLIENT", "LIST")),
        *(("FLUSHALL",), ("SHUTDOWN",), ("REPLICAOF", "example.org", 6379), ("SWAPDB", 0, 1)),
    ],
    ids=str,
)  # fmt: skip
def test_a_runner_can_do_nothing_with_what_is_not_its_own(command: tuple[Any, ...], server: RedisServer) -> None:
    with (
        redis.Redis.from_url(server.url_of(RUNNER_USER, PASSWORD)) as runner,
        pytest.raises(redis.exceptions.NoPermissionError),
    ):
        runner.execute_command(*command)
    with server.client() as everything:
        assert [everything.llen(key) for key in (QUEUE, MAIL, OTHERS)] == [1, 1, 1]


def test_a_runner_announces_its_versions_reads_its_mail_and_answers(server: RedisServer) -> None:
    present = Presence(OWN_SESSION, OWN, bot=7, bot_version=7, owner=9, process=OWN)
    request, answer = (
        ToBot(OWN_SESSION, "m1", 1, 1, "w2", b"view"),
        FromBot("m1", 1, OWN_SESSION, WireKind.MESSAGE, b"move"),
    )
    with Bus(server.url) as bus, Bus(server.url_of(RUNNER_USER, PASSWORD)) as runner:
        runner.ping()
        runner.announce(present)
        assert bus.presence(OWN_SESSION) == present == runner.presence(OWN_SESSION)
        bus.send_to_gateway(OWN, request)
        assert runner.receive_for_gateway(OWN, 60) == [request]
        runner.send_to_worker("w2", answer)
        assert bus.receive_for_worker("w2", 60) == [answer]
        runner.withdraw(present)
        assert bus.presence(OWN_SESSION) is None


def test_a_runner_waits_for_the_script_of_others_after_a_restart_of_redis(server: RedisServer) -> None:
    """It may store no script itself: an endless one would stop Redis for all."""
    answer = FromBot("m1", 1, OWN_SESSION, WireKind.MESSAGE, b"move")
    server.restart()
    with Bus(server.url) as bus, Bus(server.url_of(RUNNER_USER, PASSWORD)) as runner:
        bus.send_to_gateway(OWN, ToBot(OWN_SESSION, "m1", 1, 1, "w2", b"view"))
        runner.send_to_worker("w2", answer)
        assert bus.receive_for_worker("w2", 60) == [answer]
