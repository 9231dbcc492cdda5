"""The view that a bot author reads in `choose`: the view of `arena.rules` with short names, drawn for people."""

from dataclasses import fields

from arena.rules import SeatView as Seat
from arena.rules import TileView as Tile
from arena.rules import TurnView as Turn
from arena.rules import View as SeenView


class View(SeenView):
    """All that one seat may see of a game. `print(view)` draws it, and a notebook shows it as a picture.

    >>> from arena.rules import Ruleset, start, view
    >>> seen = View.of(view(start(Ruleset(2), bytes(32)), seat=1))
    >>> seen.me.gold, len(seen.tiles), seen.phase
    (50, 30, 'bid')
    """

    __slots__ = ()

    @classmethod
    def of(cls, view: SeenView) -> "View":
        """Return the same view with the drawings of this class; `view` is one of `arena.rules`."""
        return cls(**{field.name: getattr(view, field.name) for field in fields(SeenView)})

    def __str__(self) -> str:
        """Return a drawing of board, tracks, markets and seats.

        It has colours if the standard output is a terminal, unless NO_COLOR is set.
        """
        from arena.bots.drawing import text_of  # loads rich, which a bot that prints nothing does not need

        return text_of(self)

    def _repr_svg_(self) -> str:
        """Return the picture that Jupyter and others show."""
        from arena.bots.picture import svg_of

        return svg_of(self)


__all__ = ["Seat", "Tile", "Turn", "View"]
