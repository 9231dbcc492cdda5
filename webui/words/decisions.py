"""Describe decisions: `decision_words("drop A2 b", …)` is "drops a builder on A2". The caller adds the subject.

Each branch has a complete sentence, because word order and inflection differ between languages.
"""

from collections.abc import Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.rules import Ruleset, View
from arena.rules.components import ITEM_NUMBER, MARKETS, SUIT_VALUE
from webui.words.cards import ITEMS, djinn_name
from webui.words.uses import Scene, item_words, next_words, pull_words, slay_words, use_words
from webui.words.vocabulary import (
    RESOURCES_TAKEN,
    cards_taken,
    coins,
    fakirs,
    group_taken,
    group_words,
    listed,
    payment,
)


def decision_words(
    text: str, seats: Sequence[str], ruleset: Ruleset, before: View | None = None, after: View | None = None
) -> str:
    """Describe a decision without its subject: `drops a builder on A2`.

    `before` and `after` are the views around the decision; without them the description has fewer details. Raise
    `ValueError` for text that is not a decision.
    """
    verb, *args = text.split(" ")
    if verb not in _TELLERS:
        raise ValueError(f"{text!r} is not a decision")
    return str(_TELLERS[verb](args, Scene(seats, ruleset, before, after)))


_QUIET = ("take", "drop", "fly", "end", "pass", "spare", "done", "next", "pull")
"""Verbs that the summary of a turn leaves out. It shows a sowing as its path and the meeples lifted at the end."""


def brief_words(
    text: str, seats: Sequence[str], ruleset: Ruleset, before: View | None = None, after: View | None = None
) -> str:
    """Describe a decision for the summary of its turn: `lifts 3 elders and takes C2`. Return "" if it is left out."""
    verb, *args = text.split(" ")
    if verb in ("drop", "fly") and (lifted := _lifted(args[0], args[1], scene := Scene(seats, ruleset, before, after))):
        values = {"lifted": lifted, "tile": args[0]}
        if scene.is_captured(args[0]):
            return _("lifts %(lifted)s and takes %(tile)s") % values
        return _("lifts %(lifted)s") % values
    return "" if verb in _QUIET else decision_words(text, seats, ruleset, before, after)


def _bid(args: list[str], scene: Scene) -> str:
    spot, given = int(args[0]), int(args[2]) if len(args) > 1 else 0
    track = scene.ruleset.track
    price = track.prices[min(track.prices.index(track.costs[spot - 1]) + given, len(track.prices) - 1)]
    values = {"gold": coins(price), "fakirs": fakirs(given), "printed": coins(track.costs[spot - 1])}
    if given and price:
        return _("gives %(fakirs)s to Kumarbi and bids %(gold)s for the spot of %(printed)s") % values
    if given:
        return _("gives %(fakirs)s to Kumarbi for the spot of %(printed)s, free") % values
    if not price:
        return _("bids nothing")
    if scene.held is not None and scene.held < price:
        return _("bids all it has, %(held)s, for the spot of %(printed)s") % {**values, "held": coins(scene.held)}
    return _("bids %(gold)s") % values


def _take(args: list[str], scene: Scene) -> str:
    if scene.after and (hand := scene.after.turn.hand):
        return _("picks up %(meeples)s from %(tile)s") % {"meeples": group_taken(hand), "tile": args[0]}
    return _("picks up all meeples from %(tile)s") % {"tile": args[0]}


def _lifted(tile: str, tribe: str, scene: Scene) -> str:
    """Return the meeples that the last drop of a sowing lifts. Return "" for an earlier drop."""
    if scene.before is None or len(scene.turn.hand) != 1:
        return ""
    return group_taken(tribe * (scene.before.tiles[tile].meeples.count(tribe) + 1))


def _drop(args: list[str], scene: Scene) -> str:
    tile, tribe = args
    values = {"meeple": group_taken(tribe), "tile": tile, "lifted": _lifted(tile, tribe, scene)}
    if not values["lifted"]:
        return _("drops %(meeple)s on %(tile)s") % values
    if scene.is_captured(tile):
        return _("drops %(meeple)s on %(tile)s, lifts %(lifted)s and takes the tile") % values
    return _("drops %(meeple)s on %(tile)s and lifts %(lifted)s") % values


def _fly(args: list[str], scene: Scene) -> str:
    tile, tribe = args
    values = {"meeple": group_taken(tribe), "tile": tile, "lifted": _lifted(tile, tribe, scene)}
    if not values["lifted"]:
        return _("flies %(meeple)s to %(tile)s on the carpet") % values
    if scene.is_captured(tile):
        return _("flies %(meeple)s to %(tile)s on the carpet, lifts %(lifted)s and takes the tile") % values
    return _("flies %(meeple)s to %(tile)s on the carpet and lifts %(lifted)s") % values


