"""A bot's receipt of an offer, and its errors when the end differs from the offer."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import End, MatchInfo
from arena.bots.matches import Matches
from arena.bots.receipts import broken_promise, keep_receipt, receipt_of
from arena.host.signing import Signer, keys_document
from arena.referee import canonical_bytes, offer_document
from arena.wire import codec
from arena.wire.v1.bot_pb2 import (
    BotMessage,
    MatchEnd,
    MatchTerms,
    Offer,
    Resumed,
    RevealRequest,
    ServerMessage,
    SignedOffer,
    Welcome,
)
from tests.bots.first import First
from tests.kit.command import arena_here, complaint, printed
from tests.kit.records import troubled_match

SIGNER = Signer.of_text("1a" * 32)


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(troubled_match()))
    return document


def offered(record: dict[str, Any], seat: int = 2) -> MatchInfo:
    """Return the match as it must have been offered."""
    policy = {key: value for key, value in record["policy"].items() if key != "offer_ms"}
    return MatchInfo(
        id=record["match"],
        seat=seat,
        ruleset=record["ruleset"],
        participants=tuple({**one, "owner": "somebody"} for one in record["seats"]),
        clock=record["clock"],
        policy=policy,
        commitment=bytes.fromhex(record["commitment"]),
        nonce=bytes.fromhex(record["nonces"][seat - 1]),
    )


def ended(record: dict[str, Any]) -> End:
    """Return the end as a bot gets it."""
    nonces = tuple(bytes.fromhex(nonce) for nonce in record["nonces"])
    server_seed, deal = bytes.fromhex(record["server_seed"]), bytes.fromhex(record["deal"])
    return End(record["verdict"], record["result"], server_seed, nonces, deal, replay_url="")


def test_an_end_that_is_as_it_was_offered_breaks_no_promise(record: dict[str, Any]) -> None:
    match, end = offered(record), ended(record)
    assert broken_promise(match, end) is None
    assert broken_promise(replace(match, nonce=b""), end) is None
    assert "commitment" in (broken_promise(match, replace(end, server_seed=bytes(32))) or "")
    assert "commitment" in (broken_promise(match, replace(end, deal=b"")) or "")
    assert "nonce" in (broken_promise(match, replace(end, nonces=end.nonces[::-1])) or "") or match.seat == 2
    assert "nonce" in (broken_promise(replace(match, nonce=b"another"), end) or "")
    assert "nonce" in (broken_promise(match, replace(end, nonces=())) or "")


def test_the_command_compares_a_record_with_a_receipt(record: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    kept = keep_receipt(tmp_path, offered(record))
    assert kept.name == "match-1.json"
    path.write_text(json.dumps(record))
    shown = json.loads(printed(arena_here("replay", "verify", path, "--receipt", kept, "--json")))
    assert "committed" in shown["proved"] and shown["not_proved"] == ["terms", "incidents"]
    path.write_text(json.dumps({**record, "match": "match-2"}))
    done = arena_here("replay", "verify", path, "--receipt", kept)
    assert done.code == 2 and "no replay belongs to the match" in done.err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"commitment": "00" * 32}, "different commitment"),
        ({"commitment": ""}, "no commitment"),
        ({"nonce": "00" * 16}, "different nonce"),
        ({"nonce_hashes": ["00" * 32] * 3}, "different nonce_hashes"),
        ({"seat": 1}, "different nonce"),
        ({"seat": 9}, "different nonce"),
        ({"seats": [{"name": "x", "version": "1"}] * 3}, "different seats"),
        ({"clock": {"bank_ms": 1, "increment_ms": 1, "cap_ms": 1}}, "different clock"),
        ({"policy": {"strikes": 1, "grace_ms": 1, "house": "greedy"}}, "different policy"),
        ({"ruleset": {"players": 3, "expansions": ["whims"]}}, "different ruleset"),
    ],
)
def test_another_offer_than_the_record_is_found(
    change: dict[str, Any], says: str, record: dict[str, Any], tmp_path: Path
) -> None:
    path, kept = tmp_path / "record.json", tmp_path / "receipt.json"
    path.write_text(json.dumps(record))
    kept.write_text(json.dumps({**receipt_of(offered(record)), **change}))
    done = arena_here("replay", "verify", path, "--receipt", kept, "--json")
    shown = json.loads(done.out)
    assert (done.code, shown["code"]) == (1, "RECEIPT") and says in shown["message"]


def test_what_is_no_receipt(record: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    assert "is not a receipt" in complaint(arena_here("replay", "verify", path, "--receipt", path))


def test_an_id_from_the_server_names_no_other_file(record: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "receipts"
    folder.mkdir()
    for evil in ("../../outside", "/etc/passwd", "a/b", "", "x" * 65, "nul\0"):
        kept = keep_receipt(folder, replace(offered(record), id=evil))
        assert kept == folder / f"{sha256(evil.encode()).hexdigest()}.json" and kept.exists()
    assert [*tmp_path.iterdir()] == [folder]


def signed_offer(record: dict[str, Any], **changes: Any) -> SignedOffer:
    """Return the offer of the record's match as an arena signs it."""
    document = offer_document(
        number=1,
        previous="0" * 64,
        match=record["match"],
        rules=record["rules"],
        ruleset=record["ruleset"],
        seats=[{**seat, "owner": number} for number, seat in enumerate(record["seats"], 1)],
        clock=record["clock"],
        policy=record["policy"],
        rated=False,
        commitment=record["commitment"],
    )
    text = canonical_bytes(document | changes)
    signature = SIGNER.sign(text)
    return SignedOffer(document=text, key=signature["key"], signature=bytes.fromhex(signature["ed25519"]))


