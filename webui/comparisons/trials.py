"""The sequential test behind a comparison."""

from arena.ratings.sequential import Hypotheses, Trial
from webui.comparisons.models import Comparison


def trial_of(row: Comparison) -> Trial:
    """Return the test after the complete blocks."""
    trial = Trial(Hypotheses(int(row.ruleset["players"]), row.margin, row.most))
    for halves in row.scores:
        trial.add(halves)
    return trial
