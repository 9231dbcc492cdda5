"""The process that plays a seat, and messages that are repeated."""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from arena.bus import BusUnavailable, Presence, ToBot, hosted_session
from arena.referee import SECOND, Event, MatchOpened, PathLost, SeatBack, SeatRecord, Terms
from arena.rules import Ruleset
from tests.referee.conftest import Table, accepted, revealed
from workers.needs import Send
from workers.outbox import FIRST_REPEAT, REPEAT, Flushed, Outbox
from workers.paths import (
    ABSENT,
    ALL_ABSENT,
    HAND_OVER,
    HAND_OVER_UNSEEN,
    OVERDUE,
    SETTLE,
    PresenceSnapshot,
    Route,
    SeatPath,
    SeatPaths,
)

SESSION = Presence("s", "g", bot=1, bot_version=7, owner=1, process="p", capacity=2)


def present(*sessions: Presence) -> dict[str, Presence]:
    return {session.id: session for session in sessions}


def test_before_the_offer_is_accepted_the_freest_process_of_the_version_is_chosen() -> None:
    path = SeatPath(7)
    busy = replace(SESSION, id="busy", running=2)
    other = replace(SESSION, id="other", bot_version=8, capacity=9)
    lost = replace(SESSION, id="lost", connected=False, capacity=9)
    leaving = replace(SESSION, id="leaving", leaving=True, capacity=9)
    assert path.choose(present(busy, other, lost, leaving, SESSION)) == SESSION
    assert path.choose(present(busy, other, lost, leaving)) == busy  # it may decline for itself
    assert path.choose(present(other, lost, leaving)) is None


def test_an_offer_that_is_out_stays_with_its_process_while_that_is_there() -> None:
    path = SeatPath(7)
    path.set_route(SESSION)
    freer = replace(SESSION, id="freer", capacity=9)
    assert path.choose(present(SESSION, freer)) == SESSION
    assert path.choose(present(replace(SESSION, connected=False), freer)) == freer


def test_after_that_only_the_process_that_accepted() -> None:
    path = SeatPath(7)
    path.pinned = "s"
    assert path.choose(present(replace(SESSION, id="freer"))) is None
    assert path.choose(present(replace(SESSION, connected=False, leaving=True))) is not None


def successor_after(path: SeatPath, *shown: Presence, seconds: int = 6) -> Presence | None:
    """Let presence show these processes for some seconds. Return the successor at the end."""
    for second in range(seconds):
        assert path.successor(PresenceSnapshot(present(*shown)), second * SECOND) is None
    return path.successor(PresenceSnapshot(present(*shown)), seconds * SECOND)


HOLDER = replace(SESSION, token=3)
GONE = replace(HOLDER, connected=False)
NEW = replace(HOLDER, id="new", process="another")


