"""What Django's settings name: caches, emails as files, and error pages without secrets."""

from __future__ import annotations

import pickle
import time
import zlib
from collections.abc import ItemsView, Sequence
from types import FrameType
from typing import Any

import structlog
from django.conf import settings
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.filebased import EmailBackend as FileBackend
from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

from arena.host.redaction import REDACTED, is_secret, redact

log = structlog.get_logger(__name__)

DAMAGED = (EOFError, pickle.PickleError, zlib.error)


class MemoryCache(LocMemCache):
    """Django's cache in memory, by the monotonic clock. Otherwise a clock that is set back would keep entries for
    longer."""

    _expire_info: dict[str, float | None]
    """Django's: the time at which each entry expires."""

    def get_backend_timeout(self, timeout: float | None = DEFAULT_TIMEOUT) -> float | None:
        """Return when an entry expires, by the monotonic clock; None if it never does."""
        seconds = self.default_timeout if timeout == DEFAULT_TIMEOUT else timeout
        return None if seconds is None else time.monotonic() + seconds

    def _has_expired(self, key: str) -> bool:
        expires_at = self._expire_info.get(key, -1)
        return expires_at is not None and expires_at <= time.monotonic()


class OptionalFileCache(FileBasedCache):
    """Django's file cache, except that a directory that cannot be used causes misses. Each process logs this once."""

    _is_logged = False

    def __init__(self, dir: str, params: dict[str, Any]) -> None:  # the name is Django's
        try:
            super().__init__(dir, params)
        except OSError as error:  # Django makes the directory last, so everything else is set
            self._log(error)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return the value, or `default` if the entry is missing or its file cannot be read."""
        try:
            return super().get(key, default, version)
        except (OSError, *DAMAGED) as error:
            self._log(error)
            return default

    def set(
        self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:  # fmt: skip
        """Store the value, if its file can be written."""
        try:
            super().set(key, value, timeout, version)
        except OSError as error:
            self._log(error)

    def _log(self, error: Exception) -> None:
        if not OptionalFileCache._is_logged:
            OptionalFileCache._is_logged = True
            log.warning("cache_not_usable", error=str(error))


class NoSecrets(SafeExceptionReporterFilter):
    """A stricter version of Django's filter: it is active in debug mode too, and omits local variables."""

    cleansed_substitute = REDACTED

    def is_active(self, request: HttpRequest | None) -> bool:
        """Return True: the filter is always active."""
        return True

    def cleanse_setting(self, key: Any, value: Any) -> Any:
        """Redact settings and headers by their names, and other values by their form."""
        cleansed = super().cleanse_setting(key, REDACTED if value and is_secret(key) else value)
        return redact(cleansed) if isinstance(cleansed, str) else cleansed

    def get_post_parameters(self, request: HttpRequest | None) -> dict[str, Any]:
        """Return the names of the parameters, without their values."""
        return dict.fromkeys(request.POST, REDACTED) if request is not None else {}

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: FrameType) -> ItemsView[str, Any]:
        """Return no variables."""
        return dict[str, Any]().items()


class Reporter(ExceptionReporter):
    """Redacts the page as a whole, because messages of exceptions and query strings may contain secrets."""

    def get_traceback_data(self) -> dict[str, Any]:
        """Redact the messages of exceptions before they are escaped for HTML: escaped quotes are not found."""
        data: dict[str, Any] = super().get_traceback_data()
        return {name: redact(value) if isinstance(value, str) else value for name, value in data.items()}

    def get_traceback_html(self) -> SafeString:
        """Return the page for a browser."""
        return mark_safe(redact(super().get_traceback_html()))  # noqa: S308 - Django's page, escaped

    def get_traceback_text(self) -> SafeString:
        """Return the page for other clients."""
        return mark_safe(redact(super().get_traceback_text()))  # noqa: S308 - plain text


class EmailFiles(BaseEmailBackend):
    """The email backend that writes to files. If it cannot write them, it drops the emails and logs an error."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Store the messages as files, and return how many were stored."""
        try:
            sent = FileBackend(file_path=str(settings.PLACES.emails)).send_messages(list(email_messages))
        except (ImproperlyConfigured, OSError) as error:
            log.error("email_dropped", error=str(error), hint="set ARENA_EMAIL_URL to a mail server")
            return 0
        log.warning(
            "email_kept_in_a_file", folder=str(settings.PLACES.emails), hint="set ARENA_EMAIL_URL to send emails"
        )
        return sent or 0
