"""Ratings of versions, computed from the placements of their matches.

The package is pure. A ladder is a fold over its finishes in their order: `Book.apply` takes one finish, `rebuild` all
of them.

The published ratings need NumPy and SciPy. Their modules are therefore imported by name:

- `batch` fits all games of a ladder at once,
- `standing` derives intervals and ranks from a fit,
- `overall` combines several ladders,
- `anchored` rates one player by games against players of known strength,
- `sequential` tests whether one version is better than another.
"""

from arena.ratings.fold import Book, Change, Finish, HeldRating, rebuild
from arena.ratings.model import INITIAL, Rating, rate

__all__ = [
    "INITIAL",
    "Book",
    "Change",
    "Finish",
    "HeldRating",
    "Rating",
    "rate",
    "rebuild",
]
