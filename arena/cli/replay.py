"""`arena replay`: prove replays, and look at their positions in the terminal."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.files import InputError, print_json, read_replays
from arena.rules import Divergence, format_position, read_game, verify_replay

NOT_VALID = 1

app = typer.Typer(help="Replays: prove them, look at them.", no_args_is_help=True)
KINDS = "JSON, or JSON Lines with one replay a line; compressed if named .gz or .zst."
ReplayFile = Annotated[Path, typer.Argument(help=f"A file of replays: {KINDS}")]


@app.command()
def verify(
    files: Annotated[list[Path], typer.Argument(help=f"Files of replays: {KINDS}")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a file.")] = False,
) -> None:
    """Prove replays against their events, seeds, set-up and result. Exit code 1 at the first that is not valid.

    The first divergence is shown with the position before it and the actions that
    were legal there.
    """
    for file in files:
        number = 0
        for number, document in enumerate(read_replays(file), 1):
            try:
                verify_replay(document)
            except Divergence as error:
                _show_divergence(file, number, error, json)
                raise typer.Exit(NOT_VALID) from None
        if not number:
            raise InputError(f"{file} holds no replay")
        if json:
            print_json({"file": str(file), "replays": number, "valid": True})
        else:
            print(f"{file}: {number} replay{'s' * (number != 1)}, valid")


def _show_divergence(file: Path, number: int, error: Divergence, json: bool) -> None:
    if json:
        print_json(
            {
                "file": str(file),
                "replay": number,
                "valid": False,
                "index": error.index,
                "code": error.code,
                "message": error.message,
                "position": error.position,
                "legal": list(error.legal),
            }
        )
        return
    where = f"event {error.index}" if error.index >= 0 else "before the first event"
    print(f"{file}: replay {number} is not valid, {where}: {error.message}")
    if error.position is not None:
        print("position:")
        print_json(error.position)
    if error.legal:
        print("legal:")
        print("\n".join(error.legal))


@app.command()
def show(
    file: ReplayFile,
    at: Annotated[
        int | None, typer.Option("--at", help="The index of an event: the position before it; the end without it.")
    ] = None,
    game: Annotated[int, typer.Option("--game", min=1, help="Which replay of the file, from 1.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print the position as one JSON object instead.")] = False,
) -> None:
    """Draw the position before event AT of a replay in the terminal."""
    document = next(islice(read_replays(file), game - 1, None), None)
    if document is None:
        raise InputError(f"{file} has fewer than {game} replays")
    whole = read_game(document)
    index = len(whole.events) if at is None else at
    if not 0 <= index <= len(whole.events):
        raise InputError(f"--at must be from 0 to {len(whole.events)}, the number of events")
    # Chance follows its decision at once: there is no position between the two.
    while index < len(whole.events) and whole.events[index].seat == 0:
        index += 1
    shown = read_game(document, index)
    if json:
        print_json(format_position(shown.state))
        return
    from arena.cli.board import print_game

    print_game(shown, whole, [seat.get("name", "") for seat in document.get("seats", [])])
