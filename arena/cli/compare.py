"""`arena bot compare`: is the new version of a bot better than the old one?"""

from __future__ import annotations

import json as jsonlib
import secrets
import sys
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.bots.house_bots import house_bot
from arena.bots.local_blocks import Block, LocalBlocks, NoResult, Side
from arena.bots.local_bot import BotNotLoaded
from arena.cli.bot import load_bot
from arena.cli.files import InputError, create_lines, print_json, read_ruleset
from arena.players import PLAYERS
from arena.ratings.sequential import MARGIN, WIDEST, Answer, Estimate, Hypotheses, Trial

EXIT_CODES = {Answer.YES: 0, Answer.NO: 1, Answer.OPEN: 3}


def compare(
    old: Annotated[str, typer.Argument(help="Python file of a bot (file.py:Class if several), or a house player.")],
    new: Annotated[str, typer.Argument(help="The same, of the version that may be better.")],
    players: Annotated[int, typer.Option("--players", "-p", min=2, max=5, help="Seats.")] = 2,
    expansion: Annotated[
        list[str] | None,
        typer.Option("--expansion", "-x", help="An expansion in play: whims or artisans; may be repeated."),
    ] = None,
    house: Annotated[str, typer.Option(help="The house player at the other seats.")] = "greedy",
    margin: Annotated[float, typer.Option(min=1, max=400, help="Points by which NEW is to be better.")] = MARGIN,
    games: Annotated[int, typer.Option(min=2, help="The most games.")] = 10_000,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Games at the same time.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the replays here, one a line; compressed if named .gz, .zst."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")] = False,
) -> None:
    """Play NEW against OLD on this machine until it is clear whether NEW is better.

    By the arena's own referee and clock, in deal blocks with the seats turned, house players at the
    other seats. A sequential test (GSPRT) stops by itself: a NEW that is no better gets a yes 5 % of
    the time, one that is better by the margin a no 5 %. 400 points are 10 wins to 1 loss.

    Exit code: 0 yes, 1 no, 3 not told apart after all games, 2 input that cannot be used.
    """
    ruleset = read_ruleset(players, expansion)
    if house not in PLAYERS:
        raise InputError(f"there is no house player {house!r}; there are {', '.join(PLAYERS)}")
    sides = [_side(name) for name in (new, old, *[house] * (players - 2))]
    trial, wrong = Trial(Hypotheses(players, margin, max(1, games // players))), Wrong()
    with ExitStack() as stack:
        lines = stack.enter_context(create_lines(out)) if out else None
        blocks = stack.enter_context(closing(LocalBlocks(ruleset, sides, secrets.token_bytes(32)).play(jobs)))
        while trial.answer is None:
            try:
                block = next(blocks)
            except (BotNotLoaded, NoResult) as error:
                raise InputError(str(error)) from None
            if lines is not None:
                lines.writelines(jsonlib.dumps(replay, separators=(",", ":")) + "\n" for replay in block.replays)
            wrong.count(block)
            trial.add(block.halves)
            _show(trial)
    if json:
        print_json({"new": new, "old": old, "ruleset": ruleset.document(), **document(trial), **wrong.document()})
    else:
        print(sentence(trial))
        for line in wrong.lines(trial.games):
            print(line)
    raise typer.Exit(EXIT_CODES[trial.answer])


def _side(reference: str) -> Side:
    return Side(reference, partial(house_bot if reference in PLAYERS else load_bot, reference))


class Wrong:
    """What the two versions did wrong, new and old."""

    def __init__(self) -> None:
        self.faults, self.forfeits = [0, 0], [0, 0]

    def count(self, block: Block) -> None:
        """Add what went wrong in a block."""
        for side in (0, 1):
            self.faults[side] += block.faults[side]
            self.forfeits[side] += block.forfeits[side]

    def document(self) -> dict[str, Any]:
        """As JSON."""
        wrong = {"faults": self.faults, "forfeits": self.forfeits}
        return {name: {"new": new, "old": old} for name, (new, old) in wrong.items()}

    def lines(self, games: int) -> list[str]:
        """A line for each version that did something wrong."""
        return [
            f"{name}: faults {self.faults[side]}, forfeits {self.forfeits[side]} of {games} games"
            for side, name in enumerate(("NEW", "OLD"))
            if self.faults[side] or self.forfeits[side]
        ]


def sentence(trial: Trial) -> str:
    """The answer in words."""
    estimate = trial.estimate()
    assert estimate is not None
    return f"{trial.answer}: {points(estimate)} after {trial.games} games"


def points(estimate: Estimate) -> str:
    """The estimate with its 95 % interval."""
    if estimate.high >= WIDEST - 1:
        return f"more than {estimate.low:+.0f} points"
    if estimate.low <= 1 - WIDEST:
        return f"less than {estimate.high:+.0f} points"
    return f"{estimate.points:+.0f} ± {estimate.half_width:.0f} points"


def document(trial: Trial) -> dict[str, Any]:
    """The answer as JSON."""
    estimate, hypotheses = trial.estimate(), trial.hypotheses
    assert estimate is not None
    return {
        "answer": trial.answer,
        "points": round(estimate.points, 1),
        "interval": [round(estimate.low, 1), round(estimate.high, 1)],
        "games": trial.games,
        "blocks": trial.counts,
        "llr": round(trial.llr, 3),
        "bounds": [round(hypotheses.lower, 3), round(hypotheses.upper, 3)],
        "margin": hypotheses.margin,
        "errors": [hypotheses.alpha, hypotheses.beta],
    }


def _show(trial: Trial) -> None:
    """One line on a terminal, which is written over; nothing elsewhere."""
    if not sys.stderr.isatty():
        return
    estimate, hypotheses = trial.estimate(), trial.hypotheses
    assert estimate is not None
    print(
        f"\r{trial.games} games: {points(estimate)},"
        f" LLR {trial.llr:+.2f} of {hypotheses.lower:.2f} … {hypotheses.upper:.2f}\x1b[K",
        end="\n" if trial.answer else "",
        file=sys.stderr,
        flush=True,
    )
