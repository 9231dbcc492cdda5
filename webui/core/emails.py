"""Emails of an arena without a mail server: files in its directory of state, never lines of a log.

A link that resets a password lets somebody in, and logs are shown to others.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.filebased import EmailBackend as FileBackend

log = structlog.get_logger(__name__)


class EmailFiles(BaseEmailBackend):
    """Writes emails to files. Where those cannot be written, the emails are dropped, and the log says so."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Keep the messages as files; the number of those that are kept."""
        try:
            sent = FileBackend(file_path=str(settings.PLACES.emails)).send_messages(list(email_messages))
        except (ImproperlyConfigured, OSError) as error:
            log.error("email_dropped", error=str(error), hint="set ARENA_EMAIL_URL to a mail server")
            return 0
        log.warning(
            "email_kept_in_a_file", folder=str(settings.PLACES.emails), hint="set ARENA_EMAIL_URL to send emails"
        )
        return sent or 0
