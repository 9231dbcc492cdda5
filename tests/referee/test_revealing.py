"""Nonces are fixed by their hashes before one is known, and then revealed.

A bot that does not reveal its nonce forfeits.
"""

from __future__ import annotations

from hashlib import sha256

import pytest

from arena.referee import (
    AbortMatch,
    AskMove,
    AskReveal,
    ClockRead,
    Entry,
    FinishMatch,
    Kind,
    LogError,
    MatchOpened,
    NonceRevealed,
    OfferAccepted,
    OfferDeclined,
    PathLost,
    Reason,
    Record,
    RefereeState,
    ResumeSeat,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TellFault,
    TimePassed,
    prove,
)
from arena.rules import match_seed
from tests.referee.conftest import SECOND, Table, accepted, house, nonce_of, play_on, revealed

SEATS = [{"name": "bot", "version": "1"}] * 3


def told(seat: int, message: str) -> TellFault:
    return TellFault(seat, 0, "NO_REVEAL", "", message, 0, "", has_forfeited=True)


def test_the_bot_that_answers_last_cannot_choose_the_seed_though_it_knows_the_server_seed(duel: Table) -> None:
    """Without hashes the last bot could try nonces: it knew the other nonce, and the server seed from an accomplice.

    With hashes its own nonce is fixed when it learns another one, and every other nonce that it tries costs it its
    seat.
    """
    asks = duel.accept_all()
    assert [entry.kind for entry in duel.log] == ["commit", "commit"], "no nonce was known before the last hash"
    assert nonce_of(1) not in b"".join(digest for ask in asks for digest in ask.nonce_hashes)
    duel.give(revealed(1))
    first = match_seed(duel.terms.server_seed, [nonce_of(1), nonce_of(2)])
    tried = (number.to_bytes(16, "big") for number in range(1_000))
    wanted = next(n for n in tried if match_seed(duel.terms.server_seed, [nonce_of(1), n])[0] == (first[0] + 1) % 256)
    fault, finish = duel.give(NonceRevealed(2, wanted))
    assert fault == told(2, "the nonce is not the one whose hash was given")
    assert isinstance(finish, FinishMatch) and finish.verdict.placements == (1, 2)
    assert duel.record.running.seed == match_seed(duel.terms.server_seed, [nonce_of(1), b""])


def test_who_does_not_reveal_in_time_forfeits_and_the_house_plays_on(table: Table) -> None:
    table.accept_all()
    table.give(revealed(1))
    assert table.give(TimePassed(), after=9.9) == []
    fault, ask = [*table.give(revealed(3)), *table.give(TimePassed(), after=0.1)]
    assert fault == told(2, "the nonce was not revealed in time")
    assert isinstance(ask, AskMove)
    assert table.record.running.seed == match_seed(bytes(32), [nonce_of(1), b"", nonce_of(3)])
    play_on(table)
    (finish,) = table.finishes
    assert finish.verdict.placements[1] == 3
    assert [forfeit.document() for forfeit in finish.verdict.forfeits] == [{"seat": 2, "at": 0, "reason": "NO_REVEAL"}]
    document = table.referee.replay(SEATS)
    assert document["nonces"][1] == "" and document["nonce_hashes"][1] == sha256(nonce_of(2)).hexdigest()
    assert document["incidents"][0] == {"at": 0, "seat": 2, "kind": "forfeit", "reason": "NO_REVEAL"}
    prove(document, house)


def test_if_nobody_reveals_the_match_is_void(duel: Table) -> None:
    duel.accept_all()
    *faults, finish = duel.give(TimePassed(), after=10)
    assert faults == [told(seat, "the nonce was not revealed in time") for seat in (1, 2)]
    assert isinstance(finish, FinishMatch) and finish.verdict.kind == "void"
    prove(duel.referee.replay(SEATS[:2]), house)


def test_a_nonce_has_at_most_32_bytes(duel: Table) -> None:
    duel.give(MatchOpened())
    duel.give(accepted(1))
    duel.give(OfferAccepted(2, sha256(bytes(33)).digest()))
    (fault,) = duel.give(NonceRevealed(2, bytes(33)))
    assert fault == told(2, "a nonce has 0 to 32 bytes, not 33")


@pytest.mark.parametrize("size", [0, 1, 32])
def test_the_shortest_and_the_longest_nonce_are_taken(duel: Table, size: int) -> None:
    """Rules 9: a bot that sends no nonce has a nonce of length 0."""
    duel.give(MatchOpened())
    duel.give(accepted(1))
    duel.give(OfferAccepted(2, sha256(bytes(size)).digest()))
    assert duel.give(NonceRevealed(2, bytes(size))) == []
    assert duel.record.seats[2].nonce == bytes(size)
    duel.give(revealed(1))
    play_on(duel)
    document = duel.referee.replay(SEATS[:2])
    assert document["nonces"] == [nonce_of(1).hex(), bytes(size).hex()] and not document["verdict"]["forfeits"]
    prove(document, house)


def test_an_empty_nonce_that_is_not_revealed_is_withheld_all_the_same(duel: Table) -> None:
    duel.give(MatchOpened())
    duel.give(accepted(1))
    duel.give(OfferAccepted(2, sha256(b"").digest()))
    duel.give(revealed(1))
    duel.give(TimePassed(), after=10)
    document = duel.referee.replay(SEATS[:2])
    assert [forfeit["reason"] for forfeit in document["verdict"]["forfeits"]] == ["NO_REVEAL"]
    prove(document, house)


def test_the_first_nonce_counts(table: Table) -> None:
    table.accept_all()
    table.give(revealed(1))
    for again in (revealed(1), NonceRevealed(1, bytes(16)), accepted(1), OfferDeclined(1)):
        assert table.give(again) == []
    assert table.referee.state == RefereeState.REVEALING
    assert [entry.kind for entry in table.log] == ["commit", "commit", "commit", "ready"]