def offer_of(record: dict[str, Any]) -> ServerMessage:
    """The offer of the record's match to seat 2. It does not say who plays."""
    match = offered(record)
    assert match.clock is not None and match.policy is not None
    terms = MatchTerms(
        ruleset=codec.encode_ruleset(match.ruleset),
        seat=match.seat,
        clock=codec.encode_clock(match.clock),
        policy=codec.encode_policy(match.policy),
        commitment=match.commitment,
    )
    return ServerMessage(offer=Offer(match_id=match.id, terms=terms))


def asked_to_reveal(record: dict[str, Any], nonce_hash: bytes, signed: SignedOffer) -> ServerMessage:
    """Return the request for the nonce of seat 2, with the players."""
    participants = codec.encode_participants([{**seat, "owner": "somebody"} for seat in record["seats"]])
    hashes = [bytes(32), nonce_hash, bytes(32)]
    request = RevealRequest(match_id=record["match"], nonce_hashes=hashes, participants=participants, signed=signed)
    return ServerMessage(reveal_request=request)


async def test_who_plays_comes_with_the_request_for_the_nonce(record: dict[str, Any], tmp_path: Path) -> None:
    told: list[BotMessage] = []
    matches = Matches(First, 1, told.append, tmp_path)
    matches.welcomed(Welcome(bot=record["seats"][1]["name"]))
    matches.take(offer_of(record))
    kept = tmp_path / "match-1.json"
    first = json.loads(kept.read_text())
    assert first["seats"] == [] and "offer" not in first
    # Its stream broke and was restored before all had accepted: the nonce is still there.
    terms = offer_of(record).offer.terms
    matches.take(ServerMessage(resumed=Resumed(match_id=record["match"], terms=terms)))
    for _ in range(2):  # a repeated request gets the same answer
        matches.take(asked_to_reveal(record, told[0].accept.nonce_hash, signed_offer(record)))
    await matches.settle()
    assert told[1].reveal.nonce.hex() == first["nonce"] and told[2] == told[1]
    receipt = json.loads(kept.read_text())
    assert receipt["seats"] == record["seats"] and receipt["offer"]["document"]["seats"][1]["owner"] == 2
    receipt |= {"nonce": record["nonces"][1], "nonce_hashes": record["nonce_hashes"]}  # those of the record's own match
    path, keys = tmp_path / "record.json", tmp_path / "keys.json"
    kept.write_text(json.dumps(receipt))
    path.write_text(json.dumps(sign(record)))
    keys.write_text(json.dumps(keys_document([SIGNER.public_key])))
    verify = ("replay", "verify", path, "--receipt", kept, "--key", keys, "--json")
    assert json.loads(printed(arena_here(*verify)))["not_proved"] == []

    offer = receipt["offer"]
    for changed, code in (
        ({"document": {**offer["document"], "commitment": "00" * 32}}, "OFFER"),
        ({"document": {**offer["document"], "rated": True}}, "SIGNATURE"),
        ({"signature": {**offer["signature"], "ed25519": "00" * 64}}, "SIGNATURE"),
    ):
        kept.write_text(json.dumps({**receipt, "offer": {**offer, **changed}}))
        done = arena_here(*verify)
        assert (done.code, json.loads(done.out)["code"]) == (1, code)


