"""`arena replay verify`: its output for the record of a match, signed or not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.utils import translation

from arena.cli.verifying import SENTENCES
from arena.host.signing import Signer, key_id, keys_document
from arena.referee import Claim, canonical_bytes
from tests.kit.command import arena_here, complaint, printed
from tests.kit.records import troubled_match
from webui.replays.templatetags.proof import claim_sentences


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    return Signer.of_file(tmp_path_factory.mktemp("arena") / "signing-key")


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(troubled_match()))
    return document


@pytest.fixture
def signed(record: dict[str, Any], signer: Signer) -> dict[str, Any]:
    return {**record, "signature": signer.sign(canonical_bytes(record))}


def file_of(document: Any, tmp_path: Path, name: str = "record.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def test_an_unsigned_record_says_what_it_does_not_prove(record: dict[str, Any], tmp_path: Path) -> None:
    path = file_of(record, tmp_path)
    said = printed(arena_here("replay", "verify", path)).splitlines()
    assert said[0] == f"{path}: 1 replay, valid"
    proved = [Claim.SEED, Claim.NONCES, Claim.CHANCE, Claim.GAME, Claim.CLOCKS, Claim.MARKS, Claim.VERDICT]
    left = [Claim.TERMS, Claim.INCIDENTS, Claim.COMMITTED]
    assert sorted(said[1:]) == sorted(
        [f"  proved: {SENTENCES[claim]}" for claim in proved] + [f"  not proved: {SENTENCES[claim]}" for claim in left]
    )
    shown = json.loads(printed(arena_here("replay", "verify", path, "--json")))
    assert {*shown["proved"]} == {*map(str, proved)} and {*shown["not_proved"]} == {*map(str, left)}
    assert set(SENTENCES) == set(Claim)
    with translation.override("en"):
        assert claim_sentences() == SENTENCES, "the page of a match says the same"


def test_a_signed_record_is_as_true_as_its_key(signed: dict[str, Any], signer: Signer, tmp_path: Path) -> None:
    path, keys = (
        file_of(signed, tmp_path),
        file_of(keys_document([bytes(32), signer.public_key]), tmp_path, "keys.json"),
    )
    for key in (signer.public_key.hex(), keys):
        shown = json.loads(printed(arena_here("replay", "verify", path, "--key", key, "--json")))
        assert shown["signed"] == ["terms", "incidents"] and shown["not_proved"] == ["committed"]
        assert shown["signed_by"] == [key_id(signer.public_key)]
    said = printed(arena_here("replay", "verify", path, "--key", keys))
    assert f"  signed by the key {key_id(signer.public_key)}: {SENTENCES[Claim.TERMS]}\n" in said
    assert "  not proved: which match" in printed(arena_here("replay", "verify", path)), (
        "nobody looked at the signature"
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param(lambda d: d["seats"].reverse(), "does not hold", id="names and versions swapped"),
        pytest.param(lambda d: d["seats"][0].update(version="2"), "does not hold", id="another version"),
        pytest.param(lambda d: d.update(match="another"), "does not hold", id="another match"),
        pytest.param(lambda d: d["clock"].update(bank_ms=70_000), "does not hold", id="another clock"),
        pytest.param(lambda d: d["policy"].update(offer_ms=1), "does not hold", id="another policy"),
        pytest.param(lambda d: d["incidents"].pop(), "does not hold", id="a flood of messages forgotten"),
        pytest.param(lambda d: d.pop("signature"), "not signed", id="no signature"),
        pytest.param(lambda d: d.update(signature=None), "a signature must be", id="null"),
        pytest.param(lambda d: d["signature"].update(ed25519="00" * 64), "does not hold", id="zeros"),
        pytest.param(lambda d: d["signature"].update(ed25519="00"), "does not hold", id="a short one"),
        pytest.param(lambda d: d["signature"].update(ed25519="é"), "does not hold", id="no hex"),
        pytest.param(lambda d: d["signature"].update(key="0" * 16), "not among those", id="another key"),
        pytest.param(lambda d: d["signature"].update(key=[1]), "a signature must be", id="no key"),
        pytest.param(lambda d: d["signature"].update(more=1), "a signature must be", id="more"),
        pytest.param(
            lambda d: d["signature"].update(ed25519=d["signature"]["ed25519"].upper()),
            "a signature must be",
            id="capitals",
        ),
    ],
)
def test_with_a_key_nothing_can_be_changed(
    change: Any, says: str, signed: dict[str, Any], signer: Signer, tmp_path: Path
) -> None:
    signed = json.loads(json.dumps(signed))
    change(signed)
    done = arena_here("replay", "verify", file_of(signed, tmp_path), "--key", signer.public_key.hex(), "--json")
    shown = json.loads(done.out)
    assert (done.code, shown["valid"], shown["code"]) == (1, False, "SIGNATURE")
    assert says in shown["message"]


@pytest.fixture
def arena_site(signer: Signer) -> Iterator[str]:
    """Yield the address of an arena that publishes its keys, and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/.well-known/naqala-arena-keys.json"
            if self.path.startswith("/moved/"):
                self.send_response(302)
                self.send_header("Location", "http://arena.example/keys")
                return self.end_headers()
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(json.dumps(keys_document([signer.public_key])).encode())

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_keys_of_an_arena_come_from_its_address(
    signed: dict[str, Any], arena_site: str, signer: Signer, tmp_path: Path
) -> None:
    path = file_of(signed, tmp_path)
    shown = json.loads(printed(arena_here("replay", "verify", path, "--arena", arena_site + "/", "--json")))
    assert shown["signed_by"] == [key_id(signer.public_key)]
    assert "404" in complaint(arena_here("replay", "verify", path, "--arena", arena_site + "/elsewhere"))
    assert "must begin with https://" in complaint(
        arena_here("replay", "verify", path, "--arena", arena_site + "/moved")
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--key", "zz" * 32], "64 hex digits"),
        (["--key", "nowhere.json"], "nowhere.json"),
        (["--arena", "arena.example"], "https://"),
        (["--arena", "file:///etc/passwd"], "https://"),
        (["--arena", "http://arena.example"], "must begin with https://"),
        (["--arena", "https://ex ample"], "cannot read https://ex ample"),
        (["--arena", "https://[ex"], "must begin with https://"),
    ],
)
def test_keys_that_are_none(words: list[str], says: str, record: dict[str, Any], tmp_path: Path) -> None:
    assert says in complaint(arena_here("replay", "verify", file_of(record, tmp_path), *words))


def test_a_file_of_keys_without_keys(record: dict[str, Any], tmp_path: Path) -> None:
    path = file_of(record, tmp_path)
    for wrong in ({}, {"keys": []}, {"keys": [{"ed25519": "00"}]}, {"keys": [1]}, []):
        said = complaint(arena_here("replay", "verify", path, "--key", file_of(wrong, tmp_path, "keys.json")))
        assert "public keys must be written" in said


def test_the_record_of_an_unreleased_version_is_refused_with_one_line(record: dict[str, Any], tmp_path: Path) -> None:
    path = file_of({key: value for key, value in record.items() if key != "nonce_hashes"}, tmp_path)
    said = complaint(arena_here("replay", "verify", path))
    assert "an unreleased version of the arena made it" in said and said.count("\n") <= 1
