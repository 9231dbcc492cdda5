"""Challenges for programs (`arena bot challenge`): JSON, with a bot's token in the header `Authorization: Bearer`.

A token speaks for its bot: one seat at least is that bot's. Errors are `{"code", "message"}`, as the ladder says them.
"""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

from allauth.core import ratelimit
from allauth.core.internal import ratelimit as library
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from webui.ladder import actions, queries
from webui.ladder.actions import BadRequest, LadderError, NotFound
from webui.ladder.names import check_characters
from webui.ladder.values import BotIdentity, ChallengeRefusal
from webui.ladder.values.challenges import ChallengeLine, WantedSeat
from webui.site import presence
from webui.site.challenge_forms import MAX_SEATS
from webui.site.challenges import waiting_seats

MOST_BYTES: Final = 16_384
MOST_NAME: Final = 200
View = Callable[..., JsonResponse]


def _with_token(view: View) -> Any:
    """The view, for whoever shows the token of a bot; errors are JSON. No cookie counts, so none can be abused."""

    @never_cache
    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest, **arguments: Any) -> JsonResponse:
        if not ratelimit.consume(request, action="challenge_api"):  # which counts no GET
            return _busy()
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        bot = queries.session_for_token(token.strip()) if kind.lower() == "bearer" and token.strip() else None
        if bot is None:
            refused = _error(401, "TOKEN", "the token is unknown, expired or revoked")
            refused["WWW-Authenticate"] = "Bearer"
            return refused
        if request.method == "GET" and not _may_look(request, bot):
            return _busy()
        try:
            return view(request, bot, **arguments)
        except NotFound as error:
            return _error(404, error.code, str(error))
        except ChallengeRefusal as error:
            return _error(429 if error.reason in ("OPEN", "HOURLY") else 409, error.reason, str(error))
        except LadderError as error:
            return _error(400, error.code, str(error))

    return answer


def _may_look(request: HttpRequest, bot: BotIdentity) -> bool:
    """By the function inside the library: the public one has no `limit_get`. Only known tokens make keys of it."""
    key = str(bot.owner_id)
    return bool(library.consume(request, app="allauth.account", action="challenge_look", key=key, limit_get=True))


def _busy() -> JsonResponse:
    busy = _error(429, "BUSY", "too many requests: wait a minute")
    busy["Retry-After"] = "60"
    return busy


def _error(status: int, code: str, message: str) -> JsonResponse:
    return JsonResponse({"code": code, "message": message}, status=status)


@require_http_methods(["POST"])
@_with_token
def challenges(request: HttpRequest, bot: BotIdentity) -> JsonResponse:
    """Make a challenge: `{"seats": [{"bot": name, "version": name}, …], "expansions": [name, …]}`, seat 1 first, or
    `{"rematch": match}`. Without a name the bot is the token's own, without a version the newest one online plays."""
    order = _body(request)
    if order.get("rematch") is not None:
        made = actions.rematch(bot.owner_id, _name(order["rematch"], "the id of a match"))
    else:
        seats, expansions = order.get("seats"), order.get("expansions", [])
        if not isinstance(seats, list) or not isinstance(expansions, list):
            raise BadRequest("a challenge has seats, a list, and may have expansions, a list")
        if len(seats) > MAX_SEATS:
            raise BadRequest(f"a challenge has {MAX_SEATS} seats at most, not {len(seats)}")
        expansions = [_name(name, "the name of an expansion") for name in expansions]
        wanted = [_seat(seat, bot) for seat in seats]
        if bot.bot_id not in {seat.bot_id for seat in wanted}:
            raise ChallengeRefusal("NO_OWN", "the bot of the token must have a seat")
        made = actions.challenge(bot.owner_id, wanted, expansions)
    return JsonResponse(_document(request, queries.challenge(made)), status=201)


@require_http_methods(["GET", "DELETE"])
@_with_token
def challenge(request: HttpRequest, bot: BotIdentity, challenge_id: str) -> JsonResponse:
    """How a challenge of the token's owner stands; DELETE withdraws it, if it waits."""
    line = queries.challenge(challenge_id)
    if line.owner_id != bot.owner_id:
        raise NotFound(f"there is no challenge {challenge_id!r}")
    if request.method == "DELETE":
        actions.withdraw_challenge(challenge_id, bot.owner_id)
        line = queries.challenge(challenge_id)
    return JsonResponse(_document(request, line))


def _body(request: HttpRequest) -> Mapping[str, Any]:
    """The JSON object in a request. `BadRequest`."""
    body = request.read(MOST_BYTES + 1)
    try:
        document = json.loads(body) if len(body) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise BadRequest(f"a challenge is a JSON object of {MOST_BYTES} bytes at most")
    return document


def _seat(seat: Any, own: BotIdentity) -> WantedSeat:
    """A seat as it is asked for. `BadRequest`, `NotFound`."""
    if not isinstance(seat, dict):
        raise BadRequest("a seat is an object")
    bot_id, name, version = own.bot_id, seat.get("bot"), seat.get("version")
    if name is not None:
        found = queries.find_bot(_name(name, "the name of a bot"))
        if found is None:
            raise NotFound(f"there is no bot {name!r}")
        bot_id = found.id
    if version is None:
        return WantedSeat(bot_id, None)
    return WantedSeat(bot_id, queries.version_id(bot_id, _name(version, "the name of a version")))


def _name(value: Any, what: str) -> str:
    """A name or an id, which the database can hold. `BadRequest`."""
    if not isinstance(value, str) or not 0 < len(value) <= MOST_NAME:
        raise BadRequest(f"{what} is a string of 1 to {MOST_NAME} characters")
    check_characters(value, what)
    return value


def _document(request: HttpRequest, line: ChallengeLine) -> dict[str, Any]:
    seats = waiting_seats(line, presence.online())
    played = queries.match_page(line.match).line.seats if line.match and line.placements else []
    versions = {seat.seat: seat.version for seat in played}
    where = reverse("match", kwargs={"match_id": line.match}) if line.match else reverse("challenge", args=[line.id])
    return {
        "id": line.id,
        "state": line.state.lower(),
        "expires_at": line.expires_at.isoformat(),
        "ruleset": line.ruleset,
        "seats": [
            {"bot": one.seat.bot.name, "version": version and version.name, "state": one.state}
            for number, one in enumerate(seats, start=1)
            for version in [versions.get(number, one.seat.version)]
        ],
        "match": line.match,
        "match_state": line.match_state.lower(),
        "placements": list(line.placements),
        "scores": [seat.score for seat in played],
        "url": request.build_absolute_uri(where),
    }
