"""Write, read and verify replay documents (notation.md, Replay; rules 9).

A replay is verified against its events: every one must be legal. It is also verified against its seed, which must give
the same set-up and chance events. The seed is verified against the server seed and the nonces from which it was made.
"""

from __future__ import annotations

from typing import Any

from arena.rules.chance import commitment, match_seed
from arena.rules.components import RULES
from arena.rules.errors import Divergence, ReplayError, RulesError
from arena.rules.game import CHANCE, Event, Game, Reseed
from arena.rules.position import format_position
from arena.rules.ruleset import Ruleset
from arena.rules.setup import check_ruleset
from arena.rules.state import State
from arena.rules.syntax import parse_action

FORMAT = "naqala/replay/1"
BEFORE = -1
"""Index of a divergence that precedes every event."""
_EXTRAS = ("server_seed", "nonces", "nonce_hashes", "clock", "policy", "verdict")


def replay_document(game: Game, *, match: str, seats: list[dict[str, Any]], **extra: Any) -> dict[str, Any]:
    """Return the replay of a game (notation, Replay).

    `match` is the name of the match. `seats` has an object with `name` and `version` for each seat. `extra` may hold
    `server_seed`, `nonces` and `nonce_hashes` (bytes), `clock`, `policy` and `verdict`; raise TypeError for anything
    else.

    >>> game = Game(Ruleset(2), bytes(32))
    >>> seats = [{"name": "a", "version": "1"}, {"name": "b", "version": "1"}]
    >>> replay_document(game, match="m", seats=seats)["rules"]
    'naqala-rules/1'
    """
    unknown = sorted(set(extra) - set(_EXTRAS))
    if unknown:
        raise TypeError(f"a replay has no {', '.join(unknown)}")
    server_seed: bytes | None = extra.get("server_seed")
    document: dict[str, Any] = {
        "format": FORMAT,
        "rules": RULES,
        "match": match,
        "ruleset": game.ruleset.document(),
        "seed": game.seed.hex(),
        "commitment": commitment(server_seed or game.seed, game.deal).hex(),
        "seats": seats,
    }
    if game.deal is not None:
        document["deal"] = game.deal.hex()
    if game.reseed is not None:
        document["reseed"] = {"at": game.reseed.at, "seed": game.reseed.seed.hex()}
    for key in _EXTRAS:
        if extra.get(key) is not None:
            document[key] = _plain(extra[key])
    document["setup"] = format_position(game.setup)
    document["events"] = [event.document() for event in game.events]
    outcome = game.state.outcome
    document["result"] = outcome.document() if outcome else None
    return document


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def parse_ruleset(document: Any) -> Ruleset:
    """Return the ruleset that a document names. Raise `ReplayError` if it cannot be played (2).

    >>> parse_ruleset({"players": 3, "expansions": ["whims"]})
    Ruleset(players=3, expansions=('whims',))
    """
    fields = _object(document, "ruleset")
    players, expansions = fields.get("players"), fields.get("expansions", [])
    if type(players) is not int or not isinstance(expansions, list) or not all(isinstance(e, str) for e in expansions):
        raise ReplayError("BAD_REPLAY", 'a ruleset is {"players": 4, "expansions": []}')
    ruleset = Ruleset(players, tuple(expansions))
    try:
        check_ruleset(ruleset)
    except RulesError as error:
        raise ReplayError(error.code, error.message) from None
    return ruleset


def read_game(document: Any, length: int | None = None) -> Game:
    """Return the game of a replay, played from its seed but not verified.

    `length` is the number of events to play; None plays all. Raise `ReplayError` if the document is not a replay, or if
    an event does not follow.

    >>> game = Game(Ruleset(2), bytes(32))
    >>> events = game.play("bid 7") + game.play("bid 7")
    >>> seats = [{"name": "a", "version": "1"}, {"name": "b", "version": "1"}]
    >>> read_game(replay_document(game, match="m", seats=seats), length=1).state.to_act
    2
    """
    fields = _object(document, "replay")
    if fields.get("format") != FORMAT:
        raise ReplayError("BAD_REPLAY", f"a replay's format is {FORMAT!r}, not {_shown(fields.get('format'))}")
    if fields.get("rules", RULES) != RULES:
        raise ReplayError(
            "OTHER_RULES", f"the rules here are {RULES!r}, but the replay needs {_shown(fields['rules'])}"
        )
    game = Game(parse_ruleset(fields.get("ruleset")), *_seeds(fields), _reseed(fields))
    _check_seats(fields.get("seats"), game.ruleset.players)
    events = read_events(fields)
    game.fold(events if length is None else events[:length])
    return game


def read_events(document: dict[str, Any]) -> list[Event]:
    """Return the events of a replay, each with a seat, a text and perhaps facts."""
    events = document.get("events")
    if not isinstance(events, list):
        raise ReplayError("BAD_REPLAY", "`events` must be a list")
    read = []
    for index, event in enumerate(events):
        if (
            not isinstance(event, list)
            or len(event) not in (2, 3)
            or type(event[0]) is not int
            or not isinstance(event[1], str)
            or (len(event) == 3 and not isinstance(event[2], dict))
        ):
            raise ReplayError("BAD_REPLAY", f"event {index} must be [seat, text] or [seat, text, facts]")
        read.append(Event(*event))
    return read


