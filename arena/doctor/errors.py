"""How a check ends that does not pass; the message is a sentence."""


class Failed(Exception):
    """The bot did not do what the check is about; the sentence says what it did."""


class Skipped(Exception):
    """The check is not for this bot; the sentence says why."""
