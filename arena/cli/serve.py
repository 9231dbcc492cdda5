"""`arena rules serve`: the rules for programs in any language, as JSON lines on the standard input and output.

Each line is one request object. `do` names the request. `id`, if present, is returned with the answer.

=========== ==================================== =====================================================================
``do``      asks for                             and gives
=========== ==================================== =====================================================================
new         players, expansions, seed, deal      position: before the first bid (deal may be missing)
legal       position                             legal: actions in the order of the notation; due: the chance due, or
                                                 null; over
apply       position, actions, seed              position: after these actions. Chance is given as actions, too, or
                                                 drawn from the stream of `seed`
view        position, seat                       view: what the seat may see; 0 for a spectator
determinize view, seed                           position: one that fits the view, what is hidden dealt at random
score       position                             scores: points of each seat by source, as if the game ended now
=========== ==================================== =====================================================================

A request that cannot be answered gives `error`: a stable code, the message, and the rule that it breaks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, Final

from arena.cli.files import MAX_DOCUMENT, InputError, parse_document, read_hex, read_ruleset
from arena.rules import (
    RulesError,
    State,
    Stream,
    determinize,
    format_position,
    parse_action,
    parse_position,
    parse_view,
    score,
    settle,
    start_with_stream,
    view,
)

Request = Mapping[str, Any]
MAX_ACTIONS: Final = 1000
"""Maximum number of actions in one request."""


class MalformedRequest(Exception):
    """Raised for a request that is incomplete or cannot be understood."""


def answers(lines: IO[str]) -> Iterator[str]:
    """Yield one line of JSON for each line of input; blank lines are skipped.

    A line that is too long is not read to its end, and ends the conversation.
    """
    while line := lines.readline(MAX_DOCUMENT + 1):
        if line.strip():
            yield json.dumps(_answer(line), separators=(",", ":"))
        if len(line) > MAX_DOCUMENT:
            return


def _answer(line: str) -> dict[str, Any]:
    request: Any = None
    try:
        request = parse_document(line)
        if not isinstance(request, dict):
            raise MalformedRequest('a request must be an object, such as {"do": "legal", "position": …}')
        do = request.get("do")
        if not isinstance(do, str) or do not in REQUESTS:
            raise MalformedRequest(f"'do' must be one of {', '.join(REQUESTS)}, not {do!r:.60}")
        answer = REQUESTS[do](request)
    except RulesError as error:
        answer = _error(error.code, error.message, error.rule)
    except (MalformedRequest, InputError, ValueError) as error:
        answer = _error("BAD_REQUEST", str(error))
    return {"id": request["id"], **answer} if isinstance(request, dict) and "id" in request else answer


def _error(code: str, message: str, rule: str = "") -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "rule": rule}}


def _new(request: Request) -> dict[str, Any]:
    players, expansions = _member(request, "players", int), request.get("expansions", [])
    if not isinstance(expansions, list) or not all(isinstance(name, str) for name in expansions):
        raise MalformedRequest("'expansions' must be a list of names")
    deal = read_hex(_member(request, "deal", str), "deal") if "deal" in request else None
    state, _ = start_with_stream(read_ruleset(players, expansions), _seed(request), deal)
    return {"position": format_position(state)}


def _legal(request: Request) -> dict[str, Any]:
    state = _position(request)
    due = None if state.due is None else str(state.due)
    return {"legal": [action.text for action in state.legal], "due": due, "over": state.is_over}


def _apply(request: Request) -> dict[str, Any]:
    state, actions = _position(request), request.get("actions")
    if not isinstance(actions, list) or not all(isinstance(text, str) for text in actions):
        raise MalformedRequest("'actions' must be a list of actions such as \"take A1\"")
    if len(actions) > MAX_ACTIONS:
        raise MalformedRequest(f"'actions' has {len(actions)} actions; at most {MAX_ACTIONS} are allowed")
    stream = Stream(_seed(request)) if "seed" in request else None
    for text in actions:
        action = parse_action(text)
        state.check(action)
        state = state.play(action)
        if stream is not None:
            state = settle(state, stream)
    if state.due is not None:
        raise MalformedRequest(f"chance is due, {state.due}: give it as the next action, or a seed to draw it from")
    return {"position": format_position(state)}


def _view(request: Request) -> dict[str, Any]:
    return {"view": view(_position(request), _member(request, "seat", int)).document}


def _determinize(request: Request) -> dict[str, Any]:
    return {"position": format_position(determinize(parse_view(request.get("view")), Stream(_seed(request))))}


def _score(request: Request) -> dict[str, Any]:
    state = _position(request)
    return {"scores": [score(state, seat) for seat in range(1, len(state.seats) + 1)]}


REQUESTS: Final[Mapping[str, Callable[[Request], dict[str, Any]]]] = {
    "new": _new,
    "legal": _legal,
    "apply": _apply,
    "view": _view,
    "determinize": _determinize,
    "score": _score,
}


def _position(request: Request) -> State:
    return parse_position(request.get("position"))


def _seed(request: Request) -> bytes:
    return read_hex(_member(request, "seed", str))


def _member(request: Request, name: str, kind: type[Any]) -> Any:
    value = request.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise MalformedRequest(f"{name!r} must be {'a number' if kind is int else 'a text'}, not {value!r:.60}")
    return value
