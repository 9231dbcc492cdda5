"""`arena simulate players`: every pair of house players in deal blocks, and ratings of all of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.files import InputError, print_json, read_ruleset
from arena.cli.progress import print_lines, progress
from arena.players import PLAYERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.fairness.figures import ShareInterval
    from arena.local.blocks import BlockGame
    from arena.ratings.standing import RatedStanding

MINUTE_S = 60


def players(
    names: Annotated[list[str] | None, typer.Argument(help="House players; by default all of them.")] = None,
    seats: Annotated[int, typer.Option("--players", min=2, max=5, help="Seats of a table.")] = 2,
    rounds: Annotated[int, typer.Option(min=1, help="Blocks played by each table of different players.")] = 1,
    expansion: Annotated[
        list[str] | None, typer.Option("--expansion", "-x", help="whims or artisans; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed; another one gives other games.")] = 0,
    minutes: Annotated[float, typer.Option(min=0.01, help="Minutes after which no block is started.")] = 30,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play house players against each other; print who beats whom, and their ratings.

    A block is one deal that is played once for every seating of the table. The table shows the share of blocks won by
    the player of the row against the player of the column. A player wins a block when it is placed before the other
    more often than behind; a tie counts half.
    """
    from arena.local.blocks import play_cross, tables
    from arena.local.house_series import game_seed

    chosen = list(names or PLAYERS)
    if unknown := set(chosen) - set(PLAYERS):
        raise InputError(f"there is no house player {sorted(unknown)[0]!r}; there are {', '.join(PLAYERS)}")
    if len(chosen) < seats or len(set(chosen)) < len(chosen):
        raise InputError(f"a table of {seats} needs as many different players")
    ruleset, start = read_ruleset(seats, expansion), game_seed(bytes(32), seed)
    due = rounds * len(tables(chosen, seats, start))
    end, blocks = time.monotonic() + MINUTE_S * minutes, []
    with progress(due, "Blocks") as advance:
        for block in play_cross(ruleset, start, chosen, rounds):
            blocks.append(block)
            advance()
            if time.monotonic() >= end:
                break
    rated = _rate(chosen, blocks)
    order = [chosen[row.bot] for row in rated]
    if json:
        setup = {"ruleset": ruleset.document(), "rounds": rounds, "seed": seed, "blocks": len(blocks), "of": due}
        print_json({**setup, "players": _documents(rated, order, blocks)})
        return
    print_lines(_lines(rated, order, blocks))
    print(f"{len(blocks)} of {due} blocks of {seats} games, seed {seed}")


def _rate(names: Sequence[str], blocks: Sequence[Sequence[BlockGame]]) -> list[RatedStanding]:
    """Return the batch fit of all games, best first. Bots are indexes of `names`, with constant strength."""
    from arena.ratings.batch import RatedGame, fit
    from arena.ratings.standing import standings

    return standings(
        fit(
            [
                RatedGame(tuple(names.index(name) for name in game.names), game.ranks, game.bidding)
                for block in blocks
                for game in block
            ],
            constant=range(len(names)),
        )
    )


def _documents(rated: list[RatedStanding], order: list[str], blocks: list[list[BlockGame]]) -> list[dict[str, Any]]:
    from arena.local.blocks import block_share

    rows = []
    for row, name in zip(rated, order, strict=True):
        shares = {other: block_share(blocks, name, other) for other in order if other != name}
        against = {other: share._asdict() for other, share in shares.items() if share}
        rows.append({"name": name, "rating": row.rating, "low": row.low, "high": row.high, "against": against})
    return rows


def _lines(rated: list[RatedStanding], order: list[str], blocks: list[list[BlockGame]]) -> list[list[str]]:
    """Return the table: one line for each player, best first."""
    from arena.local.blocks import block_share

    lines = [["player", "rating", *order]]
    for row, name in zip(rated, order, strict=True):
        half = (row.high - row.low) / 2
        cells = ["" if other == name else _cell(block_share(blocks, name, other)) for other in order]
        lines.append([name, f"{row.rating:.0f} ± {half:.0f}", *cells])
    return lines


def _cell(share: ShareInterval | None) -> str:
    return "–" if share is None else f"{share.share:.2f} [{share.low:.2f} {share.high:.2f}]"
