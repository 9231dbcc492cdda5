"""The referee of one match. It is pure and sans-I/O: events go in, commands come out, and `now` is an argument.

README.md explains the states, the log, the clocks and the faults.
"""

from arena.referee.document import SIGNATURE, canonical_bytes, difference, unsigned
from arena.referee.history import SentCommand, sent_commands
from arena.referee.house import House
from arena.referee.incidents import MatchIncident
from arena.referee.live import RefereeState
from arena.referee.log import AbortReason, Entry, Kind, LogError, Reason
from arena.referee.messages import (
    AbortMatch,
    Append,
    AskMove,
    AskReveal,
    AskWritten,
    ClockRead,
    Command,
    Event,
    FinishMatch,
    MatchOpened,
    MoveArrived,
    NonceRevealed,
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
from arena.referee.offers import HiddenOffer, OfferError, check_chain, offer_digest, offer_document, other_terms
from arena.referee.proof import Claim, Proof, prove
from arena.referee.record import Record, SeatRecord
from arena.referee.referee import TABLE, Referee
from arena.referee.terms import MAX_NONCE, MAX_NOTE, MILLISECOND, NONCE_HASH, SECOND, Clock, Policy, Terms
from arena.referee.verdict import Forfeit, SeatResult, Verdict, VerdictKind, first_bids, judge, seat_results

__all__ = [
    "MAX_NONCE",
    "MAX_NOTE",
    "MILLISECOND",
    "NONCE_HASH",
    "SECOND",
    "SIGNATURE",
    "TABLE",
    "AbortMatch",
    "AbortReason",
    "Append",
    "AskMove",
    "AskReveal",
    "AskWritten",
    "Claim",
    "Clock",
    "ClockRead",
    "Command",
    "Entry",
    "Event",
    "FinishMatch",
    "Forfeit",
    "HiddenOffer",
    "House",
    "Kind",
    "LogError",
    "MatchIncident",
    "MatchOpened",
    "MoveArrived",
    "NonceRevealed",
    "OfferAccepted",
    "OfferDeclined",
    "OfferError",
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
    "SeatResult",
    "SentCommand",
    "TellFault",
    "Terms",
    "TimePassed",
    "TimeSpent",
    "Verdict",
    "VerdictKind",
    "canonical_bytes",
    "check_chain",
    "difference",
    "first_bids",
    "judge",
    "offer_digest",
    "offer_document",
    "other_terms",
    "prove",
    "seat_results",
    "sent_commands",
    "unsigned",
]
