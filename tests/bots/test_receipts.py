"""What a bot keeps of an offer, and what it says when the end is not as it was offered."""

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
from arena.wire import codec
from arena.wire.v1.bot_pb2 import BotMessage, MatchEnd, MatchTerms, Offer, ServerMessage
from tests.bots.first import First
from tests.kit.command import arena_here, complaint, printed
from tests.kit.records import troubled_match


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(troubled_match()))
    return document


def offered(record: dict[str, Any], seat: int = 2) -> MatchInfo:
    """The match as it must have been offered."""
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
    """The end as it is told."""
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
    assert done.code == 2 and "no replay is of the match" in done.err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"commitment": "00" * 32}, "another commitment"),
        ({"commitment": ""}, "no commitment"),
        ({"nonce": "00" * 16}, "another nonce"),
        ({"seat": 1}, "another nonce"),
        ({"seat": 9}, "another nonce"),
        ({"seats": [{"name": "x", "version": "1"}] * 3}, "another seats"),
        ({"clock": {"bank_ms": 1, "increment_ms": 1, "cap_ms": 1}}, "another clock"),
        ({"policy": {"strikes": 1, "grace_ms": 1, "house": "greedy"}}, "another policy"),
        ({"ruleset": {"players": 3, "expansions": ["whims"]}}, "another ruleset"),
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
    for _ in range(2):  # an offer that comes again gets the same answer
        matches.take(ServerMessage(offer=Offer(match_id="match-1", terms=terms)))
    assert told[0] == told[1]
    kept = json.loads((tmp_path / "match-1.json").read_text())
    assert kept == {**receipt_of(match), "nonce": told[0].accept.nonce.hex()}
    end = MatchEnd(match_id="match-1", server_seed=b"another", nonces=[b"", told[0].accept.nonce])
    end.verdict.CopyFrom(codec.encode_verdict(record["verdict"]))
    matches.take(ServerMessage(match_end=end))
    await matches.settle()
    assert "seed_not_as_promised" in "".join(capsys.readouterr())
