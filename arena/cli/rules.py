"""`arena rules`: positions, legal actions, views and perft on the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.files import STDIN, print_json, read_document, read_hex, read_ruleset
from arena.rules import (
    IllegalAction,
    State,
    Stream,
    format_position,
    parse_action,
    parse_position,
    start_with_stream,
    view,
)
from arena.rules.perft import split

app = typer.Typer(
    help="Ask the rules: make positions, list and play actions, see what a seat sees. Positions are JSON, one a line.",
    no_args_is_help=True,
)

Players = Annotated[int, typer.Option("--players", "-n", help="Number of players: 2 to 4, or 5 with an expansion.")]
Seed = Annotated[str, typer.Option("--seed", help="The game's seed: 64 hex digits.")]
Deal = Annotated[str | None, typer.Option("--deal", help="A deal shared by several games: 64 hex digits.")]
Expansions = Annotated[
    list[str] | None,
    typer.Option("--expansion", "-x", help="An expansion in play: whims or artisans; may be repeated."),
]
PositionFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A position document; by default the standard input.")
]


@app.command()
def new(players: Players, seed: Seed, deal: Deal = None, expansion: Expansions = None) -> None:
    """Print the position before the first bid of the game with this seed."""
    state, _ = _start(players, seed, deal, expansion)
    print_json(format_position(state))


@app.command()
def legal(file: PositionFile = STDIN) -> None:
    """Print the legal actions of a position, one a line, in the order of the notation."""
    for action in _position(file).legal:
        print(action)


@app.command()
def apply(
    actions: Annotated[
        list[str], typer.Argument(help="Actions such as 'take A1' 'drop A2 r'; chance such as '!bag wrr'.")
    ],
    file: Annotated[Path, typer.Option("--file", "-f", help="The position; by default the standard input.")] = STDIN,
) -> None:
    """Print the position after some actions. The chance that they cause is also given as actions, right after its
    cause."""
    state = _position(file)
    for text in actions:
        action = parse_action(text)
        state.check(action)
        state = state.play(action)
    if state.due is not None:
        raise IllegalAction("CHANCE_DUE", f"chance is due, give it as the next action: {state.due}")
    print_json(format_position(state))


@app.command(name="view")
def show_view(
    seat: Annotated[int, typer.Argument(help="Seat whose view is printed, from 1; 0 for a spectator.")],
    file: PositionFile = STDIN,
) -> None:
    """Print what a seat may see of a position."""
    print_json(view(_position(file), seat).document)


@app.command()
def serve() -> None:
    """Answer requests of programs in other languages: JSON, one a line, until the input ends.

    {"do": "legal", "position": …} gives {"legal": […]}. The requests are new, legal, apply, view, determinize and
    score; the page on the notation shows them.
    """
    from arena.cli.serve import answers

    for answer in answers(sys.stdin):
        print(answer, flush=True)


@app.command()
def perft(
    players: Players,
    seed: Seed,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, help="Number of decisions.")],
    deal: Deal = None,
    expansion: Expansions = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Count the sequences of DEPTH decisions from the first bid on, by first action. Chance comes from the seed."""
    state, stream = _start(players, seed, deal, expansion)
    counts = split(state, stream, depth)
    if json:
        print_json({"depth": depth, "total": sum(counts.values()), "split": counts})
        return
    for action, number in counts.items():
        print(f"{action}: {number}")
    print(f"total: {sum(counts.values())}")


def _start(players: int, seed: str, deal: str | None, expansions: list[str] | None) -> tuple[State, Stream]:
    ruleset = read_ruleset(players, expansions)
    return start_with_stream(ruleset, read_hex(seed), read_hex(deal, "deal") if deal else None)


def _position(file: Path) -> State:
    return parse_position(read_document(file))
