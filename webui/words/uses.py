"""Describe the use of Djinns' powers and of magic items."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.rules import Ruleset, TurnView, View
from webui.words.cards import ITEMS, djinn_name
from webui.words.vocabulary import RESOURCES_TAKEN, group_taken, payment

# Hold the context of a decision: the names of the seats and the views before and after it.


@dataclass(frozen=True)
class Scene:
    """Context of a decision. Either view may be missing; a value that no view shows is None."""

    seats: Sequence[str]
    ruleset: Ruleset
    before: View | None
    after: View | None

    @cached_property
    def turn(self) -> TurnView:
        """State of the turn before the decision. It is empty if the view before the decision is missing."""
        return self.before.turn if self.before else TurnView()

    @cached_property
    def held(self) -> int | None:
        """Gold that the acting seat had before the decision."""
        if self.before is None or not (seat := self.before.to_act):
            return None
        return self.before.seats[seat - 1].gold

    def earned(self) -> int | None:
        """Return the gold that the acting seat gained."""
        if self.held is None or self.before is None or self.after is None or not self.before.to_act:
            return None
        has = self.after.seats[self.before.to_act - 1].gold
        return None if has is None else has - self.held

    def kind(self, tile: str | None) -> str:
        """Return the kind of a tile, or "" if it is not known."""
        return self.before.tiles[tile].kind if self.before and tile else ""

    def is_captured(self, tile: str) -> bool:
        """Return whether this decision gave the tile a new owner."""
        if self.before is None or self.after is None:
            return False
        had, has = (position.tiles[tile].owner for position in (self.before, self.after))
        return bool(has) and has != had


def use_words(args: list[str], _scene: Scene) -> str:
    """Describe the use of a Djinn's paid power."""
    djinn, price, *rest = args
    values = {"price": payment(price), "tile": rest[0] if rest else ""}
    if len(rest) > 1:
        values |= {"more": payment(rest[1]), "other": rest[2]}
        return str(_DIVERTED[djinn]) % values
    return str(_POWERS[djinn]) % values


_POWERS: dict[str, Promise] = {
    "anun-nak": gettext_lazy("puts meeples from the bag on %(tile)s, through Anun-Nak for %(price)s"),
    "bouraq": gettext_lazy("builds a palace on %(tile)s, through Bouraq for %(price)s"),
    "enki": gettext_lazy("plants a palm on %(tile)s, through Enki for %(price)s"),
    "leta": gettext_lazy("takes the empty tile %(tile)s, through Leta for %(price)s"),
    "utug": gettext_lazy("takes %(tile)s, through Utug for %(price)s"),
    "sibittis": gettext_lazy("draws Djinns from the pile, through Sibittis for %(price)s"),
    "sloar": gettext_lazy("draws the top resource card, through Sloar for %(price)s"),
    "echidna": gettext_lazy("doubles what its builders earn, through Echidna for %(price)s"),
    "iblis": gettext_lazy("lets its assassins kill two, through Iblis for %(price)s"),
}
_DIVERTED: dict[str, Promise] = {
    "bouraq": gettext_lazy(
        "builds a palace on %(other)s, through Bouraq on %(tile)s for %(price)s and Hagis for %(more)s"
    ),
    "enki": gettext_lazy("plants a palm on %(other)s, through Enki on %(tile)s for %(price)s and Lamia for %(more)s"),
}


def item_words(args: list[str], _scene: Scene) -> str:
    """Describe the use of a magic item other than the carpet, which is used in a drop."""
    item, *rest = args
    values: dict[str, object] = {"tile": rest[-1] if rest else "", "start": rest[0] if rest else ""}
    if item == "lamp":
        values = {"djinn": djinn_name(rest[0])}
    elif item == "ring":
        values = {"item": ITEMS[rest[0]].taken}
    return str(_MAGIC[item]) % values


_MAGIC: dict[str, Promise] = {
    "lamp": gettext_lazy("gains %(djinn)s with the Fabulous Lamp"),
    "talisman": gettext_lazy("moves its camel from %(start)s to %(tile)s with the Tempest Talisman"),
    "ring": gettext_lazy("fetches %(item)s back with the Rebirth Ring"),
    "scimitar": gettext_lazy("draws the Burning Scimitar to kill two meeples"),
    "flute": gettext_lazy("plays the Enchanting Flute to lure meeples to %(tile)s"),
    "horn": gettext_lazy("sounds the Horn of Plenty for a new market"),
}


def slay_words(args: list[str], scene: Scene) -> str:
    """Describe the killing of one meeple by the scimitar."""
    tile, tribe = args
    values = {"meeple": group_taken(tribe), "tile": tile}
    if scene.is_captured(tile):
        return _("strikes %(meeple)s on %(tile)s and takes the tile") % values
    return _("strikes %(meeple)s on %(tile)s") % values


def pull_words(args: list[str], scene: Scene) -> str:
    """Describe the move of one meeple that the flute attracts."""
    values = {"meeple": group_taken(args[1]), "tile": args[0], "to": scene.turn.target}
    if values["to"]:
        return _("lures %(meeple)s from %(tile)s to %(to)s") % values
    return _("lures %(meeple)s from %(tile)s") % values


def next_words(args: list[str], scene: Scene) -> str:
    """Describe the choice of the next card for the market row, after the horn."""
    card = RESOURCES_TAKEN[args[0]]
    if scene.before is None:
        return _("lays %(card)s next in the market") % {"card": card}
    place = len(scene.before.market) + 1
    return _("lays %(card)s on place %(n)d of the market") % {"card": card, "n": place}
