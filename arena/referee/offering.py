"""Handlers of the first step: the match is opened, offered, accepted with the hash of a nonce, or aborted."""

from __future__ import annotations

from arena.referee import asking, opening, revealing
from arena.referee.live import LiveMatch, RefereeState
from arena.referee.log import AbortReason, Kind
from arena.referee.messages import MatchOpened, OfferAccepted, OfferDeclined, OfferMatch, SeatBack, TimePassed
from arena.referee.terms import NONCE_HASH
from arena.referee.texts import sentence


def match_opened(match: LiveMatch, event: MatchOpened, now: int) -> RefereeState:
    """Continue where the log ends: offer to seats that have not accepted, ask for nonces, or ask for the next
    decision."""
    record = match.record
    if record.abort is not None:
        return opening.aborted(match)
    match.away_since = {number: now for number, seat in record.seats.items() if seat.is_away and not seat.has_forfeited}
    if record.game is not None:
        return asking.advance(match)
    if record.has_all_hashes:
        return revealing.begin(match, now)
    opening.begin_to_wait(match, now)
    match.commands += [OfferMatch(seat) for seat in record.unready]
    return RefereeState.OFFERING


def offer_accepted(match: LiveMatch, event: OfferAccepted, now: int) -> RefereeState:
    """Store the hash of a nonce.

    With the last hash, all nonces are fixed and nobody has seen one, so they are now requested.
    """
    if event.seat not in match.record.unready:
        return RefereeState.OFFERING  # a repetition: the first hash counts
    if len(event.nonce_hash) != NONCE_HASH:
        reason = f"the hash of a nonce has {NONCE_HASH} bytes, not {len(event.nonce_hash)}"
        return opening.abort(match, AbortReason.BAD_NONCE, [event.seat], reason)
    match.write(Kind.COMMIT, event.seat, event.nonce_hash.hex(), {"by": event.by} if event.by else None)
    return revealing.begin(match, now) if match.record.has_all_hashes else RefereeState.OFFERING


def offer_declined(match: LiveMatch, event: OfferDeclined, now: int) -> RefereeState:
    """Abort the match: one refusal is enough. The bot's words are a note, which its owner alone can read."""
    if event.said:
        match.write(Kind.NOTE, event.seat, sentence(event.said))
    if event.is_blamed:
        return opening.abort(match, AbortReason.DECLINED, [event.seat], event.reason)
    if event.seat in match.leavers:
        return opening.abort_left(match, [event.seat])
    seats = [] if event.is_overbooked else [event.seat]
    return opening.abort(match, AbortReason.NO_PLACE, seats, event.reason)


def seat_back(match: LiveMatch, event: SeatBack, now: int) -> RefereeState:
    """Offer the match to a returning bot again, or tell it that it has accepted."""
    opening.is_back(match, event, now)
    is_missing = event.seat in match.record.unready
    match.commands.append(OfferMatch(event.seat) if is_missing else asking.resumption(match, event.seat, now))
    return RefereeState.OFFERING


def time_passed(match: LiveMatch, event: TimePassed, now: int) -> RefereeState:
    """Abort the match if the offer has timed out. A bot that could not be asked is not blamed."""
    if match.deadline is None or now < match.deadline:
        return RefereeState.OFFERING
    if silent := [seat for seat in match.record.unready if seat not in match.without_path]:
        return opening.abort(match, AbortReason.NO_ANSWER, silent, "an offer was not answered in time")
    return opening.abort_unreached(match)
