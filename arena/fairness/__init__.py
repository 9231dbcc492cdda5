"""What the records of many matches say of the arena's fairness (docs/fairness.md). Pure.

`tallies` counts, in plain JSON that can be added up. `report` makes shares, intervals and tests of the counts,
`kingmaking` looks for help between bots; these two need SciPy (the extra `server`), and are imported by name.
"""

from arena.fairness.charges import Overcharge, overcharges
from arena.fairness.tallies import Tallies, add, fold_end, fold_record, new_tallies, win_chances

__all__ = [
    "Overcharge",
    "Tallies",
    "add",
    "fold_end",
    "fold_record",
    "new_tallies",
    "overcharges",
    "win_chances",
]
