"""Records are signed when a match ends; public keys stay listed, whatever signs now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from arena.host.places import Places
from arena.host.signing import check_signature, key_id, read_keys
from arena.referee import canonical_bytes
from tests.kit.command import arena_here, printed
from tests.kit.ladder import Kit
from webui.matches import queries as match_queries
from webui.matches.signing import signer

pytestmark = pytest.mark.django_db

KEYS = ("1a" * 32, "2b" * 32)


def record_of(kit: Kit) -> dict[str, Any]:
    record = match_queries.match_record(kit.finish().match_id)
    assert record is not None
    return record


def signed_by(record: dict[str, Any]) -> str:
    bare = {key: value for key, value in record.items() if key != "signature"}
    published = Client().get("/.well-known/naqala-arena-keys.json")
    return check_signature(canonical_bytes(bare), record["signature"], read_keys(published.json()))


def test_a_record_is_signed_and_the_command_checks_it(kit: Kit, settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY = KEYS[0]
    record = record_of(kit)
    assert signed_by(record) == key_id(signer().public_key)
    path, keys = tmp_path / "record.json", tmp_path / "keys.json"
    path.write_text(json.dumps(record))
    keys.write_bytes(Client().get("/.well-known/naqala-arena-keys.json").content)
    shown = json.loads(printed(arena_here("replay", "verify", path, "--key", keys, "--json")))
    assert shown["signed_by"] == [record["signature"]["key"]] and shown["not_proved"] == ["committed"]
    page = Client().get(f"/matches/{record['match']}/").content.decode()
    assert f"Signed by the arena with its key {record['signature']['key']}" in page


def test_a_new_key_takes_over_and_the_old_one_stays_listed(kit: Kit, settings: Any) -> None:
    records = []
    for settings.SIGNING_KEY in KEYS:
        records.append(record_of(kit))
    assert len({signed_by(record) for record in records}) == 2
    listed = [key["id"] for key in Client().get("/.well-known/naqala-arena-keys.json").json()["keys"]]
    assert listed == [record["signature"]["key"] for record in records]
    settings.SIGNING_KEY = KEYS[0]
    again = record_of(kit)
    assert signed_by(again) == listed[0] and len(match_queries.signing_keys()) == 2


def test_without_a_key_one_is_made_for_this_user_alone(kit: Kit, settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY, settings.PLACES = "", Places(tmp_path / "var")
    record = record_of(kit)
    assert (tmp_path / "var" / "signing-key").stat().st_mode & 0o777 == 0o600
    assert signed_by(record)
    assert [*settings.PLACES.existing()] == [tmp_path / "var", tmp_path / "var" / "signing-key"]


def test_a_worker_that_could_not_sign_does_not_start(settings: Any) -> None:
    from workers.app import _have_signing_key

    settings.SIGNING_KEY = "rubbish"
    with pytest.raises(SystemExit, match="ARENA_SIGNING_KEY"):
        _have_signing_key()
    settings.SIGNING_KEY = KEYS[0]
    _have_signing_key()
