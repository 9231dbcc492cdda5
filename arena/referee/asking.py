"""The next step of a match: play what needs no bot, then ask the seat to act, or end the match."""

from __future__ import annotations

from arena.referee import faults
from arena.referee.house import house_action
from arena.referee.live import LiveMatch, RefereeState
from arena.referee.log import Reason
from arena.referee.messages import AskMove, FinishMatch, ResumeSeat
from arena.referee.terms import MILLISECOND
from arena.rules import view


def advance(match: LiveMatch) -> RefereeState:
    """Play what needs no bot; then ask for the next decision, or end the match."""
    record = match.record
    while (verdict := record.verdict) is None:
        seat = record.to_act
        if (sole := record.sole_action) is not None:
            match.decide(sole, {})
        elif record.seats[seat].has_forfeited:
            match.decide(house_action(record, match.house), {"house": record.terms.policy.house})
        elif record.limit_ms == 0:
            faults.strike(match, seat, Reason.LATE, "no time is left in the bank", ms=0)
        elif (seat, record.index) == match.pending:
            return match.state  # the event did not concern the pending ask
        else:
            match.pending = (seat, record.index)
            match.stop_clock()
            match.asked_at, match.spent_before = None, match.spent
            match.commands.append(ask(match))
            return RefereeState.PENDING
    match.pending = None
    match.stop_clock()
    match.commands.append(FinishMatch(verdict))
    return RefereeState.OVER


def ask(match: LiveMatch) -> AskMove:
    """Return the ask for the next decision."""
    record = match.record
    seat, clock = record.to_act, record.seats[record.to_act]
    return AskMove(
        seat=seat,
        index=record.index,
        phase=record.state.phase,
        view=view(record.state, seat),
        events=record.running.seen_events(seat, clock.since),
        since=clock.since,
        legal=record.state.legal,
        bank_ms=max(0, clock.bank_ms - match.charged(match.spent, match.spent_gone) // MILLISECOND),
        cap_ms=max(0, record.terms.clock.cap_ms - (record.spent_ms - record.spent_gone_ms)),
        grace_ms=clock.grace_ms,
    )


def resumption(match: LiveMatch, seat: int, now: int) -> ResumeSeat:
    """Return what a reconnected bot receives before its pending ask."""
    record, clock = match.record, match.record.seats[seat]
    seen = view(record.state, seat) if record.game else None
    used = match.used_ns(now) // MILLISECOND if match.pending and match.pending[0] == seat else 0
    all_accepted = record.has_all_hashes or record.game is not None
    return ResumeSeat(seat, record.index, seen, max(0, clock.bank_ms - used), clock.grace_ms, all_accepted)
