"""Basic settings from the environment: the directory of state, keys and logs. Imported before the other modules."""

import os
import secrets

from arena.host.logs import logging_config
from arena.host.places import Places, state_directory
from arena.host.private import make_once, restrict_umask

restrict_umask()
VAR = state_directory()
PLACES = Places(VAR)


def is_set(name: str) -> bool:
    """Return whether a variable is set to a true value."""
    return os.environ.get(name, "").lower() in {"1", "true", "yes", "on"}


def words(name: str, default: str = "") -> list[str]:
    """Return the words of a comma-separated variable."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def _secret_key() -> str:
    """Return the key of the environment, or one made once for this checkout so that sessions survive a restart."""
    if key := os.environ.get("ARENA_SECRET_KEY"):
        return key
    try:
        make_once(PLACES.secret_key, secrets.token_urlsafe(48))
        return PLACES.secret_key.read_text()
    except OSError:  # a package installed in a read-only place: sessions last as long as the process
        return secrets.token_urlsafe(48)


SECRET_KEY = _secret_key()
SECRET_KEY_FALLBACKS = words("ARENA_FORMER_SECRET_KEYS")
SIGNING_KEY = os.environ.get("ARENA_SIGNING_KEY", "")
DEBUG = is_set("ARENA_DEBUG")

DEFAULT_EXCEPTION_REPORTER = "webui.core.backends.Reporter"
DEFAULT_EXCEPTION_REPORTER_FILTER = "webui.core.backends.NoSecrets"
LOGGING_CONFIG = "arena.host.logs.configure"
LOGGING = logging_config(
    os.environ.get("ARENA_LOG_FORMAT", "console"), os.environ.get("ARENA_LOG_LEVEL", "INFO").upper()
)
