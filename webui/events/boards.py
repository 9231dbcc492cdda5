"""The boards of an event that are in play, for templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.events.values import seats_of_game
from webui.bots.values import BotRef
from webui.events.values import EventPage
from webui.events.words import place_words


@dataclass(frozen=True)
class BoardSeat:
    """A seat of a running match."""

    number: int
    bot: BotRef
    camels: int | None
    """Number of camels left. None before the match has a position."""
    acts: bool
    """Whether the match waits for this seat's decision."""


@dataclass(frozen=True)
class EventBoard:
    """A running match."""

    match: str
    place: str
    """Place of the match in words, such as `Round 2, table 3`."""
    round: int | None
    """Round of the game."""
    seats: Sequence[BoardSeat]


def boards(page: EventPage) -> list[EventBoard]:
    """Return the running matches that may be watched, by table."""
    found = []
    for key, game in sorted(page.games.items()):
        # the same rule as for the match's own page
        is_public = not page.event.terms.hidden or key[0] <= page.event.revealed
        if game.state != "RUNNING" or not is_public or key in page.event.games:
            continue
        seen = page.boards.get(game.match)
        table = page.event.rounds[key[0] - 1].tables[key[1] - 1]
        entrants = seats_of_game(table.seats, key[2], page.event.terms.unit)
        seats = [
            BoardSeat(
                number,
                page.bots[entrant],
                seen.camels[number - 1] if seen else None,
                seen is not None and seen.to_act == number,
            )
            for number, entrant in enumerate(entrants, start=1)
        ]
        found.append(EventBoard(game.match, place_words(page.event, key), seen.round if seen else None, seats))
    return found
