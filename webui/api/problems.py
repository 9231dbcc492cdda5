"""Problem documents (RFC 9457): the answers to requests that the API refuses.

The codes are those of the ladder's errors (`webui.core.errors`). Codes with the same meaning as refusals of the gateway
have the same names (`arena.gateway.errors`). Each code has one status and one title.
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
"""Path of the page that explains the problems, each under its code."""

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
"""Status and title of each code."""

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
"""Code of a refusal by Django or another library, by its status."""


class FieldError(Schema):
    """A value that is not valid."""

    field: str = Field(description="Path of the value: `query.limit`, `body.state`.", examples=["query.limit"])
    detail: str


class ProblemDocument(Schema):
    """The reason why a request was refused (RFC 9457)."""

    type: str = Field(description="Page that explains the problem.", examples=[f"{PAGE}#not-found"])
    title: str = Field(description="The code in words.", examples=["There is no such thing"])
    status: int = Field(description="HTTP status of the answer.", examples=[404])
    detail: str = Field(description="Explanation, and what to do.", examples=["there is no bot 'nobody'"])
    code: str = Field(description="Stable code of the problem.", examples=["NOT_FOUND"])
    reason: str | None = Field(
        None, description="Stable reason in one word, with EVENT_REFUSAL, CHALLENGE_REFUSAL and WEBHOOK_REFUSAL."
    )
    errors: list[FieldError] | None = Field(None, description="Each value that is not valid, with BAD_REQUEST.")


class Problem(Exception):
    """A request is refused before the ladder is asked. The code is one of `PROBLEMS`."""

    def __init__(self, code: str, detail: str, *, errors: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        self.code = code
        self.errors = list(errors)


REFUSALS: Final = (Problem, LadderError, ValidationError, HttpError, Http404)
"""Exceptions by which a request is refused. Anything else is a mistake of ours."""


def wrong_cursor(detail: str) -> Problem:
    """Return the refusal of a cursor that belongs to another list."""
    wrong = FieldError(field="query.cursor", detail=detail)
    return Problem("BAD_REQUEST", "the cursor does not belong to this list", errors=[wrong])


def refusal(error: Exception) -> HttpResponse:
    """Return the answer to one of `REFUSALS`. An error whose code no request can cause is raised again."""
    if isinstance(error, ValidationError):
        errors = [FieldError(field=_place(fault["loc"]), detail=_expected(fault)) for fault in error.errors]
        error = Problem("BAD_REQUEST", "see `errors` for each value that is not valid", errors=errors)
    if isinstance(error, HttpError):
        return problem(OF_STATUS.get(error.status_code, "BAD_REQUEST"), error.message)
    if isinstance(error, Http404):
        return problem("NOT_FOUND", str(error))
    if isinstance(error, NotInList):
        error = wrong_cursor("use the cursor of an answer of this list")
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
    """Return a problem document as an answer."""
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
        response["Retry-After"] = "10"  # default, which a rate limit replaces
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = "Bearer"
    return response


def as_problem(response: HttpResponse) -> HttpResponse:
    """Return the response. Convert a refusal by Django or another library into a problem document."""
    if response.status_code < 400 or response["Content-Type"] == CONTENT_TYPE:
        return response
    allowed = ", ".join(sorted(response.get("Allow", "").replace(",", " ").split()))
    detail = f"it takes {allowed}" if allowed else response.reason_phrase
    answer = problem(OF_STATUS.get(response.status_code, "BAD_REQUEST"), detail)
    if allowed:
        answer["Allow"] = allowed
    return answer


def _expected(error: Mapping[str, Any]) -> str:
    """Return what was expected of a value. For times, pydantic only says how it parsed them, so use our own words."""
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
    """Return `query.limit` for the location `("query", "page", "limit")` of pydantic and ninja.

    The name between is that of our parameter, which callers do not know.
    """
    first, *rest = map(str, loc)
    if rest[1:2] == ["format"]:
        del rest[2:3]  # the format as which it was parsed
    if first == "body":
        return ".".join([first, *rest[1:]])
    return ".".join([first, *(rest[1:] or rest)])
