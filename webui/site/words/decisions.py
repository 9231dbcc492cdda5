"""A decision in words: `decision_words("drop A2 b", …)` is "drops a builder on A2"; the subject stands before it.

Every sentence is whole in each branch, so that a translation can put its words in its own order and form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.rules import Ruleset
from arena.rules.components import ITEM_NUMBER, MARKETS, SUIT_VALUE
from webui.site.words.cards import ITEMS, djinn_name
from webui.site.words.things import (
    RESOURCES_TAKEN,
    cards_taken,
    coins,
    fakirs,
    group_taken,
    group_words,
    listed,
    payment,
)

Document = Mapping[str, Any]


def decision_words(
    text: str, seats: Sequence[str], ruleset: Ruleset, before: Document | None = None, after: Document | None = None
) -> str:
    """What a decision does, without its subject: `drops a builder on A2`.

    `before` and `after` are position or view documents around it; without them the words say a little less.
    `ValueError` for what is no decision.
    """
    verb, *args = text.split(" ")
    if verb not in _TELLERS:
        raise ValueError(f"{text!r} is no decision")
    return str(_TELLERS[verb](args, _Scene(seats, ruleset, before, after)))


@dataclass(frozen=True)
class _Scene:
    """A decision's surroundings. Each document may be missing; what cannot be seen in it is None."""

    seats: Sequence[str]
    ruleset: Ruleset
    before: Document | None
    after: Document | None

    @cached_property
    def turn(self) -> Document:
        """The turn before the decision; empty where it is not known."""
        return (self.before or {}).get("turn") or {}

    @cached_property
    def held(self) -> int | None:
        """The gold that the deciding seat had."""
        if self.before is None or not (seat := self.before["to_act"]):
            return None
        gold: int | None = self.before["seats"][seat - 1]["gold"]
        return gold

    def earned(self) -> int | None:
        """Gold that the deciding seat gained."""
        if self.held is None or self.before is None or self.after is None:
            return None
        has: int | None = self.after["seats"][self.before["to_act"] - 1]["gold"]
        return None if has is None else has - self.held

    def kind(self, tile: str) -> str:
        """The kind of a tile, or nothing."""
        return str(self.before["board"]["tiles"][tile]["kind"]) if self.before and tile else ""

    def is_captured(self, tile: str) -> bool:
        """Whether the tile got its owner by this decision."""
        if self.before is None or self.after is None:
            return False
        had, has = (document["board"]["tiles"][tile]["owner"] for document in (self.before, self.after))
        return bool(has) and has != had


def _bid(args: list[str], scene: _Scene) -> str:
    spot, given = int(args[0]), int(args[2]) if len(args) > 1 else 0
    track = scene.ruleset.track
    price = track.prices[min(track.prices.index(track.costs[spot - 1]) + given, len(track.prices) - 1)]
    told = {"spot": spot, "gold": coins(price), "fakirs": fakirs(given)}
    if given:
        free, paid = (
            _("gives %(fakirs)s to Kumarbi for spot %(spot)d, free"),
            _("gives %(fakirs)s to Kumarbi and bids %(gold)s for spot %(spot)d"),
        )
        return (paid if price else free) % told
    if not price:
        return _("bids nothing, spot %(spot)d") % told
    if scene.held is not None and scene.held < price:
        return _("bids all it has, %(gold)s, for spot %(spot)d") % {**told, "gold": coins(scene.held)}
    return _("bids %(gold)s for spot %(spot)d") % told


def _take(args: list[str], scene: _Scene) -> str:
    turn = (scene.after or {}).get("turn") or {}
    if hand := turn.get("hand"):
        return _("picks up %(meeples)s from %(tile)s") % {"meeples": group_taken(hand), "tile": args[0]}
    return _("picks up all meeples from %(tile)s") % {"tile": args[0]}


def _lifted(tile: str, tribe: str, scene: _Scene) -> str:
    """The meeples that the last drop of a sowing lifts; nothing before the last drop."""
    if scene.before is None or len(scene.turn.get("hand", "")) != 1:
        return ""
    return group_taken(tribe * (scene.before["board"]["tiles"][tile]["meeples"].count(tribe) + 1))


