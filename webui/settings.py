"""Settings of every process that touches the database: web, workers, gateway, `arena` commands.

Everything that differs between two deployments comes from the environment; nothing is read from a file:

=========================  ==================================================  ===================================
variable                   meaning                                             without it
=========================  ==================================================  ===================================
ARENA_VAR                  directory of state: database, key, logs             var/ of the checkout
DATABASE_URL               database, as a URL                                  arena.sqlite3 in ARENA_VAR
REDIS_URL                  broker and bus                                      redis://127.0.0.1:6379/0
ARENA_SECRET_KEY           Django's key for sessions and sign-in               a fresh one a checkout, see below
ARENA_SIGNING_KEY          signs records: 64 hex digits, for referees         one made in ARENA_VAR
ARENA_DEBUG                1: error pages with traces; never in public         0
ARENA_HOSTS                host names served, comma separated                  localhost,127.0.0.1,[::1]
ARENA_ORIGINS              origins trusted for forms, comma separated          none beyond the hosts themselves
ARENA_SITE_URL             address of the site, in all links to it             that of the request
ARENA_GATEWAY_ADDRESS      host:port that bots dial, shown with a token        the site's host, 50051
ARENA_PROXIES              addresses and networks of proxies in front         127.0.0.1,::1
ARENA_EMAIL_URL            the mail server, as smtp://user:password@host:port  files in ARENA_VAR/emails
ARENA_EMAIL_FROM           the sender of emails                                arena@localhost
ARENA_VERIFIED_EMAIL       1: only who has a confirmed address issues tokens   0
ARENA_SIGN_UP              0: nobody makes an account on the site              1
ARENA_SECURITY_CONTACT     whom to tell of a fault, for security.txt           none is named
ARENA_SECURITY_EXPIRES     until when that holds, as 2027-12-31T00:00:00Z      needed with a contact
ARENA_LEASE_SECONDS        how long a worker may be silent                     5
ARENA_SQLITE_SYNCHRONOUS   NORMAL or FULL                                      NORMAL
ARENA_LOG_FORMAT           console or json                                     console
ARENA_LOG_LEVEL            DEBUG, INFO, WARNING, ERROR                         INFO
=========================  ==================================================  ===================================
"""

import hashlib
import os
import secrets
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
import django

from arena.host.logs import logging_config
from arena.host.places import Places, state_directory
from arena.host.private import restrict_umask
from arena.host.proxies import LOOPBACK

restrict_umask()
VAR = state_directory()
PLACES = Places(VAR)


def _is_set(name: str) -> bool:
    return os.environ.get(name, "").lower() in {"1", "true", "yes", "on"}


def _words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def _site_url(address: str) -> str:
    """The address without a slash at its end; ValueError for what is no site's address."""
    address = address.rstrip("/")
    parts = urlsplit(address)
    if address and (parts.scheme not in {"http", "https"} or address != f"{parts.scheme}://{parts.netloc}"):
        raise ValueError(f"ARENA_SITE_URL is {address!r}: write it as https://arena.example.org")
    return address


