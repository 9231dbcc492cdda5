"""Ratings: placements in, ratings out. Pure; a ladder is a fold over its finishes in their order.

`batch` fits all games at once, `standing` says what follows; they need NumPy and SciPy, and are imported by name.
"""

from arena.ratings.fold import Book, Change, Finish, Held, rebuild
from arena.ratings.model import INITIAL, Rating, rate

__all__ = [
    "INITIAL",
    "Book",
    "Change",
    "Finish",
    "Held",
    "Rating",
    "rate",
    "rebuild",
]
