"""Handlers of the second step: every seat reveals the nonce whose hash it has sent, or forfeits.

No bot chooses its nonce when it knows another one: all hashes are in the log before the first nonce is requested.
"""

from __future__ import annotations

from hashlib import sha256

from arena.referee import asking, faults, opening
from arena.referee.live import LiveMatch, RefereeState
from arena.referee.log import Kind
from arena.referee.messages import AskReveal, NonceRevealed, SeatBack, TimePassed
from arena.referee.terms import MAX_NONCE


def begin(match: LiveMatch, now: int) -> RefereeState:
    """Ask for all nonces that are not in the log."""
    opening.begin_to_wait(match, now)
    match.commands += [ask(match, seat) for seat in match.record.unready]
    return RefereeState.REVEALING


def nonce_revealed(match: LiveMatch, event: NonceRevealed, now: int) -> RefereeState:
    """Store a nonce. A nonce that does not match its hash is a forfeit."""
    if event.seat not in match.record.unready:
        return RefereeState.REVEALING  # a repetition: the first nonce counts
    if len(event.nonce) > MAX_NONCE:
        faults.forfeit_nonce(match, event.seat, f"a nonce has 0 to {MAX_NONCE} bytes, not {len(event.nonce)}")
    elif sha256(event.nonce).digest() != match.record.seats[event.seat].nonce_hash:
        faults.forfeit_nonce(match, event.seat, "the nonce is not the one whose hash was given")
    else:
        match.write(Kind.READY, event.seat, event.nonce.hex())
    return _advance(match, now)


def seat_back(match: LiveMatch, event: SeatBack, now: int) -> RefereeState:
    """Give a bot its match back, and ask for its nonce again if that is missing."""
    if match.record.seats[event.seat].has_forfeited:
        faults.report_forfeit(match, event.seat)
        return RefereeState.REVEALING
    opening.is_back(match, event, now)
    match.commands.append(asking.resumption(match, event.seat, now))
    if event.seat in match.record.unready:
        match.commands.append(ask(match, event.seat))
    return RefereeState.REVEALING


def time_passed(match: LiveMatch, event: TimePassed, now: int) -> RefereeState:
    """Forfeit seats that have not revealed their nonce in time.

    If a path to one of them is broken, abort the match instead.
    """
    if match.deadline is None or now < match.deadline:
        return RefereeState.REVEALING
    silent = match.record.unready
    if match.without_path & set(silent):
        return opening.abort_unreached(match)
    for seat in silent:
        faults.forfeit_nonce(match, seat, "the nonce was not revealed in time")
    return _advance(match, now)


def ask(match: LiveMatch, seat: int) -> AskReveal:
    """Return the request for a seat's nonce."""
    return AskReveal(seat, tuple(other.nonce_hash or b"" for other in match.record.seats.values()))


def _advance(match: LiveMatch, now: int) -> RefereeState:
    """Begin the game once the last nonce is known."""
    if match.record.game is None:
        return RefereeState.REVEALING
    match.away_since = dict.fromkeys(match.away_since, now)
    return asking.advance(match)
