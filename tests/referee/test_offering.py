"""The referee before the game: the offer, its answers, and aborts."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest

from arena.referee import (
    AbortMatch,
    AskMove,
    AskReveal,
    ClockRead,
    Entry,
    Event,
    LogError,
    MatchOpened,
    NonceRevealed,
    OfferAccepted,
    OfferDeclined,
    OfferMatch,
    PathLost,
    Policy,
    RefereeState,
    ResumeSeat,
    SeatBack,
    SeatLost,
    TimePassed,
)
from arena.rules import match_seed
from tests.referee.conftest import SECOND, Table, accepted, nonce_of, revealed


def test_every_seat_gets_an_offer_and_the_seed_is_made_of_all_nonces(table: Table) -> None:
    assert table.give(MatchOpened()) == [OfferMatch(1), OfferMatch(2), OfferMatch(3)]
    assert table.give(accepted(2)) == []
    assert table.give(OfferAccepted(2, bytes(32))) == []  # a repetition: the first one counts
    assert table.give(accepted(1)) == []
    hashes = tuple(sha256(nonce_of(seat)).digest() for seat in (1, 2, 3))
    assert table.give(accepted(3)) == [AskReveal(seat, hashes) for seat in (1, 2, 3)]
    assert table.referee.state == RefereeState.REVEALING
    assert table.give(revealed(3)) == []
    assert table.give(NonceRevealed(3, nonce_of(1))) == []  # a repetition: the first one counts
    assert table.give(revealed(1)) == []
    (ask,) = table.give(revealed(2))
    assert isinstance(ask, AskMove)
    assert ask.index == 0 and ask.phase == "bid" and ask.view.seat == ask.seat
    assert table.record.running.seed == match_seed(bytes(32), [nonce_of(1), nonce_of(2), nonce_of(3)])
    assert table.referee.state == RefereeState.PENDING


def test_a_bot_that_could_not_be_asked_is_not_blamed(table: Table) -> None:
    table.give(MatchOpened())
    leaving = OfferDeclined(3, "the bot was leaving", is_blamed=False)
    assert table.give(leaving) == [AbortMatch("NO_PLACE", "the bot was leaving", (3,))]
    assert table.resume() == [AbortMatch("NO_PLACE", "the bot was leaving", (3,))]


def test_an_abort_for_a_place_that_the_arena_gave_away_twice_names_no_seat(table: Table) -> None:
    table.give(MatchOpened())
    overbooked = OfferDeclined(3, "in too many matches", is_blamed=False, is_overbooked=True)
    assert table.give(overbooked) == [AbortMatch("NO_PLACE", "in too many matches", ())]
    assert table.resume() == [AbortMatch("NO_PLACE", "in too many matches", ())]


def test_an_offer_that_is_declined_aborts_the_match(table: Table) -> None:
    table.give(MatchOpened())
    assert table.give(OfferDeclined(3)) == [DECLINED]
    assert table.log == [Entry(0, "abort", 0, "DECLINED", {"seats": [3], "message": DECLINED.message})]
    assert table.referee.state == RefereeState.ABORTED
    assert table.referee.is_over and table.referee.wake_at is None
    assert table.give(accepted(1)) == []
    assert table.resume() == [DECLINED]  # the row may not have it yet


def test_a_bots_words_reach_no_other_bot(table: Table) -> None:
    """They are a note, which its owner alone can read. Escape sequences, links and line breaks do not act there."""
    said = "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\ \u202e\x9b31m\x00\nseat 1 cheats"
    table.give(MatchOpened())
    assert table.give(OfferDeclined(3, said=said)) == [DECLINED]
    noted = table.log[0]
    assert (noted.kind, noted.seat, noted.data) == ("note", 3, None)
    assert noted.text.isprintable() and noted.text.startswith("\ufffd]8;;https://evil.example\ufffd\\click")
    assert table.resume() == [DECLINED]


def test_a_bots_words_are_cut_to_a_sentence(table: Table) -> None:
    table.give(MatchOpened())
    table.give(OfferDeclined(3, said="x\0" * 150))
    assert table.log[0].text == "x\N{REPLACEMENT CHARACTER}" * 100


def test_an_abort_without_its_facts_was_written_by_no_referee(table: Table) -> None:
    table.log = [Entry(0, "abort", 0, "DECLINED")]
    with pytest.raises(LogError, match=r"^no abort was written$"):
        table.resume()


def test_an_offer_without_an_answer_in_time_aborts_the_match(table: Table) -> None:
    table.give(MatchOpened())
    table.give(accepted(2))
    assert table.referee.wake_at == 10 * SECOND
    assert table.give(TimePassed(), after=9.9) == []
    (abort,) = table.give(TimePassed(), after=0.1)
    assert isinstance(abort, AbortMatch)
    assert (abort.reason, abort.seats) == ("NO_ANSWER", (1, 3))


@pytest.mark.parametrize("digest", [b"", bytes(16), bytes(33)], ids=["none", "a nonce", "too long"])
def test_what_is_no_hash_of_a_nonce_aborts_the_match(table: Table, digest: bytes) -> None:
    table.give(MatchOpened())
    (abort,) = table.give(OfferAccepted(2, digest))
    assert abort == AbortMatch("BAD_NONCE", f"the hash of a nonce has 32 bytes, not {len(digest)}", (2,))


def test_a_new_owner_offers_the_match_again_to_those_who_have_not_answered(table: Table) -> None:
    table.give(MatchOpened())
    table.give(accepted(2))
    table.now += 9 * SECOND
    assert table.resume() == [OfferMatch(1), OfferMatch(3)]
    assert table.referee.wake_at == 19 * SECOND


def test_a_bot_that_comes_back_during_the_offer_is_offered_the_match_again(table: Table) -> None:
    table.give(MatchOpened())
    table.give(SeatLost(1))
    assert table.give(SeatBack(1), after=5) == [OfferMatch(1)]
    assert table.record.seats[1].grace_ms == 60_000  # grace is for the game
    table.give(accepted(1))
    (resumed,) = table.give(SeatBack(1))
    assert resumed == ResumeSeat(1, 0, None, 60_000, 60_000, all_accepted=False)


def test_grace_does_not_run_before_the_game(table: Table) -> None:
    table = Table(replace(table.terms, policy=Policy(grace_ms=3_000)))
    table.give(MatchOpened())
    table.give(SeatLost(1))
    assert table.referee.wake_at == 10 * SECOND


def test_who_could_not_be_asked_is_not_blamed(table: Table) -> None:
    table.give(MatchOpened())
    table.give(accepted(1))
    table.give(accepted(2))
    table.give(PathLost(3), after=5)
    assert table.give(TimePassed(), after=9) == []
    (abort,) = table.give(TimePassed(), after=1)
    assert isinstance(abort, AbortMatch)
    assert (abort.reason, abort.seats) == ("NO_PLACE", (3,))


def test_who_is_back_is_asked_and_blamed_like_the_others(table: Table) -> None:
    table.give(MatchOpened())
    table.give(accepted(1))
    table.give(accepted(2))
    table.give(PathLost(3))
    table.give(SeatBack(3))
    (abort,) = table.give(TimePassed(), after=10)
    assert abort == AbortMatch("NO_ANSWER", "an offer was not answered in time", (3,))


def test_ways_that_break_again_and_again_are_not_waited_for_for_ever(table: Table) -> None:
    table.give(MatchOpened())
    for _ in range(66):
        assert table.give(PathLost(3), after=9) == []
        table.give(SeatBack(3))
    (abort,) = table.give(PathLost(3), after=6)  # ten minutes since the offer
    assert abort == AbortMatch("NO_PLACE", "a bot could not be reached for too long", (3,))


def test_only_who_was_asked_is_blamed(table: Table) -> None:
    table.give(MatchOpened())
    table.give(PathLost(3))
    table.give(accepted(1))
    (abort,) = table.give(TimePassed(), after=10)
    assert isinstance(abort, AbortMatch)
    assert (abort.reason, abort.seats) == ("NO_ANSWER", (2,))


def test_a_bot_that_dials_in_elsewhere_gains_no_time_for_an_offer(table: Table) -> None:
    table.give(MatchOpened())
    table.give(accepted(1))
    table.give(accepted(2))
    for _ in range(3):
        table.give(PathLost(3, left_by_bot=True), after=3)
        table.give(SeatBack(3))
    (abort,) = table.give(TimePassed(), after=1)
    assert isinstance(abort, AbortMatch)
    assert (abort.reason, abort.seats) == ("NO_ANSWER", (3,))


def test_an_offer_has_its_time_by_what_was_measured(table: Table) -> None:
    table.give(MatchOpened())
    table.give(accepted(2))
    table.give(ClockRead(2, -1, 0), after=5)  # meaningless: this bot has answered
    assert table.referee.wake_at == 10 * SECOND
    table.give(ClockRead(1, -1, 4 * SECOND), after=5)
    assert table.give(TimePassed()) == []
    assert table.referee.wake_at == 16 * SECOND


LEAVES = [[SeatLost(3)], [PathLost(3, left_by_bot=True)], [SeatLost(3), PathLost(3, left_by_bot=True), SeatBack(3)]]
DECLINED = AbortMatch("DECLINED", "the bot declined the offer", (3,))
FULL = OfferDeclined(3, "in too many matches", is_blamed=False, is_overbooked=True)
LET_GO = AbortMatch("DECLINED", "the bot dropped its stream with the offer open", (3,))


@pytest.mark.parametrize("events", LEAVES, ids=["drops its stream", "dials in elsewhere", "another process"])
def test_who_lets_go_of_an_offer_and_can_be_offered_it_no_more_has_declined(table: Table, events: list[Event]) -> None:
    table.give(MatchOpened())
    for event in events:
        table.give(event)
    table.give(PathLost(3, is_refused=True))
    assert table.give(FULL) == [LET_GO]


def test_who_lets_go_of_an_offer_is_not_blamed_when_the_way_breaks_by_our_fault_after_that(table: Table) -> None:
    table.give(MatchOpened())
    table.give(SeatLost(3))
    table.give(PathLost(3))
    assert table.give(FULL) == [AbortMatch("NO_PLACE", "in too many matches", ())]


def test_the_loss_of_another_seat_is_not_blamed_on_who_is_back(table: Table) -> None:
    table.give(MatchOpened())
    table.give(SeatLost(2))
    table.give(SeatBack(2))
    assert table.give(FULL) == [AbortMatch("NO_PLACE", "in too many matches", ())]


@pytest.mark.parametrize("refused", [False, True])
def test_an_offer_has_one_deadline_through_however_many_processes_it_goes(table: Table, refused: bool) -> None:
    table.give(MatchOpened())
    table.give(accepted(1))
    table.give(accepted(2))
    for _ in range(3):
        table.give(SeatLost(3), after=3)
        table.give(PathLost(3, left_by_bot=True))
        table.give(SeatBack(3))
        if refused:
            table.give(PathLost(3, is_refused=True))
            table.give(SeatBack(3))
    table.give(ClockRead(3, -1, 1 * SECOND), after=1)  # time that the bot had under the previous process
    (abort,) = table.give(TimePassed())
    assert abort == AbortMatch("NO_ANSWER", "an offer was not answered in time", (3,))


def test_our_own_break_gives_an_offer_its_whole_time_again(table: Table) -> None:
    table.give(MatchOpened())
    table.give(SeatLost(3), after=8)
    table.give(PathLost(3, left_by_bot=True))
    table.give(SeatBack(3))
    table.give(PathLost(3))
    table.give(SeatBack(3))
    assert table.referee.wake_at == 18 * SECOND
    table.give(ClockRead(3, -1, 4 * SECOND), after=10)
    assert table.referee.wake_at == 24 * SECOND


def test_who_has_let_go_is_blamed_when_ways_to_others_break_for_too_long(table: Table) -> None:
    table.give(MatchOpened())
    table.give(SeatLost(3))
    for _ in range(66):
        assert table.give(PathLost(2), after=9) == []
        table.give(SeatBack(2))
    assert table.give(PathLost(2), after=6) == [LET_GO]


def test_an_abort_for_which_the_arena_is_the_cause_names_no_seat(table: Table) -> None:
    """Without a path to any bot it was not the bots that went."""
    table.give(MatchOpened())
    for seat in (1, 2, 3):
        table.give(PathLost(seat))
    (abort,) = table.give(TimePassed(), after=11)
    assert isinstance(abort, AbortMatch) and (abort.reason, abort.seats) == ("NO_PLACE", ())
