"""Common parts of offering and revealing: the seats that are waited for, their deadline, and aborts."""

from __future__ import annotations

from typing import Final

from arena.referee import playing
from arena.referee.live import LiveMatch, RefereeState
from arena.referee.log import AbortReason, Kind, LogError
from arena.referee.messages import AbortMatch, ClockRead, PathLost, SeatBack, SeatLost
from arena.referee.terms import MILLISECOND

REOFFER_MS: Final = 600_000
"""Time for which the deadline is restarted while paths to bots break, or the bus is unavailable."""


def wait_for_answers(match: LiveMatch, now: int) -> None:
    """Give every seat whose answer is missing the full time for it."""
    match.spent_before_game.clear()
    match.deadline = now + _whole_time(match)


def begin_to_wait(match: LiveMatch, now: int) -> None:
    """Start to wait at the beginning of a step."""
    match.give_up_at = now + REOFFER_MS * MILLISECOND
    match.leavers.clear()
    wait_for_answers(match, now)


def is_back(match: LiveMatch, event: SeatBack, now: int) -> None:
    """Record that the seat has a path again. Its absence costs nothing, because grace is for the game."""
    seat = event.seat
    match.end_absence(seat, away_ms=0)
    match.hand_over(seat, event.by)
    if seat in match.without_path:
        match.without_path.discard(seat)
        wait_for_answers(match, now)
    elif seat in match.leavers and match.deadline is not None:
        match.spent_before_game[seat] = now + _whole_time(match) - match.deadline


def seat_lost(match: LiveMatch, event: SeatLost, now: int) -> RefereeState:
    """Record that a bot has dropped its stream. It does not get new time to answer, whatever path it returns on."""
    _leave(match, event.seat)
    return playing.seat_lost(match, event, now)


def path_lost(match: LiveMatch, event: PathLost, now: int) -> RefereeState:
    """Record that a bot has no path. All seats get the full time again, within a limit.

    If the bot has left this path or an earlier one, its deadline stays as it is.
    """
    if event.left_by_bot:
        _leave(match, event.seat)
        return match.state
    if event.is_refused and event.seat in match.leavers:
        return match.state
    match.leavers.discard(event.seat)
    match.without_path.add(event.seat)
    if match.give_up_at is not None and now >= match.give_up_at:
        return abort_unreached(match)
    wait_for_answers(match, now)
    return match.state


def clock_read(match: LiveMatch, event: ClockRead, now: int) -> RefereeState:
    """Extend the deadline: a bot has had the offer, or the request to reveal, for less time than it seemed."""
    if event.seat in match.record.unready and match.deadline is not None:
        spent = match.spent_before_game.get(event.seat, 0)
        left = match.record.terms.policy.offer_ms * MILLISECOND - spent - event.open_ns
        match.deadline = max(match.deadline, now + left)
    return match.state


def abort_unreached(match: LiveMatch) -> RefereeState:
    """Abort the match because of a broken path. Nobody is blamed, except a bot that has dropped the offer.

    The abort names the seats without a path, since it is their turn that passes. If no seat has a path, the arena
    itself was the cause, and the abort names none.
    """
    if not match.record.has_all_hashes and (left := match.leavers.intersection(match.record.unready)):
        return abort_left(match, sorted(left))
    absent = match.without_path.intersection(match.record.unready)
    seats = [] if match.without_path.issuperset(match.record.seats) else sorted(absent)
    return abort(match, AbortReason.NO_PLACE, seats, "a bot could not be reached for too long")


def abort_left(match: LiveMatch, seats: list[int]) -> RefereeState:
    """Abort the match because these seats have dropped the offer.

    Otherwise a bot could look at its opponents and then become unreachable.
    """
    return abort(match, AbortReason.DECLINED, seats, "the bot dropped its stream with the offer open")


def _leave(match: LiveMatch, seat: int) -> None:
    if seat in match.record.unready and seat not in match.without_path:
        match.leavers.add(seat)


def _whole_time(match: LiveMatch) -> int:
    return match.record.terms.policy.offer_ms * MILLISECOND + match.slack


def abort(match: LiveMatch, reason: AbortReason, seats: list[int], message: str) -> RefereeState:
    """Abort the match before it begins; these seats are the cause. They are blamed unless the reason is NO_PLACE."""
    match.write(Kind.ABORT, 0, reason, {"seats": seats, "message": message})
    return aborted(match)


def aborted(match: LiveMatch) -> RefereeState:
    """Report the abort that the log has."""
    entry = match.record.abort
    if entry is None or entry.data is None:
        raise LogError("no abort was written")
    match.deadline = None
    match.commands.append(AbortMatch(entry.text, entry.data["message"], tuple(entry.data["seats"])))
    return RefereeState.ABORTED
