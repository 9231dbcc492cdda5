"""The possessions of a seat."""

from __future__ import annotations

from functools import cache

from arena.rules.components import FAKIR
from arena.rules.groups import cards_of


class Seat:
    """The possessions of a seat.

    `hand` is packed (groups.py). `djinns` and `used` are in the order gained and used; `has` and `spent` are the same
    as masks, with bit n for Djinn number n. `owned` is the set of tiles, including that of the tent (`camp`, -1 for
    none). `tents` counts the tents left. `items`, `open` and `paid` are numbers of item kinds and of whims, in the
    order gained.

    >>> seat = start(Ruleset(4), bytes(32)).seats[0]
    >>> seat.gold, seat.camels, cards_of(seat.hand, RESOURCES.index("fakir"))
    (50, 8, 0)
    """

    # fmt: off
    __slots__ = (
        "artisans", "camels", "camp", "djinns", "elders", "gold", "hand", "has", "items", "open", "owned", "paid",
        "spent", "tents", "used", "viziers",
    )
    # fmt: on

    def __init__(self, gold: int, camels: int, tents: int = 0) -> None:
        self.gold = gold
        """Coins (GC)."""
        self.camels = camels
        """Number of camels not yet on the board."""
        self.tents = tents
        """Number of tents not yet on the board."""
        self.camp = -1
        """Tile of the tent, -1 for none."""
        self.artisans = 0
        """Number of Artisans in front of the seat."""
        self.items: tuple[int, ...] = ()
        """Kinds of its item tokens, in the order gained."""
        self.open: tuple[int, ...] = ()
        """Whims not yet fulfilled, in the order gained."""
        self.paid: tuple[int, ...] = ()
        """Whims that have paid."""
        self.viziers = 0
        """Number of Viziers in front of the seat."""
        self.elders = 0
        """Number of Elders in front of the seat."""
        self.hand = 0
        """Resource cards, packed."""
        self.djinns: tuple[int, ...] = ()
        """Djinns, in the order gained."""
        self.has = 0
        """Djinns, as a mask."""
        self.used: tuple[int, ...] = ()
        """Djinns whose paid power was used this round."""
        self.spent = 0
        """Djinns whose paid power was used this round, as a mask."""
        self.owned = 0
        """Set of tiles that it controls, including that of the tent."""

    def copy(self) -> Seat:
        """Return a copy to write on."""
        twin: Seat = Seat.__new__(Seat)
        twin.gold = self.gold
        twin.camels = self.camels
        twin.viziers = self.viziers
        twin.elders = self.elders
        twin.hand = self.hand
        twin.djinns = self.djinns
        twin.has = self.has
        twin.used = self.used
        twin.spent = self.spent
        twin.owned = self.owned
        twin.tents = self.tents
        twin.camp = self.camp
        twin.artisans = self.artisans
        twin.items = self.items
        twin.open = self.open
        twin.paid = self.paid
        return twin

    @property
    def fakirs(self) -> int:
        """Number of Fakirs in hand."""
        return cards_of(self.hand, FAKIR)

    def can_use(self, djinn: int) -> bool:
        """Return whether the seat has the Djinn and has not used its power this round."""
        return (self.has & ~self.spent) >> djinn & 1 == 1

    @property
    def pieces(self) -> int:
        """Number of camels and tents left to take control with."""
        return self.camels + self.tents

    def can_pay(self, payment: str) -> bool:
        """Return whether the seat holds the Elders (`w`), Fakirs (`f`) and Artisans (`p`) of a payment."""
        elders: int
        fakirs: int
        artisans: int
        elders, fakirs, artisans = parts_of(payment)
        return self.elders >= elders and cards_of(self.hand, FAKIR) >= fakirs and self.artisans >= artisans


@cache
def parts_of(payment: str) -> tuple[int, int, int]:
    """Return the numbers of Elders (`w`), Fakirs (`f`) and Artisans (`p`) of a payment."""
    return payment.count("w"), payment.count("f"), payment.count("p")