def sign(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "signature": SIGNER.sign(canonical_bytes(record))}


UNTRUE: dict[str, dict[str, Any]] = {
    "match": {"match": "another"},
    "commitment": {"commitment": "00" * 32},
    "seats": {"seats": []},
    "clock": {"clock": {"bank_ms": 1, "increment_ms": 1, "cap_ms": 1}},
    "rated": {"rated": True},
}


@pytest.mark.parametrize("what", [*UNTRUE, "bot at this seat"])
async def test_no_nonce_is_given_away_for_an_offer_that_was_signed_otherwise(
    what: str, record: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[BotMessage] = []
    matches = Matches(First, 1, told.append)
    matches.welcomed(Welcome(bot="another" if what not in UNTRUE else record["seats"][1]["name"]))
    matches.take(offer_of(record))
    matches.take(asked_to_reveal(record, told[0].accept.nonce_hash, signed_offer(record, **UNTRUE.get(what, {}))))
    await matches.settle()
    assert told[1].WhichOneof("kind") == "reveal" and told[1].reveal.nonce == b""
    shown = "".join(capsys.readouterr())
    assert "offer_not_as_signed" in shown and f"the signed offer has a different {what}" in shown


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"{}", b'{"seats": 1}', b'{"seats":1}', b"[" * 9000, b"\xff"])
async def test_no_nonce_is_given_away_for_what_is_no_signed_offer(
    text: bytes, record: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[BotMessage] = []
    matches = Matches(First, 1, told.append)
    matches.take(offer_of(record))
    matches.take(asked_to_reveal(record, told[0].accept.nonce_hash, SignedOffer(document=text)))
    await matches.settle()
    assert told[1].WhichOneof("kind") == "reveal" and told[1].reveal.nonce == b""
    assert "the signed offer is not" in "".join(capsys.readouterr())


@pytest.mark.parametrize("place", [None, 1, 3], ids=["missing", "before its place", "after its place"])
async def test_a_nonce_whose_hash_is_not_in_its_place_is_not_given_away(
    place: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[BotMessage] = []
    matches = Matches(First, 1, told.append)
    terms = MatchTerms(ruleset=codec.encode_ruleset({"players": 3, "expansions": []}), seat=2)
    matches.take(ServerMessage(offer=Offer(match_id="m", terms=terms)))
    hashes = [told[0].accept.nonce_hash if seat == place else bytes(32) for seat in (1, 2, 3)]
    matches.take(ServerMessage(reveal_request=RevealRequest(match_id="m", nonce_hashes=hashes)))
    await matches.settle()  # otherwise the next test would find the messages to its bot
    assert told[1].WhichOneof("kind") == "reveal" and told[1].reveal.nonce == b""
    assert "nonce_hash_not_as_given" in "".join(capsys.readouterr())


async def test_a_process_that_was_started_again_says_that_its_nonce_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[BotMessage] = []
    matches = Matches(First, 1, told.append)
    matches.take(ServerMessage(reveal_request=RevealRequest(match_id="m", nonce_hashes=[bytes(32)] * 2)))
    assert [message.reveal.nonce for message in told] == [b""]
    assert "nonce_lost" in "".join(capsys.readouterr())


async def test_a_process_with_a_key_knows_the_nonce_of_the_process_before_it(record: dict[str, Any]) -> None:
    offer = Offer(match_id="m", terms=MatchTerms(ruleset=codec.encode_ruleset(record["ruleset"]), seat=2))
    told: list[BotMessage] = []
    Matches(First, 1, told.append, nonce_key=b"key").take(ServerMessage(offer=offer))
    hashes = [bytes(32), told[0].accept.nonce_hash]
    for key in (b"key", b"another"):
        request = RevealRequest(match_id="m", nonce_hashes=hashes)
        Matches(First, 1, told.append, nonce_key=key).take(ServerMessage(reveal_request=request))
    assert sha256(told[1].reveal.nonce).digest() == told[0].accept.nonce_hash
    assert told[2].reveal.nonce == b""


def test_a_nonce_of_another_hash_than_was_told_breaks_a_promise(record: dict[str, Any]) -> None:
    hashes = tuple(bytes.fromhex(digest) for digest in record["nonce_hashes"])
    match = replace(offered(record), nonce_hashes=hashes)
    nonces = tuple(bytes.fromhex(nonce) for nonce in record["nonces"])
    end = ended(record)
    assert broken_promise(match, end) is None
    assert broken_promise(match, replace(end, nonces=(b"", *nonces[1:]))) is None  # it was withheld
    own = replace(end, nonces=(nonces[0], b"", nonces[2]))
    assert broken_promise(match, own) == "the revealed nonce of this seat is not the one that this bot gave"
    late = {**end.verdict, "forfeits": [{"seat": 2, "at": 0, "reason": "NO_REVEAL"}]}
    assert broken_promise(match, replace(own, verdict=late)) is None
    other = replace(end, nonces=(bytes(16), *nonces[1:]))
    assert broken_promise(match, other) == "the nonce of seat 1 does not match the hash that was fixed before"


async def test_a_bot_keeps_receipts_and_warns_of_another_seed(
    record: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[BotMessage] = []
    matches = Matches(First, 1, told.append, tmp_path)
    match = offered(record)
    assert match.clock is not None and match.policy is not None
    terms = MatchTerms(
        ruleset=codec.encode_ruleset(record["ruleset"]),
        seat=match.seat,
        participants=codec.encode_participants(record["seats"]),
        clock=codec.encode_clock(match.clock),
        policy=codec.encode_policy(match.policy),
        commitment=match.commitment,
    )
    for _ in range(2):  # a repeated offer gets the same answer
        matches.take(ServerMessage(offer=Offer(match_id="match-1", terms=terms)))
    assert told[0] == told[1]
    kept = json.loads((tmp_path / "match-1.json").read_text())
    nonce = bytes.fromhex(kept["nonce"])
    assert told[0].accept.nonce_hash == sha256(nonce).digest()
    assert kept == {**receipt_of(match), "nonce": nonce.hex(), "nonce_hashes": []}
    hashes = [bytes(32), told[0].accept.nonce_hash, bytes(32)]
    for _ in range(2):  # so does a repeated request
        matches.take(ServerMessage(reveal_request=RevealRequest(match_id="match-1", nonce_hashes=hashes)))
    assert told[2] == told[3] and told[2].reveal.nonce == nonce
    kept = json.loads((tmp_path / "match-1.json").read_text())
    assert kept["nonce_hashes"] == [digest.hex() for digest in hashes]
    end = MatchEnd(match_id="match-1", server_seed=b"another", nonces=[b"", nonce])
    end.verdict.CopyFrom(codec.encode_verdict(record["verdict"]))
    matches.take(ServerMessage(match_end=end))
    await matches.settle()
    assert "seed_not_as_promised" in "".join(capsys.readouterr())
