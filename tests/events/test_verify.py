"""Proofs of events: a correct document is proved, and for a changed one the first fact that does not follow is
reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from arena.events import Event, Fact, FactKind, FactRefused, NotProved, deal_of
from arena.events.facts import EventCancelled
from arena.events.verify import EventProof, Word, event_document, prove_facts
from tests.kit.events import SEED, Played, by_chance

Document = dict[str, Any]


def verify_event(document: Any) -> EventProof:
    """Return the proof of a document. Raise its failure, if any."""
    proof = prove_facts(document)
    if proof.failure is not None:
        raise proof.failure
    return proof


def played(unit: str = "match") -> Played:
    """Play a knockout of six bots at two seats.

    There are two byes at first, and one bot leaves after the first round.
    """
    played = Played({"kind": "knockout", "consolation": True}, 2, 6, unit=unit, rated=True)
    results = by_chance(4)
    while played.draw():
        for pairing in played.event.pairings():
            number, table, game = pairing.key
            placements = list(results(pairing))
            data = {"round": number, "table": table, "game": game, "match": f"match-{number}-{table}-{game}"}
            played.say(FactKind.RESULT, **data, placements=placements, scores=[90 - 10 * place for place in placements])
        if len(played.event.rounds) == 1:
            played.say(FactKind.WITHDRAWN, entrant=2)
    played.say(FactKind.FINISHED, seed=SEED.hex())
    return played


@pytest.fixture(scope="module")
def right() -> str:
    return json.dumps(event_document(played().facts))


@pytest.fixture
def document(right: str) -> Document:
    found: Document = json.loads(right)
    return found


def first(document: Document, kind: FactKind, number: int = 0) -> int:
    """Return the position of a fact of this kind, the first one or a later one."""
    return [k for k, fact in enumerate(document["facts"]) if fact["kind"] == kind][number]


def data(document: Document, kind: FactKind, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = document["facts"][first(document, kind, number)]["data"]
    return found


def test_what_is_right_is_proved(document: Document) -> None:
    proof = verify_event(document)
    assert proof.draws == 3 and proof.event.length == len(document["facts"])
    # Two heats and two byes, the semi-finals, then the final beside a heat of the consolation.
    assert [claim.key for claim in proof.claims][:4] == [(1, 1, 0), (1, 2, 0), (2, 1, 0), (2, 2, 0)]
    assert proof.claims[0].seats == tuple((f"bot {seat}", "v1") for seat in proof.event.rounds[0].tables[0].seats)
    assert proof.claims[0].deal is None and proof.claims[0].ruleset == {"players": 2, "expansions": []}
    assert set(proof.not_proved) == {Word.FIELD, Word.TIMES, Word.RATED}


@pytest.mark.parametrize("unit", ["block", "williams"])
def test_the_deal_of_a_block_follows_from_the_seed(unit: str) -> None:
    claims = verify_event(event_document(played(unit).facts)).claims
    assert [claim.deal for claim in claims[:2]] == [deal_of(SEED, (1, 1, 0), 0)] * 2
    assert claims[0].seats == claims[1].seats[::-1]


def test_what_a_person_decided_and_who_did_not_come_rest_on_the_arena() -> None:
    event = Played({"kind": "gauntlet"}, 2, 3)
    event.draw()
    event.say(FactKind.RESULT, round=1, table=1, game=0, match="first", placements=[1, 2], scores=[2, 1])
    event.say(FactKind.AGAIN, games=[[1, 1, 0]])
    event.say(FactKind.RESULT, round=1, table=1, game=0, match="second", placements=[1, 2], scores=[2, 1])
    event.say(FactKind.RULED, round=1, table=1, game=0, placements=[2, 1])
    event.draw()
    event.say(FactKind.ABSENT, round=2, table=1, entrant=1)
    event.say(FactKind.FINISHED, seed=SEED.hex())
    proof = verify_event(event_document(event.facts))
    assert proof.claims == () and {Word.RULINGS, Word.ABSENCES} < set(proof.not_proved)


def test_a_result_that_is_void_claims_nothing() -> None:
    event = Played({"kind": "knockout"}, 2, 2)
    event.draw()
    event.play()
    event.say(FactKind.AGAIN, games=[[1, 1, 0]])
    event.say(FactKind.RESULT, round=1, table=1, game=0, match="second", placements=[1, 2], scores=[2, 1])
    event.say(FactKind.AGAIN, games=[[1, 1, 0]])
    event.say(FactKind.ABSENT, round=1, table=1, entrant=1)
    event.say(FactKind.FINISHED, seed=SEED.hex())
    assert verify_event(event_document(event.facts)).claims == ()


def test_a_void_match_to_which_everybody_forfeited_has_no_replay() -> None:
    event = Played({"kind": "knockout"}, 2, 2)
    event.draw()
    event.say(FactKind.RESULT, round=1, table=1, game=0, match="void", placements=[1, 1], out=[1, 2])
    event.say(FactKind.FINISHED, seed=SEED.hex())
    proof = verify_event(event_document(event.facts))
    assert proof.claims == () and Word.ABSENCES in proof.not_proved


def test_a_marathon_is_drawn_again_from_those_who_were_free() -> None:
    event = Played({"kind": "marathon"}, 2, 4)
    event.draw([1, 2, 4])
    seats = event.event.rounds[0].tables[0].seats
    free = sorted({1, 2, 3, 4} - {*seats})
    event.draw(free)
    event.play()
    event.say(FactKind.FINISHED, seed=SEED.hex())
    right = event_document(event.facts)
    assert Word.FREE in verify_event(right).not_proved
    for change, code in (([*free, seats[0]], "BUSY"), (None, "BAD_FACT"), ([9], "BAD_FACT"), (free[:1], "OVER")):
        document = json.loads(json.dumps(right))
        data(document, FactKind.DRAWN, 1)["free"] = change
        with pytest.raises(NotProved) as refused:
            verify_event(document)
        assert (refused.value.code, refused.value.number) == (code, first(document, FactKind.DRAWN, 1))


def test_an_event_is_published_when_it_is_over() -> None:
    facts = played().facts
    with pytest.raises(FactRefused):
        event_document(facts[:-1])
    with pytest.raises(NotProved) as refused:
        verify_event({"format": "naqala-event/1", "facts": [fact.document() for fact in facts[:-1]], "standings": []})
    assert refused.value.code == "NOT_OVER"


def move(document: Document, fact: int, to: int) -> None:
    document["facts"].insert(to, document["facts"].pop(fact))


D, R = FactKind.DRAWN, FactKind.RESULT
CHANGES: dict[str, tuple[Callable[[Document], Any], str, Callable[[Document], int]]] = {
    # The change, the code, and the first fact that does not follow.
    "seats": (lambda d: data(d, D)["tables"][0].reverse(), "DRAW", lambda d: first(d, D)),
    "tables": (lambda d: data(d, D, 1)["tables"].reverse(), "DRAW", lambda d: first(d, D, 1)),
    "a table less": (lambda d: data(d, D)["tables"].pop(), "DRAW", lambda d: first(d, D)),
    "a group": (lambda d: data(d, D, 2)["tables"][-1].update(group="other"), "DRAW", lambda d: first(d, D, 2)),
    "a bye": (lambda d: data(d, D)["byes"].pop(), "BYES", lambda d: first(d, D)),
    "a label": (lambda d: data(d, D).update(label="final"), "LABEL", lambda d: first(d, D)),
    "who was free": (lambda d: data(d, D).update(free=[1]), "BAD_FACT", lambda d: first(d, D)),
    "a result": (lambda d: data(d, R)["placements"].reverse(), "DRAW", lambda d: first(d, D, 1)),
    "the last result": (lambda d: data(d, R, -1)["placements"].reverse(), "STANDINGS", lambda d: -1),
    "no placements": (lambda d: data(d, R).update(placements=[2, 2]), "BAD_FACT", lambda d: first(d, R)),
    "scores": (lambda d: data(d, R, -1).update(scores=[1000, 0]), "STANDINGS", lambda d: -1),
    "a match twice": (lambda d: data(d, R, 1).update(match="match-1-1-0"), "TWICE", lambda d: first(d, R, 1)),
    "a strength": (
        lambda d: data(d, FactKind.FROZEN)["field"][5].__setitem__(2, 9000),
        "DRAW",
        lambda d: first(d, D),
    ),
    "an entrant": (
        lambda d: d["facts"].pop(first(d, FactKind.ENTERED)),
        "BAD_FACT",
        lambda d: first(d, FactKind.FROZEN),
    ),
    "the commitment": (
        lambda d: data(d, FactKind.PUBLISHED).update(commitment="00" * 32),
        "BAD_SEED",
        lambda d: first(d, FactKind.FINISHED),
    ),
    "the seed": (
        lambda d: data(d, FactKind.FINISHED).update(seed="00" * 32),
        "BAD_SEED",
        lambda d: first(d, FactKind.FINISHED),
    ),
    "the format": (
        lambda d: data(d, FactKind.CREATED)["terms"]["format"].update(consolation=False),
        "DRAW",
        lambda d: first(d, D, 2),
    ),
    "the tie-breaks": (
        lambda d: data(d, FactKind.CREATED)["terms"].update(tie_breaks=["lot"]),
        "STANDINGS",
        lambda d: -1,
    ),
    "no result": (lambda d: d["facts"].pop(first(d, R)), "ROUND_OPEN", lambda d: first(d, D, 1)),
    "nobody left": (lambda d: d["facts"].pop(first(d, FactKind.WITHDRAWN)), "DRAW", lambda d: first(d, D, 1)),
    "not started": (lambda d: d["facts"].pop(first(d, FactKind.STARTED)), "BAD_STATE", lambda d: first(d, D)),
    "no draw": (lambda d: d["facts"].pop(first(d, D)), "NO_GAME", lambda d: first(d, R)),
    "no final": (
        lambda d: d["facts"].__delitem__(slice(first(d, D, 2), -1)),
        "NOT_OVER",
        lambda d: first(d, FactKind.FINISHED),
    ),
    "a round more": (
        lambda d: d["facts"].insert(-1, d["facts"][first(d, D, 2)]),
        "OVER",
        lambda d: first(d, D, 3),
    ),
    "drawn too early": (lambda d: move(d, first(d, D, 1), first(d, R, 1)), "ROUND_OPEN", lambda d: first(d, D, 1)),
    "left too late": (
        lambda d: move(d, first(d, FactKind.WITHDRAWN), first(d, D, 1)),
        "DRAW",
        lambda d: first(d, D, 1),
    ),
    "a place": (lambda d: d["standings"][0].update(place=2), "STANDINGS", lambda d: -1),
    "a row": (lambda d: d["standings"].pop(), "STANDINGS", lambda d: -1),
    "rows": (lambda d: d["standings"].reverse(), "STANDINGS", lambda d: -1),
    "no fact": (lambda d: d["facts"].insert(3, {"kind": "dance"}), "UNKNOWN_FACT", lambda d: 3),
    "no facts": (lambda d: d.update(facts=[]), "BAD_FORMAT", lambda d: -1),
    "another format": (lambda d: d.update(format="naqala-event/2"), "BAD_FORMAT", lambda d: -1),
    "more": (lambda d: d.update(more=1), "BAD_FORMAT", lambda d: -1),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_first_fact_that_does_not_follow_is_named(name: str, document: Document) -> None:
    change, code, number = CHANGES[name]
    change(document)
    with pytest.raises(NotProved) as refused:
        verify_event(document)
    assert (refused.value.code, refused.value.number) == (code, number(document)), refused.value


def test_no_fact_that_matters_can_be_left_out(document: Document) -> None:
    for number in range(len(document["facts"])):
        shorter = {**document, "facts": document["facts"][:number] + document["facts"][number + 1 :]}
        with pytest.raises(NotProved) as refused:
            verify_event(shorter)
        assert refused.value.number >= number or refused.value.number == -1, refused.value


def test_the_document_of_a_cancelled_event() -> None:
    facts = played().facts
    event = Event(facts[:12])
    event_facts = [*facts[:12], Fact(EventCancelled(SEED), why="rain")]
    assert len(event.rounds) == 1 and verify_event(json.loads(json.dumps(event_document(event_facts)))).draws == 1
