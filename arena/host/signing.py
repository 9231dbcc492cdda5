"""Signatures with Ed25519 (RFC 8032): the signer has a private key, and everybody who checks has its public key.

A key's name is the first 16 hex digits of the SHA-256 of its public bytes. A private key is 32 bytes, written in
hex.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from arena.host.private import make_once

PRIVATE_KEY_BYTES: Final = 32
PUBLIC_KEY_BYTES: Final = 32


class SigningKeyError(Exception):
    """Raised for a private key that cannot be used; the message says what to do."""


class SignatureError(Exception):
    """Raised for a signature that does not hold; the message says why."""


def key_id(public_key: bytes) -> str:
    """Return the name of a public key."""
    return sha256(public_key).hexdigest()[:16]


class Signer:
    """A private key."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public_key = key.public_key().public_bytes_raw()

    @classmethod
    def of_text(cls, text: str) -> Signer:
        """Return the key written in a text. Raises `SigningKeyError` if there is none."""
        try:
            return cls(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text.strip())))
        except ValueError:
            raise SigningKeyError("a signing key must be 64 hex digits: make one with openssl rand -hex 32") from None

    @classmethod
    def of_file(cls, path: Path) -> Signer:
        """Return the key in a file, which is created if missing. If several processes call this at once, one creates
        it."""
        make_once(path, secrets.token_hex(PRIVATE_KEY_BYTES))
        try:
            return cls.of_text(path.read_text())
        except SigningKeyError as error:
            raise SigningKeyError(f"cannot use the signing key in {path}: {error}") from None

    def sign(self, message: bytes) -> dict[str, str]:
        """Return the signature of a message: the name of the key, and 64 bytes in hex."""
        return {"key": key_id(self.public_key), "ed25519": self._key.sign(message).hex()}


def check_signature(message: bytes, signature: Any, keys: Mapping[str, bytes]) -> str:
    """Check a signature and return the name of its key. `keys` are public keys by name.

    Raises `SignatureError` if the signature does not hold or its key is not in `keys`.
    """
    if not isinstance(signature, dict) or set(signature) != {"key", "ed25519"}:
        raise SignatureError('a signature must be {"key": its name, "ed25519": 128 hex digits}')
    name, digits = signature["key"], signature["ed25519"]
    if not isinstance(name, str) or not isinstance(digits, str) or digits != digits.lower():
        raise SignatureError('a signature must be {"key": its name, "ed25519": 128 hex digits}')
    if name not in keys:
        raise SignatureError(f"it is signed with the key {name!r:.40}, which is not among those given")
    try:
        Ed25519PublicKey.from_public_bytes(keys[name]).verify(bytes.fromhex(digits), message)
    except (InvalidSignature, ValueError):
        raise SignatureError(f"the signature with the key {name} does not hold") from None
    return name


def keys_document(public_keys: Iterable[bytes]) -> dict[str, Any]:
    """Return the public keys of an arena as it publishes them, including those that it no longer signs with."""
    return {"keys": [{"id": key_id(key), "ed25519": key.hex()} for key in public_keys]}


def read_keys(document: Any) -> dict[str, bytes]:
    """Return the public keys by name from an arena's published document. Raises ValueError for another document."""
    try:
        keys = [bytes.fromhex(key["ed25519"]) for key in document["keys"]]
    except (KeyError, TypeError, ValueError):
        keys = []
    if not keys or any(len(key) != PUBLIC_KEY_BYTES for key in keys):
        raise ValueError('public keys must be written as {"keys": [{"id": …, "ed25519": 64 hex digits}, …]}')
    return {key_id(key): key for key in keys}
