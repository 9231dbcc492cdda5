"""Error pages under ARENA_DEBUG=1: they show where the error happened, and no values of variables."""

from __future__ import annotations

from collections.abc import ItemsView
from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

from arena.host.redaction import REDACTED, is_secret, redact


class NoSecrets(SafeExceptionReporterFilter):
    """A stricter version of Django's filter: it is active in debug mode too, and omits local variables."""

    cleansed_substitute = REDACTED

    def is_active(self, request: HttpRequest | None) -> bool:
        """Return True: the filter is always active."""
        return True

    def cleanse_setting(self, key: Any, value: Any) -> Any:
        """Redact settings and headers by their names, and other values by their form."""
        cleansed = super().cleanse_setting(key, REDACTED if value and is_secret(key) else value)
        return redact(cleansed) if isinstance(cleansed, str) else cleansed

    def get_post_parameters(self, request: HttpRequest | None) -> dict[str, Any]:
        """Return the names of the parameters, without their values."""
        return dict.fromkeys(request.POST, REDACTED) if request is not None else {}

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: FrameType) -> ItemsView[str, Any]:
        """Return no variables."""
        return dict[str, Any]().items()


class Reporter(ExceptionReporter):
    """Redacts the page as a whole, because messages of exceptions and query strings may contain secrets."""

    def get_traceback_data(self) -> dict[str, Any]:
        """Redact the messages of exceptions before they are escaped for HTML: escaped quotes are not found."""
        data: dict[str, Any] = super().get_traceback_data()
        return {name: redact(value) if isinstance(value, str) else value for name, value in data.items()}

    def get_traceback_html(self) -> SafeString:
        """Return the page for a browser."""
        return mark_safe(redact(super().get_traceback_html()))  # noqa: S308 - Django's page, escaped

    def get_traceback_text(self) -> SafeString:
        """Return the page for other clients."""
        return mark_safe(redact(super().get_traceback_text()))  # noqa: S308 - plain text
