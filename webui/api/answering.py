"""Everything that happens around a route: the caller, rate limits, idempotent writes, problems, ETags, compression."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Final, cast

from cryptography.fernet import InvalidToken
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.csrf import csrf_exempt

from webui.accounts import actions as account_actions
from webui.accounts.values import AnsweredWrite, Caller
from webui.api.callers import Request, identify
from webui.api.limits import ACCOUNT_READS, ACCOUNT_WRITES, READS, STRANGERS, WRITES, counts
from webui.api.problems import REFUSALS, FieldError, Problem, as_problem, refusal
from webui.api.request_checks import JSON, Operations, check_request
from webui.core.compress import pack_response
from webui.core.encryption import Purpose, decrypt, encrypt
from webui.core.uploads import BodyAwaited, upload_of
from webui.core.visitors import address_of

KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
"""Pattern of an idempotency key: visible ASCII characters."""

View = Callable[..., HttpResponseBase]


def answered(view: View, operations: Operations = dict) -> View:
    """Wrap the view of a route in everything that the API does around it. The texts of problems are English."""

    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest, **arguments: object) -> HttpResponseBase:
        method = request.method
        request.method = "GET" if method == "HEAD" else method  # the server sends the head alone
        try:
            with translation.override("en"):
                return _answer(cast(Request, request), operations, lambda: view(request, **arguments))
        finally:
            request.method = method

    return answer


def _answer(request: Request, operations: Operations, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    is_read = request.method == "GET"
    bad_token: Problem | None = None
    try:
        request.caller = identify(request)
    except Problem as error:
        bad_token, request.caller = error, None
    if request.caller is None:
        allowance = counts.spend(STRANGERS, address_of(request))
    else:
        of_token, of_account = (READS, ACCOUNT_READS) if is_read else (WRITES, ACCOUNT_WRITES)
        allowance = counts.spend(of_token, _name(request.caller))
        if allowance.is_granted:
            of_all = counts.spend(of_account, f"user:{request.caller.user_id}")
            allowance = allowance if of_all.is_granted and allowance.left <= of_all.left else of_all
    try:
        if not allowance.is_granted:
            raise Problem("TOO_MANY_REQUESTS", "wait as many seconds as Retry-After says")
        if bad_token is not None:
            raise bad_token
        if request.content_type == "multipart/form-data":  # whose stream has been read as a form
            wrong = FieldError(field="body", detail=f"is a form: send {JSON}")
            raise Problem("BAD_REQUEST", "see `errors` for each value that is not valid", errors=[wrong])
        check_request(request, operations)
        response = make() if is_read else _once(request, make)
    except BodyAwaited:
        response = HttpResponse(status=204)
    except REFUSALS as error:
        response = refusal(error)
    if isinstance(response, HttpResponse):  # no stream
        response = as_problem(response)
        if is_read and response.status_code == 200:
            response = _unless_known(request, response)
        if is_read:
            response = pack_response(request, response)
    allowance.write_headers(response)
    patch_vary_headers(response, ("Authorization",))
    cache_control = "no-cache" if request.caller is None else "private, no-cache"
    response.headers.setdefault("Cache-Control", cache_control if is_read else "no-store")
    response.headers["Content-Language"] = "en"
    return response


def _name(caller: Caller) -> str:
    """Return the name of the token by which limits count."""
    return f"{'bot' if caller.bot else 'api'}:{caller.token_id}"


def _once(request: Request, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Return the answer to a write. If the same request with this idempotency key was answered before, return that
    answer.
    """
    key = request.headers.get("Idempotency-Key")
    upload = upload_of(request)
    if key is None or request.caller is None or (upload is not None and upload.file is None):
        return make()  # also before the body of an upload has arrived: the request is only checked then
    if not KEY.fullmatch(key):
        raise Problem("BAD_REQUEST", "Idempotency-Key has 1 to 255 characters of ASCII, without blanks")
    head = f"{_name(request.caller)} {request.method} {request.get_full_path()}\n".encode()
    made: list[HttpResponse] = []

    def answer() -> AnsweredWrite:
        response = make()
        assert isinstance(response, HttpResponse), "a write is not answered by a stream"
        if response.status_code >= 400:
            response = as_problem(response)
        made.append(response)
        return AnsweredWrite(response.status_code, encrypt(response.content.decode(), Purpose.ANSWERS))

    digest = sha256(head + (request.body if upload is None else upload.digest.encode())).hexdigest()
    known, is_known = account_actions.answer_once(request.caller.user_id, key, digest, answer)
    if not is_known:
        return made[0]
    try:
        body = decrypt(known.body, Purpose.ANSWERS)
    except InvalidToken:  # the arena's secret key has changed, and the former one is not among the fallback keys
        raise Problem(
            "ANSWER_LOST", "this request was done, but its answer cannot be read any more: look at what it changed"
        ) from None
    response = HttpResponse(body, status=known.status, content_type="application/json")
    response["Idempotency-Replayed"] = "true"
    return response


def _unless_known(request: Request, response: HttpResponse) -> HttpResponse:
    """Return the response with its ETag, and without content if the caller already has it.

    The ETag is weak, because the response can also be sent compressed.
    """
    if not response.has_header("ETag"):
        response["ETag"] = f'W/"{sha256(response.content).hexdigest()[:32]}"'
    answer = get_conditional_response(request, etag=response["ETag"], response=response)
    assert isinstance(answer, HttpResponse)
    return as_problem(answer)
