"""What error pages show under ARENA_DEBUG=1: where it happened, and no values of variables."""

from __future__ import annotations

from collections.abc import ItemsView
from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

from arena.host.redaction import REDACTED, is_secret, redact


class NoSecrets(SafeExceptionReporterFilter):
    """Django's filter, stricter: it is active in debug mode too, and leaves local variables out."""

    cleansed_substitute = REDACTED

    def is_active(self, request: HttpRequest | None) -> bool:
        """Always."""
        return True

    def cleanse_setting(self, key: Any, value: Any) -> Any:
        """Settings and headers by their names, and what remains by its form."""
        cleansed = super().cleanse_setting(key, REDACTED if value and is_secret(key) else value)
        return redact(cleansed) if isinstance(cleansed, str) else cleansed

    def get_post_parameters(self, request: HttpRequest | None) -> dict[str, Any]:
        """Their names."""
        return dict.fromkeys(request.POST, REDACTED) if request is not None else {}

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: FrameType) -> ItemsView[str, Any]:
        """None of them."""
        return dict[str, Any]().items()


class Reporter(ExceptionReporter):
    """Redacts the page as a whole: messages of exceptions and query strings may hold secrets, too."""

    def get_traceback_data(self) -> dict[str, Any]:
        """The messages of exceptions are redacted first: once escaped for HTML their quotes are not found."""
        data: dict[str, Any] = super().get_traceback_data()
        return {name: redact(value) if isinstance(value, str) else value for name, value in data.items()}

    def get_traceback_html(self) -> SafeString:
        """For a browser."""
        return mark_safe(redact(super().get_traceback_html()))  # noqa: S308 - Django's page, escaped

    def get_traceback_text(self) -> SafeString:
        """For other clients."""
        return mark_safe(redact(super().get_traceback_text()))  # noqa: S308 - plain text
