"""A position drawn in the terminal, in colour (NO_COLOR is respected)."""

from __future__ import annotations

from typing import Any

from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from arena.rules import Game, format_position, score

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
    position, index = format_position(game.state), len(game.events)
    due = "the end" if game.state.is_over else f"seat {game.state.to_act} to act, phase {game.state.phase}"
    console.print(
        f"[bold]event {index} of {len(whole.events)}[/bold] · round {position['round']} · {due}", highlight=False
    )
    if index:
        console.print(f"  last: {_told(game.events[-1].seat, game.events[-1].text)}", highlight=False)
    if index < len(whole.events):
        console.print(f"  next: {_told(whole.events[index].seat, whole.events[index].text)}", highlight=False)
    if position["turn"]:
        console.print(f"  turn: {_turn(position['turn'])}", highlight=False, markup=False)
    console.print(_board(position))
    if position["expansions"]:
        console.print(Text(LEGEND, style="dim"))
    console.print(_track(game, position))
    console.print(
        Text("market  ", style="dim").append("  ".join(position["resources"]["row"]) or "empty", style="default")
    )
    console.print(Text("djinns  ", style="dim").append("  ".join(position["djinns"]["row"]) or "none", style="default"))
    console.print(Columns([_seat(game, position, seat, names) for seat in range(1, len(position["seats"]) + 1)]))


def _turn(turn: dict[str, Any]) -> str:
    """`at C3 · lifted rr`: what the notation says of a turn."""
    words = {key: " ".join(value) if isinstance(value, list) else value for key, value in turn.items()}
    return " · ".join(f"{key.replace('_', ' ')} {value}".removesuffix(" True") for key, value in words.items())


def _told(seat: int, text: str) -> str:
    return f"seat {seat} {text}" if seat else text


def _board(position: dict[str, Any]) -> Table:
    board = position["board"]
    grid = Table(show_header=False, show_lines=True, padding=(0, 0))
    for _ in range(board["columns"]):
        grid.add_column(width=CELL)
    turn = position["turn"] or {}
    for row in range(1, board["rows"] + 1):
        names = [f"{chr(65 + column)}{row}" for column in range(board["columns"])]
        grid.add_row(*(_tile(name, board["tiles"][name], turn) for name in names))
    return grid


def _tile(name: str, tile: dict[str, Any], turn: dict[str, Any]) -> Text:
    if tile["kind"] in HOLES:
        mark, style = HOLES[tile["kind"]]
        return Text("\n".join([f"{name} {tile['kind']}", mark * CELL, mark * CELL]), style=style)
    here = "reverse " if turn.get("at") == name else "underline " if turn.get("origin") == name else ""
    text = Text()
    text.append(f"{name} ", style=f"{here}bold")
    value = "5+" if tile["kind"] == "city" else tile["value"]  # what a city counts depends on how many one has
    text.append(f"{SHORT.get(tile['kind'], tile['kind'])} {value}\n", style=TILE_STYLES[tile["colour"]])
    for letter in tile["meeples"]:
        text.append(letter, style=TRIBE_STYLES.get(letter, "dim"))
    mark = f"▲{tile['mountains']}" if tile.get("mountains") else tile.get("whim") or ""
    text.append(mark.rjust(max(CELL - len(tile["meeples"]), len(mark) + 1)) if mark else "", style="italic")
    text.append("\n")
    if tile["owner"]:
        text.append(f" {tile['owner']}{'△' if tile.get('tent') else ' '}", style=SEAT_STYLES[tile["owner"]])
    for piece, number in (("palm", tile["palms"]), ("palace", tile["palaces"])):
        if number:
            text.append(f" {piece}" + (f"×{number}" if number > 1 else ""))
    return text


def _track(game: Game, position: dict[str, Any]) -> Text:
    text = Text("bids    ", style="dim")
    for cost, seat in zip(game.ruleset.track.costs, position["turn_track"], strict=True):
        text.append(f"{cost}", style="default")
        text.append(f" {seat} " if seat else " · ", style=SEAT_STYLES[seat or 0])
        text.append(" ")
    text.append(" order ", style="dim")
    for seat in position["bid_order"]:
        text.append(f" {seat} ", style=SEAT_STYLES[seat])
    return text


def _seat(game: Game, position: dict[str, Any], seat: int, names: list[str]) -> Panel:
    shown, points = position["seats"][seat - 1], score(game.state, seat)
    lines = [
        f"{points['total']} points · {shown['gold']} gold",
        f"{shown['viziers']} viziers · {shown['elders']} elders · {shown['camels']} camels",
        " ".join(f"{name}×{number}" if number > 1 else name for name, number in shown["hand"].items()) or "no cards",
        " ".join(f"{djinn}*" if djinn in shown["used"] else djinn for djinn in shown["djinns"]) or "no Djinn",
    ]
    if "artisans" in shown:
        tent = "tent" if shown["tent"] else "no tent"
        lines.append(f"{shown['artisans']} artisans · {tent} · {' '.join(shown['items']) or 'no items'}")
    if "whims" in shown:
        lines.append(
            f"whims open: {' '.join(shown['whims']['open']) or '-'} · paid: {' '.join(shown['whims']['paid']) or '-'}"
        )
    name = names[seat - 1] if seat <= len(names) else ""
    title = Text(f" {seat} ", style=SEAT_STYLES[seat]).append(f" {name}", style="default")
    return Panel("\n".join(lines), title=title, title_align="left", width=44)
