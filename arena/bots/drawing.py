"""A view or position as text for a terminal. `rich` decides on colours: none in a pipe or under NO_COLOR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.columns import Columns
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from arena.rules import Ruleset, SeatView, TileView, TurnView, View, format_view
from arena.rules.view_parts import Pile

SEAT_STYLES = (
    "",
    *(f"bold black on {colour}" for colour in ("bright_cyan", "bright_magenta", "orange3", "green3", "yellow3")),
)
TRIBE_STYLES = {
    "y": "bold yellow",
    "w": "bold bright_white",
    "g": "bold green",
    "b": "bold dodger_blue2",
    "r": "bold red",
    "p": "bold purple",
}
TILE_STYLES = {"red": "red3", "blue": "deep_sky_blue3", None: "grey50"}
CELL, CELL_OF_EXPANSIONS = 12, 13
"""Width of a tile: a board of the base game fits into 80 columns."""
PANEL = 39
HOLES = {"lake": ("≈", "blue"), "chasm": ("▒", "grey39")}
LEGEND = "△ held by a tent · ▲ mountains on these sides · h01 … h22 whims"
SHORT = {"small-market": "small", "large-market": "large", "special-market": "special"}
"""Short names of the markets for narrow tiles."""


def draw(view: View, names: Sequence[str] = (), points: Sequence[int] = ()) -> Group:
    """Draw the board, tracks, markets and seats of a view or position.

    `names` and `points` are shown beside the seats, seat 1 first, if given.
    """
    parts: list[Any] = []
    if turn := format_view(view)["turn"]:
        parts.append(Text(f"  turn: {_turn(turn)}"))
    parts.append(_board(view))
    if view.expansions:
        parts.append(Text(LEGEND, style="dim"))
    parts.append(_track(view))
    parts.append(Text("market  ", style="dim").append("  ".join(view.market) or "empty", style="default"))
    parts.append(Text("djinns  ", style="dim").append("  ".join(view.djinns) or "none", style="default"))
    parts.append(Columns([_seat(view, seat, names, points) for seat in view.seats]))
    return Group(*parts)


def pending_words(view: View) -> str:
    """Return what the view waits for."""
    return "the end" if view.to_act is None else f"seat {view.to_act} to act, phase {view.phase}"


def text_of(view: View, names: Sequence[str] = ()) -> str:
    """Return the drawing as text for the standard output, with colours if that is a terminal.

    It is never narrower than the board.
    """
    cell = CELL_OF_EXPANSIONS if view.expansions else CELL
    console = Console()
    console.width = max(console.width, view.columns * (cell + 1) + 1, 2 * PANEL + 1)
    viewer = f"seat {view.seat}" if view.seat else "a spectator"
    with console.capture() as captured:
        console.print(f"[bold]view of {viewer}[/bold] · round {view.round} · {pending_words(view)}", highlight=False)
        console.print(draw(view, names))
    return captured.get().rstrip("\n")


def _turn(turn: dict[str, Any]) -> str:
    """Return the turn in the words of the notation: `at C3 · lifted rr`."""
    words = {key: " ".join(value) if isinstance(value, list) else value for key, value in turn.items()}
    return " · ".join(f"{key.replace('_', ' ')} {value}".removesuffix(" True") for key, value in words.items())


def _board(shown: View) -> Table:
    width = CELL_OF_EXPANSIONS if shown.expansions else CELL
    grid = Table(show_header=False, show_lines=True, padding=(0, 0))
    for _ in range(shown.columns):
        grid.add_column(width=width)
    for row in range(1, shown.rows + 1):
        names = [f"{chr(65 + column)}{row}" for column in range(shown.columns)]
        grid.add_row(*(_tile(shown.tiles[name], shown.turn, width) for name in names))
    return grid


def _tile(tile: TileView, turn: TurnView, width: int) -> Text:
    name = tile.name
    if tile.kind in HOLES:
        mark, style = HOLES[tile.kind]
        return Text("\n".join([f"{name} {tile.kind}", mark * width, mark * width]), style=style)
    here = "reverse " if turn.at == name else "underline " if turn.origin == name else ""
    text = Text()
    text.append(f"{name} ", style=f"{here}bold")
    value = "5+" if tile.kind == "city" else tile.value  # the value of a city depends on how many cities a seat has
    text.append(f"{SHORT.get(tile.kind, tile.kind)} {value}\n", style=TILE_STYLES[tile.colour])
    for letter in tile.meeples or "-":
        text.append(letter, style=TRIBE_STYLES.get(letter, "dim"))
    mark = f"▲{tile.mountains}" if tile.mountains else tile.whim or ""
    text.append(mark.rjust(max(width - len(tile.meeples or "-"), len(mark) + 1)) if mark else "", style="italic")
    text.append("\n")
    if tile.owner:
        text.append(f" {tile.owner}{'△' if tile.tent else ' '}", style=SEAT_STYLES[tile.owner])
    for piece, number in (("palm", tile.palms), ("palace", tile.palaces)):
        if number:
            text.append(f" {piece}" + (f"×{number}" if number > 1 else ""))
    return text


def _track(shown: View) -> Text:
    costs = Ruleset(shown.players, shown.expansions).track.costs
    text = Text("bids    ", style="dim")
    for cost, seat in zip(costs, shown.turn_track, strict=True):
        text.append(f"{cost}", style="default")
        text.append(f" {seat} " if seat else " · ", style=SEAT_STYLES[seat or 0])
        text.append(" ")
    text.append(" order ", style="dim")
    for seat in shown.bid_order:
        text.append(f" {seat} ", style=SEAT_STYLES[seat])
    return text


def _seat(shown: View, seat: SeatView, names: Sequence[str], points: Sequence[int]) -> Panel:
    place = seat.number - 1
    lines = list(seat_lines(shown, seat))
    if points:
        lines[0] = f"{points[place]} points · {lines[0]}"
    name = names[place] if place < len(names) else "you" if seat.number == shown.seat else ""
    title = Text(f" {seat.number} ", style=SEAT_STYLES[seat.number]).append(f" {name}", style="default")
    return Panel("\n".join(lines), title=title, title_align="left", width=PANEL)


def seat_lines(shown: View, seat: SeatView) -> Iterator[str]:
    """Yield lines with the seat's possessions, as far as the view shows them."""
    yield "? gold" if seat.gold is None else f"{seat.gold} gold"
    yield f"{seat.viziers} viziers · {seat.elders} elders · {seat.camels} camels"
    yield _hand(seat)
    yield " ".join(f"{djinn}*" if djinn in seat.used else djinn for djinn in seat.djinns) or "no Djinn"
    if "artisans" in shown.expansions:
        tent = "tent" if seat.tents else "no tent"
        yield f"{seat.artisans} artisans · {tent} · {_pile(seat.items, 'items')}"
    if "whims" in shown.expansions:
        yield f"whims open: {_pile(seat.open_whims)} · paid: {' '.join(seat.paid_whims) or '-'}"


def _hand(seat: SeatView) -> str:
    """Return the seat's cards, or their number."""
    if seat.hand is None:
        return "1 card" if seat.cards == 1 else f"{seat.cards} cards"
    return " ".join(f"{name}×{number}" if number > 1 else name for name, number in seat.hand.items()) or "no cards"


def _pile(pile: Pile, noun: str = "") -> str:
    """Return the names in a pile, or their number: `silver-dagger`, `2 items`, `no items`."""
    if isinstance(pile, int):
        return f"{pile} {noun.removesuffix('s') if pile == 1 else noun}".strip()
    return " ".join(pile) or (f"no {noun}" if noun else "-")
