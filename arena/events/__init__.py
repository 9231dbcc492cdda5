"""Tournaments and leagues for tables of two to five seats.

The package is pure. An event is a list of facts; draws, pairings and standings are computed from it. Start with
`parse_terms` and `Event`.
"""

from arena.events.errors import EventError, FactRefused, NotProved, TermsError
from arena.events.event import Event, Pairing
from arena.events.facts import EventState, Fact, FactKind, parse_fact
from arena.events.standings import StandingLine
from arena.events.terms import Course, Eligibility, Terms, parse_terms
from arena.events.values import Draw, Entrant, EventTable, GameKey, History, Round, TableGame, commitment_of, deal_of

__all__ = [
    "Course",
    "Draw",
    "Eligibility",
    "Entrant",
    "Event",
    "EventError",
    "EventState",
    "EventTable",
    "Fact",
    "FactKind",
    "FactRefused",
    "GameKey",
    "History",
    "NotProved",
    "Pairing",
    "Round",
    "StandingLine",
    "TableGame",
    "Terms",
    "TermsError",
    "commitment_of",
    "deal_of",
    "parse_fact",
    "parse_terms",
]
