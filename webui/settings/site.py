"""The site: its addresses, applications, texts, static files, emails and headers."""

import hashlib
import os
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from arena.host.sockets import LOOPBACK, is_loopback
from webui.settings.environment import DEBUG, is_set, words


def _site_url(address: str) -> str:
    """Return the address without a trailing slash. Raise `ValueError` if it is not the address of a site."""
    address = address.rstrip("/")
    parts = urlsplit(address)
    if address and (parts.scheme not in {"http", "https"} or address != f"{parts.scheme}://{parts.netloc}"):
        raise ValueError(f"ARENA_SITE_URL is {address!r}: write it as https://arena.example.org")
    return address


def _gateway_address(address: str) -> str:
    """Return the address. Raise `ValueError` if bots would have to guess whether to encrypt."""
    if address and "://" not in address and not is_loopback(address.rpartition(":")[0]):
        raise ValueError(
            f"ARENA_GATEWAY_ADDRESS is {address!r}: write it as https://{address}, or as http://{address} if bots send"
            " their tokens unencrypted"
        )
    return address


SITE_URL = _site_url(os.environ.get("ARENA_SITE_URL", ""))
ALLOWED_HOSTS = words("ARENA_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = words("ARENA_ORIGINS")
if SITE_URL:
    ALLOWED_HOSTS.append(urlsplit(SITE_URL).hostname or "")
    CSRF_TRUSTED_ORIGINS.append(SITE_URL)
PROXIES = words("ARENA_PROXIES", ",".join(LOOPBACK))
"""Proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted (`arena.host.sockets`)."""
PRIVATE_WEBHOOKS = is_set("ARENA_PRIVATE_WEBHOOKS")
"""Whether webhook messages may be sent to private addresses and to this machine.

This is for an arena at home, whose users all belong to the local network.
"""
GATEWAY_ADDRESS = _gateway_address(os.environ.get("ARENA_GATEWAY_ADDRESS", ""))

INSTALLED_APPS = [
    "webui.core",
    "webui.accounts",
    "webui.bots",
    "webui.ladders",
    "webui.matches",
    "webui.stories",
    "webui.board",
    "webui.ratings",
    "webui.pairing",
    "webui.hosting",
    "webui.replays",
    "webui.analysis",
    "webui.writing",
    "webui.fairness",
    "webui.challenges",
    "webui.people",
    "webui.comparisons",
    "webui.events",
    "webui.webhooks",
    "webui.notices",
    "webui.following",
    "webui.tv",
    "webui.open_data",
    "webui.game_statistics",
    "webui.status",
    "webui.profiles",
    "webui.staff",
    "webui.site",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

DATA_UPLOAD_MAX_NUMBER_FILES = 4000
"""Maximum number of files in a form, of which a folder with a bot has some thousand at most."""

MIDDLEWARE = [
    "webui.core.observing.observe",
    "webui.core.headers.SecurityHeaders",
    "webui.core.middleware.links_to_the_site",
    "webui.core.static_files.StaticFiles",
    "django.middleware.security.SecurityMiddleware",
    "webui.core.middleware.refuse_nul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "webui.accounts.adapter.note_seen",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "webui.core.middleware.RecordsAway",
]

ROOT_URLCONF = "webui.urls"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "loaders": [("webui.core.whitespace.Loader", ["django.template.loaders.app_directories.Loader"])],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Español"), ("fr", "Français"), ("ru", "Русский")]
"""Languages of the site. A language has its texts in site/locale, its pages in site/docs and its dates in formats."""
LOCALE_PATHS = [Path(__file__).parents[1] / "site" / "locale"]
"""The texts of all subjects have one catalogue for each language."""
FORMAT_MODULE_PATH = ["webui.formats"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True


def data_licence(text: str) -> tuple[str, str]:
    """Return the name and the address of the licence of the open data."""
    name, _, address = text.strip().rpartition(" ")
    if not name or urlsplit(address).scheme != "https" or not text.isprintable():
        raise ValueError(
            f"ARENA_DATA_LICENCE is {text!r}: write it as CC BY 4.0 https://creativecommons.org/licenses/by/4.0/"
        )
    return name, address


DATA_LICENCE = data_licence(
    os.environ.get("ARENA_DATA_LICENCE") or "CC BY 4.0 https://creativecommons.org/licenses/by/4.0/"
)


def _edition() -> str:
    """Return a name for the present content of all static files. It changes when any file changes."""
    digest = hashlib.sha256()
    folder = Path(__file__).parents[1] / "site" / "static"
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


STATIC_URL = f"/static/{_edition()}/"
"""Address of the static files. It contains the edition, so browsers cache a file and never revalidate it."""
WHITENOISE_USE_FINDERS = True  # serves files directly from the packages, without `collectstatic`
WHITENOISE_IMMUTABLE_FILE_TEST = "(?!)" if DEBUG else "."  # never changing: none in debug mode, else all


def _email(url: str) -> dict[str, Any]:
    """Return Django's settings for emails. Without a server, emails are written to files (`webui.core.backends`)."""
    if not url:
        return {"EMAIL_BACKEND": "webui.core.backends.EmailFiles"}
    wrong = ValueError(
        "ARENA_EMAIL_URL is not an smtp:// or smtps:// address: "
        "a password in it is written as in an address (%2F for /)"
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # whose message may quote a part of the password
        raise wrong from None
    rest = parts.path.strip("/") + parts.query + parts.fragment
    if parts.scheme not in {"smtp", "smtps"} or not parts.hostname or rest:
        raise wrong
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or (465 if parts.scheme == "smtps" else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp" and bool(parts.username),
    }


globals().update(_email(os.environ.get("ARENA_EMAIL_URL", "")))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("ARENA_EMAIL_FROM", "arena@localhost")


def security_contact(contact: str, expires: str) -> tuple[str, str]:
    """Return the contact and the expiry date for security.txt (RFC 9116). Both must be given, or neither."""
    if not contact:
        return "", ""
    if urlsplit(contact).scheme not in {"https", "mailto", "tel"} or not contact.isprintable():
        raise ValueError(f"ARENA_SECURITY_CONTACT is {contact!r}: write it as mailto:security@example.org or https://…")
    try:
        until = datetime.fromisoformat(expires)
    except ValueError:
        until = None
    if until is None or until.tzinfo is None:
        raise ValueError(f"ARENA_SECURITY_EXPIRES is {expires!r}: write it as 2027-12-31T00:00:00Z")
    return contact, until.isoformat()


SECURITY_CONTACT, SECURITY_EXPIRES = security_contact(
    os.environ.get("ARENA_SECURITY_CONTACT", ""), os.environ.get("ARENA_SECURITY_EXPIRES", "")
)

SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SITE_URL.startswith("https://")
LANGUAGE_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
