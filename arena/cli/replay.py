"""`arena replay`: prove replays, and look at their positions in the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from arena.cli.files import InputError, print_json, printable, read_replays
from arena.cli.offers import read_offers
from arena.cli.verifying import find_keys, lines, read_receipt, summary, verify_document
from arena.host.signing import SignatureError
from arena.rules import Divergence, Event, Game, ReplayError, format_position, position, read_game, score
from arena.rules.replay import BEFORE

# Explains an invalid replay in a few lines: where it diverges, what it contains there, and what should follow.


MOST_FIELDS: Final = 5
MOST_ACTIONS: Final = 12
MOST_CHARACTERS: Final = 60


def describe(document: dict[str, Any], error: Divergence) -> list[str]:
    """Return lines about a divergence: message, event, position and legal actions; for a set-up the differences."""
    lines = [f"{_where(error.index)}: {error.message}"]
    events = document["events"]
    if 0 <= error.index < len(events):
        lines.append(f"  the replay has {_shown(events[error.index])}")
    position = error.position
    if error.code == "SETUP" and position is not None:
        differences = list(_differences(document.get("setup"), position, ""))
        lines += [
            f"  {path}: {_shown(mine)}, the seed gives {_shown(due)}" for path, mine, due in differences[:MOST_FIELDS]
        ]
        lines += [f"  and {len(differences) - MOST_FIELDS} more"] * (len(differences) > MOST_FIELDS)
    elif position is not None:
        actor = f"seat {position['to_act']} is to act" if position["to_act"] else "nobody is to act"
        lines.append(f"  there: round {position['round']}, phase {position['phase']}, {actor}")
    if error.legal:
        more = f" and {len(error.legal) - MOST_ACTIONS} more" * (len(error.legal) > MOST_ACTIONS)
        lines.append(f"  legal: {', '.join(error.legal[:MOST_ACTIONS])}{more}")
    return lines


def _where(index: int) -> str:
    return f"event {index}" if index >= 0 else "before the first event"


_ABSENT: Final = object()


def _differences(mine: Any, due: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the values of two documents that differ: path, first value, second value."""
    if isinstance(mine, dict) and isinstance(due, dict):
        for key in dict.fromkeys([*due, *mine]):
            yield from _differences(mine.get(key, _ABSENT), due.get(key, _ABSENT), f"{path}.{key}".lstrip("."))
    elif isinstance(mine, list) and isinstance(due, list) and len(mine) == len(due):
        for place, pair in enumerate(zip(mine, due, strict=True)):
            yield from _differences(*pair, f"{path}[{place}]")
    elif mine is _ABSENT or due is _ABSENT or json.dumps(mine) != json.dumps(due):
        yield path or "the whole", mine, due


def _shown(value: Any) -> str:
    text = "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


NOT_VALID = 1

app = typer.Typer(help="Replays: prove them, look at them.", no_args_is_help=True)
KINDS = "JSON, or JSON Lines with one replay a line; compressed if named .gz or .zst."
ReplayFile = Annotated[Path, typer.Argument(help=f"A file of replays: {KINDS}")]


@app.command()
def verify(
    files: Annotated[list[Path], typer.Argument(help=f"Files of replays: {KINDS}")],
    key: Annotated[
        list[str] | None,
        typer.Option("--key", help="Require a signature with this public key: 64 hex digits, or a file of keys."),
    ] = None,
    arena: Annotated[
        str | None, typer.Option("--arena", help="Require a signature of the arena at this https:// address.")
    ] = None,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", help="Compare one of the replays with the receipt that a bot kept.")
    ] = None,
    offers: Annotated[
        Path | None,
        typer.Option("--offers", help="Look each match up in this copy of an arena's log of offers."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a file.")] = False,
) -> None:
    """Prove replays: seeds, set-up, events, clocks, verdict and result. Exit code 1 at the first invalid one.

    Facts that cannot be recomputed are signed by the arena; the signature is checked only with --key or --arena. The
    facts that are proved for every replay of a file, and those that are not, are listed.

    The first divergence is shown with what the replay has there and what should follow instead. --json adds the whole
    position before it and every legal action there.
    """
    keys = find_keys(key or [], arena)
    if offers is not None and not keys:
        raise InputError("--offers needs --key or --arena: without a signature anybody can write such a log")
    published = read_offers(offers, keys) if offers is not None else None
    offered = read_receipt(receipt) if receipt is not None else None
    was_offered = False
    for file in files:
        verified = []
        for number, document in enumerate(read_replays(file), 1):
            try:
                verified.append(verify_document(document, keys, offered, published))
                was_offered = was_offered or (offered is not None and document["match"] == offered["match"])
            except Divergence as error:
                _show_divergence(file, number, document, error, json)
                raise typer.Exit(NOT_VALID) from None
            except ReplayError as error:
                raise InputError(f"{file}: replay {number}: {error}") from None
            except SignatureError as error:
                _show_divergence(file, number, document, Divergence("SIGNATURE", BEFORE, str(error)), json)
                raise typer.Exit(NOT_VALID) from None
        if not verified:
            raise InputError(f"{file} holds no replay")
        shown = summary(verified)
        if json:
            print_json({"file": str(file), "replays": len(verified), "valid": True, **shown})
        else:
            print(printable(f"{file}: {len(verified)} replay{'s' * (len(verified) != 1)}, valid"))
            print("\n".join(lines(shown)))
    if offered is not None and not was_offered:
        raise InputError(f"no replay belongs to the match of {receipt}, {offered['match']!r}")


def _show_divergence(file: Path, number: int, document: dict[str, Any], error: Divergence, json: bool) -> None:
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
    print(printable(f"{file}: replay {number} is not valid, " + "\n".join(describe(document, error))))


@app.command()
def show(
    file: ReplayFile,
    at: Annotated[
        int | None, typer.Option("--at", help="Index of an event: draw the position before it; by default the end.")
    ] = None,
    game: Annotated[int, typer.Option("--game", min=1, help="Which replay of the file, from 1.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print the position as one JSON object instead.")] = False,
) -> None:
    """Draw the position before event AT of a replay in the terminal."""
    document = next(islice(read_replays(file), game - 1, None), None)
    if document is None:
        raise InputError(f"{file} has fewer than {game} replays")
    try:
        whole = read_game(document)
    except ReplayError as error:
        raise InputError(f"{file}: replay {game}: {error}") from None
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
    _draw(shown, whole, [printable(str(seat["name"])) for seat in document["seats"]])


def _draw(game: Game, whole: Game, names: list[str]) -> None:
    """Draw the current position of a game from a replay that continues as `whole`."""
    from rich.console import Console

    from arena.bots.drawing import draw, pending_words

    console, seen, index = Console(), position(game.state), len(game.events)
    console.print(
        f"[bold]event {index} of {len(whole.events)}[/bold] · round {seen.round} · {pending_words(seen)}",
        highlight=False,
    )
    if index:
        console.print(f"  last: {_event_text(game.events[-1])}", highlight=False, markup=False)
    if index < len(whole.events):
        console.print(f"  next: {_event_text(whole.events[index])}", highlight=False, markup=False)
    console.print(draw(seen, names, [score(game.state, seat)["total"] for seat in range(1, seen.players + 1)]))


def _event_text(event: Event) -> str:
    return f"seat {event.seat} {event.text}" if event.seat else event.text
