"""`arena play`: local games among house players, Python files and programs that connect."""

from __future__ import annotations

import json as jsonlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from arena.cli.competitors import read_entrants
from arena.cli.files import InputError, check_can_write, create_lines, print_json, read_hex, read_ruleset
from arena.cli.play_page import MOST_GAMES, page_of
from arena.cli.play_results import print_results, summary
from arena.cli.play_series import Interruptions, SeriesSetting, open_series
from arena.cli.progress import progress
from arena.cli.questions import Question, read_question
from arena.local.results import GameResult, SideTally
from arena.players import PLAYERS
from arena.rules import Ruleset

MANY = 10_000
"""Default number of games for `--until`."""
INTERRUPTED = 130


def play(
    competitors: Annotated[
        list[str],
        typer.Argument(
            help="One for each of 2 to 5 seats: a Python file of a bot (file.py:Class if several), a command in quotes"
            " that connects, host:port to wait there for a bot that you start, with --sandbox the folder of a bot, or a"
            f" house player: {', '.join(PLAYERS)}."
        ),
    ],
    games: Annotated[
        int | None, typer.Option("--games", "-g", min=1, help="Number of games; by default 1, or 10000 with --until.")
    ] = None,
    mirror: Annotated[
        bool, typer.Option("--mirror", "-m", help="Play deal blocks: each deal once for every rotation of the seats.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=64, help="Games at the same time.")] = 1,
    until: Annotated[
        str | None, typer.Option(help='Play deal blocks until this is decided: "mybot > greedy at 95%".')
    ] = None,
    seed: Annotated[str | None, typer.Option("--seed", help="64 hex digits; by default a new seed.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the replays here, one a line; compressed if named .gz, .zst."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", help=f"Write one page with the results and the first {MOST_GAMES} games to step through."
        ),
    ] = None,
    expansion: Annotated[
        list[str] | None,
        typer.Option("--expansion", "-x", help="An expansion in play: whims or artisans; may be repeated."),
    ] = None,
    wait: Annotated[float, typer.Option(min=0.1, help="Seconds in which a program must say hello.")] = 60.0,
    sandbox: Annotated[
        bool,
        typer.Option(
            "--sandbox", help="Run folders and files in the sandbox of hosted bots, with bot.toml, as an arena would."
        ),
    ] = False,
    show_output: Annotated[bool, typer.Option("--show-output", help="Show what commands print.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the results as one JSON object.")] = False,
) -> None:
    """Play local games and print the results: no server, no account, no network.

    The games use the server's referee and clocks. A command finds address and token in ARENA_SERVER and ARENA_TOKEN. It
    is stopped with everything it has started, except processes that begin their own session (setsid).

    Games among house players only run in this process, without clocks, and can be repeated: game k (from 0) has the
    seed SHA-256(seed ‖ k as 8 bytes, big-endian).

    Ctrl-C prints the results so far. Exit code: 0 played (with --until: yes), 1 no, 3 undecided after all games, 2
    unusable input, 130 interrupted.
    """
    entrants = read_entrants(competitors, is_sandboxed=sandbox)
    ruleset = read_ruleset(len(entrants), expansion)
    mirror = mirror or until is not None
    number = games or (1 if until is None else MANY)
    number += -number % ruleset.players if mirror else 0  # whole blocks
    question = None if until is None else read_question(until, entrants, number // ruleset.players)
    chosen = read_hex(seed) if seed is not None else secrets.token_bytes(32)
    error: InputError | None = None
    run = Run([SideTally(ruleset.players) for _ in entrants], question, MOST_GAMES if html else 0)
    with ExitStack() as stack:
        for path in filter(None, (out, html)):
            check_can_write(path)  # the files are created when there is something to write
        setting = SeriesSetting(ruleset, chosen, number, mirror, bool(out or html), jobs, wait, show_output)
        interruptions = stack.enter_context(Interruptions())
        try:
            series = stack.enter_context(open_series(entrants, setting))
            with progress(number, "Playing") as advance:
                lines = (lambda: stack.enter_context(create_lines(out))) if out else None
                run.play(series, interruptions, lines, advance)
        except KeyboardInterrupt:
            run.is_interrupted = True
        except InputError as failed:  # a bot that cannot be restarted: keep what was played
            error = failed
    shown = summary([entrant.name for entrant in entrants], run.tallies)
    if html and run.games:
        with create_lines(html) as page:
            page.write(page_of(run.kept, shown, _about(run, ruleset, chosen, mirror)))
    if error is None or run.games:
        _report(run, shown, chosen, {"ruleset": ruleset.document(), "mirrored": mirror}, json)
        if out and run.games and not json:
            print(f"replays in {out}; check them with: arena replay verify {out}")
        if html and run.games and not json:
            print(f"the page of {len(run.kept)} game{'s' * (len(run.kept) != 1)} in {html}; open it in a browser")
    raise error or typer.Exit(run.code)


class Run:
    """The games played so far."""

    def __init__(self, tallies: list[SideTally], question: Question | None, keep: int) -> None:
        self.tallies = tallies
        self.kept: list[GameResult] = []
        """The first games, for a page."""
        self._keep = keep
        self.question = question
        self.is_interrupted = False
        self.games = 0

    def play(
        self,
        series: Iterator[GameResult],
        interruptions: Interruptions,
        open_lines: Callable[[], IO[str]] | None,
        advance: Callable[[], Any],
    ) -> None:
        """Play all games, or until the question is answered. `open_lines` opens the file for their replays."""
        lines: IO[str] | None = None
        for game in series:
            if lines is None and open_lines is not None:
                lines = open_lines()
            with interruptions.held():
                if lines is not None:
                    lines.write(jsonlib.dumps(game.replay, separators=(",", ":")) + "\n")
                for place, side in enumerate(game.sides):
                    self.tallies[side].add(game, place)
                self.games += 1
                if len(self.kept) < self._keep:
                    self.kept.append(game)
                is_answered = self.question is not None and self.question.add(game)
            advance()
            if is_answered:
                return

    @property
    def code(self) -> int:
        """The exit code."""
        if self.is_interrupted:
            return INTERRUPTED
        return 0 if self.question is None else self.question.code


def _about(run: Run, ruleset: Ruleset, seed: bytes, is_mirrored: bool) -> str:
    """Describe the games that were played."""
    games = f"{run.games} game{'s' * (run.games != 1)}{' in deal blocks' * is_mirrored}"
    shown = f", the first {len(run.kept)} below" if len(run.kept) < run.games else ""
    rules = ", ".join(ruleset.expansions) or "base game"
    return f"{games} of {ruleset.players} players{shown} · {rules} · seed {seed.hex()}"


def _report(run: Run, shown: list[dict[str, Any]], seed: bytes, about: dict[str, Any], json: bool) -> None:
    question = run.question
    if json:
        answer = {} if question is None else {"until": question.document()}
        facts = {"seed": seed.hex(), "games": run.games, "interrupted": run.is_interrupted}
        print_json({**about, **facts, "players": shown, **answer})
        return
    if run.games:
        print_results(shown, run.games, is_mirrored=about["mirrored"])
    else:
        print("no game was played to its end")
    if question is not None:
        print(question.sentence())
    print(f"seed {seed.hex()}")
