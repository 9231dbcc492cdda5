"""Removes secrets from a process's output: tokens, passwords, seeds, nonces, session keys.

It uses three filters because each has gaps. By key: values under a name such as `password`. By form: text that looks
like a secret, anywhere. By value: the secrets in this process's environment.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache, partial
from types import TracebackType
from typing import Any, Final
from urllib.parse import unquote

# Tracebacks of uncaught exceptions, written to stderr without secrets.


def catch_tracebacks() -> None:
    """Write uncaught exceptions of all threads without secrets from now on."""
    sys.excepthook = partial(write_traceback, "")
    # A test runner has its own hooks, and needs them.
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _write_unraisable
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _write_of_thread


def write_traceback(
    before: str, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
) -> None:
    """Write `before` and the traceback, without secrets and without the values of variables."""
    if sys.stderr is not None:  # under pythonw, and at the end of the process, there is no stderr
        sys.stderr.write(redact(before + "".join(traceback.format_exception(kind, error, trace))))
        sys.stderr.flush()


def _write_of_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_type is not SystemExit:
        name = arguments.thread.name if arguments.thread else "unknown"
        before = f"Exception in thread {name}:\n"
        write_traceback(before, arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def _write_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    before = f"{unraisable.err_msg or 'Exception ignored in'}: {unraisable.object!r}\n"
    write_traceback(before, unraisable.exc_type, unraisable.exc_value, unraisable.exc_traceback)


REDACTED: Final = "[redacted]"

_NAMES: Final = (
    "passwords?|passwd|passphrase|pgpassword|tokens?|secrets?|(?:secret|private|signing|api|session|csrf)[ _-]?key|"
    "(?:server[ _-]?)?seeds?|nonces?|session(?:[ _-]?id)?|csrf[ _-]?token|csrfmiddlewaretoken|credentials?"
)
_KEY: Final = re.compile(rf"(?:.*[_\-. ])?(?:{_NAMES}|(?:proxy-)?authorization|(?:set-)?cookies?)\d?", re.IGNORECASE)
"""Matches a whole key of a log line or of an object in it."""

_TRACE: Final = re.compile(r"[0-9a-f]{32}")
"""Matches the id of a match's trace under `trace`, which is not a secret (`arena.host.tracing`)."""
_IS_NO_TRACE: Final = rf"(?!(?<=\btrace=){_TRACE.pattern}(?![0-9A-Za-z]))"

_FORMS: Final = (
    # The password in scheme://user:password@host, up to the last @ of the word: a password may contain one.
    (re.compile(r"(?<=://)([^\s:/@\"'\\]{0,256}):[^\s\"'\\]{1,256}@"), rf"\1:{REDACTED}@"),
    # Tokens of bots (webui.accounts.values), whatever surrounds them, and however a browser encodes the underscore.
    # Their first four characters are shown on the site and are not secret.
    (re.compile(r"(naqala(?:_|%5f))[\w%-]{8,}", re.IGNORECASE), rf"\1{REDACTED}"),
    # Secrets of webhooks, in base64.
    (re.compile(r"(whsec_)[\w+/=-]{8,}"), rf"\1{REDACTED}"),
    # Hashes of passwords, as Django stores them.
    (re.compile(r"\b((?:pbkdf2|argon2|bcrypt|scrypt|md5)\w*)\$[^\s\"'\\]+"), rf"\1${REDACTED}"),
    # Seeds and nonces in hex, their digests, and session keys: 32 characters of a to z and digits.
    (re.compile(_IS_NO_TRACE + r"(?<![0-9A-Za-z])[0-9A-Fa-f]{32,}(?![0-9A-Za-z])"), REDACTED),
    (re.compile(_IS_NO_TRACE + r"(?<![0-9A-Za-z_-])(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{32}(?![0-9A-Za-z_-])"), REDACTED),
    (re.compile(r"\b((?:proxy-)?authorization|(?:set-)?cookie)\b([\"']?\s*[:=]\s*)[^\"'\\\r\n]+", re.IGNORECASE),
     rf"\1\2{REDACTED}"),
    # key=value and "key": "value".
    (re.compile(rf"(?<![A-Za-z])({_NAMES})(\\?[\"']?\s{{0,3}}(?:=|:(?!//))\s{{0,3}})(?!\\?[\"']?\[redacted\])"
                r"(?:\\?\"[^\"\r\n]*\"|'[^'\r\n]*'|[^\s\"'\\,;&)\]}>]+)", re.IGNORECASE), rf"\1\2{REDACTED}"),
)  # fmt: skip

