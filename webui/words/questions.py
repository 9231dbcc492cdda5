"""Say which decision is due: `Drop a vizier: 3 tiles are possible`."""

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.rules import View
from arena.rules.components import MARKETS
from webui.words.vocabulary import coins, group_taken


def question_words(seen: View, legal: Sequence[str]) -> str:
    """Return a sentence about the decision that is due.

    `seen`: the position, or the view of the seat that is to decide.
    `legal`: the legal actions in the notation.
    """
    verbs = {text.partition(" ")[0] for text in legal}
    match seen.phase:
        case "bid":
            spots = len({text.split(" ")[1] for text in legal if text.startswith("bid ")})
            words = ngettext(
                "Choose the bid: %(n)d spot is possible", "Choose the bid: %(n)d spots are possible", spots
            )
            return words % {"n": spots}
        case "move":
            return _move(legal)
        case "sow":
            return _sow(legal)
        case "tribe":
            return _tribe(verbs)
        case "tile":
            return _tile(seen, verbs)
    return str(_OTHERS[seen.phase]) % {"tile": seen.turn.target or ""}


def _move(legal: Sequence[str]) -> str:
    tiles = sum(text.startswith("take ") for text in legal)
    if not tiles:
        return _("No meeple can move: go on without a move")
    return ngettext(
        "Pick up the meeples of a tile: %(n)d tile is possible",
        "Pick up the meeples of a tile: %(n)d tiles are possible",
        tiles,
    ) % {"n": tiles}


def _sow(legal: Sequence[str]) -> str:
    drops = [text.split(" ")[1:] for text in legal if text.startswith("drop ")]
    if not drops:
        return _("Choose where the carpet flies")
    tiles, tribes = {tile for tile, _tribe in drops}, {tribe for _tile, tribe in drops}
    values = {"n": len(tiles), "meeple": group_taken(tribes.pop()) if len(tribes) == 1 else _("a meeple")}
    words = ngettext("Drop %(meeple)s: %(n)d tile is possible", "Drop %(meeple)s: %(n)d tiles are possible", len(tiles))
    return words % values


def _tribe(verbs: set[str]) -> str:
    if "build" in verbs:
        return _("Choose how many Fakirs help the builders")
    return _("Choose whom the assassins kill") if "kill" in verbs else _("The assassins can kill nobody")


def _tile(seen: View, verbs: set[str]) -> str:
    kind = seen.tiles[seen.turn.at].kind if seen.turn.at else ""
    if "palm" in verbs:
        return _("Choose where the palm is planted")
    if "palace" in verbs:
        return _("Choose where the palace is built")
    if "buy" in verbs:
        market = MARKETS[kind]
        values = {"gold": coins(market.price), "n": market.cards}
        words = ngettext("Buy %(n)d card for %(gold)s, or pass", "Buy %(n)d cards for %(gold)s, or pass", market.cards)
        return words % values
    if "summon" in verbs:
        return _("Summon a Djinn, or pass")
    if "craft" in verbs:
        return _("Craft an item, or pass")
    return _("Nothing can be done on this tile: pass")


_OTHERS: dict[str, Promise] = {
    "choose": gettext_lazy("Choose the Djinn to keep"),
    "item": gettext_lazy("Choose the item to keep"),
    "control": gettext_lazy("Take %(tile)s: choose a camel or the tent"),
    "flute": gettext_lazy("Choose a meeple to lure to %(tile)s"),
    "horn": gettext_lazy("Choose the next card of the market"),
    "scimitar": gettext_lazy("Choose a meeple to strike with the scimitar"),
    "sell": gettext_lazy("Sell goods, or end the turn"),
    "over": gettext_lazy("The game is over"),
}
