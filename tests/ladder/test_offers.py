"""The public log of offers: one chain, signed, that neither code nor database lets anybody change."""

from __future__ import annotations

import json
import threading
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from arena.cli.offers import check_offered
from arena.host.signing import check_signature, read_keys
from arena.referee import Entry, canonical_bytes, check_chain
from arena.rules import Divergence, Ruleset
from tests.kit.command import arena_here, complaint, printed
from tests.kit.ladder import CLOCK, POLICY, Kit
from webui.bots import queries as bot_queries
from webui.matches import ending, ownership
from webui.matches import queries as match_queries
from webui.matches.models import OfferEntry, SpectatorRow
from webui.matches.values import SignedOffer
from webui.replays import pages as replay_pages
from webui.staff.doctor import examine

pytestmark = pytest.mark.database_specific

GUARDS = import_module("webui.matches.migrations.0001_initial").OFFER_GUARDS
LOG = "/.well-known/naqala-arena-offers.jsonl"
KEYS = "/.well-known/naqala-arena-keys.json"


def downloaded(page_size: int) -> list[str]:
    """The log as anybody downloads it, page by page."""
    lines: list[str] = []
    while found := Client().get(LOG, {"after": len(lines)}).content.decode().splitlines():
        assert len(found) <= page_size
        lines += found
    return lines


@pytest.mark.django_db
def test_a_match_is_signed_and_in_the_log_before_anybody_is_asked(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_pages, "OFFERS_A_PAGE", 2)
    matches = [kit.match(), kit.match(kit.versions(3), rated=False), kit.match()]
    kit.begin_all()
    entries = [json.loads(line) for line in downloaded(2)]
    keys = read_keys(Client().get(KEYS).json())
    for entry in entries:
        check_signature(canonical_bytes(entry["document"]), entry["signature"], keys)
    documents = list(check_chain(entry["document"] for entry in entries))
    assert [document["match"] for document in documents] == matches
    document, found = documents[1], match_queries.match_page(matches[1])
    owners = [bot_queries.user_id(f"owner{number}") for number in (3, 4, 5)]
    assert document == {
        "format": "naqala/offer/1", "number": 2, "previous": document["previous"], "match": matches[1],
        "rules": "naqala-rules/1", "ruleset": {"players": 3, "expansions": []},
        "clock": CLOCK.document(), "policy": POLICY.document(),
        "rated": False, "commitment": found.commitment,
        "seats": [
            {"name": f"Bot {number}", "version": "1", "owner": owner} for number, owner in enumerate(owners, 3)
        ],
    }  # fmt: skip
    signature = entries[1]["signature"]
    signed = SignedOffer(canonical_bytes(document).decode(), signature["key"], signature["ed25519"])
    assert (found.offer, kit.claim(matches[1]).offer) == (2, signed)
    assert not examine().findings


@pytest.mark.django_db
def test_the_log_has_pages_and_a_full_one_never_changes(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_pages, "OFFERS_A_PAGE", 2)
    for _ in range(3):
        kit.match()
    kit.begin_all()
    full, last, empty = (Client().get(LOG, {"after": after}) for after in (0, 2, 3))
    assert "max-age" in full["Cache-Control"] and last["Cache-Control"] == empty["Cache-Control"] == "no-cache"
    assert [len(one.content.splitlines()) for one in (full, last, empty)] == [2, 1, 0]
    assert Client().get(LOG, {"after": str(2**31 - 1)}).status_code == 200
    for nonsense in ("-1", "x", "", "1.5", "٣", str(2**31), "9" * 5000):
        assert Client().get(LOG, {"after": nonsense}).status_code == 400


@pytest.mark.django_db
def test_the_log_ends_before_the_first_match_that_waits_for_its_bots(kit: Kit) -> None:
    first, second = kit.match(), kit.match()
    third = kit.finish().match_id
    assert downloaded(500) == [], "nobody can look up who was invited"
    claim = kit.claim(first)
    ownership.append(first, claim.epoch, 0, [Entry(0, "lost", 1, "STREAM_LOST")], 60)
    assert downloaded(500) == []
    SpectatorRow.objects.create(match_id=first, ply=0, index=0, seat=0, text="", chance=[], view=b"")
    assert [json.loads(line)["document"]["match"] for line in downloaded(500)] == [first]
    ending.abort_match(second, kit.claim(second).epoch, "NO_ANSWER")
    documents = [json.loads(line)["document"] for line in downloaded(500)]
    assert [document["match"] for document in check_chain(documents)] == [first, second, third]


