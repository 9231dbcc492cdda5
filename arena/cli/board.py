"""A position drawn in the terminal, in colour (NO_COLOR is respected)."""

from __future__ import annotations

from typing import Any

from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from arena.rules import Game, Position, TileView, TurnView, position, score

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
CELL = 13
HOLES = {"lake": ("≈", "blue"), "chasm": ("▒", "grey39")}
LEGEND = "△ held by a tent · ▲ mountains on these sides · h01 … h22 whims"
SHORT = {"small-market": "small", "large-market": "large", "special-market": "special"}
"""What the markets are called where there is little room."""


def print_game(game: Game, whole: Game, names: list[str], console: Console | None = None) -> None:
    """Draw the position that a game has come to, of a replay that goes on as `whole`."""
    console = console or Console()
    shown, index = position(game.state), len(game.events)
    due = "the end" if game.state.is_over else f"seat {game.state.to_act} to act, phase {game.state.phase}"
    console.print(f"[bold]event {index} of {len(whole.events)}[/bold] · round {shown.round} · {due}", highlight=False)
    if index:
        console.print(f"  last: {_told(game.events[-1].seat, game.events[-1].text)}", highlight=False)
    if index < len(whole.events):
        console.print(f"  next: {_told(whole.events[index].seat, whole.events[index].text)}", highlight=False)
    if turn := shown.document["turn"]:
        console.print(f"  turn: {_turn(turn)}", highlight=False, markup=False)
    console.print(_board(shown))
    if shown.expansions:
        console.print(Text(LEGEND, style="dim"))
    console.print(_track(game, shown))
    console.print(Text("market  ", style="dim").append("  ".join(shown.market) or "empty", style="default"))
    console.print(Text("djinns  ", style="dim").append("  ".join(shown.djinns) or "none", style="default"))
    console.print(Columns([_seat(game, shown, seat, names) for seat in range(1, shown.players + 1)]))


def _turn(turn: dict[str, Any]) -> str:
    """`at C3 · lifted rr`: what the notation says of a turn."""
    words = {key: " ".join(value) if isinstance(value, list) else value for key, value in turn.items()}
    return " · ".join(f"{key.replace('_', ' ')} {value}".removesuffix(" True") for key, value in words.items())


def _told(seat: int, text: str) -> str:
    return f"seat {seat} {text}" if seat else text


def _board(shown: Position) -> Table:
    grid = Table(show_header=False, show_lines=True, padding=(0, 0))
    for _ in range(shown.columns):
        grid.add_column(width=CELL)
    for row in range(1, shown.rows + 1):
        names = [f"{chr(65 + column)}{row}" for column in range(shown.columns)]
        grid.add_row(*(_tile(shown.tiles[name], shown.turn) for name in names))
    return grid


def _tile(tile: TileView, turn: TurnView) -> Text:
    name = tile.name
    if tile.kind in HOLES:
        mark, style = HOLES[tile.kind]
        return Text("\n".join([f"{name} {tile.kind}", mark * CELL, mark * CELL]), style=style)
    here = "reverse " if turn.at == name else "underline " if turn.origin == name else ""
    text = Text()
    text.append(f"{name} ", style=f"{here}bold")
    value = "5+" if tile.kind == "city" else tile.value  # what a city counts depends on how many one has
    text.append(f"{SHORT.get(tile.kind, tile.kind)} {value}\n", style=TILE_STYLES[tile.colour])
    for letter in tile.meeples or "-":
        text.append(letter, style=TRIBE_STYLES.get(letter, "dim"))
    mark = f"▲{tile.mountains}" if tile.mountains else tile.whim or ""
    text.append(mark.rjust(max(CELL - len(tile.meeples or "-"), len(mark) + 1)) if mark else "", style="italic")
    text.append("\n")
    if tile.owner:
        text.append(f" {tile.owner}{'△' if tile.tent else ' '}", style=SEAT_STYLES[tile.owner])
    for piece, number in (("palm", tile.palms), ("palace", tile.palaces)):
        if number:
            text.append(f" {piece}" + (f"×{number}" if number > 1 else ""))
    return text


def _track(game: Game, shown: Position) -> Text:
    text = Text("bids    ", style="dim")
    for cost, seat in zip(game.ruleset.track.costs, shown.turn_track, strict=True):
        text.append(f"{cost}", style="default")
        text.append(f" {seat} " if seat else " · ", style=SEAT_STYLES[seat or 0])
        text.append(" ")
    text.append(" order ", style="dim")
    for seat in shown.bid_order:
        text.append(f" {seat} ", style=SEAT_STYLES[seat])
    return text


def _seat(game: Game, shown: Position, seat: int, names: list[str]) -> Panel:
    mine, points = shown.seats[seat - 1], score(game.state, seat)
    lines = [
        f"{points['total']} points · {mine.gold} gold",
        f"{mine.viziers} viziers · {mine.elders} elders · {mine.camels} camels",
        " ".join(f"{name}×{number}" if number > 1 else name for name, number in mine.hand.items()) or "no cards",
        " ".join(f"{djinn}*" if djinn in mine.used else djinn for djinn in mine.djinns) or "no Djinn",
    ]
    if "artisans" in shown.expansions:
        tent = "tent" if mine.tents else "no tent"
        lines.append(f"{mine.artisans} artisans · {tent} · {' '.join(mine.items) or 'no items'}")
    if "whims" in shown.expansions:
        lines.append(f"whims open: {' '.join(mine.open_whims) or '-'} · paid: {' '.join(mine.paid_whims) or '-'}")
    name = names[seat - 1] if seat <= len(names) else ""
    title = Text(f" {seat} ", style=SEAT_STYLES[seat]).append(f" {name}", style="default")
    return Panel("\n".join(lines), title=title, title_align="left", width=44)
