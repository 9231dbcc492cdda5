"""The errors of events: what an organiser or a document asks for and cannot be done, with what to change."""


class EventError(Exception):
    """Base class. `code` is stable and meant for programs; the message is for people and says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class TermsError(EventError):
    """Terms that cannot be read, or an event that cannot be played by them. `where`: the key, as `format.rounds`."""

    def __init__(self, code: str, where: str, message: str) -> None:
        super().__init__(code, f"{where}: {message}")
        self.where = where


class FactRefused(EventError):
    """A fact that cannot follow those before it."""


class NotProved(EventError):
    """The first fact of an event's document that does not follow. `number`: which one, from 0; -1 for the standings and
    for the document itself."""

    def __init__(self, code: str, number: int, message: str) -> None:
        super().__init__(code, f"fact {number}: {message}" if number >= 0 else message)
        self.number = number
