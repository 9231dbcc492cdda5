"""Emails of an arena without a mail server. They are written to files in its state directory, never to the log.

A link that resets a password gives access to an account, and logs are shown to others.
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
    """The email backend that writes to files. If it cannot write them, it drops the emails and logs an error."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Store the messages as files, and return how many were stored."""
        try:
            sent = FileBackend(file_path=str(settings.PLACES.emails)).send_messages(list(email_messages))
        except (ImproperlyConfigured, OSError) as error:
            log.error("email_dropped", error=str(error), hint="set ARENA_EMAIL_URL to a mail server")
            return 0
        log.warning(
            "email_kept_in_a_file", folder=str(settings.PLACES.emails), hint="set ARENA_EMAIL_URL to send emails"
        )
        return sent or 0
