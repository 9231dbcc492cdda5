"""What commands fetch from the site of an arena."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request

from arena.cli.files import InputError
from arena.host.proxies import LOOPBACK

TIMEOUT_S: Final = 20


def refuse_clear_text(url: str) -> None:
    """`InputError` where anybody on the way could replace what is fetched: it would prove nothing."""
    parts = urlsplit(url)
    if parts.scheme != "https" and (parts.scheme != "http" or parts.hostname not in ("localhost", *LOOPBACK)):
        raise InputError(f"the address of an arena begins with https:// (on this machine http://), not {url!r:.80}")


class SafeRedirects(HTTPRedirectHandler):
    """To addresses that may be asked, and to no others."""

    def redirect_request(self, request: Request, *answer: Any) -> Request | None:
        """Refused as `refuse_clear_text`."""
        refuse_clear_text(answer[-1])
        return super().redirect_request(request, *answer)
