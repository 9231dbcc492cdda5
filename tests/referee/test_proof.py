"""What a record claims is proved: every kind of tampering, and every value of a record changed by itself, is refused,
or stands in the list of what only a signature can keep."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from arena.players import ask_house
from arena.referee import Claim, Terms, prove
from arena.rules import Divergence, ReplayError, Ruleset
from tests.kit.records import RefereedMatch, troubled_match

SIGNED_ONLY = [
    r"/match",
    r"/seats/\d+/(name|version)",
    r"/clock/\w+",
    r"/policy/(strikes|grace_ms|offer_ms|house)",
    r"/events/\d+/2/ms",
    r"/incidents/\d+/(at|seat|ms|reason)",
    r"/incidents/\d+",
    r"/nonce_hashes",  # as a whole: records from before there were hashes have none; then less is proved
    r"/events/\d+/2 of ms",  # whether a decision came in an answer of its own, or with the one before
]
"""What can be changed within bounds to another record that a referee could have written: it is only as true as its
signature. All else is proved."""


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(troubled_match()))
    return document


def is_refused(document: dict[str, Any]) -> bool:
    try:
        prove(document, ask_house)
    except ReplayError:
        return True
    return False


def test_a_record_of_everything_that_can_happen_is_proved(record: dict[str, Any]) -> None:
    facts = {key for event in record["events"] if len(event) == 3 for key in event[2]}
    assert facts == {"ms", "forced", "default", "house"}
    assert {incident["kind"] for incident in record["incidents"]} == {"fault", "absence", "forfeit"}
    proof = prove(record, ask_house)
    assert set(proof.proved) | set(proof.not_proved) == set(Claim)
    assert set(proof.not_proved) == {Claim.TERMS, Claim.INCIDENTS, Claim.COMMITTED}


def first(record: dict[str, Any], key: str, value: Any = None) -> list[Any]:
    """The first event with this fact (of this value)."""
    return next(e for e in record["events"] if len(e) == 3 and key in e[2] and value in (None, e[2][key]))


def plain(record: dict[str, Any]) -> list[Any]:
    """The first decision that was simply asked for."""
    return next(e for e in record["events"] if len(e) == 3 and set(e[2]) == {"ms"})


def without(*keys: str) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        for key in keys:
            record.pop(key)

    return change


def drop_last_round(record: dict[str, Any]) -> None:
    """Cut where it hurts nobody's eye, and judge it by the forfeits so far."""
    del record["events"][-20:]
    record["result"] = None


def strike_out(record: dict[str, Any]) -> None:
    """All but one seat have forfeited, says the verdict of a game that was cut."""
    drop_last_round(record)
    at = len(record["events"])
    record["verdict"]["forfeits"].append({"seat": 2, "at": at, "reason": "LATE"})


WITHHELD = {"at": 0, "seat": 2, "kind": "forfeit", "reason": "NO_REVEAL"}

TAMPERING: dict[str, Callable[[dict[str, Any]], object]] = {
    "placements reversed": lambda r: r["verdict"]["placements"].reverse(),
    "a forfeit removed": lambda r: r["verdict"]["forfeits"].clear(),
    "a forfeit added": lambda r: r["verdict"]["forfeits"].append({"seat": 2, "at": 30, "reason": "LATE"}),
    "a forfeit of another reason": lambda r: r["verdict"]["forfeits"][0].update(reason="LATE"),
    "a forfeit at another place": lambda r: r["verdict"]["forfeits"][0].update(at=20),
    "the verdict removed": without("verdict"),
    "the verdict of another kind": lambda r: r["verdict"].update(kind="completed"),
    "the verdict void": lambda r: r["verdict"].update(kind="void", placements=[]),
    "think time negative": lambda r: plain(r)[2].update(ms=-1),
    "think time over the cap": lambda r: plain(r)[2].update(ms=10_001),
    "think time a fraction": lambda r: plain(r)[2].update(ms=1.0),
    "think time true": lambda r: plain(r)[2].update(ms=True),
    "think time removed": lambda r: plain(r).pop(),
    "think time on a forced decision": lambda r: first(r, "forced")[2].update(ms=5),
    "a late decision that cost less": lambda r: first(r, "default", "LATE")[2].update(ms=9_999),
    "default removed": lambda r: first(r, "default")[2].pop("default"),
    "default added": lambda r: plain(r)[2].update(default="LATE"),
    "default of another reason": lambda r: first(r, "default", "LATE")[2].update(default="ILLEGAL"),
    "house removed": lambda r: first(r, "house")[2].pop("house"),
    "house added": lambda r: plain(r)[2].update(house="random"),
    "another house player": lambda r: first(r, "house")[2].update(house="greedy"),
    "another house player everywhere": lambda r: r["policy"].update(house="greedy"),
    "forced removed": lambda r: first(r, "forced").pop(),
    "forced added": lambda r: plain(r)[2].update(forced=True),
    "forced false": lambda r: plain(r)[2].update(forced=False),
    "a bank that cannot pay": lambda r: r["clock"].update(bank_ms=0, increment_ms=0),
    "a cap below a think time": lambda r: r["clock"].update(cap_ms=1),
    "clock removed": without("clock"),
    "policy removed": without("policy"),
    "fewer strikes": lambda r: r["policy"].update(strikes=1),
    "more strikes": lambda r: r["policy"].update(strikes=9),
    "truncated": lambda r: r["events"].pop(),
    "truncated, and no result": drop_last_round,
    "truncated with a verdict put on": strike_out,
    "a server seed dropped": without("server_seed"),
    "server seed and nonces dropped": without("server_seed", "nonces"),
    "all of the match dropped": without(
        "server_seed", "nonces", "nonce_hashes", "clock", "policy", "verdict", "incidents"
    ),
    "a nonce dropped": lambda r: r["nonces"].pop(),
    "a nonce in capitals": lambda r: r["nonces"].__setitem__(0, r["nonces"][0].upper()),
    "a hash dropped": lambda r: r["nonce_hashes"].pop(),
    "a hash too many": lambda r: r["nonce_hashes"].append(r["nonce_hashes"][0]),
    "hashes reversed": lambda r: r["nonce_hashes"].reverse(),
    "hashes null": lambda r: r.update(nonce_hashes=None),
    "a hash null": lambda r: r["nonce_hashes"].__setitem__(0, None),
    "a hash in capitals": lambda r: r["nonce_hashes"].__setitem__(0, r["nonce_hashes"][0].upper()),
    "half a hash": lambda r: r["nonce_hashes"].__setitem__(0, r["nonce_hashes"][0][:32]),
    "the hash of another nonce": lambda r: r["nonce_hashes"].__setitem__(0, "00" * 32),
    "hashes without a match": without("server_seed", "nonces", "clock", "policy", "verdict", "incidents"),
    "a nonce withheld without a forfeit": lambda r: r["nonces"].__setitem__(1, ""),
    "a forfeit for a nonce that was revealed": lambda r: r["incidents"].insert(0, WITHHELD),
    "the seed with spaces": lambda r: r.update(seed=" " + r["seed"]),
    "incidents removed": without("incidents"),
    "an incident removed": lambda r: r["incidents"].pop(0),
    "an incident doubled": lambda r: r["incidents"].insert(0, r["incidents"][0]),
    "an incident after a forfeit": lambda r: r["incidents"].append({**r["incidents"][0], "at": 200, "seat": 1}),
    "an unknown key": lambda r: r.update(winner=1),
    "an unknown key of a seat": lambda r: r["seats"][0].update(owner="me"),
    "an unknown fact": lambda r: plain(r)[2].update(note="hello"),
    "an unknown key of the clock": lambda r: r["clock"].update(extra_ms=1),
    "an empty name": lambda r: r["seats"][0].update(name=""),
    "a name with a control character": lambda r: r["seats"][0].update(name="\x1b[2J"),
    "a name that is none": lambda r: r["seats"][0].update(name=["x"]),
    "no id": without("match"),
}


