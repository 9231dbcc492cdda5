"""Pages that are the same for many visitors are made once in a moment, and sent to all of them.

Most are shared by strangers. A *stranger* has no cookie that could make the page another one: no session and no
messages. A page is kept by all else that it depends on: its address with the query, host, language and encoding, and a
version if its view has one. It is kept only if it turned out to be the same for all. Such a page set no cookie, used
no CSRF token, changed no session, and is not marked as private.
"""

from __future__ import annotations

import pickle
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from threading import Lock
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language

from webui.core.compress import View, accepted
from webui.core.times import COOKIE as ZONE
from webui.core.visitors import has_read_user

FRESH_S: Final = 2.0
"""Seconds for which a page is sent again."""
VERSIONED_S: Final = 20.0
"""Seconds for which a page is sent again while its version is the same, unless its rule says otherwise."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""Maximum size of all kept pages of a process. Beyond it, the page that was made longest ago is forgotten."""
LONGEST_ADDRESS: Final = 300
"""Maximum length of an address whose page is kept. Longer ones are searches, which few visitors share."""
HARMLESS: Final = frozenset({settings.LANGUAGE_COOKIE_NAME, settings.CSRF_COOKIE_NAME, ZONE})
"""Cookies on which a kept page does not depend, except for the language, by which it is kept."""
PRIVATE: Final = ("private", "no-store", "no-cache")
"""Words of Cache-Control with which a view says that its page is not for everybody."""

STRANGERS: Final = "strangers"
"""Audience of visitors who are not signed in."""


class Key(NamedTuple):
    """All that a kept page depends on."""

    address: tuple[str, ...]
    """Host, path with query, language and encoding."""
    audience: str
    version: str


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A response as bytes, and when it was made (monotonic, seconds)."""

    made_at: float
    packed: bytes


class SharedPages:
    """The kept pages of a process. Threads that want the same page wait for the one that makes it."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._pages: OrderedDict[Key, KeptPage] = OrderedDict()
        self._size = 0
        self._lock = Lock()
        self._making = {is_versioned: [Lock() for _ in range(64)] for is_versioned in (False, True)}
        """Locks for making pages, chosen by key.

        A page without a version may be made from one with a version, but never the other way round. So no thread that
        holds one of these locks waits for another of the same list.
        """

    def find(self, key: Key, fresh_s: float) -> HttpResponse | None:
        """Return the page if it was made at most `fresh_s` seconds ago."""
        with self._lock:
            page = self._pages.get(key)
        if page is None or time.monotonic() - page.made_at >= fresh_s:
            return None
        response: HttpResponse = pickle.loads(page.packed)  # noqa: S301 - packed by this process
        return response

    def get_or_make(self, key: Key, fresh_s: float, make: Callable[[], tuple[HttpResponse, bool]]) -> HttpResponse:
        """Return the page. `make` makes it, and says whether it may be kept."""
        if response := self.find(key, fresh_s):
            return response
        locks = self._making[bool(key.version)]
        with locks[hash(key) % len(locks)]:
            if response := self.find(key, fresh_s):
                return response
            made, may_be_kept = make()
            if may_be_kept:
                self._keep(key, KeptPage(time.monotonic(), pickle.dumps(made)))
            return made

    def clear(self) -> None:
        """Forget all pages."""
        with self._lock:
            self._pages.clear()
            self._size = 0

    def _keep(self, key: Key, page: KeptPage) -> None:
        with self._lock:
            former = self._pages.pop(key, None)
            self._pages[key] = page
            self._size += len(page.packed) - (len(former.packed) if former else 0)
            while self._size > self._most_bytes:
                _, oldest = self._pages.popitem(last=False)
                self._size -= len(oldest.packed)


shared_pages: Final = SharedPages()


@dataclass(frozen=True, slots=True)
class Sharing:
    """The visitors who share a page, and how long it is sent again."""

    fresh_s: float
    """Maximum age of the page in seconds."""
    version: str = ""
    """Text that changes whenever the page does, except for parts of it that may be `fresh_s` old."""
    audience: str = STRANGERS
    """Visitors who share the page."""


Rule = Callable[..., Sharing | None]
"""Function of a request and the arguments of its address. None: this visitor gets a page of their own.

A rule may change the request, for example remove query parameters that the page does not depend on.
"""


def strangers(request: HttpRequest, *_args: object, **_kwargs: object) -> Sharing | None:
    """Share the page among strangers for `FRESH_S`."""
    return Sharing(FRESH_S) if is_for_strangers(request) else None


def shared(view: View, rule: Rule = strangers) -> View:
    """Decorate a view, outside of `packed`, so that visitors share its pages. `rule` says which visitors."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        sharing = rule(request, *args, **kwargs)
        return shared_response(request, sharing, lambda: view(request, *args, **kwargs))

    return answer


def shared_response(request: HttpRequest, sharing: Sharing | None, make: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the kept response to such a request, or else the one that `make` returns.

    Only the site's own server shares pages.
    """
    if sharing is None or not isinstance(request, ASGIRequest):
        return make()

    def made() -> tuple[HttpResponse, bool]:
        response = make()
        patch_vary_headers(response, ("Cookie",))
        return response, is_the_same_for_all(request, response, sharing.audience)

    host = f"{request.scheme}://{request.get_host()}"
    address = host, request.get_full_path(), get_language() or "", accepted(request)
    key = Key(address, sharing.audience, sharing.version)
    return shared_pages.get_or_make(key, sharing.fresh_s, made)


def is_for_strangers(request: HttpRequest) -> bool:
    """Return whether the answer to this request may be the same for all strangers."""
    is_stranger = set(request.COOKIES) <= HARMLESS and "Authorization" not in request.headers
    is_usual = request.method == "GET" and len(request.get_full_path()) <= LONGEST_ADDRESS
    return is_stranger and is_usual


def is_the_same_for_all(request: Any, response: HttpResponse, audience: str = STRANGERS) -> bool:
    """Return whether a response has nothing of the visitor's own. `audience`: the visitors who would share it."""
    session, messages = getattr(request, "session", None), getattr(request, "_messages", None)
    return (
        response.status_code == HTTPStatus.OK
        and not response.streaming
        and not response.cookies
        and not any(word in response.headers.get("Cache-Control", "") for word in PRIVATE)
        and not (audience == STRANGERS and has_read_user(request))
        and not request.META.get("CSRF_COOKIE_NEEDS_UPDATE")
        and not (session is not None and session.modified)
        and not (messages is not None and (messages.used or messages.added_new))
    )
