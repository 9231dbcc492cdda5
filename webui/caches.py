"""A file cache that pages can do without: an entry that cannot be read or written is a miss."""

from __future__ import annotations

import pickle
import zlib
from typing import Any

import structlog
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache

log = structlog.get_logger(__name__)

DAMAGED = (EOFError, pickle.PickleError, zlib.error)


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
