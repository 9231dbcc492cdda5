"""`arena event verify`: an event of real matches is proved with its replays, and every change is found."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

from arena.cli.event import SENTENCES, check_result
from arena.cli.files import MAX_EVENT
from arena.events import FactKind, NotProved, deal_of, parse_fact
from arena.events.verify import Word, event_document, prove_facts
from arena.host.signing import Signer
from arena.referee import Clock, Policy, Terms, canonical_bytes
from arena.rules import Ruleset
from tests.kit.command import arena_here, complaint, printed
from tests.kit.events import SEED, Played
from tests.kit.records import RefereedMatch, refereed

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    return Signer.of_file(tmp_path_factory.mktemp("arena") / "signing-key")


@pytest.fixture(scope="module")
def event(signer: Signer) -> str:
    """Return a knockout of three bots in deal blocks, the first with a bye: the event's document, then its replays."""
    chance = random.Random(5)
    played = Played({"kind": "knockout"}, 2, 3, unit="block", clock={"bank_ms": 50_000})
    replays = []
    while played.draw():
        for pairing in played.event.pairings():
            number, table, game = pairing.key
            terms = Terms(
                match=f"match-{number}-{table}-{game}",
                ruleset=Ruleset(2),
                server_seed=chance.randbytes(32),
                clock=Clock(bank_ms=50_000),
                policy=Policy(),
                deal=deal_of(SEED, pairing.key, 0),
            )
            nonces = [chance.randbytes(16) for _ in terms.seats]
            match = refereed(terms, nonces, lambda ask: chance.choice(list(ask.legal)).text)
            record = match.document([(f"bot {seat}", "v1") for seat in pairing.seats])
            replays.append({**record, "signature": signer.sign(canonical_bytes(record))})
            played.say(
                FactKind.RESULT,
                **dict(zip(("round", "table", "game"), pairing.key, strict=True)),
                match=terms.match,
                placements=list(record["verdict"]["placements"]),
                scores=[score["total"] for score in record["result"]["scores"]],
            )
    played.say(FactKind.FINISHED, seed=SEED.hex())
    return json.dumps([event_document(played.facts), *replays])


@pytest.fixture
def lines(event: str) -> Lines:
    found: Lines = json.loads(event)
    return found


def file_of(lines: Lines, tmp_path: Path, name: str = "event.jsonl.zst") -> Path:
    path = tmp_path / name
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.write_bytes(zstandard.compress(text) if name.endswith(".zst") else text)
    return path


def test_an_event_of_real_matches_is_proved(lines: Lines, signer: Signer, tmp_path: Path) -> None:
    path = file_of(lines, tmp_path)
    said = printed(arena_here("event", "verify", path)).splitlines()
    assert said[0] == f"{path}: Test, 14 facts, 2 rounds, 4 results, valid"
    assert f"  not proved: {SENTENCES[Word.FIELD]}" in said and set(SENTENCES) == set(Word)
    assert (
        "  proved: names, versions, game, clock, deal, placements and scores of every result match its replay" in said
    )
    shown = json.loads(printed(arena_here("event", "verify", path, "--key", signer.public_key.hex(), "--json")))
    assert shown["valid"] and shown["results_proved"] and shown["not_proved"] == ["field", "times"]
    assert shown["replays"]["signed"] == ["terms", "incidents"]


def test_without_replays_draws_and_standings_are_proved_alone(lines: Lines, tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(lines[0], indent=1))
    shown = json.loads(printed(arena_here("event", "verify", path, "--json")))
    assert shown["valid"] and not shown["results_proved"] and shown["replays"] is None
    assert "  not proved: results, because the file has no replays\n" in printed(arena_here("event", "verify", path))


def results(lines: Lines) -> list[int]:
    return [number for number, fact in enumerate(lines[0]["facts"]) if fact["kind"] == "result"]


def fact(lines: Lines, number: int) -> dict[str, Any]:
    found: dict[str, Any] = lines[0]["facts"][number]["data"]
    return found


def swapped_scores(lines: Lines) -> None:
    fact(lines, results(lines)[1])["scores"][0] += 1


