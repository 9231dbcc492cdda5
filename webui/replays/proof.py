"""The proof of a match: the data that a visitor's browser needs, beyond the replay, to verify it.

The browser (`static/site/verify`) computes the set-up and every draw from the seed. It does not implement the rules, so
the proof contains the contents of the pile or bag at each later draw. The proof also states that the rules accept the
decisions, and has a digest of the events to identify them.
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
"""Number of hex digits of the digest after each event, which is enough to find the first event that differs."""
_NAMES = {"resources": RESOURCES, "djinns": tuple(d.id for d in ALL_DJINNS), "items": tuple(i.id for i in ITEMS)}


class NoProof(LookupError):
    """The match has no replay (yet)."""


@lru_cache(maxsize=256)
def proof_of_match(match_id: str) -> dict[str, Any]:
    """Return the proof of a match that has ended. Raise `NoProof` if it has no record.

    Records never change, so proofs are cached. A missing record is looked up again each time.
    """
    record = match_queries.match_record(match_id)
    if record is None:
        raise NoProof(match_id)
    return proof_of(record)


def proof_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the proof of a replay document, with these keys:

    `chain`: the first digits of the digest after each event.
    `urns`: the contents from which each draw was made, by index.
    `result`: the result, if the rules confirm it.
    `fault`: the event that the rules do not accept (`index`, `code`, `message`), or null.
    """
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
    digest, digests = bytes(32), []
    for seat, text, *_ in events:
        digest = sha256(digest + f"{seat} {text}".encode()).digest()
        digests.append(digest.hex()[:DIGEST_DIGITS])
    return digests


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
