"""The pool of connections."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier, Thread

import pytest
from django.db import OperationalError, connection

from tests.kit.arena.database import using
from webui.accounts.models import User
from workers.database import NO_CHECKPOINTS, Pool, checkpoint

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


def pragma(text: str) -> tuple[int, ...]:
    with connection.cursor() as cursor:
        return tuple(cursor.execute(text).fetchone())


def test_sqlite_may_be_told_to_leave_the_disk_to_somebody_else(tmp_path: Path) -> None:
    database = Pool(1, sqlite=NO_CHECKPOINTS)
    with using(f"sqlite:///{tmp_path}/arena.sqlite3"):
        try:
            assert database(pragma, "PRAGMA wal_autocheckpoint") == (0,)
            database(_write)
            logged = (tmp_path / "arena.sqlite3-wal").stat().st_size
            assert logged > 5_000_000 and (tmp_path / "arena.sqlite3").stat().st_size < 100_000
            others = Pool(1)
            assert others(pragma, "PRAGMA wal_autocheckpoint") == (1000,)
            others(checkpoint)
            assert (tmp_path / "arena.sqlite3").stat().st_size > 5_000_000
            others.close()
        finally:
            database.close()


def _write() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE filled (text)")
        for _ in range(6):
            cursor.execute("INSERT INTO filled VALUES (zeroblob(1000000))")