@pytest.mark.parametrize(
    ("change", "code", "which"),
    [
        # The number is that of the result whose fact is named; `None` for the standings alone.
        pytest.param(lambda d: fact(d, 5)["field"][1].__setitem__(1, "v2"), "SEATS", 0, id="a version"),
        pytest.param(lambda d: d[0]["facts"][3]["data"].update(name="bot X"), "SEATS", 0, id="a name"),
        pytest.param(lambda d: d[1]["seats"].reverse(), "SEATS", 0, id="seats of a replay"),
        pytest.param(lambda d: d[2]["seats"][0].update(version="v2"), "SEATS", 1, id="a version of a replay"),
        pytest.param(lambda d: d[3]["events"].pop(), "REPLAY", 2, id="a replay cut short"),
        pytest.param(lambda d: d[3]["verdict"]["placements"].reverse(), "REPLAY", 2, id="a verdict"),
        pytest.param(lambda d: d.pop(4), "NO_REPLAY", 3, id="a replay less"),
        pytest.param(lambda d: (d.pop(4), d.pop(2)), "NO_REPLAY", 1, id="two replays less"),
        pytest.param(lambda d: fact(d, 0)["terms"]["clock"].update(bank_ms=60_000), "CLOCK", 0, id="another clock"),
        pytest.param(
            lambda d: [fact(d, results(d)[k]).update(match=f"match-1-1-{1 - k}") for k in (0, 1)],
            "SEATS",
            0,
            id="the matches of a block exchanged",
        ),
        pytest.param(lambda d: fact(d, results(d)[0]).update(match="match"), "NO_REPLAY", 0, id="another match"),
        pytest.param(swapped_scores, "SCORES", 1, id="a score"),
        pytest.param(lambda d: fact(d, results(d)[-1])["placements"].reverse(), "PLACEMENTS", -1, id="a placement"),
        pytest.param(lambda d: d[0]["standings"].reverse(), "STANDINGS", None, id="standings"),
    ],
)
def test_every_change_is_found(
    change: Callable[[Lines], object], code: str, which: int | None, lines: Lines, tmp_path: Path
) -> None:
    change(lines)
    done = arena_here("event", "verify", file_of(lines, tmp_path), "--json")
    shown = json.loads(done.out)
    number = -1 if which is None else results(lines)[which]
    assert (done.code, shown["valid"], shown["code"], shown["fact"]) == (1, False, code, number), shown["message"]


def test_a_bot_of_the_house_may_sit_where_somebody_did_not_come(tmp_path: Path) -> None:
    chance = random.Random(6)
    played = Played({"kind": "knockout"}, 3, 3)
    played.draw()
    absent, *there = played.event.rounds[0].tables[0].seats
    where = {"round": 1, "table": 1, "game": 0}
    played.say(FactKind.ABSENT, round=1, table=1, entrant=absent)
    terms = Terms("match", Ruleset(3), chance.randbytes(32), Clock(), Policy())
    match = refereed(terms, [chance.randbytes(16)] * 3, lambda ask: chance.choice(list(ask.legal)).text)
    record = match.document([("greedy", "1"), *((f"bot {seat}", "v1") for seat in there)])
    own = record["verdict"]["placements"][1:]
    result = {
        "placements": [3, *(1 + sum(other < place for other in own) for place in own)],
        "scores": [score["total"] for score in record["result"]["scores"]],
    }
    played.say(FactKind.RESULT, **where, **result, match="match", out=[absent])
    played.say(FactKind.FINISHED, seed=SEED.hex())
    document = event_document(played.facts)
    shown = json.loads(printed(arena_here("event", "verify", file_of([document, record], tmp_path), "--json")))
    assert shown["results_proved"] and "absences" in shown["not_proved"]
    record["seats"][1]["name"] = "greedy"
    done = arena_here("event", "verify", file_of([document, record], tmp_path), "--json")
    assert json.loads(done.out)["code"] == "SEATS"


def test_a_match_that_ended_by_a_forfeit_is_proved(tmp_path: Path) -> None:
    chance = random.Random(7)
    played = Played({"kind": "knockout"}, 2, 2)
    played.draw()
    seats = played.event.rounds[0].tables[0].seats
    policy = Policy(strikes=1)
    match = RefereedMatch(Terms("match", Ruleset(2), chance.randbytes(32), Clock(), policy), [chance.randbytes(16)] * 2)
    forfeited = match.ask.seat
    match.be_late()
    record = match.document([(f"bot {seat}", "v1") for seat in seats])
    placements = [2, 1] if forfeited == 1 else [1, 2]
    assert (record["result"], record["verdict"]["placements"]) == (None, placements)
    played.say(FactKind.RESULT, round=1, table=1, game=0, match="match", placements=placements)
    played.say(FactKind.FINISHED, seed=SEED.hex())
    document = event_document(played.facts)
    shown = json.loads(printed(arena_here("event", "verify", file_of([document, record], tmp_path), "--json")))
    assert shown["valid"] and shown["results_proved"]
    fact([document], results([document])[0])["scores"] = [60, 50]
    done = arena_here("event", "verify", file_of([document, record], tmp_path), "--json")
    assert json.loads(done.out)["code"] in ("SCORES", "STANDINGS")


