"""The handlers of what happens before the game: the match is opened, offered, accepted, or aborted."""

from __future__ import annotations

from typing import Final

from arena.referee import asking
from arena.referee.live import LiveMatch, RefereeState
from arena.referee.log import AbortReason, Kind, LogError
from arena.referee.messages import (
    AbortMatch,
    ClockRead,
    MatchOpened,
    OfferAccepted,
    OfferDeclined,
    OfferMatch,
    PathLost,
    SeatBack,
    TimePassed,
)
from arena.referee.terms import MAX_NONCE, MILLISECOND
from arena.referee.texts import sentence

REOFFER_MS: Final = 600_000
"""For so long a match is offered again and again while ways to bots break, or the bus is away."""


def match_opened(match: LiveMatch, event: MatchOpened, now: int) -> RefereeState:
    """Go on where the log ends: the offer for those who have not accepted, or the next decision."""
    if match.record.abort is not None:
        return _aborted(match)
    match.away_since = {number: now for number, seat in match.record.seats.items() if seat.is_away}
    if match.record.game is not None:
        return asking.go_on(match)
    _offer_until(match, now)
    match.give_up_at = now + REOFFER_MS * MILLISECOND
    match.commands += [OfferMatch(seat) for seat in match.record.unready]
    return RefereeState.OFFERING


def offer_accepted(match: LiveMatch, event: OfferAccepted, now: int) -> RefereeState:
    """With the last nonce the game begins."""
    if event.seat not in match.record.unready:
        return RefereeState.OFFERING  # again: the first nonce counts
    if len(event.nonce) > MAX_NONCE:
        return _abort(match, AbortReason.BAD_NONCE, [event.seat], f"a nonce has at most {MAX_NONCE} bytes")
    match.write(Kind.READY, event.seat, event.nonce.hex(), {"by": event.by} if event.by else None)
    if match.record.game is None:
        return RefereeState.OFFERING
    match.deadline = None
    match.away_since = dict.fromkeys(match.away_since, now)
    return asking.go_on(match)


def offer_declined(match: LiveMatch, event: OfferDeclined, now: int) -> RefereeState:
    """One refusal is enough."""
    reason = sentence(event.reason) or "the bot gave no reason"
    if event.is_blamed:
        return _abort(match, AbortReason.DECLINED, [event.seat], reason)
    return _abort(match, AbortReason.NO_PLACE, [], reason)


def seat_back(match: LiveMatch, event: SeatBack, now: int) -> RefereeState:
    """A bot is back: it is offered the match again, or told that it has accepted it."""
    match.end_absence(event.seat, away_ms=0)  # grace is for the game
    if event.seat in match.without_path:
        match.without_path.discard(event.seat)
        _offer_until(match, now)
    match.commands.append(
        OfferMatch(event.seat) if event.seat in match.record.unready else asking.resumption(match, event.seat)
    )
    return RefereeState.OFFERING


def path_lost(match: LiveMatch, event: PathLost, now: int) -> RefereeState:
    """There is no way to a bot, through no fault of its own: all have the whole time again, but not for ever."""
    if event.is_own:
        return RefereeState.OFFERING
    match.without_path.add(event.seat)
    if match.give_up_at is not None and now >= match.give_up_at:
        return _abort_unreached(match)
    _offer_until(match, now)
    return RefereeState.OFFERING


def clock_read(match: LiveMatch, event: ClockRead, now: int) -> RefereeState:
    """A bot has had the offer for less long than it seemed."""
    if event.seat in match.record.unready and match.deadline is not None:
        left = match.record.terms.policy.offer_ms * MILLISECOND - event.open_ns
        match.deadline = max(match.deadline, now + left)
    return RefereeState.OFFERING


def time_passed(match: LiveMatch, event: TimePassed, now: int) -> RefereeState:
    """The offer has had its time, or not yet. Who could not be asked is not blamed."""
    if match.deadline is None or now < match.deadline:
        return RefereeState.OFFERING
    if silent := [seat for seat in match.record.unready if seat not in match.without_path]:
        return _abort(match, AbortReason.NO_ANSWER, silent, "an offer was not answered in time")
    return _abort_unreached(match)


def _abort_unreached(match: LiveMatch) -> RefereeState:
    return _abort(match, AbortReason.NO_PLACE, [], "there was no way to a bot for too long")


def _offer_until(match: LiveMatch, now: int) -> None:
    match.deadline = now + match.record.terms.policy.offer_ms * MILLISECOND + match.slack


def _abort(match: LiveMatch, reason: AbortReason, seats: list[int], message: str) -> RefereeState:
    match.write(Kind.ABORT, 0, reason, {"seats": seats, "message": message})
    return _aborted(match)


def _aborted(match: LiveMatch) -> RefereeState:
    abort = match.record.abort
    if abort is None or abort.data is None:
        raise LogError("no abort was written")
    match.deadline = None
    match.commands.append(AbortMatch(abort.text, abort.data["message"], tuple(abort.data["seats"])))
    return RefereeState.ABORTED
