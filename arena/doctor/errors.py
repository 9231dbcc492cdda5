"""Outcomes of checks that do not pass; the message is a sentence."""


class Failed(Exception):
    """Raised when the bot did not do what the check is about; the sentence says what it did."""


class Skipped(Exception):
    """Raised when the check does not apply to this bot; the sentence says why."""