@pytest.mark.django_db
def test_a_match_that_is_made_while_the_log_is_read_is_not_shown(kit: Kit) -> None:
    begun = kit.match()
    kit.begin_all()
    made: list[str] = []

    def make_after(execute: Any, sql: str, *rest: Any) -> Any:
        found = execute(sql, *rest)
        if not made and "matches_offerentry" in sql:
            made.append("")  # its own queries are none of the reader's
            made[0] = kit.match()
        return found

    with connection.execute_wrapper(make_after):
        lines = match_queries.offers(0, 500)
    assert [json.loads(line.text)["document"]["match"] for line in lines] == [begun] and made[0]


@pytest.mark.django_db
def test_a_match_that_is_not_made_leaves_no_gap(kit: Kit) -> None:
    kit.match()
    with transaction.atomic():
        kit.match()
        transaction.set_rollback(True)
    kit.match()
    assert [*OfferEntry.objects.values_list("number", flat=True).order_by("number")] == [1, 2]
    assert not examine().findings


@pytest.mark.django_db(transaction=True)
def test_schedulers_at_once_make_one_chain(kit: Kit) -> None:
    versions, failures = [kit.versions(2) for _ in range(4)], []

    def schedule(pair: list[int]) -> None:
        try:
            for _ in range(5):
                ownership.schedule_match(Ruleset(2), pair, CLOCK, POLICY, True)
        except Exception as error:  # noqa: BLE001 - shown below
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=schedule, args=(pair,)) for pair in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    kit.begin_all()
    assert len(list(check_chain(json.loads(line)["document"] for line in downloaded(500)))) == 20


CHANGES = (
    "DELETE FROM matches_offerentry",
    "UPDATE matches_offerentry SET document = '{}'",
    "UPDATE matches_offerentry SET signature = ''",
    "UPDATE matches_offerentry SET number = number + 10",
)


@pytest.fixture
def guarded(db: None, database: str) -> None:
    """The database with every trigger that migrations make; `tests/conftest.py` says why SQLite lacks one."""
    if database == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(GUARDS["sqlite"][1])


@pytest.mark.django_db
@pytest.mark.usefixtures("guarded")
@pytest.mark.parametrize("change", CHANGES)
def test_the_database_refuses_every_change(kit: Kit, change: str) -> None:
    kit.match()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)


@pytest.mark.django_db
def test_no_code_changes_an_entry(kit: Kit) -> None:
    kit.match()
    entry = OfferEntry.objects.get()
    for change in (entry.save, entry.delete, OfferEntry.objects.all().delete, OfferEntry.objects.all().update):
        with pytest.raises(TypeError, match="append-only"):
            change()


UNRATED = "UPDATE matches_offerentry SET document = replace(document, 'true', 'false')"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (f"{UNRATED} WHERE number = 1", "does not have the hash"),
        (f"{UNRATED} WHERE number = 2", "does not hold"),
        ("UPDATE matches_offerentry SET signature = '00' WHERE number = 2", "does not hold"),
        ("UPDATE matches_match SET commitment = 'x'", "another match or commitment"),
        ("DELETE FROM matches_offerentry WHERE number = 2", "ends before its head"),
        ("DELETE FROM matches_offerentry WHERE number = 1", "1 was expected"),
        ("UPDATE matches_offerhead SET digest = 'x'", "another hash than offer 2"),
        ("UPDATE matches_offerentry SET document = document || ' ' WHERE number = 2", "canonical"),
    ],
)  # fmt: skip
def test_the_doctor_finds_what_was_changed_in_spite_of_that(kit: Kit, database: str, change: str, says: str) -> None:
    kit.match()
    kit.match()
    where = " ON matches_offerentry" if database == "postgres" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER offer_is_not_changed{where}")
        cursor.execute(change)
    assert any(says in finding.message for finding in examine().findings if finding.check == "offers")


# The command