def test_a_new_process_of_the_token_replaces_one_that_is_gone_for_some_seconds() -> None:
    for gone in ((GONE,), (replace(GONE, leaving=True),), ()):  # its gateway remembers it, or is gone itself
        path = SeatPath(7, pinned="s")
        assert successor_after(path, HOLDER) is None
        assert successor_after(path, *gone, NEW, seconds=HAND_OVER // SECOND) == NEW


def test_a_process_keeps_its_matches_while_it_lives_or_nobody_replaces_it() -> None:
    others = (
        replace(NEW, token=4), replace(NEW, bot_version=8), replace(NEW, connected=False), replace(NEW, leaving=True)
    )  # fmt: skip
    for other in others:
        path = SeatPath(7, pinned="s")
        assert successor_after(path, HOLDER, NEW, seconds=60) is None
        assert successor_after(SeatPath(7, pinned="s"), GONE, other, seconds=60) is None


def test_a_process_that_was_there_before_replaces_only_one_that_leaves() -> None:
    path = SeatPath(7, pinned="s")
    assert successor_after(path, HOLDER, NEW) is None
    assert successor_after(path, GONE, NEW, seconds=60) is None
    assert successor_after(path, replace(HOLDER, leaving=True), NEW) is None
    assert successor_after(path, GONE, NEW, seconds=HAND_OVER // SECOND) == NEW


def test_a_process_that_is_back_in_time_keeps_its_match() -> None:
    path = SeatPath(7, pinned="s")
    assert successor_after(path, GONE, NEW, seconds=3) is None
    assert path.successor(PresenceSnapshot(present(HOLDER, NEW)), 4 * SECOND) is None
    assert successor_after(path, GONE, NEW, seconds=60) is None


def test_a_match_that_is_handed_over_goes_on_at_the_new_process() -> None:
    paths = SeatPaths({1: SeatPath(7, pinned="s")})
    assert hand_over(paths, GONE) == [PathLost(1, left_by_bot=True, is_handed_over=True), SeatBack(1, by="new")]
    assert (paths.route(1), paths[1].pinned) == (Route("new", "g", wants_legal=False), "new")


def hand_over(paths: SeatPaths, *gone: Presence) -> list[Event]:
    """Let `NEW` replace `HOLDER` at seat 1. `gone` is what presence shows of the latter. Return the last events."""
    is_away = bool(gone)  # its gateway has reported the loss
    seats = {1: SeatRecord(bank_ms=0, grace_ms=0, is_away=is_away)}
    paths[1].set_route(HOLDER)
    seen: list[Event] = []
    for second in range(5, 5 + HAND_OVER // SECOND + 2):
        shown = (HOLDER,) if second == 5 else (*gone, NEW)
        seen = list(paths.follow(PresenceSnapshot(present(*shown), read_at=second * SECOND), seats, second * SECOND))
    return seen


def test_a_hand_over_is_charged_neither_for_a_gateway_that_is_gone_nor_to_a_bot_of_the_arena() -> None:
    seen = hand_over(SeatPaths({1: SeatPath(7, pinned="s")}))
    assert seen == [PathLost(1, left_by_bot=False, is_handed_over=True), SeatBack(1, by="new")]
    seen = hand_over(SeatPaths({1: SeatPath(7, pinned="s", is_house=True)}), GONE)
    assert seen == [PathLost(1, left_by_bot=True, is_handed_over=False), SeatBack(1, by="new")]


FIRST = replace(SESSION, id=hosted_session(7, "first"), gateway="first")
SECOND_RUNNER = replace(SESSION, id=hosted_session(7, "second"), gateway="second")


def test_a_runner_that_still_plays_a_seat_of_another_one_is_found() -> None:
    paths = SeatPaths({1: SeatPath(7, pinned=SECOND_RUNNER.id), 2: SeatPath(8, pinned="s")})
    playing = [replace(bot, matches=("other", "m")) for bot in (FIRST, SECOND_RUNNER, SESSION)]
    assert list(paths.strays("m", PresenceSnapshot(present(*playing)))) == [(1, playing[0])]
    assert not list(paths.strays("m", PresenceSnapshot(present(FIRST, *playing[1:]))))
    unpinned = SeatPaths({1: SeatPath(7)})
    assert not list(unpinned.strays("m", PresenceSnapshot(present(*playing))))


def test_any_runner_that_hosts_the_version_replaces_one_that_is_gone() -> None:
    others = (NEW, replace(SECOND_RUNNER, id=hosted_session(8, "second"), bot_version=8))
    for seconds_together in (0, 3):  # its next owner may never have seen the first runner
        path = SeatPath(7, pinned=FIRST.id)
        for second in range(seconds_together):
            shown = PresenceSnapshot(present(FIRST, SECOND_RUNNER, *others))
            assert path.successor(shown, second * SECOND) is None
        assert successor_after(path, *others, seconds=60) is None
        assert path.successor(PresenceSnapshot(present(SECOND_RUNNER, *others)), 61 * SECOND) == SECOND_RUNNER


def test_a_runner_takes_over_a_bot_that_gets_no_new_matches() -> None:
    """Its owner has paused it meanwhile, or another version plays new matches."""
    paused = replace(SECOND_RUNNER, leaving=True)
    path = SeatPath(7, pinned=FIRST.id)
    assert successor_after(path, paused, seconds=5) == paused
    path = SeatPath(7, pinned=FIRST.id)
    assert successor_after(path, replace(paused, connected=False)) is None


def test_a_runner_that_is_gone_costs_its_bot_nothing() -> None:
    path = SeatPath(7, pinned=FIRST.id)
    path.set_route(FIRST)
    paths = SeatPaths({1: path})
    seats = {1: SeatRecord(bank_ms=0, grace_ms=0, nonce=b"")}
    events: list[Event] = []
    for second in range(5, 5 + 2 * ALL_ABSENT // SECOND):
        events += paths.follow(PresenceSnapshot(present(NEW), read_at=second * SECOND), seats, second * SECOND)
    assert set(events) == {PathLost(1)}
    later = 5 * ALL_ABSENT
    events = list(paths.follow(PresenceSnapshot(present(SECOND_RUNNER), read_at=later), seats, later))
    assert events == [PathLost(1), SeatBack(1, by=SECOND_RUNNER.id)]
    assert path.pinned == SECOND_RUNNER.id


def test_no_runner_replaces_one_that_took_its_nonce_with_it() -> None:
    path = SeatPath(7, pinned=FIRST.id)
    seats = {1: SeatRecord(bank_ms=0, grace_ms=0, nonce_hash=bytes(32))}
    events: list[Event] = []
    for second in range(5, 5 + 2 * ALL_ABSENT // SECOND):
        shown = PresenceSnapshot(present(SECOND_RUNNER), read_at=second * SECOND)
        events += SeatPaths({1: path}).follow(shown, seats, second * SECOND)
    assert not events and path.pinned == FIRST.id


def test_the_next_owner_of_a_match_that_was_handed_over_asks_the_new_process() -> None:
    table = Table(Terms("m", Ruleset(2), bytes(32)))
    table.give(MatchOpened())
    for seat in (1, 2):
        table.give(dataclasses.replace(accepted(seat), by="s"))
    for seat in (1, 2):
        table.give(revealed(seat))
    for event in hand_over(SeatPaths({1: SeatPath(7, pinned="s")}), GONE):
        table.give(event)
    seats = table.rebuilt().record.seats
    paths = SeatPaths({1: SeatPath(7, pinned=seats[1].by)})
    events: list[Event] = []
    for second in range(5, 5 + 2 * ABSENT // SECOND):  # the old process is announced no more
        events += paths.follow(PresenceSnapshot(present(NEW), read_at=second * SECOND), seats, second * SECOND)
    assert events == [SeatBack(1)]


def test_a_referee_that_never_saw_the_process_lets_any_process_of_the_version_replace_it() -> None:
    other = replace(NEW, token=4)  # nobody knows which token the process had
    assert successor_after(SeatPath(7, pinned="s"), other, seconds=HAND_OVER_UNSEEN // SECOND) == other
    assert successor_after(SeatPath(7, pinned="s"), replace(other, bot_version=8), seconds=90) is None
    paths, seats = SeatPaths({1: SeatPath(7, pinned="s")}), {1: SeatRecord(bank_ms=0, grace_ms=0)}
    events: list[Event] = []
    for second in range(5, 5 + 2 * ABSENT // SECOND):
        events += paths.follow(PresenceSnapshot(present(other), read_at=second * SECOND), seats, second * SECOND)
    assert events == [SeatBack(1, by="new")]  # before it counts as one that has left


def test_a_gateway_is_believed_more_than_older_presence() -> None:
    path = SeatPath(7)
    path.mark_reported(10 * SECOND)
    assert not path.is_outdated_by(10 * SECOND + SETTLE - 1)
    assert path.is_outdated_by(10 * SECOND + SETTLE)


def test_a_bot_is_gone_when_it_was_absent_for_long() -> None:
    path = SeatPath(7)
    path.mark_absent(5)
    assert not path.has_left(5, are_others_present=True)
    path.mark_absent(7)  # it has been absent since 5
    assert not path.has_left(5 + ABSENT, are_others_present=True)
    assert path.has_left(6 + ABSENT, are_others_present=True)
    path.set_route(SESSION)
    assert not path.has_left(7 + ABSENT, are_others_present=True)


def test_presence_that_was_lost_is_waited_for() -> None:
    path = SeatPath(7)
    path.set_route(SESSION)
    assert not path.is_overdue(10**12)
    path.mark_absent(5)
    assert not path.is_overdue(5 + OVERDUE)
    assert path.is_overdue(6 + OVERDUE)
    path.set_route(SESSION)
    assert not path.is_overdue(10**12)


def test_a_bot_is_not_gone_while_the_gateways_are() -> None:
    path = SeatPath(7)
    path.mark_absent(5)
    assert not path.has_left(6 + ABSENT, are_others_present=False)
    assert path.has_left(6 + ALL_ABSENT, are_others_present=False)


def test_a_seat_that_has_forfeited_is_followed_to_be_told_of_it_once() -> None:
    paths = SeatPaths({1: SeatPath(7, pinned="s")})
    seats = {1: SeatRecord(bank_ms=0, grace_ms=0, has_forfeited=True)}
    away, back = replace(SESSION, connected=False), replace(SESSION, gateway="another")
    for bot, events in ((away, []), (back, [SeatBack(1)]), (back, [])):
        assert list(paths.follow(PresenceSnapshot(present(bot), read_at=5 * SECOND), seats, 5 * SECOND)) == events
    assert paths.route(1) == Route("s", "another", wants_legal=False)


class Gateways:
    """A bus whose gateways may be full or unavailable."""

    def __init__(self) -> None:
        self.mail: list[tuple[str, tuple[ToBot, ...]]] = []
        self.away: set[str] = set()

    def send(self, need: Send) -> dict[str, Exception]:
        self.mail += [(gateway, tuple(one)) for gateway, one in need.mail.items() if gateway not in self.away]
        return {gateway: BusUnavailable(gateway) for gateway in need.mail.keys() & self.away}


def outbox() -> tuple[Outbox, Gateways]:
    return Outbox("m", 3, "w"), Gateways()


def flush(box: Outbox, bus: Gateways) -> Flushed:
    """Flush the outbox, as the group of a worker's matches does."""
    steps = box.flush()
    try:
        need = next(steps)
        while True:
            assert isinstance(need, Send)
            need = steps.send(bus.send(need))
    except StopIteration as ended:
        flushed: Flushed = ended.value
        return flushed


def test_mail_goes_out_in_order_in_one_push_a_gateway() -> None:
    box, bus = outbox()
    one, two = Route("a", "g1", False), Route("b", "g2", False)
    box.put(one, 1, b"1", now=0)
    box.put(two, 2, b"2", now=0, ask=5)
    box.put(one, 1, b"3", now=0, is_final=True)
    assert flush(box, bus) == Flushed(sent={1, 2}, failed=set())
    assert [(gateway, [one.payload for one in envelopes]) for gateway, envelopes in bus.mail] == [
        ("g1", [b"1", b"3"]),
        ("g2", [b"2"]),
    ]
    ask = bus.mail[1][1][0]
    assert (ask.session, ask.match, ask.seat, ask.epoch, ask.reply_to, ask.ask, ask.index) == (
        "b",
        "m",
        2,
        3,
        "w",
        True,
        5,
    )
    assert bus.mail[0][1][1].final


def test_an_ask_is_said_again_until_it_is_answered() -> None:
    box, bus = outbox()
    box.put(Route("a", "g", False), 1, b"?", now=0, ask=5)
    flush(box, bus)
    box.repeat(FIRST_REPEAT - 1)
    flush(box, bus)
    assert len(bus.mail) == 1 and box.repeat_at == FIRST_REPEAT
    box.repeat(FIRST_REPEAT)
    flush(box, bus)
    assert len(bus.mail) == 2 and box.repeat_at == FIRST_REPEAT + REPEAT
    box.answered(1, 4)
    assert box.repeat_at is not None
    box.answered(1, 5)
    assert box.repeat_at is None


def test_mail_that_could_not_be_sent_is_named() -> None:
    box, bus = outbox()
    bus.away = {"g1"}
    box.put(Route("a", "g1", False), 1, b"", now=0, ask=1)
    box.put(Route("b", "g2", False), 2, b"", now=0)
    assert flush(box, bus) == Flushed(sent={2}, failed={1})
    assert box.repeat_at is None


def test_a_bot_that_drops_its_stream_has_left_its_process_and_one_that_vanishes_has_not() -> None:
    other = replace(SESSION, id="other")
    for is_there, left in ((True, True), (False, False)):
        paths = SeatPaths({1: SeatPath(7)})
        paths[1].set_route(SESSION)
        there = present(replace(SESSION, connected=False), other) if is_there else present(other)
        seats = {1: SeatRecord(bank_ms=0, grace_ms=0)}
        events = list(paths.follow(PresenceSnapshot(there, read_at=5 * SECOND), seats, 5 * SECOND))
        assert events == [PathLost(1, left_by_bot=left), SeatBack(1)]


def test_a_bot_that_has_dropped_its_stream_and_stays_away_has_left() -> None:
    paths = SeatPaths({1: SeatPath(7)})
    paths[1].set_route(SESSION)
    seats = {1: SeatRecord(bank_ms=0, grace_ms=0, is_away=True)}
    there = present(replace(SESSION, connected=False))
    at = 5 * SECOND
    assert list(paths.follow(PresenceSnapshot(there, read_at=at), seats, at)) == []
    at += OVERDUE + 1
    events = list(paths.follow(PresenceSnapshot(there, read_at=at), seats, at))
    assert events == [PathLost(1, left_by_bot=True)]
