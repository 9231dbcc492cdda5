"""The pool of connections."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest
from django.db import OperationalError, connection

from webui.ladder.models import User
from workers.database import Pool

pytestmark = pytest.mark.django_db(transaction=True)


def connection_number() -> int:
    connection.ensure_connection()
    return id(connection.connection)


def test_threads_share_connections() -> None:
    pool, seen, start = Pool(2), set[int](), Barrier(8)

    def work() -> None:
        start.wait()
        for _ in range(20):
            seen.add(pool(connection_number))

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= len(seen) <= 2
    pool.close()


def test_a_thread_keeps_no_connection() -> None:
    pool, own = Pool(), connection_number()
    assert pool(connection_number) != own
    assert connection_number() == own
    pool.close()


def test_a_connection_that_fails_is_opened_again() -> None:
    pool = Pool(1)
    first = pool(connection_number)

    def fail() -> None:
        assert connection_number() == first
        raise OperationalError("the server went away")

    with pytest.raises(OperationalError):
        pool(fail)
    assert pool(User.objects.count) == 0
    pool.close()


def test_closing_closes_what_is_open() -> None:
    pool = Pool(3)

    def nest(depth: int) -> None:
        connection.ensure_connection()
        if depth:
            pool(nest, depth - 1)

    pool(nest, 2)  # three actions at once
    pool.close()
    wrappers = [pool._free.get_nowait() for _ in range(3)]
    assert [wrapper is not None and wrapper.connection is None for wrapper in wrappers] == [True] * 3
