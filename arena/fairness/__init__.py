"""Measure the arena's fairness from the records of many matches (docs/fairness.md). Pure.

`tallies` counts records; its counts are plain JSON that can be added up. `report` turns the counts into shares,
intervals and tests. `kingmaking` looks for bots that help one another. `report` and `kingmaking` need SciPy (the extra
`server`), so they are not imported here: import them by name.
"""

from arena.fairness.tallies import (
    FAR_MS,
    Overcharge,
    Tallies,
    add,
    fold_end,
    fold_record,
    fold_round_trips,
    new_tallies,
    overcharges,
    win_chances,
)

__all__ = [
    "FAR_MS",
    "Overcharge",
    "Tallies",
    "add",
    "fold_end",
    "fold_record",
    "fold_round_trips",
    "new_tallies",
    "overcharges",
    "win_chances",
]
