"""What can go wrong on the bus. All of it is our fault, never a bot's: an exception that ends in a retry."""

from __future__ import annotations


class BusError(Exception):
    """The message did not get onto the bus."""


class BusUnavailable(BusError):
    """Redis did not answer, through all tries with back-off."""


class MailboxFull(BusError):
    """The reader of this mailbox does not keep up, or is gone; the message was not left there."""

    def __init__(self, mailbox: str, limit: int) -> None:
        super().__init__(f"{mailbox} holds {limit} messages already: its reader is gone or does not keep up")
        self.mailbox = mailbox
        self.limit = limit
