"""Errors of the bus. They are always our fault, never a bot's, and lead to a retry."""

from __future__ import annotations


class BusError(Exception):
    """Raised if the message did not get onto the bus."""


class BusUnavailable(BusError):
    """Raised if Redis did not answer, after all retries with backoff."""


class MailboxFull(BusError):
    """Raised if the reader of a mailbox does not keep up, or is gone; the message was not stored."""

    def __init__(self, mailbox: str, limit: int) -> None:
        super().__init__(f"{mailbox} already holds {limit} messages: its reader is gone or does not keep up")
        self.mailbox = mailbox
        self.limit = limit