@pytest.mark.parametrize("change", TAMPERING.values(), ids=TAMPERING)
def test_tampering_is_refused(change: Callable[[dict[str, Any]], object], record: dict[str, Any]) -> None:
    tampered = deepcopy(record)
    change(tampered)
    assert tampered != record or repr(tampered) != repr(record)
    assert is_refused(tampered)


@pytest.fixture(scope="module", params=[{2}, {1, 2}], ids=["one", "both"])
def withheld(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The record of a match of two, of whom one does not reveal its nonce, or none does."""
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
    for incidents in ([], withheld["incidents"] * 2, [{**withheld["incidents"][0], "reason": "GONE"}]):
        assert is_refused({**withheld, "incidents": incidents})
    for change in ({"at": 1}, {"kind": "fault"}):
        assert is_refused({**withheld, "incidents": [{**withheld["incidents"][0], **change}]})


def test_a_record_whose_hashes_were_dropped_proves_less(record: dict[str, Any]) -> None:
    del (other := deepcopy(record))["nonce_hashes"]
    proof = prove(other, ask_house)
    assert Claim.NONCES in proof.not_proved and Claim.SEED in proof.proved


def other_values(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value, int(value)]
    if isinstance(value, int):
        return [value + 1, value - 1, float(value)]
    if isinstance(value, str):
        return [value + "x", "0" + value[1:] if value[:1] != "0" else "1" + value[1:], 7]
    return [0] if value is None else []


def changes(value: Any, path: str = "") -> Iterator[tuple[str, Callable[[dict[str, Any]], None]]]:
    """Every single change of a document: its place, and what makes it."""
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
    """The places where a changed record is proved although no signature is asked for."""
    found = []
    for where, change in changes(record):
        facts = at(record, where) if re.fullmatch(r"/events/\d+/2", where) else {}
        name = f"{where} of ms" if [*facts] == ["ms"] else where
        if wanted(where) and not any(re.fullmatch(pattern, name) for pattern in SIGNED_ONLY):
            tampered = deepcopy(record)
            change(tampered)
            if not is_refused(tampered):
                found.append(where)
    return found


def samples(record: dict[str, Any]) -> set[int]:
    """One event of every form: who decided it, with what facts and which verb."""
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
    """The list above is not longer than it must be: each of its first four can be changed to what was possible, too."""
    for change in (
        lambda r: r.update(match="another"),
        lambda r: r["seats"].reverse(),
        lambda r: r["clock"].update(bank_ms=70_000),
        lambda r: r["policy"].update(offer_ms=1),
        lambda r: plain(r)[2].update(ms=0),
    ):
        other = deepcopy(record)
        change(other)
        assert not is_refused(other)


def test_a_game_without_a_match_proves_less(record: dict[str, Any]) -> None:
    from arena.local import play_local_games

    (game,) = play_local_games(Ruleset(2), bytes(32), ["random", "random"], 1)
    document = game.document()
    assert prove(document, ask_house).proved == (Claim.CHANCE, Claim.GAME)
    for key in ("verdict", "clock", "policy", "nonces", "nonce_hashes"):
        with pytest.raises(Divergence, match="needs server_seed"):
            prove({**document, key: record[key]}, ask_house)
    document["events"][0].append({"ms": 1})
    with pytest.raises(Divergence, match="no facts"):
        prove(document, ask_house)
