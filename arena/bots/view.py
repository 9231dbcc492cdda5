"""What a bot author reads in `choose`: the view of arena.rules, under short names, and drawn for people."""

from dataclasses import fields

from arena.rules import SeatView as Seat
from arena.rules import TileView as Tile
from arena.rules import TurnView as Turn
from arena.rules import View as SeenView


class View(SeenView):
    """All that one seat may see of a game. `print(view)` draws it, and a notebook shows it as a picture."""

    __slots__ = ()

    @classmethod
    def of(cls, view: SeenView) -> "View":
        """The same, from `arena.rules.view` for instance."""
        return cls(**{field.name: getattr(view, field.name) for field in fields(SeenView)})

    def __str__(self) -> str:
        """Board, tracks, markets and seats: in colour if the standard output is a terminal, unless NO_COLOR is set."""
        from arena.bots.drawing import text_of  # loads rich, which a bot that prints nothing does without

        return text_of(self)

    def _repr_svg_(self) -> str:
        """The picture that Jupyter and others show."""
        from arena.bots.picture import svg_of

        return svg_of(self)


__all__ = ["Seat", "Tile", "Turn", "View"]
