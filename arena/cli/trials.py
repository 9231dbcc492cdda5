"""The sequential test of two competitors as text, as JSON, and as a progress line."""

from __future__ import annotations

import sys
from typing import Any, Final

from arena.ratings.sequential import WIDEST, Answer, Estimate, Trial

EXIT_CODES: Final = {Answer.YES: 0, Answer.NO: 1, Answer.OPEN: 3}
LINE_EVERY: Final = 50
"""Number of games between two progress lines when there is no terminal."""


def sentence(trial: Trial) -> str:
    """Return the answer as text."""
    estimate = trial.estimate()
    assert estimate is not None
    return f"{trial.answer}: {points(estimate)} after {trial.games} games"


def points(estimate: Estimate) -> str:
    """Return the estimate with its 95 % interval."""
    if estimate.high >= WIDEST - 1:
        return f"more than {estimate.low:+.0f} points"
    if estimate.low <= 1 - WIDEST:
        return f"less than {estimate.high:+.0f} points"
    return f"{estimate.points:+.0f} ± {estimate.half_width:.0f} points"


def document(trial: Trial) -> dict[str, Any]:
    """Return the answer as JSON."""
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


def show(trial: Trial, *, is_json: bool = False) -> None:
    """Show the progress of a test: one line that is overwritten on a terminal, or a line every `LINE_EVERY` games.

    Lines go to the standard output, unless that is for JSON.
    """
    estimate, hypotheses = trial.running_estimate(), trial.hypotheses
    assert estimate is not None
    line = (
        f"{trial.games} games: {points(estimate)},"
        f" LLR {trial.llr:+.2f} of {hypotheses.lower:.2f} … {hypotheses.upper:.2f}"
    )
    if sys.stderr.isatty():
        print(f"\r{line}\x1b[K", end="\n" if trial.answer else "", file=sys.stderr, flush=True)
    lines = sys.stderr if is_json else sys.stdout
    if not lines.isatty() and trial.games % LINE_EVERY < hypotheses.players:
        print(line, file=lines, flush=True)
