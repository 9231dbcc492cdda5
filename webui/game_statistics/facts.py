"""Facts of a finished match that statistics count, read from its rows, its record and its story."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.rules import Game, Ruleset, read_game
from arena.rules.components import DJINNS


@dataclass(frozen=True)
class SeatFacts:
    """The result of one seat."""

    seat: int
    bot: int
    """Id of the bot."""
    placement: int
    first_bid: int
    score: int | None
    """Score. None if the game was not played to its end."""
    has_forfeited: bool


@dataclass(frozen=True)
class EndFacts:
    """What the seats have at the end of a game, seat 1 first, and how long the game was."""

    djinns: tuple[tuple[str, ...], ...]
    """Ids of each seat's Djinns."""
    tiles: tuple[Mapping[str, int], ...]
    """Number of tiles that each seat owns, for every kind on the board that a seat can own."""
    decisions: int


@dataclass(frozen=True)
class StoryFacts:
    """The part of a match's story that makes records."""

    lead_changes: int
    lowest: Mapping[int, int]
    """Lowest chance to win of each seat, in thousandths."""


@dataclass(frozen=True)
class MatchFacts:
    """All that is counted of one match."""

    match: str
    ruleset: Ruleset
    seats: tuple[SeatFacts, ...]
    """Seats in their order."""
    end: EndFacts | None = None
    """None if a seat forfeited, or if the record cannot be read."""
    story: StoryFacts | None = None
    """None if the match has no story yet, or if a seat forfeited."""

    @property
    def is_complete(self) -> bool:
        """Return whether every seat played to the end, so that all scores compare."""
        return all(seat.score is not None and not seat.has_forfeited for seat in self.seats)


OWNED_KINDS = ("village", "sacred", "oasis", "small-market", "large-market", "special-market", "workshop", "city")
"""Kinds of tiles that a seat can own. Nobody enters the lake or the chasm."""


def end_facts(record: Mapping[str, Any]) -> EndFacts:
    """Return the facts of a record that was proved. Raise `ReplayError` if it is not one of these rules."""
    game: Game = read_game(record)
    state = game.state
    masks = {kind: mask for kind in OWNED_KINDS if (mask := state.board.of_kind(kind))}
    return EndFacts(
        djinns=tuple(tuple(DJINNS[djinn].id for djinn in seat.djinns) for seat in state.seats),
        tiles=tuple({kind: (seat.owned & mask).bit_count() for kind, mask in masks.items()} for seat in state.seats),
        decisions=sum(event[0] > 0 for event in record["events"]),
    )
