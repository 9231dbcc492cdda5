"""Double elimination for two seats: an entrant is out after its second loss.

The upper bracket is a single elimination of the entrants without a loss. Entrants with one loss play in the lower
bracket, in which the most recent losers are ranked first. A lower round has as many heats as possible; if the number
of entrants is odd, the first has a bye. The last entrant of each bracket plays in the final. If the one from the lower
bracket wins it, both have one loss, and the reset final decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from arena.events.formats.heats import finish, in_bracket_order, is_over, plan, seeds, snake, tables
from arena.events.formats.seating import meetings
from arena.events.values import ChanceStream, Draw, History, Round

LOWER: Final = "lower"
FINAL: Final = "final"
RESET: Final = "reset final"


@dataclass(slots=True)
class _Brackets:
    """Entrants by bracket, the best ranked first. Entrants that left the event are still listed."""

    upper: list[int]
    lower: list[int] = field(default_factory=list)
    out: list[list[int]] = field(default_factory=list)
    """Groups of entrants with two losses, the latest group first. Entrants of one group are equal."""


def number_of_rounds(entrants: int) -> int:
    """Return the maximum number of rounds, including the reset final."""
    upper, lower, rounds = entrants, 0, 0
    while upper + lower > 2 or lower == 0:
        dropped = plan(upper, 2, 1).heats if upper > 1 else 0
        upper, lower, rounds = upper - dropped, lower - lower // 2 + dropped, rounds + 1
    return rounds + 2


def draw(history: History, chance: ChanceStream) -> Draw | None:
    """Return the heats of the next round in both brackets."""
    now = _fold(history)
    upper = [number for number in now.upper if number in history.present]
    lower = [number for number in now.lower if number in history.present]
    if len(upper) + len(lower) < 2:
        return None
    if len(upper) < 2 and len(upper) + len(lower) == 2:
        was_final = bool(history.rounds) and history.rounds[-1].label == FINAL
        label = RESET if was_final else FINAL
        return Draw(tuple(tables([upper + lower], history, chance, FINAL)), label=label)
    drawn, byes = [], []
    if len(upper) > 1:
        round_ = plan(len(upper), 2, 1)
        drawn = tables(in_bracket_order(snake(upper[round_.byes :], round_.heats), round_, 2, 1), history, chance)
        byes = upper[: round_.byes]
    if len(lower) > 1:
        odd = len(lower) % 2
        heats = snake(lower[odd:], len(lower) // 2, meetings(history))
        drawn += tables(heats, history, chance, LOWER, len(drawn) + 1)
        byes += lower[:odd]
    return Draw(tuple(drawn), tuple(sorted(byes)))


def order(history: History) -> list[list[int]]:
    """Return the ranking: entrants without a loss, with one loss, with two losses. A later second loss ranks higher."""
    now = _fold(history)
    groups = [now.upper, now.lower, *now.out]
    placed = {number for group in groups for number in group}
    never = [entrant.number for entrant in history.entrants if entrant.number not in placed]
    return [group for group in (*groups, never) if group]


def winners(history: History, number: int) -> frozenset[int]:
    """Return the winners of the heats of round `number`."""
    seed_of = seeds(history)
    played = [table for table in history.rounds[number - 1].tables if is_over(table, history)]
    return frozenset(finish(table, seed_of)[0] for table in played)


def _fold(history: History) -> _Brackets:
    seed_of = seeds(history)
    first = _players(history.rounds[0]) if history.rounds else history.present
    now = _Brackets(sorted(first, key=lambda number: seed_of[number]))
    for round in history.rounds:
        if all(is_over(table, history) for table in round.tables):
            _play(now, round, seed_of)
    return now


def _players(round: Round) -> set[int]:
    return {seat for table in round.tables for seat in table.seats} | set(round.byes)


def _play(now: _Brackets, round: Round, seed_of: dict[int, int]) -> None:
    heats = [finish(table, seed_of) for table in round.tables]
    won = {heat[0]: heat[1] for heat in heats}
    lost = set(won.values())
    dropped = [number for number in now.upper if number in lost]
    if out := [number for number in now.lower if number in lost]:
        now.out.insert(0, out)
    now.upper = _ranked(now.upper, won)
    now.lower = dropped + _ranked(now.lower, won)


def _ranked(bracket: list[int], won: dict[int, int]) -> list[int]:
    """Return a bracket after a round: entrants that did not play, then the winners.

    A winner takes the better rank of its heat.
    """
    rank = {number: k for k, number in enumerate(bracket)}
    played = {*won, *won.values()}
    winners = [number for number in bracket if number in won]
    winners.sort(key=lambda number: min(rank[number], rank.get(won[number], rank[number])))
    return [number for number in bracket if number not in played] + winners
