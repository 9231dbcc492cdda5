"""What a visitor's browser needs, beyond the replay itself, to check a match: see `static/site/verify`.

The browser makes the set-up and every draw from the seed by itself. It has no rules, so it is told what each later draw
was made from, and that the rules have played the decisions through; a digest of the events says which ones.
"""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from arena.players import ask_house
from arena.referee import prove
from arena.rules import Divergence, ReplayError, parse_action, read_game
from arena.rules.components import DJINNS as ALL_DJINNS
from arena.rules.components import ITEMS, RESOURCES
from arena.rules.groups import format_group
from arena.rules.state import State
from webui.matches import queries as match_queries

DIGEST_DIGITS = 8
"""Hex digits told of the digest after each event: enough to find the first that differs."""
_NAMES = {"resources": RESOURCES, "djinns": tuple(d.id for d in ALL_DJINNS), "items": tuple(i.id for i in ITEMS)}


class NoProof(LookupError):
    """The match has no replay, or none yet."""


@lru_cache(maxsize=256)
def proof_of_match(match_id: str) -> dict[str, Any]:
    """The proof of a match that has ended, else `NoProof`. A record never changes once it is there, so what is found is
    cached; what is not there yet is read again."""
    record = match_queries.match_record(match_id)
    if record is None:
        raise NoProof(match_id)
    return proof_of(record)


def proof_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """`chain`: the beginning of the digest after each event; `urns`: by index, what a draw was made from; `result`:
    what follows by the rules; `fault`: where the rules could not go on (`index`, `code`, `message`), or null."""
    fault: dict[str, Any] | None = None
    try:
        prove(dict(record), ask_house)
    except Divergence as error:
        fault = {"index": error.index, "code": error.code, "message": error.message}
    except ReplayError as error:
        fault = {"index": -1, "code": error.code, "message": error.message}
    events = record["events"]
    return {
        "chain": _chain(events),
        "urns": _urns(record, len(events) if fault is None else max(fault["index"], 0)),
        "result": record["result"] if fault is None else None,
        "fault": fault,
    }


def _chain(events: list[Any]) -> list[str]:
    digest, told = bytes(32), []
    for seat, text, *_ in events:
        digest = sha256(digest + f"{seat} {text}".encode()).digest()
        told.append(digest.hex()[:DIGEST_DIGITS])
    return told


def _urns(record: Mapping[str, Any], length: int) -> dict[int, dict[str, Any]]:
    if not length:
        return {}
    state, urns = read_game(dict(record), 0).state, {}
    for index, (_, text, *_) in enumerate(record["events"][:length]):
        if state.due is not None:
            urns[index] = _urn(state)
        state = state.play(parse_action(text))
    return urns


def _urn(state: State) -> dict[str, Any]:
    due = state.due
    assert due is not None
    if due.pile is not None:
        return {"cards": [_NAMES[due.pile][card] for card in state.discard_of(due.pile)]}
    return {"bag": format_group(state.bag), "count": due.count}
