"""The errors of actions and queries."""


class LadderError(Exception):
    """A request that cannot be done; `code` is stable, the message says what to do."""

    code = "LADDER_ERROR"


class NotFound(LadderError):
    """There is no such match, bot or ladder."""

    code = "NOT_FOUND"


class NameTaken(LadderError):
    """A user or bot has this name already."""

    code = "NAME_TAKEN"


class BadRequest(LadderError):
    """An argument has no meaning here."""

    code = "BAD_REQUEST"


class NotInList(BadRequest):
    """What a list is to go on after is not in it."""


class Refusal(BadRequest):
    """It is not allowed. `reason` is stable, as `code` is; `values` fill in the message's gaps."""

    def __init__(self, reason: str, message: str, **values: object) -> None:
        super().__init__(message.format(**values))
        self.reason = reason
        self.values = values


class Stale(Refusal):
    """Somebody else has changed it since it was looked at."""

    code = "STALE"

    def __init__(self) -> None:
        super().__init__("STALE", "somebody has changed it meanwhile: look at it again")


class Forbidden(LadderError):
    """Somebody else may do that."""

    code = "FORBIDDEN"


class TooMany(LadderError):
    """More of them within an hour than one owner may have: wait."""

    code = "TOO_MANY"


class KeyReused(LadderError):
    """An idempotency key named another request before."""

    code = "KEY_REUSED"


class RecordAway(LadderError):
    """The store of records does not give this one now: try again later."""

    code = "RECORD_AWAY"
