"""Secrets of accounts that are needed as they are: stored encrypted, with keys made from the arena's secret key."""

from base64 import urlsafe_b64encode
from enum import Enum

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

PREFIX = "fernet:"


class Purpose(Enum):
    """What is encrypted; each has a key of its own."""

    APPS = b"naqala-arena: keys of authenticator apps"
    ANSWERS = b"naqala-arena: answers of the HTTP API"
    WEBHOOKS = b"naqala-arena: secrets of webhooks"


def encrypt(text: str, purpose: Purpose) -> str:
    """The text as it is stored."""
    return PREFIX + _keys(purpose).encrypt(text.encode()).decode()


def decrypt(stored: str, purpose: Purpose) -> str:
    """The text; what was stored in clear by a version without encryption is returned as it is.

    `cryptography.fernet.InvalidToken` if it was encrypted with none of the keys.
    """
    return _keys(purpose).decrypt(stored.removeprefix(PREFIX)).decode() if stored.startswith(PREFIX) else stored


def _keys(purpose: Purpose) -> MultiFernet:
    """The first one encrypts, all of them decrypt."""
    return MultiFernet([_key(secret, purpose) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str, purpose: Purpose) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.value).derive(secret.encode())
    return Fernet(urlsafe_b64encode(derived))
