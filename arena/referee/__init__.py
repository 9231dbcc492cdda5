"""The referee: pure and sans-I/O. Events in, commands out, `now` is an argument. See README.md."""

from arena.referee.document import SIGNATURE, canonical_bytes, difference
from arena.referee.house import House
from arena.referee.incidents import Incident
from arena.referee.live import RefereeState
from arena.referee.log import AbortReason, Entry, Kind, LogError, Reason
from arena.referee.messages import (
    AbortMatch,
    Append,
    AskMove,
    AskWritten,
    ClockRead,
    Command,
    Event,
    FinishMatch,
    MatchOpened,
    MoveArrived,
    OfferAccepted,
    OfferDeclined,
    OfferMatch,
    PathLost,
    ResumeSeat,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TellFault,
    TimePassed,
    TimeSpent,
)
from arena.referee.proof import Claim, Proof, prove
from arena.referee.record import Record, SeatRecord
from arena.referee.referee import TABLE, Referee
from arena.referee.terms import MAX_NONCE, MAX_NOTE, MILLISECOND, SECOND, Clock, Policy, Terms
from arena.referee.verdict import Forfeit, Verdict, VerdictKind, judge

__all__ = [
    "MAX_NONCE",
    "MAX_NOTE",
    "MILLISECOND",
    "SECOND",
    "SIGNATURE",
    "TABLE",
    "AbortMatch",
    "AbortReason",
    "Append",
    "AskMove",
    "AskWritten",
    "Claim",
    "Clock",
    "ClockRead",
    "Command",
    "Entry",
    "Event",
    "FinishMatch",
    "Forfeit",
    "House",
    "Incident",
    "Kind",
    "LogError",
    "MatchOpened",
    "MoveArrived",
    "OfferAccepted",
    "OfferDeclined",
    "OfferMatch",
    "PathLost",
    "Policy",
    "Proof",
    "Reason",
    "Record",
    "Referee",
    "RefereeState",
    "ResumeSeat",
    "SeatBack",
    "SeatFaulted",
    "SeatLost",
    "SeatRecord",
    "TellFault",
    "Terms",
    "TimePassed",
    "TimeSpent",
    "Verdict",
    "VerdictKind",
    "canonical_bytes",
    "difference",
    "judge",
    "prove",
]