_BYTES: Final = re.compile(r"\bb(?P<quote>['\"])(?:\\.|(?!(?P=quote))[^\\])*(?P=quote)")
"""Matches bytes as Python shows them. It does not use `*+`, which fails in Python 3.11.2."""
_FEW_ESCAPES: Final = 3
"""Seeds and nonces are random: of 16 bytes about ten are shown as escapes."""

_OF_SECRETS: Final = (
    "ARENA_SECRET_KEY",
    "ARENA_SIGNING_KEY",
    "POSTGRES_PASSWORD",
    "REDIS_PASSWORD",
    "ARENA_PASSWORD",
    "ARENA_TOKEN",
)
_OF_ADDRESSES: Final = (
    "DATABASE_URL",
    "ARENA_SITE_DATABASE_URL",
    "ARENA_GATEWAY_DATABASE_URL",
    "REDIS_URL",
    "ARENA_EMAIL_URL",
)
_OF_TOKENS: Final = "ARENA_HOUSE_TOKENS"
_SHORTEST: Final = 6
"""A shorter value from the environment would also match unrelated words."""
_WORD: Final = re.compile(r"[a-z]{0,10}")
"""Matches a password such as `postgres`, which is an ordinary word of the log as well. Such a value goes only where its
key or its form shows what it is."""


def redact(text: str) -> str:
    """Return the text without secrets."""
    for value in _known(tuple(os.environ.get(name, "") for name in (*_OF_SECRETS, *_OF_ADDRESSES, _OF_TOKENS))):
        text = text.replace(value, REDACTED)
    for form, instead in _FORMS:
        text = form.sub(instead, text)
    return _BYTES.sub(_random_bytes, text)


def _random_bytes(literal: re.Match[str]) -> str:
    return f"b'{REDACTED}'" if literal[0].count("\\x") > _FEW_ESCAPES else literal[0]


def redact_event(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Remove secrets from a log line at any depth. This is a processor of structlog."""
    return _clean_mapping(event)


def redacted_repr(value: object) -> str:
    """Return an object's `repr` without secrets."""
    return redact(repr(value))


def is_secret(key: object) -> bool:
    """Return whether the name of a key shows that its value is a secret."""
    return isinstance(key, str) and _KEY.fullmatch(key) is not None


def _clean_mapping(mapping: Mapping[Any, Any]) -> dict[Any, Any]:
    """Clean keys and values: a key may be a secret itself, or the name of one."""
    return {_clean_key(key): _clean_of(key, value) for key, value in mapping.items()}


def _clean_of(key: Any, value: Any) -> Any:
    if key == "trace" and isinstance(value, str) and _TRACE.fullmatch(value):
        return value
    return REDACTED if is_secret(key) and value else _clean(value)


def _clean_key(key: Any) -> Any:
    match key:
        case str() | bytes():
            return _clean(key)
        case tuple():
            return tuple(_clean_key(inner) for inner in key)
        case _:
            return key


def _clean(value: Any) -> Any:
    match value:
        case str():
            return redact(value)
        case bytes() | bytearray() | memoryview():
            return f"[{len(value)} bytes]"
        case Mapping():
            return _clean_mapping(value)
        case list() | tuple() | set() | frozenset():
            return [_clean(inner) for inner in value]
        case _:
            return value


@cache
def _known(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the secrets in these environment values, the longest first, because one may be part of another."""
    secrets = {secret for value in values if value for secret in _secrets_in(value)}
    telling = (secret for secret in secrets if len(secret) >= _SHORTEST and not _WORD.fullmatch(secret))
    return tuple(sorted(telling, key=len, reverse=True))


def _secrets_in(value: str) -> Iterator[str]:
    if value.startswith("{"):
        try:
            yield from (str(secret) for secret in json.loads(value).values())
        except ValueError:
            yield value
    elif "://" in value:
        before, at, _ = value.partition("://")[2].rpartition("@")
        if at and ":" in before:
            password = before.partition(":")[2]
            yield from (password, unquote(password))
    else:
        yield value
