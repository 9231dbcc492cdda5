"""The games of `arena debug --from-here`."""

from __future__ import annotations

import json as jsonlib
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.files import InputError, check_can_write, create_lines, print_json
from arena.cli.play_page import page_of
from arena.cli.play_results import print_results, summary
from arena.local.histories import RecordedMatch, SeatHistory
from arena.local.house_series import game_seed
from arena.local.onward import OnwardGame
from arena.local.results import GameResult, SideTally
from arena.players import PLAYERS

if TYPE_CHECKING:
    from arena.local.reproduction import Reproduction


def play_on(
    source: RecordedMatch | SeatHistory,
    bot: Reproduction,
    version: str,
    decision: tuple[int, int],
    order: tuple[list[str], bytes, int],
    files: tuple[Path | None, Path | None],
    json: bool,
) -> None:
    """Play the games and print their results.

    - `decision`: seat and index.
    - `order`: house players, seed, number of games.
    - `files`: paths for the replays and for a page.

    Raises `InputError`, `NoHistory` or `NoReply`.
    """
    (seat, ask), (against, seed, games), (out, html) = decision, order, files
    if isinstance(source, SeatHistory):
        raise InputError("a transcript lacks what was hidden from the seat: use the match's replay")
    for name in against:
        if name not in PLAYERS:
            raise InputError(f"there is no house player {name!r}; there are {', '.join(PLAYERS)}")
    for path in filter(None, files):
        check_can_write(path)
    played: list[GameResult] = []
    tallies = [SideTally(len(source.names)) for _ in source.names]
    with ExitStack() as stack:
        lines = None
        for number in range(games):
            game = OnwardGame(source, seat, ask, against, game_seed(seed, number), version)
            result = game.play(bot, bot.ask())
            if lines is None and out is not None:
                lines = stack.enter_context(create_lines(out))
            if lines is not None:
                lines.write(jsonlib.dumps(result.replay, separators=(",", ":")) + "\n")
            for place, tally in enumerate(tallies):
                tally.add(result, place)
            played.append(result)
    assert played[0].replay is not None
    names = [seating["name"] for seating in played[0].replay["seats"]]
    rows = summary(names, tallies)
    if html is not None:
        about = (
            f"{games} game{'s' * (games != 1)} from decision {ask} of match {source.terms.match} · seed {seed.hex()}"
        )
        with create_lines(html) as page:
            page.write(page_of(played, rows, about))
    if json:
        print_json({"match": source.terms.match, "seat": seat, "index": ask, "seed": seed.hex(), "players": rows})
        return
    print_results(rows, games, is_mirrored=False)
    print(f"seed {seed.hex()}")
    if out is not None:
        print(f"replays in {out}; check them with: arena replay verify {out}")
