"""What the records of many matches say of the arena's fairness (docs/fairness.md). Pure; needs the extra `server`.

`tallies` counts, in plain JSON that can be added up; `report` makes shares, intervals and tests of the counts.
"""

from arena.fairness.charges import Overcharge, overcharges
from arena.fairness.report import summary
from arena.fairness.tallies import Tallies, add, fold_end, fold_record, new_tallies, win_chances

__all__ = [
    "Overcharge",
    "Tallies",
    "add",
    "fold_end",
    "fold_record",
    "new_tallies",
    "overcharges",
    "summary",
    "win_chances",
]
