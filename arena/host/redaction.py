"""Secrets are taken out of what a process says: tokens, passwords, seeds, nonces, session keys.

Three nets, because each has holes. By key: what stands under a name such as `password`. By form: what looks like a
secret, wherever it stands. By value: the secrets that this process has from its environment.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache
from typing import Any, Final
from urllib.parse import unquote

REDACTED: Final = "[redacted]"

_NAMES: Final = (
    "passwords?|passwd|passphrase|pgpassword|tokens?|secrets?|(?:secret|private|signing|api|session|csrf)[ _-]?key|"
    "(?:server[ _-]?)?seeds?|nonces?|session(?:[ _-]?id)?|csrf[ _-]?token|csrfmiddlewaretoken|credentials?"
)
_KEY: Final = re.compile(rf"(?:.*[_\-. ])?(?:{_NAMES}|(?:proxy-)?authorization|(?:set-)?cookies?)\d?", re.IGNORECASE)
"""A key of a log line or of an object in it, as a whole."""

_TRACE: Final = re.compile(r"[0-9a-f]{32}")
"""The id of a match's trace, which is no secret (`arena.host.tracing`): what stands under `trace`, in this form."""
_IS_NO_TRACE: Final = rf"(?!(?<=\btrace=){_TRACE.pattern}(?![0-9A-Za-z]))"

_FORMS: Final = (
    # The password in scheme://user:password@host, up to the last @ of the word: passwords may hold one.
    (re.compile(r"(?<=://)([^\s:/@\"'\\]{0,256}):[^\s\"'\\]{1,256}@"), rf"\1:{REDACTED}@"),
    # Tokens of bots (webui.ladder.tokens). Their first four characters, which the site shows, are not secret.
    # Whatever they are glued to, and however a browser has written the underscore.
    (re.compile(r"(naqala(?:_|%5f))[\w%-]{8,}", re.IGNORECASE), rf"\1{REDACTED}"),
    # Secrets of webhooks, in base64.
    (re.compile(r"(whsec_)[\w+/=-]{8,}"), rf"\1{REDACTED}"),
    # Hashes of passwords, as Django stores them.
    (re.compile(r"\b((?:pbkdf2|argon2|bcrypt|scrypt|md5)\w*)\$[^\s\"'\\]+"), rf"\1${REDACTED}"),
    # Seeds and nonces in hex, and digests with them; and session keys: 32 of a to z and digits.
    (re.compile(_IS_NO_TRACE + r"(?<![0-9A-Za-z])[0-9A-Fa-f]{32,}(?![0-9A-Za-z])"), REDACTED),
    (re.compile(_IS_NO_TRACE + r"(?<![0-9A-Za-z_-])(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{32}(?![0-9A-Za-z_-])"), REDACTED),
    (re.compile(r"\b((?:proxy-)?authorization|(?:set-)?cookie)\b([\"']?\s*[:=]\s*)[^\"'\\\r\n]+", re.IGNORECASE),
     rf"\1\2{REDACTED}"),
    # key=value and "key": "value".
    (re.compile(rf"(?<![A-Za-z])({_NAMES})(\\?[\"']?\s{{0,3}}(?:=|:(?!//))\s{{0,3}})(?!\\?[\"']?\[redacted\])"
                r"(?:\\?\"[^\"\r\n]*\"|'[^'\r\n]*'|[^\s\"'\\,;&)\]}>]+)", re.IGNORECASE), rf"\1\2{REDACTED}"),
)  # fmt: skip

_BYTES: Final = re.compile(r"\bb(?P<quote>['\"])(?:\\.|(?!(?P=quote))[^\\])*(?P=quote)")
"""Bytes as Python shows them. Not with `*+`, with which Python 3.11.2 finds none."""
_FEW_ESCAPES: Final = 3
"""Seeds and nonces are random: of 16 bytes, ten are shown by their number."""

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
"""A shorter value of the environment would be found in words that have nothing to do with it."""


def redact(text: str) -> str:
    """The text without the secrets in it."""
    for value in _known(tuple(os.environ.get(name, "") for name in (*_OF_SECRETS, *_OF_ADDRESSES, _OF_TOKENS))):
        text = text.replace(value, REDACTED)
    for form, instead in _FORMS:
        text = form.sub(instead, text)
    return _BYTES.sub(_random_bytes, text)


def _random_bytes(literal: re.Match[str]) -> str:
    return f"b'{REDACTED}'" if literal[0].count("\\x") > _FEW_ESCAPES else literal[0]


def redact_event(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A processor of structlog: the same line without secrets, in whatever depth they are."""
    return _clean_mapping(event)


def redacted_repr(value: object) -> str:
    """How an object shows itself, without secrets."""
    return redact(repr(value))


def is_secret(key: object) -> bool:
    """Whether what stands under this key is a secret by its name."""
    return isinstance(key, str) and _KEY.fullmatch(key) is not None


def _clean_mapping(mapping: Mapping[Any, Any]) -> dict[Any, Any]:
    """A key may be a secret itself, or the name of one."""
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
    """The secrets in these values of the environment; the longest first, for one may be a part of another."""
    found = {secret for value in values if value for secret in _secrets_in(value)}
    return tuple(sorted((secret for secret in found if len(secret) >= _SHORTEST), key=len, reverse=True))


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
