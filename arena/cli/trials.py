"""The sequential test of two competitors in words, as JSON, and while it runs."""

from __future__ import annotations

import sys
from typing import Any, Final

from arena.ratings.sequential import WIDEST, Answer, Estimate, Trial

EXIT_CODES: Final = {Answer.YES: 0, Answer.NO: 1, Answer.OPEN: 3}


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


def show(trial: Trial) -> None:
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
