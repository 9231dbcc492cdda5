"""What the API answers to a request that it does not do: problem documents (RFC 9457).

The codes are those of the ladder's errors (`webui.core.errors`) and, where they say the same, of the gateway's
refusals (`arena.gateway.errors`); each has one status and one title.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from django.http import Http404, HttpResponse
from ninja import Schema
from ninja.errors import HttpError, ValidationError
from pydantic import Field

from arena.events import TermsError
from arena.events.terms import TIME
from webui.core.errors import BadRequest, LadderError, NotInList, RecordAway, Refusal

CONTENT_TYPE: Final = "application/problem+json"
PAGE: Final = "/docs/http-api/"
"""Explains the problems, each under its code."""

PROBLEMS: Final[Mapping[str, tuple[HTTPStatus, str]]] = {
    "BAD_REQUEST": (HTTPStatus.BAD_REQUEST, "The request is not valid"),
    "BAD_TOKEN": (HTTPStatus.UNAUTHORIZED, "A valid token is needed"),
    "MISSING_SCOPE": (HTTPStatus.FORBIDDEN, "The token lacks a scope"),
    "EMAIL_UNCONFIRMED": (HTTPStatus.FORBIDDEN, "A confirmed email address is needed"),
    "FORBIDDEN": (HTTPStatus.FORBIDDEN, "Somebody else may do this"),
    "NOT_FOUND": (HTTPStatus.NOT_FOUND, "There is no such thing"),
    "HIDDEN_RESULT": (HTTPStatus.NOT_FOUND, "The result is hidden"),
    "METHOD_NOT_ALLOWED": (HTTPStatus.METHOD_NOT_ALLOWED, "The address does not take this method"),
    "NAME_TAKEN": (HTTPStatus.CONFLICT, "The name is taken"),
    "EVENT_REFUSAL": (HTTPStatus.CONFLICT, "The event does not allow it"),
    "EVENT_MOVED": (HTTPStatus.CONFLICT, "The event has changed meanwhile"),
    "CHALLENGE_REFUSAL": (HTTPStatus.CONFLICT, "The challenge is not allowed"),
    "WEBHOOK_REFUSAL": (HTTPStatus.CONFLICT, "The webhook is not allowed"),
    "ANSWER_LOST": (HTTPStatus.CONFLICT, "The request was done, and its answer is lost"),
    "PRECONDITION_FAILED": (HTTPStatus.PRECONDITION_FAILED, "A condition of the request does not hold"),
    "MESSAGE_TOO_LARGE": (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large"),
    "KEY_REUSED": (HTTPStatus.UNPROCESSABLE_ENTITY, "The idempotency key named another request"),
    "TOO_MANY": (HTTPStatus.TOO_MANY_REQUESTS, "There are too many of them"),
    "TOO_MANY_REQUESTS": (HTTPStatus.TOO_MANY_REQUESTS, "Too many requests"),
    "INTERNAL": (HTTPStatus.INTERNAL_SERVER_ERROR, "The arena made a mistake"),
    "TRY_AGAIN": (HTTPStatus.SERVICE_UNAVAILABLE, "The arena is busy"),
}
"""By code: the status, and the title."""

OF_STATUS: Final[Mapping[int, str]] = {
    400: "BAD_REQUEST",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    412: "PRECONDITION_FAILED",
    413: "MESSAGE_TOO_LARGE",
    500: "INTERNAL",
    503: "TRY_AGAIN",
}
"""The code of what Django or a library refuses."""


class FieldError(Schema):
    """A value that is not valid."""

    field: str = Field(description="Where it stands: `query.limit`, `body.state`.", examples=["query.limit"])
    detail: str


class ProblemDocument(Schema):
    """Why a request was not done (RFC 9457)."""

    type: str = Field(description="The page that explains it.", examples=[f"{PAGE}#not-found"])
    title: str = Field(description="The code in words.", examples=["There is no such thing"])
    status: int = Field(description="That of the answer.", examples=[404])
    detail: str = Field(description="What to do.", examples=["there is no bot 'nobody'"])
    code: str = Field(description="Stable.", examples=["NOT_FOUND"])
    reason: str | None = Field(
        None, description="Stable, with EVENT_REFUSAL, CHALLENGE_REFUSAL and WEBHOOK_REFUSAL: why, in a word."
    )
    errors: list[FieldError] | None = Field(None, description="With BAD_REQUEST: each value that is not valid.")


class Problem(Exception):
    """A request that is refused before the ladder is asked. The code is one of `PROBLEMS`."""

    def __init__(self, code: str, detail: str, *, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        self.code = code
        self.errors = list(errors)


REFUSALS: Final = (Problem, LadderError, ValidationError, HttpError, Http404)
"""What is raised where a request is refused; anything else is a mistake of ours."""


def wrong_cursor(detail: str) -> Problem:
    """The refusal of a cursor of another list."""
    wrong = FieldError(field="query.cursor", detail=detail)
    return Problem("BAD_REQUEST", "the cursor is none of this list", errors=[wrong])


def refusal(error: Exception) -> HttpResponse:
    """The answer to one of `REFUSALS`. A code of the ladder that no request can cause is raised again."""
    if isinstance(error, ValidationError):
        errors = [FieldError(field=_place(one["loc"]), detail=_expected(one)) for one in error.errors]
        error = Problem("BAD_REQUEST", "see `errors` for each value that is not valid", errors=errors)
    if isinstance(error, HttpError):
        return problem(OF_STATUS.get(error.status_code, "BAD_REQUEST"), error.message)
    if isinstance(error, Http404):
        return problem("NOT_FOUND", str(error))
    if isinstance(error, NotInList):
        error = wrong_cursor("take the one of an answer of this list")
    if type(error) is BadRequest and isinstance(cause := error.__cause__, TermsError):
        wrong = FieldError(field=f"body.{cause.where}", detail=str(cause).removeprefix(f"{cause.where}: "))
        error = Problem("BAD_REQUEST", str(error), errors=[wrong])
    if isinstance(error, RecordAway):
        response = problem("TRY_AGAIN", "the storage of older replays does not answer: try again in a minute")
        response["Retry-After"] = "60"
        return response
    assert isinstance(error, Problem | LadderError)
    if error.code not in PROBLEMS:
        raise error
    reason = error.reason if isinstance(error, Refusal) else None
    return problem(error.code, str(error), reason=reason, errors=error.errors if isinstance(error, Problem) else None)


def problem(
    code: str, detail: str, *, reason: str | None = None, errors: Sequence[FieldError] | None = None
) -> HttpResponse:
    """A problem document as an answer."""
    status, title = PROBLEMS[code]
    document = ProblemDocument(
        type=f"{PAGE}#{code.lower().replace('_', '-')}",
        title=title,
        status=status,
        detail=detail,
        code=code,
        reason=reason,
        errors=list(errors) if errors else None,
    )
    response = HttpResponse(document.model_dump_json(exclude_none=True), status=status, content_type=CONTENT_TYPE)
    response["Cache-Control"] = "no-store"
    if code in ("TOO_MANY_REQUESTS", "TRY_AGAIN"):
        response["Retry-After"] = "10"  # unless a limit knows better
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = "Bearer"
    return response


def as_problem(response: HttpResponse) -> HttpResponse:
    """The same refusal as a problem document, if it is one of Django or a library, which say it otherwise."""
    if response.status_code < 400 or response["Content-Type"] == CONTENT_TYPE:
        return response
    allowed = ", ".join(sorted(response.get("Allow", "").replace(",", " ").split()))
    detail = f"it takes {allowed}" if allowed else response.reason_phrase
    said = problem(OF_STATUS.get(response.status_code, "BAD_REQUEST"), detail)
    if allowed:
        said["Allow"] = allowed
    return said


def _expected(error: Mapping[str, Any]) -> str:
    """What was expected. Of times pydantic says how it read them, and not how they are to be written."""
    if str(error["type"]).startswith(("datetime_", "timezone_")):
        return "must be a time with its offset, as 2026-11-22T18:00:00Z"
    if str(error["type"]).startswith("date_"):
        return "must be a day, as 2026-11-22"
    if error["type"] == "string_pattern_mismatch" and TIME.pattern in error["ctx"]["pattern"]:
        return "must be a time with its offset, as 2026-11-22T18:00:00Z"
    if error["type"] in ("dict_type", "model_type", "model_attributes_type"):
        return "must be an object"
    if error["type"] == "extra_forbidden":
        return "there is no such field here"
    return str(error["msg"])


def _place(loc: Sequence[Any]) -> str:
    """`query.limit` for what pydantic and ninja call `("query", "page", "limit")`: the name of our parameter between
    them is nobody else's business."""
    first, *rest = map(str, loc)
    if rest[1:2] == ["format"]:
        del rest[2:3]  # which of the formats it was read as
    if first == "body":
        return ".".join([first, *rest[1:]])
    return ".".join([first, *(rest[1:] or rest)])
