"""`arena simulate collusion`: whether the meter of help between bots finds a helper."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.progress import progress


def collusion(
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 60,
    players: Annotated[int, typer.Option(min=3, max=4, help="Seats.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="Seed; another one gives other games.")] = 0,
    honest: Annotated[bool, typer.Option("--honest", help="Nobody helps anybody.")] = False,
    worlds: Annotated[
        int, typer.Option(min=0, help="Print error rates over this many worlds with random leans, instead of playing.")
    ] = 0,
) -> None:
    """Test whether the meter of help between bots finds one that favours a friend, and flags nobody else.

    House players meet again and again. One of them considers the landings within 2 VP of its best and takes the one
    that gives its friend the most points. A game takes about 2.5 seconds.
    """
    if worlds:
        _print_rates(worlds, seed)
        return
    from arena.fairness.collusion import FRIEND, HELPER
    from arena.fairness.collusion import games as played
    from arena.fairness.kingmaking import pairs

    measured = []
    with progress(games, "Games") as advance:
        for _, helps in played(players, games, seed.to_bytes(32, "big"), honest):
            measured.append(helps)
            advance()
    found = pairs(measured).pairs
    others = [pair for pair in found if honest or (pair.helper, pair.helped) != (HELPER, FRIEND)]
    for pair in found:
        shown = f"lean {pair.mean:+.2f}, {pair.effect:+.2f} SD a game, {pair.games} games, p = {pair.p:.2g}"
        print(f"{'!' if pair.is_flagged else ' '} {pair.helper} → {pair.helped}: {shown}")
    print(f"{sum(pair.is_flagged for pair in others)} of {len(others)} honest pairs flagged")
    print(f"{games} games of {players}, seed {seed}")


def _print_rates(worlds: int, seed: int) -> None:
    from arena.fairness.drawn import error_rates

    print("games  lean  helper found  honest pair flagged")
    for row in error_rates(worlds, seed):
        found = f"{row.found:.1%}" if row.lean else "–"
        print(f"{row.games:5}  {row.lean:4.1f}  {found:>12}  {row.wrong:>19.1%}")
    print(f"{worlds} worlds each, seed {seed}")