@pytest.fixture
def published(kit: Kit, tmp_path: Path, db: None) -> dict[str, Path]:
    """A match that was played, its record, the arena's keys, and its log of offers."""
    kit.match()
    match = kit.finish().match_id
    kit.match()
    kit.begin_all()
    paths = {name: tmp_path / f"{name}.jsonl" for name in ("record", "keys", "offers", "other")}
    paths["record"].write_text(json.dumps(match_queries.match_record(match)))
    paths["keys"].write_bytes(Client().get(KEYS).content)
    paths["offers"].write_text("\n".join(downloaded(500)) + "\n")
    return paths


def verify(paths: dict[str, Path], log: str = "offers") -> Any:
    return arena_here("replay", "verify", paths["record"], "--key", paths["keys"], "--offers", paths[log], "--json")


def test_the_command_looks_a_match_up_in_the_log(published: dict[str, Path]) -> None:
    shown = json.loads(printed(verify(published)))
    assert "committed" in shown["proved"] and shown["not_proved"] == []
    without = arena_here("replay", "verify", published["record"], "--offers", published["offers"])
    assert "--offers needs --key or --arena" in complaint(without)


def test_the_command_reads_a_log_with_hidden_entries(published: dict[str, Path]) -> None:
    lines = published["offers"].read_text().splitlines()
    match = json.loads(published["record"].read_text())["match"]
    (played,) = [place for place, line in enumerate(lines) if f'"{match}"' in line]
    for place, code in ((1 - played, 0), (played, 1)):
        document = json.loads(lines[place])["document"]
        hidden = {"number": place + 1, "digest": sha256(canonical_bytes(document)).hexdigest()}
        published["other"].write_text("\n".join([*lines[:place], json.dumps(hidden), *lines[place + 1 :]]))
        done = verify(published, "other")
        assert done.code == code and ("download the log again" in done.out) is bool(code)


def changed(lines: list[dict[str, Any]], place: int, **values: Any) -> list[dict[str, Any]]:
    lines[place]["document"] |= values
    return lines


BROKEN: dict[str, Any] = {
    "an entry less": lambda lines: lines[:1] + lines[2:],
    "the beginning cut off": lambda lines: lines[1:],
    "entries exchanged": lambda lines: [lines[1], lines[0], lines[2]],
    "an entry twice": lambda lines: [lines[0], lines[0], *lines[1:]],
    "another commitment": lambda lines: changed(lines, 1, commitment="00" * 32),
    "another number": lambda lines: changed(lines, 1, number=7),
    "another chain": lambda lines: changed(lines, 1, previous="00" * 32),
    "no signature": lambda lines: [{"document": line["document"]} for line in lines],
    "the signature of another entry": lambda lines: [
        {**one, "signature": other["signature"]} for one, other in zip(lines, lines[::-1], strict=True)
    ],
    "a hidden entry with another hash": lambda lines: [{"number": 1, "digest": "00" * 32}, *lines[1:]],
    "no object": lambda lines: [1],
    "a document that is none": lambda lines: [{"document": [], "signature": {}}],
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_a_log_that_was_tampered_with_is_refused(published: dict[str, Path], change: Any) -> None:
    lines = [json.loads(line) for line in published["offers"].read_text().splitlines()]
    published["other"].write_text("\n".join(json.dumps(line) for line in change(lines)))
    assert "is not a log of offers of this arena" in complaint(verify(published, "other"))


def test_a_match_that_the_log_lacks_is_found(published: dict[str, Path]) -> None:
    first = published["offers"].read_text().splitlines()[0]
    published["other"].write_text(first)
    done = verify(published, "other")
    shown = json.loads(done.out)
    assert (done.code, shown["code"]) == (1, "OFFER") and "does not have this match" in shown["message"]
    record = json.loads(published["record"].read_text())
    lines = [json.loads(line)["document"] for line in published["offers"].read_text().splitlines()]
    (offer,) = [line for line in lines if line["match"] == record["match"]]
    check_offered(record, offer)
    clock = {**record["clock"], "cap_ms": 1}
    for change in ({"commitment": "00" * 32}, {"clock": clock}, {"seats": record["seats"][::-1]}):
        with pytest.raises(Divergence, match=f"different {next(iter(change))}"):
            check_offered({**record, **change}, offer)