def _secret_key() -> str:
    """The key of the environment, or one made once for this checkout so that sign-ins survive a restart."""
    if key := os.environ.get("ARENA_SECRET_KEY"):
        return key
    path = PLACES.secret_key
    try:
        VAR.mkdir(parents=True, exist_ok=True)
        # Several processes start at once: the first one creates the file, whole; all others read it.
        with tempfile.NamedTemporaryFile("w", dir=VAR, prefix="secret-key-", delete=False) as draft:
            draft.write(secrets.token_urlsafe(48))
        try:
            os.link(draft.name, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(draft.name)
        return path.read_text()
    except OSError:  # an installed package in a read-only place: sessions last as long as the process
        return secrets.token_urlsafe(48)


SECRET_KEY = _secret_key()
SIGNING_KEY = os.environ.get("ARENA_SIGNING_KEY", "")
DEBUG = _is_set("ARENA_DEBUG")
SITE_URL = _site_url(os.environ.get("ARENA_SITE_URL", ""))
ALLOWED_HOSTS = _words("ARENA_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = _words("ARENA_ORIGINS")
if SITE_URL:
    ALLOWED_HOSTS.append(urlsplit(SITE_URL).hostname or "")
    CSRF_TRUSTED_ORIGINS.append(SITE_URL)
PROXIES = _words("ARENA_PROXIES", ",".join(LOOPBACK))
"""Whose X-Forwarded-For and X-Forwarded-Proto are believed (`arena.host.proxies`)."""
GATEWAY_ADDRESS = os.environ.get("ARENA_GATEWAY_ADDRESS", "")

INSTALLED_APPS = [
    "webui.ladder",
    "webui.site",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "webui.site.headers.SecurityHeaders",
    "webui.site.links.links_to_the_site",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "webui.site.refusing.refuse_nul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "webui.site.last_seen.note_seen",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "webui.urls"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]


def _database() -> dict[str, Any]:
    url = os.environ.get("DATABASE_URL") or f"sqlite:///{PLACES.database}"
    config: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    if config["ENGINE"] != "django.db.backends.sqlite3":
        return config
    if config["NAME"] != ":memory:":
        Path(config["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    synchronous = os.environ.get("ARENA_SQLITE_SYNCHRONOUS", "NORMAL").upper()
    if synchronous not in {"NORMAL", "FULL"}:
        raise ValueError(f"ARENA_SQLITE_SYNCHRONOUS is {synchronous!r}; use NORMAL or FULL")
    config["OPTIONS"] = {
        # A deferred transaction that reads and then writes cannot wait for its lock and fails with "database is
        # locked"; an immediate one waits its turn, up to `timeout` seconds.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # WAL: readers never wait for the writer. With it, NORMAL is safe against the death of any process, which is
        # what the arena promises; the last transactions may be lost when the machine loses power. FULL survives that
        # too and costs one fsync a transaction.
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous};",
    }
    return config


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0"
try:
    urlsplit(REDIS_URL).port  # noqa: B018 - raises
except ValueError:  # whose message quotes a part of the password
    raise ValueError("REDIS_URL is no address: a password in it is written as in an address (%2F for /)") from None


def _broker_url(url: str) -> str:
    """Celery's name for a Redis: as redis-py's, but for a unix socket."""
    if not url.startswith("unix://"):
        return url
    path, _, query = url.removeprefix("unix://").partition("?")
    return f"redis+socket://{path}" + (f"?{query.replace('db=', 'virtual_host=')}" if query else "")


BROKER_URL = _broker_url(REDIS_URL)

BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 24 * 3600}
"""The broker delivers again what is not acknowledged for so long, and the shortest time of all its clients holds for
all: so every Celery application on this Redis must have these."""

LEASE_SECONDS = float(os.environ.get("ARENA_LEASE_SECONDS", "5"))
"""A worker that has not renewed its lease for so long has lost the match."""

AUTH_USER_MODEL = "ladder.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "webui.site.adapter.AccountAdapter"
VERIFIED_EMAIL = _is_set("ARENA_VERIFIED_EMAIL")
SIGN_UP = os.environ.get("ARENA_SIGN_UP", "1").lower() not in {"0", "false", "no", "off"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if VERIFIED_EMAIL else "email", "password1*"]
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_UNIQUE_EMAIL = False  # addresses need not be verified, so nobody can take one from its owner
# Who has not confirmed an address may look around: it is tokens that need one (`webui.site.views.tokens`).
ACCOUNT_EMAIL_VERIFICATION = "optional" if VERIFIED_EMAIL else "none"
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_FORMS = {
    "signup": "webui.site.forms.SignUpForm",
    "login": "webui.site.forms.SignInForm",
    "change_password": "webui.site.forms.ChangePasswordForm",
    "reset_password": "webui.site.forms.ForgottenPasswordForm",
    "reset_password_from_key": "webui.site.forms.NewPasswordForm",
    "reauthenticate": "webui.site.forms.ConfirmForm",
}
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",  # the key is name and address
    "login_failed_anywhere": "100/h/key",  # the key is the name; see `webui.site.devices`
    "signup": "20/m/ip",
    "change_password": "5/m/user",
    "change_email": "10/m/user",
    "reset_password": "20/m/ip,5/m/key",
    "reset_password_from_key": "20/m/ip",
    "reauthenticate": "10/m/user",
    "export": "5/h/user",
    "csp_report": "60/m/ip",
    "confirm_email": "1/m/key",
}

MFA_ADAPTER = "webui.site.two_factor.Adapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn"]  # and recovery codes of our own: `webui.ladder.actions.recovery_codes`
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_TOTP_ISSUER = "Naqala Arena"
MFA_TOTP_TOLERANCE = 1
MFA_RATE_LIMITS = {"webauthn_login": "30/m/ip"}
MFA_FORMS = {
    "authenticate": "webui.site.two_factor.SignInCodeForm",
    "reauthenticate": "webui.site.two_factor.ConfirmCodeForm",
    "activate_totp": "webui.site.two_factor.AppForm",
    "add_webauthn": "webui.site.two_factor.PasskeyForm",
}

CACHES: dict[str, dict[str, Any]] = {
    # What the limits count in: one count for all web processes, and there whenever the accounts are.
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        # Else it keeps 300 counts, and whoever makes more of them makes it forget.
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    # Frames of replays, about a second's work each: files of this machine, shared by its processes.
    "frames": {
        "BACKEND": "webui.caches.OptionalFileCache",
        "LOCATION": PLACES.frames,
        "OPTIONS": {"MAX_ENTRIES": 2000},
        "TIMEOUT": 24 * 3600,
    },
    # Those of running matches, until the next decision.
    "live-frames": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100},
        "TIMEOUT": 60,
    },
}