def _drop(args: list[str], scene: _Scene) -> str:
    tile, tribe = args
    told = {"meeple": group_taken(tribe), "tile": tile, "lifted": _lifted(tile, tribe, scene)}
    if not told["lifted"]:
        return _("drops %(meeple)s on %(tile)s") % told
    if scene.is_captured(tile):
        return _("drops %(meeple)s on %(tile)s, lifts %(lifted)s and takes the tile") % told
    return _("drops %(meeple)s on %(tile)s and lifts %(lifted)s") % told


def _fly(args: list[str], scene: _Scene) -> str:
    tile, tribe = args
    told = {"meeple": group_taken(tribe), "tile": tile, "lifted": _lifted(tile, tribe, scene)}
    if not told["lifted"]:
        return _("flies %(meeple)s to %(tile)s on the carpet") % told
    if scene.is_captured(tile):
        return _("flies %(meeple)s to %(tile)s on the carpet, lifts %(lifted)s and takes the tile") % told
    return _("flies %(meeple)s to %(tile)s on the carpet and lifts %(lifted)s") % told


def _build(args: list[str], scene: _Scene) -> str:
    given, earned = int(args[0]), scene.earned()
    told: dict[str, object] = {"fakirs": fakirs(given), "builders": group_words(scene.turn.get("lifted", ""))}
    if earned is None or not told["builders"]:
        words = _("lets its builders work, with %(fakirs)s") if given else _("lets its builders work")
    else:
        told["gold"] = coins(earned)
        words = _("earns %(gold)s with %(builders)s")
        if given:
            words = _("earns %(gold)s with %(builders)s and %(fakirs)s")
    return words % told


def _kill(args: list[str], scene: _Scene) -> str:
    where, group = args
    if where.startswith("@"):
        told = {"meeples": group_taken(group), "bot": scene.seats[int(where[1:]) - 1]}
        return _("kills %(meeples)s in front of %(bot)s") % told
    told = {"meeples": group_taken(group), "tile": where}
    if scene.is_captured(where):
        return _("kills %(meeples)s on %(tile)s and takes the tile") % told
    return _("kills %(meeples)s on %(tile)s") % told


def _palm(args: list[str], _scene: _Scene) -> str:
    if len(args) > 1:
        told = {"tile": args[0], "price": payment(args[1])}
        return _("plants its palm on %(tile)s instead, through Lamia for %(price)s") % told
    return _("plants a palm on %(tile)s") % {"tile": args[0]}


def _palace(args: list[str], _scene: _Scene) -> str:
    if len(args) > 1:
        told = {"tile": args[0], "price": payment(args[1])}
        return _("builds its palace on %(tile)s instead, through Hagis for %(price)s") % told
    return _("builds a palace on %(tile)s") % {"tile": args[0]}


def _buy(args: list[str], scene: _Scene) -> str:
    if scene.before is None:
        return _("buys from the market, place %(places)s") % {"places": listed(args)}
    row = scene.before["resources"]["row"]
    told: dict[str, object] = {"cards": cards_taken([row[int(place) - 1] for place in args])}
    if market := MARKETS.get(scene.kind(scene.turn.get("at", ""))):
        return _("buys %(cards)s for %(gold)s") % {**told, "gold": coins(market.price)}
    return _("buys %(cards)s") % told


def _summon(args: list[str], _scene: _Scene) -> str:
    return _("summons %(djinn)s for %(price)s") % {"djinn": djinn_name(args[0]), "price": payment(args[1])}


_PASSES: dict[str, Promise] = {
    "small-market": gettext_lazy("buys nothing at the Small Market"),
    "large-market": gettext_lazy("buys nothing at the Large Market"),
    "special-market": gettext_lazy("buys nothing at the Specialized Market"),
    "sacred": gettext_lazy("summons no Djinn"),
    "workshop": gettext_lazy("crafts nothing"),
}


def _pass(_args: list[str], scene: _Scene) -> str:
    return str(_PASSES.get(scene.kind(scene.turn.get("at", ""))) or _("leaves the action of the tile"))


