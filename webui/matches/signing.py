"""The key with which this process signs offers and records. Its public half is in the database, for everybody."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from arena.host.signing import Signer, check_signature
from arena.referee import SIGNATURE, canonical_bytes, unsigned
from webui.matches.models import SigningKey


def signer() -> Signer:
    """Return the signing key of this process. Raise `SigningKeyError` if there is none."""
    return _signer(settings.SIGNING_KEY, settings.PLACES.signing_key)


@lru_cache(maxsize=1)
def _signer(given: str, own: Path) -> Signer:
    return Signer.of_text(given) if given else Signer.of_file(own)


def sign(message: bytes) -> dict[str, str]:
    """Return the signature of a message, and store its public key in the current transaction."""
    key = signer()
    signature = key.sign(message)
    SigningKey.objects.get_or_create(id=signature["key"], defaults={"public_key": key.public_key.hex()})
    return signature


def sign_record(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with its signature."""
    bare = unsigned(document)
    return {**bare, SIGNATURE: sign(canonical_bytes(bare))}


def check_record_signature(document: Mapping[str, Any]) -> None:
    """Raise `SignatureError` if the signature of a record is not valid."""
    check_signature(canonical_bytes(unsigned(document)), document.get(SIGNATURE), public_keys())


def public_keys() -> dict[str, bytes]:
    """Return every public key that has signed something, by name."""
    rows = SigningKey.objects.values_list("id", "public_key")
    return {name: bytes.fromhex(public_key) for name, public_key in rows}
