"""What a bot author reads in `choose`: the view of arena.rules, under its short names."""

from arena.rules import SeatView as Seat
from arena.rules import TileView as Tile
from arena.rules import TurnView as Turn
from arena.rules import View

__all__ = ["Seat", "Tile", "Turn", "View"]