def _build(args: list[str], scene: Scene) -> str:
    given, earned = int(args[0]), scene.earned()
    values: dict[str, object] = {"fakirs": fakirs(given), "builders": group_words(scene.turn.lifted)}
    if earned is None or not values["builders"]:
        words = _("lets its builders work, with %(fakirs)s") if given else _("lets its builders work")
    else:
        values["gold"] = coins(earned)
        words = _("earns %(gold)s with %(builders)s")
        if given:
            words = _("earns %(gold)s with %(builders)s and %(fakirs)s")
    return words % values


def _kill(args: list[str], scene: Scene) -> str:
    where, group = args
    if where.startswith("@"):
        values = {"meeples": group_taken(group), "bot": scene.seats[int(where[1:]) - 1]}
        return _("kills %(meeples)s in front of %(bot)s") % values
    values = {"meeples": group_taken(group), "tile": where}
    if scene.is_captured(where):
        return _("kills %(meeples)s on %(tile)s and takes the tile") % values
    return _("kills %(meeples)s on %(tile)s") % values


def _palm(args: list[str], _scene: Scene) -> str:
    if len(args) > 1:
        values = {"tile": args[0], "price": payment(args[1])}
        return _("plants its palm on %(tile)s instead, through Lamia for %(price)s") % values
    return _("plants a palm on %(tile)s") % {"tile": args[0]}


def _palace(args: list[str], _scene: Scene) -> str:
    if len(args) > 1:
        values = {"tile": args[0], "price": payment(args[1])}
        return _("builds its palace on %(tile)s instead, through Hagis for %(price)s") % values
    return _("builds a palace on %(tile)s") % {"tile": args[0]}


def _buy(args: list[str], scene: Scene) -> str:
    if scene.before is None:
        return _("buys from the market, place %(places)s") % {"places": listed(args)}
    row = scene.before.market
    values: dict[str, object] = {"cards": cards_taken([row[int(place) - 1] for place in args])}
    if market := MARKETS.get(scene.kind(scene.turn.at)):
        return _("buys %(cards)s for %(gold)s") % {**values, "gold": coins(market.price)}
    return _("buys %(cards)s") % values


def _summon(args: list[str], _scene: Scene) -> str:
    return _("summons %(djinn)s for %(price)s") % {"djinn": djinn_name(args[0]), "price": payment(args[1])}


_PASSES: dict[str, Promise] = {
    "small-market": gettext_lazy("buys nothing at the Small Market"),
    "large-market": gettext_lazy("buys nothing at the Large Market"),
    "special-market": gettext_lazy("buys nothing at the Specialized Market"),
    "sacred": gettext_lazy("summons no Djinn"),
    "workshop": gettext_lazy("crafts nothing"),
}


def _pass(_args: list[str], scene: Scene) -> str:
    return str(_PASSES.get(scene.kind(scene.turn.at)) or _("leaves the action of the tile"))


def _keep(args: list[str], _scene: Scene) -> str:
    if args[0] == "?":
        return _("keeps one of the drawn items")
    if args[0] in ITEM_NUMBER:
        return _("keeps %(item)s") % {"item": ITEMS[args[0]].taken}
    return _("keeps %(djinn)s") % {"djinn": djinn_name(args[0])}


def _sell(args: list[str], _scene: Scene) -> str:
    values = {"goods": listed([RESOURCES_TAKEN[good] for good in args]), "gold": coins(SUIT_VALUE[len(args)])}
    return _("sells %(goods)s for %(gold)s") % values


def _camel(_args: list[str], scene: Scene) -> str:
    if tile := scene.turn.target:
        return _("takes %(tile)s with a camel") % {"tile": tile}
    return _("takes the tile with a camel")


def _tent(_args: list[str], scene: Scene) -> str:
    if tile := scene.turn.target:
        return _("takes %(tile)s with its tent") % {"tile": tile}
    return _("takes the tile with its tent")


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
    "use": use_words,
    "keep": _keep,
    "sell": _sell,
    "end": lambda _args, _scene: _("ends the turn"),
    "camel": _camel,
    "tent": _tent,
    "craft": lambda args, _scene: _("crafts an item for %(price)s") % {"price": payment(args[0])},
    "item": item_words,
    "slay": slay_words,
    "pull": pull_words,
    "done": lambda _args, _scene: _("puts the flute away"),
    "next": next_words,
    "fly": _fly,
}
