"""Every kind of tampering with a record is refused, at the right place and for the right reason."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.referee.conftest import refusal

Record = dict[str, Any]


def first(record: Record, key: str, value: Any = None) -> list[Any]:
    """Return the first event with this fact (and this value)."""
    return next(e for e in record["events"] if len(e) == 3 and key in e[2] and value in (None, e[2][key]))


def plain(record: Record) -> list[Any]:
    """Return the first decision that was simply asked for: 0."""
    return next(e for e in record["events"] if len(e) == 3 and set(e[2]) == {"ms"})


def without(*keys: str) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        for key in keys:
            record.pop(key)

    return change


def drop_last_round(record: Record) -> None:
    """Cut the record where it is inconspicuous, and judge it by the forfeits so far."""
    del record["events"][-20:]
    record["result"] = None


def strike_out(record: Record) -> None:
    """Make a game that was cut end because all seats but one have forfeited."""
    drop_last_round(record)
    at = len(record["events"])
    record["verdict"]["forfeits"].append({"seat": 2, "at": at, "reason": "LATE"})


def insert(place: int, **incident: Any) -> Callable[[Record], None]:
    return lambda record: record["incidents"].insert(place, incident)


def change_all(*changes: Callable[[Record], object]) -> Callable[[Record], object]:
    return lambda record: [change(record) for change in changes]


def test_where_the_troubles_of_the_record_are(record: Record) -> None:
    """Check the places to which the tables below refer."""
    assert [list(incident.values()) for incident in record["incidents"]] == [
        [9, 1, "fault", "MALFORMED"],
        [10, 1, "fault", "MALFORMED"],
        [11, 1, "fault", "FLOODING"],
        [11, 1, "forfeit", "FLOODING"],
        [15, 2, "fault", "MALFORMED"],
        [16, 2, "fault", "LATE"],
        [17, 2, "absence", 2000],
        [28, 3, "fault", "FLOODING"],
    ]
    places = [record["events"].index(event) for event in (plain(record), first(record, "forced"))]
    assert (*places, len(record["events"])) == (0, 7, 239)


AGAIN = "FORM 239: the record written again differs at"
FACTS = "FACTS {}: the facts of this decision must be {}, not {}"
MS = "CLOCK 0: `ms` must be from 0 to {}, as bank and cap allow, not {}"
INCOMPLETE = "INCOMPLETE -1: the record of a match needs"
GOES_ON = "TRUNCATED 219: the match is not over: there is no verdict yet"
UNRELEASED = (
    "UNRELEASED: this record has no `nonce_hashes`: an unreleased version of the arena made it, and only that version"
    " can verify it"
)
HASHES = "BAD_REPLAY: `nonce_hashes` must be 3 strings of 64 hex digits"
OTHER_NONCE = "NONCE -1: the nonce of seat 1 is not the one whose hash was given"
PRINTABLE = "BAD_REPLAY: the {} needs 1 to 100 printable characters, not {}"
LAST_STRIKE = "INCIDENT {}: seat 1 cannot have this fault: it was the last strike, and no forfeit follows"
NO_FORFEIT = "it had neither taken its last strike nor used up its grace"

TAMPERING: dict[str, tuple[Callable[[Record], object], str]] = {
    "placements reversed": (lambda r: r["verdict"]["placements"].reverse(), f"{AGAIN} /verdict/placements/0"),
    "a forfeit removed": (lambda r: r["verdict"]["forfeits"].clear(), f"{AGAIN} /verdict/forfeits"),
    "a forfeit added": (
        lambda r: r["verdict"]["forfeits"].append({"seat": 2, "at": 30, "reason": "LATE"}),
        f"{AGAIN} /verdict/forfeits",
    ),
    "a forfeit of another reason": (
        lambda r: r["verdict"]["forfeits"][0].update(reason="LATE"),
        f"{AGAIN} /verdict/forfeits/0/reason",
    ),
    "a forfeit at another place": (
        lambda r: r["verdict"]["forfeits"][0].update(at=20),
        f"{AGAIN} /verdict/forfeits/0/at",
    ),
    "the verdict removed": (without("verdict"), f"{INCOMPLETE} verdict"),
    "the verdict of another kind": (lambda r: r["verdict"].update(kind="completed"), f"{AGAIN} /verdict/kind"),
    "the verdict void": (lambda r: r["verdict"].update(kind="void", placements=[]), f"{AGAIN} /verdict/kind"),
    "think time negative": (lambda r: plain(r)[2].update(ms=-1), MS.format(10000, -1)),
    "think time over the cap": (lambda r: plain(r)[2].update(ms=10_001), MS.format(10000, 10001)),
    "think time a fraction": (lambda r: plain(r)[2].update(ms=1.0), MS.format(10000, 1.0)),
    "think time true": (lambda r: plain(r)[2].update(ms=True), MS.format(10000, True)),
    "think time removed": (
        lambda r: plain(r).pop(),
        "CLOCK 0: seat 2 was asked for this decision, and `ms` is missing",
    ),
    "think time on a forced decision": (
        lambda r: first(r, "forced")[2].update(ms=5),
        "CLOCK 7: nobody was asked for this decision, so no time can be charged",
    ),
    "a late decision that cost less": (
        lambda r: first(r, "default", "LATE")[2].update(ms=9_999),
        "CLOCK 16: a late seat must be charged all the time it had, 10000 ms, not 9999",
    ),
    "default removed": (
        lambda r: first(r, "default")[2].pop("default"),
        FACTS.format(9, {"ms": 433, "default": "MALFORMED"}, {"ms": 433}),
    ),
    "default added": (
        lambda r: plain(r)[2].update(default="LATE"),
        FACTS.format(0, {"ms": 457}, {"ms": 457, "default": "LATE"}),
    ),
    "default of another reason": (
        lambda r: first(r, "default", "LATE")[2].update(default="ILLEGAL"),
        FACTS.format(16, {"ms": 10000, "default": "LATE"}, {"ms": 10000, "default": "ILLEGAL"}),
    ),
    "house removed": (lambda r: first(r, "house")[2].pop("house"), FACTS.format(11, {"house": "random"}, {})),
    "house added": (
        lambda r: plain(r)[2].update(house="random"),
        FACTS.format(0, {"ms": 457}, {"ms": 457, "house": "random"}),
    ),
    "another house player": (
        lambda r: first(r, "house")[2].update(house="greedy"),
        FACTS.format(11, {"house": "random"}, {"house": "greedy"}),
    ),
    "another house player everywhere": (
        lambda r: r["policy"].update(house="greedy"),
        "CHOICE 11: the house player gives 'drop D1 b' here, not 'drop E2 b'",
    ),
    "forced removed": (lambda r: first(r, "forced").pop(), FACTS.format(7, {"forced": True}, {})),
    "forced added": (
        lambda r: plain(r)[2].update(forced=True),
        FACTS.format(0, {"ms": 457}, {"ms": 457, "forced": True}),
    ),
    "forced false": (
        lambda r: plain(r)[2].update(forced=False),
        FACTS.format(0, {"ms": 457}, {"ms": 457, "forced": False}),
    ),
    "a bank that cannot pay": (lambda r: r["clock"].update(bank_ms=0, increment_ms=0), MS.format(0, 457)),
    "a cap below a think time": (lambda r: r["clock"].update(cap_ms=1), MS.format(1, 457)),
    "clock removed": (without("clock"), f"{INCOMPLETE} clock"),
    "policy removed": (without("policy"), f"{INCOMPLETE} policy"),
    "fewer strikes": (
        lambda r: r["policy"].update(strikes=1),
        LAST_STRIKE.format(9),
    ),
    "more strikes": (
        lambda r: r["policy"].update(strikes=9),
        f"INCIDENT 11: seat 1 cannot have this forfeit: {NO_FORFEIT}",
    ),
    "an illegal decision": (
        lambda r: r["events"][0].__setitem__(1, "end"),
        "WRONG_PHASE 0: 'end' is not legal in phase 'bid', where seat 2 may bid (rule 8)",
    ),
    "truncated": (lambda r: r["events"].pop(), "TRUNCATED 238: the game goes on: seat 1 is to act"),
    "truncated, and no result": (drop_last_round, GOES_ON),
    "truncated with a verdict put on": (strike_out, GOES_ON),
    "a server seed dropped": (without("server_seed"), f"{INCOMPLETE} server_seed"),
    "server seed and nonces dropped": (without("server_seed", "nonces"), f"{INCOMPLETE} server_seed, nonces"),
    "all of the match dropped": (
        without("server_seed", "nonces", "nonce_hashes", "clock", "policy", "verdict", "incidents"),
        "COMMITMENT -1: the commitment does not match the seed",
    ),
    "a nonce dropped": (
        lambda r: r["nonces"].pop(),
        "BAD_REPLAY: `nonces` must list one hex string per seat if there is a server seed",
    ),
    "a nonce in capitals": (lambda r: r["nonces"].__setitem__(0, r["nonces"][0].upper()), f"{AGAIN} /nonces/0"),
    "a hash dropped": (lambda r: r["nonce_hashes"].pop(), HASHES),
    "a hash too many": (lambda r: r["nonce_hashes"].append(r["nonce_hashes"][0]), HASHES),
    "hashes reversed": (lambda r: r["nonce_hashes"].reverse(), OTHER_NONCE),
    "hashes null": (lambda r: r.update(nonce_hashes=None), UNRELEASED),
    "hashes dropped": (without("nonce_hashes"), UNRELEASED),
    "a hash null": (lambda r: r["nonce_hashes"].__setitem__(0, None), HASHES),
    "a hash in capitals": (
        lambda r: r["nonce_hashes"].__setitem__(0, r["nonce_hashes"][0].upper()),
        f"{AGAIN} /nonce_hashes/0",
    ),
    "half a hash": (lambda r: r["nonce_hashes"].__setitem__(0, r["nonce_hashes"][0][:32]), HASHES),
    "the hash of another nonce": (lambda r: r["nonce_hashes"].__setitem__(0, "00" * 32), OTHER_NONCE),
    "hashes without a match": (
        without("server_seed", "nonces", "clock", "policy", "verdict", "incidents"),
        f"{INCOMPLETE} server_seed, nonces, clock, policy, verdict",
    ),
    "a nonce withheld without a forfeit": (
        lambda r: r["nonces"].__setitem__(1, ""),
        "SEED -1: the seed does not follow from the server seed and the nonces",
    ),
    "a forfeit for a nonce that was revealed": (
        insert(0, at=0, seat=2, kind="forfeit", reason="NO_REVEAL"),
        "INCIDENT 0: seat 2 cannot have this forfeit: its nonce was revealed",
    ),
    "the seed with spaces": (lambda r: r.update(seed=" " + r["seed"]), f"{AGAIN} /seed"),
    "incidents removed": (without("incidents"), FACTS.format(9, {"ms": 433}, {"ms": 433, "default": "MALFORMED"})),
    "an incident removed": (
        lambda r: r["incidents"].pop(0),
        FACTS.format(9, {"ms": 433}, {"ms": 433, "default": "MALFORMED"}),
    ),
    "an incident doubled": (
        lambda r: r["incidents"].insert(0, r["incidents"][0]),
        "INCIDENT 9: seat 1 cannot have this fault: a fault has already resolved this decision",
    ),
    "an incident after a forfeit": (
        lambda r: r["incidents"].append({**r["incidents"][0], "at": 200, "seat": 1}),
        "INCIDENT 200: seat 1 cannot have this fault: it had already forfeited",
    ),
    "an incident after the end": (
        lambda r: r["incidents"][-1].update(at=500),
        "INCIDENT 239: no decision was due at 500, where seat 3 has a fault",
    ),
    "no forfeit after the last strike": (lambda r: r["incidents"].__delitem__(slice(3, None)), LAST_STRIKE.format(11)),
    "another seat forfeits": (lambda r: r["incidents"][3].update(seat=2), LAST_STRIKE.format(11)),
    "a forfeit with grace left": (
        insert(7, at=17, seat=2, kind="forfeit", reason="GONE"),
        f"INCIDENT 17: seat 2 cannot have this forfeit: {NO_FORFEIT}",
    ),
    "a forfeit with a millisecond of grace left": (
        change_all(
            insert(7, at=17, seat=2, kind="forfeit", reason="GONE"), lambda r: r["incidents"][6].update(ms=59_999)
        ),
        f"INCIDENT 17: seat 2 cannot have this forfeit: {NO_FORFEIT}",
    ),
    "no answer after a fault": (
        lambda r: r["events"][10][2].pop("ms"),
        "CLOCK 10: seat 1 was asked for this decision, and `ms` is missing",
    ),
    "no answer after another seat's house player": (
        lambda r: r["events"][44].pop(),  # 42 is also of seat 2, 43 of seat 1
        "CLOCK 44: seat 2 was asked for this decision, and `ms` is missing",
    ),
    "late within an answer": (
        change_all(
            lambda r: r["incidents"][4].update(reason="LATE"), lambda r: r["events"][15][2].update(default="LATE")
        ),
        "CLOCK 15: seat 2 was asked for this decision, and `ms` is missing",
    ),
    "a decision of an absent bot that cost less": (
        change_all(
            lambda r: r["incidents"][5].update(reason="GONE"),
            lambda r: r["events"][16][2].update(default="GONE", ms=9_999),
        ),
        "CLOCK 16: a late seat must be charged all the time it had, 10000 ms, not 9999",
    ),
    "an unknown key": (lambda r: r.update(winner=1), f"{AGAIN} /winner"),
    "an unknown key of a seat": (lambda r: r["seats"][0].update(owner="me"), f"{AGAIN} /seats/0/owner"),
    "an unknown fact": (
        lambda r: plain(r)[2].update(note="hello"),
        FACTS.format(0, {"ms": 457}, {"ms": 457, "note": "hello"}),
    ),
    "an unknown fact that is called signature": (
        lambda r: plain(r)[2].update(signature=1),
        FACTS.format(0, {"ms": 457}, {"ms": 457, "signature": 1}),
    ),
    "an unknown key of the clock": (
        lambda r: r["clock"].update(extra_ms=1),
        "BAD_REPLAY: unknown keys of a clock: extra_ms",
    ),
    "an empty name": (lambda r: r["seats"][0].update(name=""), PRINTABLE.format("name of seat 1", "''")),
    "a name with a control character": (
        lambda r: r["seats"][0].update(name="\x1b[2J"),
        PRINTABLE.format("name of seat 1", "'\\x1b[2J'"),
    ),
    "a name that is none": (lambda r: r["seats"][0].update(name=["x"]), PRINTABLE.format("name of seat 1", "['x']")),
    "no id": (without("match"), PRINTABLE.format("match", "None")),
}


@pytest.mark.parametrize(("change", "why"), TAMPERING.values(), ids=TAMPERING)
def test_tampering_is_refused(change: Callable[[Record], object], why: str, record: Record) -> None:
    tampered = deepcopy(record)
    change(tampered)
    assert tampered != record or repr(tampered) != repr(record)
    assert refusal(tampered) == why