def verify_replay(document: Any) -> None:
    """Verify a replay (9).

    Raise `Divergence` at the first part that does not follow, and `ReplayError` if the document is not a replay.

    >>> game = Game(Ruleset(2), bytes(32))
    >>> while not game.state.is_over:
    ...     events = game.play(game.state.legal[-1])
    >>> seats = [{"name": "a", "version": "1"}, {"name": "b", "version": "1"}]
    >>> verify_replay(replay_document(game, match="m", seats=seats))
    """
    game = read_game(document, 0)
    events = read_events(document)
    _verify_seeds(document, game)
    if document.get("setup") != format_position(game.setup):
        raise Divergence("SETUP", BEFORE, "the set-up does not follow from the seed", format_position(game.setup))
    expected: list[Event] = []
    for index, event in enumerate(events):
        if expected:
            if event[:2] != expected[0][:2]:
                raise Divergence(
                    "CHANCE", index, f"the seed gives [0, {expected[0].text!r}], not [{event.seat}, {event.text!r}]"
                )
            expected = expected[1:]
        else:
            expected = _verify_decision(game, index, event)
    if expected:
        raise Divergence("TRUNCATED", len(events), f"the chance event [0, {expected[0].text!r}] is missing")
    _verify_result(document, game, len(events))


def _verify_decision(game: Game, index: int, event: Event) -> list[Event]:
    state = game.state
    if event.seat == CHANCE or event.seat != state.to_act:
        due = f"seat {state.to_act} is to act" if state.to_act else "the game is over"
        raise _divergence("WRONG_SEAT", index, f"{due}, but the event is of seat {event.seat}", state)
    try:
        return game.play(parse_action(event.text))[1:]
    except RulesError as error:
        raise _divergence(error.code, index, str(error), state) from None


def _divergence(code: str, index: int, message: str, state: State) -> Divergence:
    """Return a divergence that lists the legal actions. Listing them costs time only when a replay fails."""
    return Divergence(code, index, message, format_position(state), tuple(action.text for action in state.legal))


def _verify_seeds(document: dict[str, Any], game: Game) -> None:
    server_seed = None
    if document.get("server_seed") is not None:
        server_seed = _hex(document, "server_seed", 32)
        nonces = document.get("nonces")
        if not isinstance(nonces, list) or len(nonces) != game.ruleset.players:
            raise ReplayError("BAD_REPLAY", "`nonces` must list one hex string per seat if there is a server seed")
        given = [_bytes(nonce, f"nonce {seat}") for seat, nonce in enumerate(nonces, 1)]
        try:
            made = match_seed(server_seed, given)
        except RulesError as error:
            raise ReplayError(error.code, error.message) from None
        if made != game.seed:
            raise Divergence("SEED", BEFORE, "the seed does not follow from the server seed and the nonces")
    if _hex(document, "commitment", 32) != commitment(server_seed or game.seed, game.deal):
        raise Divergence("COMMITMENT", BEFORE, "the commitment does not match the seed")


def _verify_result(document: dict[str, Any], game: Game, end: int) -> None:
    outcome = game.state.outcome
    result = document.get("result")
    if outcome is not None:
        if result != outcome.document():
            raise Divergence("RESULT", end, f"the result must be {outcome.document()}")
        return
    verdict = document.get("verdict")
    ended_early = isinstance(verdict, dict) and verdict.get("kind") in ("forfeit", "void")
    if result is not None or not ended_early:
        raise _divergence("TRUNCATED", end, f"the game goes on: seat {game.state.to_act} is to act", game.state)


def _check_seats(seats: Any, players: int) -> None:
    if (
        not isinstance(seats, list)
        or len(seats) != players
        or not all(isinstance(seat, dict) and {"name", "version"} <= seat.keys() for seat in seats)
    ):
        raise ReplayError("BAD_REPLAY", f'`seats` must list {players} objects with "name" and "version"')


def _seeds(document: dict[str, Any]) -> tuple[bytes, bytes | None]:
    deal = _hex(document, "deal", 32) if document.get("deal") is not None else None
    return _hex(document, "seed", 32), deal


def _reseed(document: dict[str, Any]) -> Reseed | None:
    if document.get("reseed") is None:
        return None
    fields = _object(document["reseed"], "reseed")
    if type(at := fields.get("at")) is not int or fields.keys() != {"at", "seed"}:
        raise ReplayError("BAD_REPLAY", '`reseed` is {"at": 137, "seed": "<64 hex digits>"}')
    return Reseed(at, _hex(fields, "seed", 32))


def _hex(document: dict[str, Any], key: str, size: int) -> bytes:
    value = _bytes(document.get(key), f"`{key}`")
    if len(value) != size:
        raise ReplayError("BAD_REPLAY", f"`{key}` must have {2 * size} hex digits")
    return value


def _bytes(value: Any, what: str) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        raise ReplayError("BAD_REPLAY", f"{what} must be a string of hex digits, not {_shown(value)}") from None


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ReplayError("BAD_REPLAY", f"a {what} is a JSON object, not {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