def test_a_bot_that_comes_back_is_asked_for_its_nonce_again_unless_it_has_given_it(table: Table) -> None:
    asks = table.accept_all()
    table.give(revealed(1))
    table.give(SeatLost(1))
    table.give(SeatLost(2))
    assert table.give(SeatBack(1), after=5) == [ResumeSeat(1, 0, None, 60_000, 60_000)]
    assert table.give(SeatBack(2)) == [ResumeSeat(2, 0, None, 60_000, 60_000), asks[1]]
    assert table.record.seats[2].grace_ms == 60_000  # grace is for the game
    assert table.referee.wake_at == 10 * SECOND  # it left on its own: it gets no new time
    table.give(NonceRevealed(3, b""))
    (again,) = table.give(SeatBack(3))
    assert isinstance(again, TellFault) and again.has_forfeited


def test_a_new_owner_asks_those_who_have_not_revealed_again(table: Table) -> None:
    asks = table.accept_all()
    assert table.resume() == asks
    table.give(revealed(2))
    table.give(NonceRevealed(1, b""))
    table.now += 9 * SECOND
    assert table.resume() == [asks[2]]
    assert table.referee.state == RefereeState.REVEALING
    assert table.referee.waits_for == {3}
    assert table.referee.wake_at == 19 * SECOND


def test_a_way_that_breaks_gives_the_time_again_but_not_for_ever_and_nobody_is_blamed(table: Table) -> None:
    table.accept_all()
    table.give(revealed(1))
    for _ in range(66):
        assert table.give(PathLost(3), after=9) == []
        assert isinstance(table.give(SeatBack(3))[-1], AskReveal)
    assert table.give(PathLost(3), after=9) == [AbortMatch("NO_PLACE", "a bot could not be reached for too long", (3,))]
    assert table.record.forfeits == []


def test_nobody_forfeits_a_match_that_cannot_begin(table: Table) -> None:
    table.accept_all()
    table.give(revealed(1))
    table.give(PathLost(3), after=5)
    assert table.give(TimePassed(), after=9) == []
    (abort,) = table.give(TimePassed(), after=1)
    assert isinstance(abort, AbortMatch) and (abort.reason, abort.seats) == ("NO_PLACE", (3,))
    assert table.record.forfeits == []


def test_a_bot_that_dials_in_elsewhere_gains_no_time(table: Table) -> None:
    table.accept_all()
    table.give(revealed(1))
    table.give(revealed(2))
    for _ in range(3):
        table.give(PathLost(3, left_by_bot=True), after=3)
        table.give(SeatBack(3))
    fault, *_ = table.give(TimePassed(), after=1)
    assert fault == told(3, "the nonce was not revealed in time")


def test_time_is_what_was_measured_around_the_wire(table: Table) -> None:
    table.accept_all()
    table.give(ClockRead(1, -3, 4 * SECOND), after=10)
    assert table.give(TimePassed()) == []
    assert table.referee.wake_at == 16 * SECOND


def test_a_fault_of_the_wire_is_no_strike_before_the_game(table: Table) -> None:
    table.accept_all()
    assert table.give(SeatFaulted(1, Reason.FLOODING, "too much")) == []
    assert table.record.seats[1].strikes == 0


COMMITS = [Entry(seat - 1, "commit", seat, sha256(nonce_of(seat)).hexdigest()) for seat in (1, 2)]
NO_HASH = "this is not the hash of a nonce, or not the first one of its seat"
NO_NONCE = "not all hashes were given, or this nonce does not match its own"
NO_FORFEIT = "only a withheld nonce is a forfeit before the game"
IMPOSSIBLE = {
    "a nonce before all hashes": ([COMMITS[0], Entry(1, "ready", 1, nonce_of(1).hex())], NO_NONCE),
    "a nonce of another hash": ([*COMMITS, Entry(2, "ready", 1, nonce_of(2).hex())], NO_NONCE),
    "a second nonce": (
        [*COMMITS, *(Entry(number, "ready", 1, nonce_of(1).hex()) for number in (2, 3))],
        "seat 1 already has a nonce",
    ),
    "a second hash": ([COMMITS[0], Entry(1, "commit", 1, COMMITS[1].text)], NO_HASH),
    "half a hash": ([Entry(0, "commit", 1, "00" * 16)], NO_HASH),
    "a forfeit during the offer": ([COMMITS[0], Entry(1, "forfeit", 1, "NO_REVEAL", {"index": 0})], NO_FORFEIT),
    "another forfeit before the game": ([*COMMITS, Entry(2, "forfeit", 1, "GONE", {"index": 0})], NO_FORFEIT),
    "a forfeit after a nonce": (
        [*COMMITS, Entry(2, "ready", 1, nonce_of(1).hex()), Entry(3, "forfeit", 1, "NO_REVEAL", {"index": 0})],
        NO_FORFEIT,
    ),
}


@pytest.mark.parametrize(("log", "why"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_no_referee_wrote_such_a_log(duel: Table, log: list[Entry], why: str) -> None:
    with pytest.raises(LogError, match=f"^entry {len(log) - 1}: {why}$"):
        Record.fold(duel.terms, log)


def test_every_prefix_of_the_log_goes_on_to_the_same_seed(table: Table) -> None:
    table.begin()
    log, seed = table.log, table.record.running.seed
    assert [entry.kind for entry in log] == [Kind.COMMIT] * 3 + [Kind.READY] * 3
    for length in range(len(log)):
        other = Table(table.terms)
        other.log = log[:length]
        other.resume()
        for step in (accepted, revealed):
            for seat in other.record.unready:
                other.give(step(seat))
        assert other.record.running.seed == seed
