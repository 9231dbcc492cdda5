"""Handlers during the game: answers, faults of the protocol, losses, and the passing of time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from arena.referee import asking, faults
from arena.referee.live import LiveMatch, RefereeState
from arena.referee.log import Kind, Reason
from arena.referee.messages import (
    AskWritten,
    ClockRead,
    MoveArrived,
    PathLost,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TimePassed,
    TimeSpent,
)
from arena.referee.terms import MAX_CREDIT_MS, MILLISECOND
from arena.referee.texts import note
from arena.rules import ActionSyntaxError, RulesError

# Answers


def ask_written(match: LiveMatch, event: AskWritten, now: int) -> RefereeState:
    """Start the clock of the pending ask."""
    if (event.seat, event.index) != match.pending:
        return RefereeState.PENDING
    if match.asked_at is None:
        match.asked_at = now
    match.written_at, match.away_ns = now, 0
    match.set_deadline()
    return RefereeState.THINKING


def clock_read(match: LiveMatch, event: ClockRead, now: int) -> RefereeState:
    """Move the deadline of the pending ask to the time that the bot really has left."""
    if (event.seat, event.index) == match.pending and match.deadline is not None and match.written_at is not None:
        match.written_at += max(0, now + match.left_ns(event.open_ns, event.gone_ns) - match.deadline)
        match.set_deadline()
    return match.state


def time_spent(match: LiveMatch, event: TimeSpent, now: int) -> RefereeState:
    """Charge the time that a bot has had before it reconnected elsewhere. The match's next owner charges it as well."""
    if (event.seat, event.index) == match.pending and (ms := event.open_ns // MILLISECOND):
        gone = {"gone_ms": gone_ms} if (gone_ms := event.gone_ns // MILLISECOND) else {}
        match.write(Kind.NOTE, event.seat, data={"index": event.index, "spent_ms": ms, **gone})
        match.set_deadline()
    return match.state


def _open_ns(match: LiveMatch, event: MoveArrived, now: int) -> int:
    """Return the time that a bot has had for its ask, over all its paths.

    It is never more than the time since the ask was first sent plus the time that the bot had under earlier owners.
    """
    if not match.spent or match.asked_at is None:
        return event.think_ns
    return max(event.think_ns, min(event.think_ns + match.spent, match.spent_before + now - match.asked_at))


def within_credit(match: LiveMatch, event: MoveArrived) -> MoveArrived:
    """Return the answer with no more uncharged time of the network than its seat has left in this match.

    The rest of that time becomes thinking time. So whoever fakes a long round trip gains at most `MAX_CREDIT_MS`.
    """
    left_ns = max(0, MAX_CREDIT_MS - match.record.seats[event.seat].credited_ms) * MILLISECOND
    excess_ns = max(0, event.network_ns - left_ns)
    return replace(event, network_ns=event.network_ns - excess_ns, think_ns=event.think_ns + excess_ns)


def move_arrived(match: LiveMatch, event: MoveArrived, now: int) -> RefereeState:
    """Charge and play an answer. An answer to another ask changes nothing."""
    if (event.seat, event.index) != match.pending:
        return match.state  # late, not wrong
    seat, record = event.seat, match.record
    event = within_credit(match, event)
    open_ns = _open_ns(match, event, now)
    gone_ns = min(open_ns, event.gone_ns + match.spent_gone)
    present_ms, ms = (open_ns - gone_ns) // MILLISECOND, match.charged(open_ns, gone_ns) // MILLISECOND
    credits = {"network_ms": event.network_ns // MILLISECOND, "queue_ms": event.queue_ns // MILLISECOND}
    if event.note or any(credits.values()):
        facts = {name: credit for name, credit in credits.items() if credit}
        match.write(Kind.NOTE, seat, note(event.note), {"index": event.index, **facts})
    if present_ms > record.terms.clock.cap_ms or ms > record.seats[seat].bank_ms:
        faults.strike_late(match, seat, gone_ns)
    elif not event.actions:
        faults.strike(match, seat, Reason.MALFORMED, "the answer has no action", ms=ms)
    else:
        _play_batch(match, seat, event.actions, ms)
    return asking.advance(match)


def _play_batch(match: LiveMatch, seat: int, actions: tuple[str, ...], ms: int) -> None:
    """Play actions in order until a chance event follows, another seat is to decide, or one is illegal.

    Drop the rest.
    """
    facts: dict[str, Any] = {"ms": ms}
    for text in actions:
        try:
            action = match.record.state.parse(text)
        except RulesError as error:
            reason = Reason.MALFORMED if isinstance(error, ActionSyntaxError) else Reason.ILLEGAL
            faults.strike(match, seat, reason, error.message, error.rule, ms=facts.get("ms"))
            return
        had_chance = match.decide(action, facts)
        facts = {}
        if had_chance or match.record.to_act != seat:
            return


def seat_faulted(match: LiveMatch, event: SeatFaulted, now: int) -> RefereeState:
    """Give a strike for a fault of the protocol, and resolve the seat's pending ask, if there is one."""
    if match.record.seats[event.seat].has_forfeited:
        return match.state
    faults.strike(match, event.seat, event.reason, event.message, ms=0)
    return asking.advance(match)


def time_passed(match: LiveMatch, event: TimePassed, now: int) -> RefereeState:
    """Forfeit seats that were away for longer than their grace, and check whether the pending ask is late."""
    for seat in [seat for seat in match.away_since if match.grace_ends(seat) <= now]:
        faults.forfeit_absent(match, seat)
    is_over = match.record.verdict is not None  # nobody is late any more then
    if match.pending and match.deadline is not None and match.deadline <= now and not is_over:
        seat, _ = match.pending
        if not match.record.seats[seat].has_forfeited:
            faults.strike_late(match, seat, match.away_ns + match.spent_gone)
    return asking.advance(match)


# Losses


def seat_lost(match: LiveMatch, event: SeatLost, now: int) -> RefereeState:
    """Record that the bot dropped its stream. Its grace runs, and its ask does not time out meanwhile."""
    seat = match.record.seats[event.seat]
    if not seat.is_away and not seat.has_forfeited:
        match.write(Kind.LOST, event.seat, event.reason)
        match.away_since[event.seat] = now
        if _is_asked(match, event.seat):
            match.set_deadline()
    return match.state


def path_lost(match: LiveMatch, event: PathLost, now: int) -> RefereeState:
    """Record that the path to the bot is broken. Neither its clock nor its grace runs.

    If the bot has left its process for another one, it is charged for the time until now. Otherwise every hand-over
    would begin the ask anew.
    """
    if event.left_by_bot and event.is_handed_over and _is_asked(match, event.seat) and match.written_at is not None:
        gone_ns = match.away_ns + _away_while_asked(match, event.seat, match.written_at, now)
        time_spent(match, TimeSpent(event.seat, match.record.index, now - match.written_at, gone_ns), now)
    match.end_absence(event.seat, match.away_ms(event.seat, now))
    if _is_asked(match, event.seat):
        match.stop_clock()
        return RefereeState.PENDING
    return match.state


def seat_back(match: LiveMatch, event: SeatBack, now: int) -> RefereeState:
    """Give the bot its match back, with its pending ask, whose clock goes on."""
    seat = event.seat
    if match.record.seats[seat].has_forfeited:
        faults.report_forfeit(match, seat)
        return match.state
    if _is_asked(match, seat) and match.written_at is not None:
        match.away_ns += _away_while_asked(match, seat, match.written_at, now)
    match.end_absence(seat, match.away_ms(seat, now))
    match.hand_over(seat, event.by)
    match.commands.append(asking.resumption(match, seat, now))
    faults.report_untold(match, seat)
    if _is_asked(match, seat):
        match.set_deadline()
        match.commands.append(asking.ask(match))
    return match.state


def _away_while_asked(match: LiveMatch, seat: int, written_at: int, now: int) -> int:
    """Return the part of the seat's current absence that is after `written_at`; 0 if the seat is not away."""
    return now - max(match.away_since.get(seat, now), written_at)


def _is_asked(match: LiveMatch, seat: int) -> bool:
    return match.pending is not None and match.pending[0] == seat