def again(lines: Lines) -> None:
    """Rewrite the standings, so that only the replays can show the change."""
    lines[0] = json.loads(json.dumps(event_document([parse_fact(one, "fact") for one in lines[0]["facts"]])))


@pytest.mark.parametrize(
    ("change", "code", "which"),
    [
        pytest.param(swapped_scores, "SCORES", 1, id="a score"),
        pytest.param(lambda d: fact(d, results(d)[3])["placements"].reverse(), "PLACEMENTS", 3, id="a placement"),
        pytest.param(lambda d: fact(d, 3).update(name="bot X"), "SEATS", 0, id="a name"),
        pytest.param(lambda d: fact(d, results(d)[2]).pop("scores"), "SCORES", 2, id="no scores"),
    ],
)
def test_standings_of_a_changed_result_do_not_hide_it(
    change: Callable[[Lines], object], code: str, which: int, lines: Lines, tmp_path: Path
) -> None:
    change(lines)
    again(lines)
    done = arena_here("event", "verify", file_of(lines, tmp_path))
    assert done.code == 1 and f"fact {results(lines)[which]}: match" in done.out and f"({code})" in done.out


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"deal": bytes(32)}, "DEAL"),
        ({"ruleset": {"players": 2, "expansions": ["whims"]}}, "RULESET"),
        ({"policy": {"strikes": 1}}, "POLICY"),
        ({"clock": {"cap_ms": 1}}, "CLOCK"),
    ],
)
def test_a_replay_of_another_game_is_refused(change: dict[str, Any], code: str, lines: Lines) -> None:
    claim = prove_facts(lines[0]).claims[0]
    check_result(claim, lines[1])
    with pytest.raises(NotProved) as refused:
        check_result(replace(claim, **change), lines[1])
    assert (refused.value.code, refused.value.number) == (code, results(lines)[0])


def test_a_signature_is_demanded_with_a_key(lines: Lines, signer: Signer, tmp_path: Path) -> None:
    del lines[2]["signature"]
    done = arena_here("event", "verify", file_of(lines, tmp_path), "--key", signer.public_key.hex())
    assert done.code == 1 and f"fact {results(lines)[1]}: the replay of match match-1-1-1 is not valid" in done.out


def test_a_document_of_twenty_thousand_results_is_read_and_one_without_end_is_not(tmp_path: Path) -> None:
    places = {"placements": [1, 2, 3, 4, 5], "scores": [200, 150, 120, 110, 90]}
    result = {"round": 500, "table": 200, "game": 4, "match": "4rz5f6u2jwzq", **places}
    fact = {"kind": "result", "at": "2026-11-22T18:00:00+00:00", "data": result}
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"format": "naqala-event/1", "facts": [fact] * 20_000, "standings": []}))
    done = arena_here("event", "verify", path)
    assert (done.code, "no fact reveals the seed" in done.out) == (1, True)
    path.write_text(" " * MAX_EVENT + "{}")
    assert f"more than {MAX_EVENT} characters" in complaint(arena_here("event", "verify", path))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format":"naqala/replay/1"}', "rubbish"])
def test_what_is_no_event_is_bad_input(text: str, tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text(text)
    assert str(path) in complaint(arena_here("event", "verify", path))


def test_terms_are_tried_out_before_they_are_published(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text('name = "Cup"\n[format]\nkind = "gauntlet"\n[game]\nplayers = 3\n')
    found = json.loads(printed(arena_here("event", "check", path, "--entrants", "5", "--minutes", "6", "--json")))
    # Four others, two at a table beside the first: four rounds of one table, in which each of them plays twice.
    run = found["dry_run"]
    assert (run["rounds"], run["games"], run["games_of"]) == (4, 4, [4, 2, 2, 2, 2])
    assert run["hours"] == pytest.approx(4 * 6 / 60)
    assert found["terms"]["unit"] == "match"
    path.write_text('name = "Cup"\n[format]\nkind = "gauntlet"\n[game]\nplayers = 9\n')
    assert arena_here("event", "check", path).code == 2