def _use(args: list[str], _scene: _Scene) -> str:
    djinn, price, *rest = args
    told = {"price": payment(price), "tile": rest[0] if rest else ""}
    if len(rest) > 1:
        told |= {"more": payment(rest[1]), "other": rest[2]}
        return str(_DIVERTED[djinn]) % told
    return str(_POWERS[djinn]) % told


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


def _keep(args: list[str], _scene: _Scene) -> str:
    if args[0] == "?":
        return _("keeps one of the drawn items")
    if args[0] in ITEM_NUMBER:
        return _("keeps %(item)s") % {"item": ITEMS[args[0]].taken}
    return _("keeps %(djinn)s") % {"djinn": djinn_name(args[0])}


def _sell(args: list[str], _scene: _Scene) -> str:
    told = {"goods": listed([RESOURCES_TAKEN[good] for good in args]), "gold": coins(SUIT_VALUE[len(args)])}
    return _("sells %(goods)s for %(gold)s") % told


def _camel(_args: list[str], scene: _Scene) -> str:
    if tile := scene.turn.get("target"):
        return _("takes %(tile)s with a camel") % {"tile": tile}
    return _("takes the tile with a camel")


def _tent(_args: list[str], scene: _Scene) -> str:
    if tile := scene.turn.get("target"):
        return _("takes %(tile)s with its tent") % {"tile": tile}
    return _("takes the tile with its tent")


def _item(args: list[str], _scene: _Scene) -> str:
    item, *rest = args
    told: dict[str, object] = {"tile": rest[-1] if rest else "", "start": rest[0] if rest else ""}
    if item == "lamp":
        told = {"djinn": djinn_name(rest[0])}
    elif item == "ring":
        told = {"item": ITEMS[rest[0]].taken}
    return str(_MAGIC[item]) % told


_MAGIC: dict[str, Promise] = {
    "lamp": gettext_lazy("gains %(djinn)s with the Fabulous Lamp"),
    "talisman": gettext_lazy("moves its camel from %(start)s to %(tile)s with the Tempest Talisman"),
    "ring": gettext_lazy("fetches %(item)s back with the Rebirth Ring"),
    "scimitar": gettext_lazy("draws the Burning Scimitar to kill two meeples"),
    "flute": gettext_lazy("plays the Enchanting Flute to lure meeples to %(tile)s"),
    "horn": gettext_lazy("sounds the Horn of Plenty for a new market"),
}


def _slay(args: list[str], scene: _Scene) -> str:
    tile, tribe = args
    told = {"meeple": group_taken(tribe), "tile": tile}
    if scene.is_captured(tile):
        return _("strikes %(meeple)s on %(tile)s and takes the tile") % told
    return _("strikes %(meeple)s on %(tile)s") % told


def _pull(args: list[str], scene: _Scene) -> str:
    told = {"meeple": group_taken(args[1]), "tile": args[0], "to": scene.turn.get("target")}
    if told["to"]:
        return _("lures %(meeple)s from %(tile)s to %(to)s") % told
    return _("lures %(meeple)s from %(tile)s") % told


def _next(args: list[str], scene: _Scene) -> str:
    card = RESOURCES_TAKEN[args[0]]
    if scene.before is None:
        return _("lays %(card)s next in the market") % {"card": card}
    place = len(scene.before["resources"]["row"]) + 1
    return _("lays %(card)s on place %(n)d of the market") % {"card": card, "n": place}


_TELLERS: dict[str, Any] = {
    "bid": _bid,
    "take": _take,
    "skip": lambda _args, _scene: _("has no legal move"),
    "drop": _drop,
    "build": _build,
    "kill": _kill,
    "spare": lambda _args, _scene: _("kills nobody"),
    "palm": _palm,
    "palace": _palace,
    "buy": _buy,
    "summon": _summon,
    "pass": _pass,
    "use": _use,
    "keep": _keep,
    "sell": _sell,
    "end": lambda _args, _scene: _("ends the turn"),
    "camel": _camel,
    "tent": _tent,
    "craft": lambda args, _scene: _("crafts an item for %(price)s") % {"price": payment(args[0])},
    "item": _item,
    "slay": _slay,
    "pull": _pull,
    "done": lambda _args, _scene: _("puts the flute away"),
    "next": _next,
    "fly": _fly,
}
