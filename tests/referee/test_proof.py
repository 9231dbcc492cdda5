"""The claims of a record: every single changed value is refused, or is in the list of what only a signature
protects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from arena.players import ask_house
from arena.referee import Claim, Proof, Terms, prove
from arena.rules import Ruleset
from tests.kit.records import RefereedMatch
from tests.referee.conftest import refusal

SIGNED_ONLY = [
    r"/match",
    r"/seats/\d+/(name|version)",
    r"/clock/\w+",
    r"/policy/(strikes|grace_ms|offer_ms|house)",
    r"/events/\d+/2/ms",
    r"/incidents/\d+/(at|seat|ms|reason)",
    r"/incidents/\d+",
    r"/events/\d+/2 of ms",  # whether a decision was in an answer of its own, or together with the previous one
]
"""Values that can be changed within bounds to another possible record. They are only as true as the signature.

All other values are proved.
"""


def test_a_record_of_everything_that_can_happen_is_proved(record: dict[str, Any]) -> None:
    facts = {key for event in record["events"] if len(event) == 3 for key in event[2]}
    assert facts == {"ms", "forced", "default", "house"}
    assert {incident["kind"] for incident in record["incidents"]} == {"fault", "absence", "forfeit"}
    proof = prove(record, ask_house)
    assert set(proof.proved) | set(proof.not_proved) == set(Claim)
    assert set(proof.not_proved) == {Claim.TERMS, Claim.INCIDENTS, Claim.COMMITTED}


@pytest.fixture(scope="module", params=[{2}, {1, 2}], ids=["one", "both"])
def withheld(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The record of a match of two in which one bot, or none, reveals its nonce."""
    terms = Terms("match-2", Ruleset(2), bytes(range(32)))
    match = RefereedMatch(terms, [bytes([seat] * 16) for seat in terms.seats], withheld=request.param)
    document: dict[str, Any] = json.loads(json.dumps(match.document([("a", "1"), ("b", "1")])))
    return document


def test_every_value_of_a_record_without_a_nonce_is_proved_or_signed(withheld: dict[str, Any]) -> None:
    assert Claim.NONCES in prove(withheld, ask_house).proved
    # The hash of a nonce that nobody has seen is only as true as the signature, and the receipts of the others.
    unseen = [f"/nonce_hashes/{seat - 1}" for seat in (1, 2) if not withheld["nonces"][seat - 1]]
    found = accepted(withheld, lambda where: not where.startswith(("/setup", "/incidents", *unseen)))
    assert found == []
    for change in ({"at": 1}, {"kind": "fault"}):
        assert refusal({**withheld, "incidents": [{**withheld["incidents"][0], **change}]}).startswith("BAD_REPLAY")


def test_a_nonce_is_withheld_once_and_at_the_cost_of_a_forfeit(withheld: dict[str, Any]) -> None:
    first = withheld["incidents"][0]
    without = {key: value for key, value in withheld.items() if key != "incidents"}
    no_nonce = f"NONCE -1: seat {first['seat']} has no nonce, and no forfeit for withholding it"
    assert refusal(without) == no_nonce
    assert refusal({**without, "incidents": [{**first, "reason": "GONE"}]}) == no_nonce
    twice = f"INCIDENT 0: seat {first['seat']} cannot have this forfeit: its nonce was revealed"
    assert refusal({**without, "incidents": [first, *withheld["incidents"]]}) == twice


def other_values(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value, int(value)]
    if isinstance(value, int):
        return [value + 1, value - 1, float(value)]
    if isinstance(value, str):
        return [value + "x", "0" + value[1:] if value[:1] != "0" else "1" + value[1:], 7]
    return [0] if value is None else []


def changes(value: Any, path: str = "") -> Iterator[tuple[str, Callable[[dict[str, Any]], None]]]:
    """Yield every single change of a document: its place, and the function that makes it."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        where = f"{path}/{key}"
        yield where, lambda document, path=path, key=key: at(document, path).__delitem__(key)
        for other in other_values(value[key]):
            yield where, lambda document, path=path, key=key, other=other: at(document, path).__setitem__(key, other)
        yield from changes(value[key], where)
    if isinstance(value, dict):
        yield f"{path}/unknown", lambda document: at(document, path).__setitem__("unknown", 1)


def at(document: Any, path: str) -> Any:
    for key in path.split("/")[1:]:
        document = document[int(key) if isinstance(document, list) else key]
    return document


def accepted(record: dict[str, Any], wanted: Callable[[str], bool]) -> list[str]:
    """Return the places at which a changed record is still proved, without asking for a signature."""
    found = []
    for where, change in changes(record):
        facts = at(record, where) if re.fullmatch(r"/events/\d+/2", where) else {}
        name = f"{where} of ms" if [*facts] == ["ms"] else where
        if wanted(where) and not any(re.fullmatch(pattern, name) for pattern in SIGNED_ONLY):
            tampered = deepcopy(record)
            change(tampered)
            if not refusal(tampered):
                found.append(where)
    return found


def samples(record: dict[str, Any]) -> set[int]:
    """Return one event of every form: its decider, its facts and its verb."""
    forms = {}
    for index, event in enumerate(record["events"]):
        forms[event[1].split()[0], tuple(event[2]) if len(event) == 3 else ()] = index
    return set(forms.values())


def test_every_value_of_a_record_is_proved_or_signed(record: dict[str, Any]) -> None:
    chosen = samples(record)

    def is_sampled(where: str) -> bool:
        parts = where.split("/")
        if parts[1] == "setup":
            return len(parts) == 3
        return parts[1] != "events" or len(parts) == 2 or int(parts[2]) in chosen

    assert accepted(record, is_sampled) == []


@pytest.mark.soak
def test_every_value_of_every_event_is_proved_or_signed(record: dict[str, Any]) -> None:
    assert accepted(record, lambda where: where.startswith(("/events", "/setup"))) == []


def test_what_only_a_signature_keeps_is_not_called_proved(record: dict[str, Any]) -> None:
    """The list above is not longer than necessary: each of its first four values can be changed to another possible
    one."""
    for change in (
        lambda r: r.update(match="another"),
        lambda r: r["seats"].reverse(),
        lambda r: r["clock"].update(bank_ms=70_000),
        lambda r: r["policy"].update(offer_ms=1),
        lambda r: r["events"][0][2].update(ms=0),
        lambda r: r["incidents"].pop(),  # the last one, which only cost a strike
    ):
        other = deepcopy(record)
        change(other)
        assert not refusal(other)


def test_a_game_without_a_match_proves_less(record: dict[str, Any]) -> None:
    from arena.local import play_local_games

    (game,) = play_local_games(Ruleset(2), bytes(32), ["random", "random"], 1)
    document = game.document()
    assert prove(document, ask_house) == Proof((Claim.CHANCE, Claim.GAME), (Claim.TERMS, Claim.COMMITTED))
    needed = ("server_seed", "nonces", "nonce_hashes", "clock", "policy", "verdict")
    for key in (*needed, "incidents", "signature"):
        missing = ", ".join(other for other in needed if other != key)
        tampered = {**document, key: record.get(key, {})}
        assert refusal(tampered) == f"INCOMPLETE -1: the record of a match needs {missing}"
    document["events"][1].append({"ms": 1})
    assert refusal(document) == "FACTS 1: a game without a match has no clock and no faults, so no facts either"
