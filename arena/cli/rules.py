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

Players = Annotated[int, typer.Option("--players", "-n", help="How many players: 2 to 4, with an expansion also 5.")]
Seed = Annotated[str, typer.Option("--seed", help="The game's seed: 64 hex digits.")]
Deal = Annotated[str | None, typer.Option("--deal", help="A deal shared by several games: 64 hex digits.")]
Expansions = Annotated[
    list[str] | None,
    typer.Option("--expansion", "-x", help="An expansion in play: whims or artisans; may be repeated."),
]
PositionFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A position document; the standard input without it.")
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
    file: Annotated[Path, typer.Option("--file", "-f", help="The position; the standard input without it.")] = STDIN,
) -> None:
    """Print the position after some actions. Chance that they cause is given as actions too, right after its cause."""
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
    seat: Annotated[int, typer.Argument(help="The seat that looks, from 1; 0 for a spectator.")],
    file: PositionFile = STDIN,
) -> None:
    """Print what a seat may see of a position."""
    print_json(view(_position(file), seat).document)


@app.command()
def serve() -> None:
    """Answer requests for programs in other languages: JSON, one a line, until the input ends.

    {"do": "legal", "position": …} gives {"legal": […]}. There are new, legal, apply, view, determinize and score; the
    page on the notation shows them.
    """
    from arena.cli.serve import answers

    for answer in answers(sys.stdin):
        print(answer, flush=True)


@app.command()
def perft(
    players: Players,
    seed: Seed,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, help="How many decisions deep.")],
    deal: Deal = None,
    expansion: Expansions = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Count the sequences of DEPTH decisions from the first bid on, split by first action; chance is the seed's."""
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
