"""The cost of a bot's fault: a strike and the default decision, or with the last strike the seat."""

from __future__ import annotations

from typing import Final

from arena.referee.live import LiveMatch
from arena.referee.log import Kind, Reason
from arena.referee.messages import TellFault
from arena.referee.terms import MILLISECOND
from arena.referee.texts import sentence
from arena.rules import default_action

GRACE_USED_UP: Final = "the bot was gone for longer than its grace"


def strike(match: LiveMatch, seat: int, reason: Reason, message: str, rule: str = "", ms: int | None = None) -> None:
    """Give a strike, and play the default decision if the seat is to decide. The last strike is a forfeit instead.

    `ms` is the charge for the ask that this resolves; None if there was no ask. `rule` is the section of the rules.
    """
    record, index, played, message = match.record, match.record.index, "", sentence(message)
    strikes = record.seats[seat].strikes + 1
    match.write(Kind.FAULT, seat, reason, {"index": index, "strikes": strikes, "rule": rule, "message": message})
    if strikes >= record.terms.policy.strikes:
        _forfeit(match, seat, reason)
    elif record.to_act == seat:
        default = default_action(record.state, record.running.seed, index)
        match.decide(default, {"default": str(reason)} if ms is None else {"ms": ms, "default": str(reason)})
        played = default.text
    report_fault(match, seat, index, reason, message, rule, played)


def strike_late(match: LiveMatch, seat: int, gone_ns: int) -> None:
    """Give a strike for a late answer.

    The seat to act is charged all the time it had, of which it was away for `gone_ns`.
    """
    record = match.record
    gone_ms = min(gone_ns // MILLISECOND, record.absent_ms)
    ms = min(record.seats[seat].bank_ms, record.terms.clock.cap_ms + gone_ms)
    strike(match, seat, Reason.LATE, f"no answer within {ms} ms", ms=ms)


def forfeit_absent(match: LiveMatch, seat: int) -> None:
    """Forfeit a seat that was away for longer than its grace, whatever its strikes."""
    match.end_absence(seat, away_ms=match.record.seats[seat].grace_ms)
    _forfeit(match, seat, Reason.GONE)
    report_fault(match, seat, match.record.index, Reason.GONE, GRACE_USED_UP)


def forfeit_nonce(match: LiveMatch, seat: int, message: str) -> None:
    """Forfeit a seat before the game because it has not revealed its nonce. The seed is made without that nonce."""
    _forfeit(match, seat, Reason.NO_REVEAL)
    report_fault(match, seat, 0, Reason.NO_REVEAL, message)


def report_forfeit(match: LiveMatch, seat: int) -> None:
    """Tell a bot that was away that its seat has forfeited."""
    forfeit = next(loss for loss in match.record.forfeits if loss.seat == seat)
    strikes = match.record.seats[seat].strikes
    message = "the seat has forfeited, and a house player plays on"
    match.commands.append(TellFault(seat, forfeit.at, forfeit.reason, "", message, strikes, "", has_forfeited=True))


def report_untold(match: LiveMatch, seat: int) -> None:
    """Tell a bot that is back about the faults for which it had no stream."""
    for entry in match.record.seats[seat].untold:
        data = entry.data or {}
        match.commands.append(
            TellFault(seat, data["index"], entry.text, data["rule"], data["message"], data["strikes"], "", False)
        )


def _forfeit(match: LiveMatch, seat: int, reason: Reason) -> None:
    match.write(Kind.FORFEIT, seat, reason, {"index": match.record.index})
    match.away_since.pop(seat, None)


def report_fault(
    match: LiveMatch, seat: int, index: int, reason: Reason, message: str, rule: str = "", played: str = ""
) -> None:
    """Tell the seat about its fault, with its current strikes. `played` is the default decision, if any."""
    fate = match.record.seats[seat]
    match.commands.append(TellFault(seat, index, str(reason), rule, message, fate.strikes, played, fate.has_forfeited))
