"""Encryption of secrets that the arena needs in clear text. The keys are derived from the arena's secret key."""

from base64 import urlsafe_b64encode
from enum import Enum

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

PREFIX = "fernet:"


class Purpose(Enum):
    """The kind of text that is encrypted. Each kind has its own key."""

    APPS = b"naqala-arena: keys of authenticator apps"
    ANSWERS = b"naqala-arena: answers of the HTTP API"
    WEBHOOKS = b"naqala-arena: secrets of webhooks"


def encrypt(text: str, purpose: Purpose) -> str:
    """Return the text in its stored form."""
    return PREFIX + _keys(purpose).encrypt(text.encode()).decode()


def decrypt(stored: str, purpose: Purpose) -> str:
    """Return the clear text of a stored one.

    A text that is not encrypted is returned unchanged: django-allauth also "decrypts" the digests of recovery codes.
    Raise `cryptography.fernet.InvalidToken` if none of the keys can decrypt the text.
    """
    return _keys(purpose).decrypt(stored.removeprefix(PREFIX)).decode() if stored.startswith(PREFIX) else stored


def _keys(purpose: Purpose) -> MultiFernet:
    """Return the keys for a purpose. The first key encrypts, and all of them decrypt."""
    return MultiFernet([_key(secret, purpose) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str, purpose: Purpose) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.value).derive(secret.encode())
    return Fernet(urlsafe_b64encode(derived))
