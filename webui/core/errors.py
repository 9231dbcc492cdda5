"""The errors that actions and queries raise."""


class LadderError(Exception):
    """A request cannot be done. `code` is stable, and the message says what to do."""

    code = "LADDER_ERROR"


class NotFound(LadderError):
    """There is no such match, bot or ladder."""

    code = "NOT_FOUND"


class NameTaken(LadderError):
    """A user or bot already has this name."""

    code = "NAME_TAKEN"


class BadRequest(LadderError):
    """An argument is not valid."""

    code = "BAD_REQUEST"


class NotInList(BadRequest):
    """The item after which a list is to continue is not in that list."""


class Refusal(BadRequest):
    """The request is not allowed. `reason` is as stable as `code`; `values` fill the gaps of the message."""

    def __init__(self, reason: str, message: str, **values: object) -> None:
        super().__init__(message.format(**values))
        self.reason = reason
        self.values = values


class Stale(Refusal):
    """Somebody else has changed the object since the caller read it."""

    code = "STALE"

    def __init__(self) -> None:
        super().__init__("STALE", "somebody has changed it meanwhile: look at it again")


class Forbidden(LadderError):
    """The caller is not allowed to do that; somebody else is."""

    code = "FORBIDDEN"


class TooMany(LadderError):
    """The owner has reached the hourly limit, and must wait."""

    code = "TOO_MANY"


class KeyReused(LadderError):
    """The idempotency key has already named another request."""

    code = "KEY_REUSED"


class RecordAway(LadderError):
    """The store cannot deliver this record now. Try again later."""

    code = "RECORD_AWAY"
