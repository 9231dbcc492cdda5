"""Ratings: placements in, ratings out. Pure; a ladder is a fold over its finishes in their order.

`batch` fits all games at once, `standing` says what follows; they need NumPy and SciPy, and are imported by name.
"""

from arena.ratings.fold import Book, Change, Finish, Held, rebuild
from arena.ratings.model import INITIAL, PROVISIONAL_GAMES, Rating, Shown, rate, show

__all__ = [
    "INITIAL",
    "PROVISIONAL_GAMES",
    "Book",
    "Change",
    "Finish",
    "Held",
    "Rating",
    "Shown",
    "rate",
    "rebuild",
    "show",
]
