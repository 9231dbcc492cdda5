"""Errors of events. Each message says what is wrong and what to change."""


class EventError(Exception):
    """Base class of all errors of this package.

    `code` is a stable identifier for programs. The message is written for people and says what to do.

    >>> EventError("FULL", "the event is full").code
    'FULL'
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class TermsError(EventError):
    """Raised for terms that cannot be parsed, or by which the event cannot be played.

    `where` is the key that is wrong, for example `format.rounds`.

    >>> from arena.events import parse_terms
    >>> parse_terms({"name": "Cup"})
    Traceback (most recent call last):
    arena.events.errors.TermsError: format: is missing
    """

    def __init__(self, code: str, where: str, message: str) -> None:
        super().__init__(code, f"{where}: {message}")
        self.where = where


class FactRefused(EventError):
    """Raised for a fact that cannot follow the earlier facts of the event.

    >>> from arena.events import Event, Fact
    >>> from arena.events.facts import EventStarted
    >>> Event().apply(Fact(EventStarted()))
    Traceback (most recent call last):
    arena.events.errors.FactRefused: `created` must be the first fact and cannot occur again
    """


class NotProved(EventError):
    """Raised for the first fact of an event's document that does not follow from the earlier ones.

    `number` is the position of that fact, from 0. It is -1 for a fault in the standings or in the document itself.

    >>> from arena.events.verify import prove_facts
    >>> prove_facts({"format": "chess"})
    Traceback (most recent call last):
    arena.events.errors.NotProved: the format must be 'naqala-event/1', not 'chess'
    """

    def __init__(self, code: str, number: int, message: str) -> None:
        super().__init__(code, f"fact {number}: {message}" if number >= 0 else message)
        self.number = number