def _email(url: str) -> dict[str, Any]:
    """Django's settings for emails; without a server they are files (`webui.site.emails`)."""
    if not url:
        return {"EMAIL_BACKEND": "webui.site.emails.EmailFiles"}
    parts = urlsplit(url)
    if parts.scheme not in {"smtp", "smtps"} or not parts.hostname:
        raise ValueError("ARENA_EMAIL_URL is no smtp:// or smtps:// address")
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if parts.scheme == "smtps" else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp" and bool(parts.username),
    }


globals().update(_email(os.environ.get("ARENA_EMAIL_URL", "")))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("ARENA_EMAIL_FROM", "arena@localhost")

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Español"), ("fr", "Français"), ("ru", "Русский")]
"""What the site offers. A language has its texts in site/locale, its pages in site/docs and its dates in formats."""
FORMAT_MODULE_PATH = ["webui.formats"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True


def _edition() -> str:
    """Names the static files as they are: another name when one of them changes."""
    digest = hashlib.sha256(django.__version__.encode())  # the admin's files come with Django
    folder = Path(__file__).parent / "site" / "static"
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


STATIC_URL = f"/static/{_edition()}/"
"""With its edition in it, a file's address says what it holds: browsers keep it, and ask no more."""
WHITENOISE_USE_FINDERS = True  # serves the packages' own files, so nothing is collected before the first start
WHITENOISE_IMMUTABLE_FILE_TEST = "(?!)" if DEBUG else "."  # a pattern of addresses: none, or every one


def _security_contact(contact: str, expires: str) -> tuple[str, str]:
    """What security.txt says (RFC 9116): both, or nothing."""
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


SECURITY_CONTACT, SECURITY_EXPIRES = _security_contact(
    os.environ.get("ARENA_SECURITY_CONTACT", ""), os.environ.get("ARENA_SECURITY_EXPIRES", "")
)

SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SITE_URL.startswith("https://")
LANGUAGE_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"

DEFAULT_EXCEPTION_REPORTER = "webui.debug.Reporter"
DEFAULT_EXCEPTION_REPORTER_FILTER = "webui.debug.NoSecrets"
LOGGING_CONFIG = "arena.host.logs.configure"
LOGGING = logging_config(
    os.environ.get("ARENA_LOG_FORMAT", "console"), os.environ.get("ARENA_LOG_LEVEL", "INFO").upper()
)

if "pytest" in sys.modules:
    # A password hash is slow on purpose; a test that signs in should not be.
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
        # A file as in real life: a database in memory has other locks. The directory goes when the process ends.
        _test_directory = tempfile.TemporaryDirectory(prefix="arena-test-")
        DATABASES["default"]["TEST"] = {"NAME": str(Path(_test_directory.name) / "arena.sqlite3")}
