"""What holds for every test."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connection
from hypothesis import HealthCheck, settings
from whitenoise.middleware import WhiteNoiseMiddleware

from tests.kit import templates
from tests.kit.arena.database import empty_sqlite
from tests.kit.tried import is_left_out

pytest_plugins = ["tests.kit.databases"]

# How long an example took says nothing where others are at work. What fails in CI or at a desk fails again: the seeds
# are fixed; `make soak` draws new ones (--hypothesis-profile=soak), and prints how to repeat what it finds.
settings.register_profile("fixed", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("soak", settings.get_profile("fixed"), derandomize=False, print_blob=True)
settings.load_profile("fixed")


def pytest_configure(config: pytest.Config) -> None:
    """Settings of Django that hold for tests alone; no garbage is looked for among the tests themselves."""
    gc.disable()
    templates.folder()
    # A password hash is slow on purpose; a test that signs in should not be.
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    folder = tempfile.TemporaryDirectory(prefix="arena-test-")
    config.add_cleanup(folder.cleanup)
    # What another process of tests, or a run before this one, has computed is not found.
    django_settings.CACHES["frames"]["LOCATION"] = Path(folder.name) / "frames"
    database = django_settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        # A file as in real life: a database in memory has other locks.
        database.setdefault("TEST", {})["NAME"] = str(Path(folder.name) / "arena.sqlite3")


@pytest.fixture(scope="session", autouse=True)
def static_files() -> Iterator[None]:
    """The middlewares of each client of Django look for all static files again: here they are looked for once."""
    found: dict[str, Any] = {}
    look = WhiteNoiseMiddleware.add_files_from_finders

    def find(self: WhiteNoiseMiddleware) -> None:
        if not found:
            look(self)
            found.update(self.files)
        self.files.update(found)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(WhiteNoiseMiddleware, "add_files_from_finders", find)
        yield


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The database is there when Django sets it up: see the next fixture. Its folder goes at the end."""
    return True


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """A copy of the one database that has been migrated for all processes."""
    database = django_settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        empty_sqlite(Path(database["TEST"]["NAME"]))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Django empties the tables between tests that commit: on SQLite row by row, which the triggers of the audit log,
    of the log of offers and of events' facts refuse. PostgreSQL keeps its triggers; `tests/ladder/test_audit.py` and
    `test_offers.py` try both on databases of their own."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER audit_is_not_deleted")
        cursor.execute("DROP TRIGGER offer_is_not_deleted")
        cursor.execute("DROP TRIGGER fact_is_not_deleted")


def pytest_collection_finish() -> None:
    """The six thousand tests stay for all the run: Python's garbage collector need not look at them again and again."""
    gc.enable()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only the soak runs, and check the markers' reasons.

    On PostgreSQL these are the tests that are not `database_specific`. CI also skips what is unchanged since the soak.
    """
    for item in items:
        parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        if parameters.get("database") == "postgres" and not item.get_closest_marker("database_specific"):
            item.add_marker(pytest.mark.soak)
        for marker in item.iter_markers("when_changed"):
            if is_left_out(*marker.args):
                item.add_marker(pytest.mark.skip(f"{marker.args[0]}: unchanged since the last soak"))
        for marker in item.iter_markers("load_sensitive"):
            if not (len(marker.args) == 1 and isinstance(marker.args[0], str) and marker.args[0]):
                raise pytest.UsageError(f"{item.nodeid}: load_sensitive takes a reason")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The failure of a test that may be run again comes with the reason for that."""
    report = yield
    marker = item.get_closest_marker("load_sensitive")
    if report.failed and marker is not None:
        report.sections.append(("Load-sensitive", marker.args[0]))
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str) -> None:
    """A process that dies under a test ends the run: it is no failed test, and others may have died with it."""
    pytest.exit(f"the process died that ran {crashitem}", returncode=3)
