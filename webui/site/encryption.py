"""Secrets of accounts that are needed as they are: stored encrypted, with a key made from the arena's secret key."""

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

PREFIX = "fernet:"
PURPOSE = b"naqala-arena: keys of authenticator apps"


def encrypt(text: str) -> str:
    """The text as it is stored."""
    return PREFIX + _keys().encrypt(text.encode()).decode()


def decrypt(stored: str) -> str:
    """The text; what was stored in clear by a version without encryption is returned as it is.

    `cryptography.fernet.InvalidToken` if it was encrypted with none of the keys.
    """
    return _keys().decrypt(stored.removeprefix(PREFIX)).decode() if stored.startswith(PREFIX) else stored


def _keys() -> MultiFernet:
    """The first one encrypts, all of them decrypt."""
    return MultiFernet([_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret.encode())
    return Fernet(urlsafe_b64encode(derived))
