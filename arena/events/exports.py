"""Exports for other programs: standings as rows, and FIDE's report file for events with two seats.

The report file is TRF16 (FIDE Handbook C.04, Annex: Tournament Report File), with JaVaFo's line `XXR` for the number
of rounds. Each game of a table is a round in the file, so a deal block fills two of them.

In the examples, `event` is a finished knockout of two bots, and `SEED` is its seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from arena.events.event import Event
from arena.events.standings import StandingLine
from arena.events.values import Round, games_a_table

Row = tuple[str, ...]

_NAME: Final = 33
"""Maximum number of characters of a name in the report file."""
_MOST_RATING: Final = 9999
_NOT_PAIRED: Final = "0000 - Z"
_BYE: Final = "0000 - U"


def standings_rows(event: Event, standings: Sequence[StandingLine]) -> list[Row]:
    """Return a header row, then one row for each entrant. Fractional tie-breaks have at most four decimal digits.

    >>> rows = standings_rows(event, event.standings(SEED))
    >>> rows[1][:6]
    ('1', '1', 'bot 1', 'v1', 'owner 1', '1')
    """
    head = ("place", "entrant", "bot", "version", "owner", "points", "games", "byes", "wins", *event.tie_breaks)
    rows: list[Row] = [(*head, "present")]
    for row in standings:
        entrant = event.entrants[row.entrant - 1]
        numbers = (_decimal(row.points), str(row.games), str(row.byes), str(row.wins), *map(_decimal, row.tie_breaks))
        who = (str(row.place), str(row.entrant), entrant.name, entrant.version, entrant.owner)
        rows.append((*who, *numbers, "yes" if row.is_present else "no"))
    return rows


def _decimal(value: Fraction) -> str:
    """Return a fraction as a decimal number, rounded to four digits."""
    tens = round(value * 10_000)
    whole, part = divmod(abs(tens), 10_000)
    digits = f"{part:04}".rstrip("0")
    return f"{'-' if tens < 0 else ''}{whole}{'.' if digits else ''}{digits}"


def report_file(event: Event, seed: bytes, up_to: int | None = None) -> str:
    """Return an event for two seats as a TRF16 file, up to the last round whose games are all finished.

    Seat 1 is white. A game is a forfeit if an entrant was absent or disqualified. `up_to` limits the file to the
    rounds up to this number. Raise `ValueError` if tables have more than two seats.

    >>> report_file(event, SEED).splitlines()[0]
    '012 Duel'
    """
    history = event.history(up_to)
    if history.players != 2:
        raise ValueError("FIDE's report file needs tables of two seats")
    rounds = []
    for round_ in history.rounds:
        if any(len(table.games) < history.games_a_table for table in round_.tables):
            break
        rounds.append(round_)
    games = games_a_table(2, history.unit)
    results = [_results(round_, game) for round_ in rounds for game in range(games)]
    lines = [
        f"012 {event.terms.name}",
        f"062 {len(event.entrants)}",
        f"072 {sum(entrant.strength > 0 for entrant in event.entrants)}",
        f"092 {type(event.terms.format).__name__}",
        f"XXR {len(results)}",
    ]
    standings = {row.entrant: row for row in event.standings(seed, len(rounds))}
    for entrant in event.entrants:
        row = standings[entrant.number]
        rating = str(entrant.strength) if 0 < entrant.strength <= _MOST_RATING else ""
        name = entrant.name[:_NAME]
        points = f"{row.halves / 2:.1f}"
        lines.append(
            f"001 {entrant.number:>4}      {name:<33} {rating:>4} {'':3} {'':11} {'':10} {points:>4} {row.place:>4}"
            + "".join(f"  {result.get(entrant.number, _NOT_PAIRED)}" for result in results)
        )
    return "\n".join(lines) + "\n"


def _results(round_: Round, number: int) -> dict[int, str]:
    """Return each entrant's entry for one game of a round."""
    entries = dict.fromkeys(round_.byes, _BYE)
    for table in round_.tables:
        game = table.games[number]
        one, other = game.seats
        own, theirs = game.placements
        entries[one] = f"{other:>4} w {_token(own, theirs, one in game.out, other in game.out)}"
        entries[other] = f"{one:>4} b {_token(theirs, own, other in game.out, one in game.out)}"
    return entries


def _token(own: int, theirs: int, is_out: bool, other_is_out: bool) -> str:
    if is_out or other_is_out:
        return "-" if is_out else "+"
    return "=" if own == theirs else "1" if own < theirs else "0"
