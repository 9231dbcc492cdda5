"""Names of things and a decision in words, all translatable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.rules import Ruleset
from arena.rules.components import SUIT_VALUE
from webui.site.board.names import group_words, meeples

RESOURCES: dict[str, Promise] = {
    "ivory": gettext_lazy("ivory"),
    "jewels": gettext_lazy("jewels"),
    "gold": gettext_lazy("gold ingots"),
    "papyrus": gettext_lazy("papyrus"),
    "silk": gettext_lazy("silk"),
    "spice": gettext_lazy("spice"),
    "fish": gettext_lazy("fish"),
    "wheat": gettext_lazy("wheat"),
    "pottery": gettext_lazy("pottery"),
    "fakir": gettext_lazy("Fakir"),
}

CATEGORIES: dict[str, Promise] = {  # in the order in which they are always stacked
    "gold": gettext_lazy("Gold"),
    "viziers": gettext_lazy("Viziers"),
    "elders": gettext_lazy("Elders"),
    "djinns": gettext_lazy("Djinns"),
    "tiles": gettext_lazy("Tiles"),
    "palms": gettext_lazy("Palms"),
    "palaces": gettext_lazy("Palaces"),
    "goods": gettext_lazy("Goods"),
    "artisans": gettext_lazy("Artisans"),
    "items": gettext_lazy("Items"),
}

REASONS: dict[str, Promise] = {
    "camels": gettext_lazy("a last camel was placed"),
    "no-moves": gettext_lazy("no move was left"),
    "ILLEGAL": gettext_lazy("illegal action"),
    "MALFORMED": gettext_lazy("unreadable answer"),
    "LATE": gettext_lazy("late answer"),
    "GONE": gettext_lazy("connection lost"),
    "FLOODING": gettext_lazy("flooding"),
    "NO_ANSWER": gettext_lazy("a bot did not answer the offer"),
    "DECLINED": gettext_lazy("a bot declined the offer"),
}


def reason_words(code: str) -> str:
    """A reason code in words; an unknown one as it is."""
    return str(REASONS.get(code, code.replace("_", " ").lower()))


@dataclass(frozen=True)
class DjinnText:
    """What is said of a Djinn."""

    name: str
    effect: Promise
    when: Promise


_ALWAYS = gettext_lazy("Always on")
_AT_END = gettext_lazy("At the end")
_ONE = gettext_lazy("Costs an elder or a Fakir")
_TWO = gettext_lazy("Costs an elder and one more, or a Fakir")
_FAKIR = gettext_lazy("Costs a Fakir")

DJINNS: dict[str, DjinnText] = {
    "al-amin": DjinnText("Al-Amin", gettext_lazy("Two Fakirs count as any one good"), _AT_END),
    "anun-nak": DjinnText("Anun-Nak", gettext_lazy("Three new meeples on an empty tile"), _ONE),
    "baal": DjinnText("Ba’al", gettext_lazy("Coins whenever a Djinn is gained"), _ALWAYS),
    "boaz": DjinnText("Boaz", gettext_lazy("Your elders and viziers are safe"), _ALWAYS),
    "bouraq": DjinnText("Bouraq", gettext_lazy("A palace on any village"), _ONE),
    "echidna": DjinnText("Echidna", gettext_lazy("Builders earn double this turn"), _TWO),
    "enki": DjinnText("Enki", gettext_lazy("A palm on any oasis"), _ONE),
    "hagis": DjinnText("Hagis", gettext_lazy("Put a palace on a neighbouring tile"), _ONE),
    "haurvatat": DjinnText("Haurvatat", gettext_lazy("Your palms are worth 5 each"), _AT_END),
    "iblis": DjinnText("Iblis", gettext_lazy("Assassins kill two"), _ONE),
    "jafaar": DjinnText("Jafaar", gettext_lazy("Your viziers are worth 3 each"), _AT_END),
    "kandicha": DjinnText("Kandicha", gettext_lazy("Rewards for what your assassins kill"), _ALWAYS),
    "kumarbi": DjinnText("Kumarbi", gettext_lazy("Fakirs make bids cheaper"), gettext_lazy("Costs Fakirs")),
    "lamia": DjinnText("Lamia", gettext_lazy("Put a palm on a neighbouring tile"), _ONE),
    "leta": DjinnText("Leta", gettext_lazy("A camel on an empty tile"), _TWO),
    "marid": DjinnText("Marid", gettext_lazy("Coins for drops on your tiles"), _ALWAYS),
    "monkir": DjinnText("Monkir", gettext_lazy("Coins whenever a palace is placed"), _ALWAYS),
    "nekir": DjinnText("Nekir", gettext_lazy("Coins whenever assassins kill"), _ALWAYS),
    "shamhat": DjinnText("Shamhat", gettext_lazy("Your elders are worth 4 each"), _AT_END),
    "sibittis": DjinnText("Sibittis", gettext_lazy("Draw three Djinns, keep one"), _TWO),
    "sloar": DjinnText("Sloar", gettext_lazy("Take the top resource card"), _FAKIR),
    "utug": DjinnText("Utug", gettext_lazy("A camel on a tile with meeples only"), _TWO),
    "geb": DjinnText("Geb", gettext_lazy("Precious items are worth 3 more"), _AT_END),
    "ptah": DjinnText("Ptah", gettext_lazy("Artisans are worth 2 more"), _AT_END),
    "kali": DjinnText("Kali", gettext_lazy("Coins when markers are pushed"), _ALWAYS),
    "ganesha": DjinnText("Ganesha", gettext_lazy("Coins when whims are taken"), _ALWAYS),
}


def djinn_name(djinn: str) -> str:
    """A Djinn's name from its id."""
    return DJINNS[djinn].name if djinn in DJINNS else djinn


def listed(words: Sequence[object]) -> str:
    """`fish, ivory and wheat`."""
    texts = [str(word) for word in words]
    if len(texts) < 2:
        return "".join(texts)
    return _("%(most)s and %(last)s") % {"most": ", ".join(texts[:-1]), "last": texts[-1]}


_A_MEEPLE: dict[str, Promise] = {
    "y": gettext_lazy("a vizier"),
    "w": gettext_lazy("an elder"),
    "g": gettext_lazy("a merchant"),
    "b": gettext_lazy("a builder"),
    "r": gettext_lazy("an assassin"),
    "p": gettext_lazy("an artisan"),
}


def _some(group: str) -> str:
    """`an elder`, `an elder and a vizier`, `two elders`."""
    if len(set(group)) < len(group):
        return group_words(group)
    return listed([_A_MEEPLE[tribe] for tribe in group])


def decision_words(
    text: str,
    seats: Sequence[str],
    ruleset: Ruleset,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> str:
    """What a decision does, without its subject: `drops a builder on A2`.

    `before` and `after` are position or view documents around it; without them the words say a little less.
    """
    verb, *args = text.split(" ")
    tell = _TELLERS.get(verb)
    return tell(args, _Scene(seats, ruleset, before, after)) if tell else text


@dataclass(frozen=True)
class _Scene:
    seats: Sequence[str]
    ruleset: Ruleset
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None

    def earned(self) -> int | None:
        """Gold that the deciding seat gained, where it can be seen."""
        if self.before is None or self.after is None or not (seat := self.before["to_act"]):
            return None
        had, has = (document["seats"][seat - 1]["gold"] for document in (self.before, self.after))
        return None if had is None or has is None else has - had


def _bid(args: list[str], scene: _Scene) -> str:
    spot = int(args[0])
    price = scene.ruleset.track.costs[spot - 1]
    if len(args) > 1:
        fakirs = int(args[2])
        words = ngettext(
            "bids for spot %(spot)d, cheaper by %(n)d Fakir", "bids for spot %(spot)d, cheaper by %(n)d Fakirs", fakirs
        )
        return words % {"spot": spot, "n": fakirs}
    if not price:
        return _("bids nothing, spot %(spot)d") % {"spot": spot}
    return _("bids %(price)d gold for spot %(spot)d") % {"price": price, "spot": spot}


def _take(args: list[str], scene: _Scene) -> str:
    turn = (scene.after or {}).get("turn") or {}
    if hand := turn.get("hand"):
        return _("picks up %(meeples)s from %(tile)s") % {"meeples": group_words(hand), "tile": args[0]}
    return _("picks up all meeples from %(tile)s") % {"tile": args[0]}


def _drop(args: list[str], scene: _Scene) -> str:
    tile, tribe = args
    turn = (scene.before or {}).get("turn") or {}
    told = {"meeple": _A_MEEPLE[tribe], "tile": tile}
    if scene.before is not None and len(turn.get("hand", "")) == 1:
        lifted = scene.before["board"]["tiles"][tile]["meeples"].count(tribe) + 1
        return _("drops %(meeple)s on %(tile)s and lifts %(lifted)s") % {**told, "lifted": meeples(tribe, lifted)}
    return _("drops %(meeple)s on %(tile)s") % told


def _build(args: list[str], scene: _Scene) -> str:
    earned, fakirs = scene.earned(), int(args[0])
    words = _("lets the builders work") if earned is None else _("earns %(n)d gold with builders") % {"n": earned}
    if fakirs:
        words += " " + ngettext("and %(n)d Fakir", "and %(n)d Fakirs", fakirs) % {"n": fakirs}
    return words


def _kill(args: list[str], scene: _Scene) -> str:
    where, group = args
    if where.startswith("@"):
        return _("kills %(meeples)s of %(bot)s") % {"meeples": _some(group), "bot": scene.seats[int(where[1:]) - 1]}
    return _("kills %(meeples)s on %(tile)s") % {"meeples": _some(group), "tile": where}


def _buy(args: list[str], scene: _Scene) -> str:
    if scene.before is None:
        return ngettext("buys card %(places)s", "buys cards %(places)s", len(args)) % {"places": listed(args)}
    row = scene.before["resources"]["row"]
    return _("buys %(cards)s") % {"cards": listed([RESOURCES[row[int(place) - 1]] for place in args])}


def _summon(args: list[str], _scene: _Scene) -> str:
    return _("summons %(djinn)s") % {"djinn": djinn_name(args[0])}


def _use(args: list[str], _scene: _Scene) -> str:
    told = {"djinn": djinn_name(args[0]), "tile": args[-1]}
    return (_("uses %(djinn)s on %(tile)s") if len(args) > 2 else _("uses %(djinn)s")) % told


def _keep(args: list[str], _scene: _Scene) -> str:
    return _("keeps a card") if args[0] == "?" else _("keeps %(djinn)s") % {"djinn": djinn_name(args[0])}


def _sell(args: list[str], _scene: _Scene) -> str:
    told = {"goods": listed([RESOURCES[good] for good in args]), "gold": SUIT_VALUE[len(args)]}
    return _("sells %(goods)s for %(gold)d gold") % told


_TELLERS: dict[str, Any] = {
    "bid": _bid,
    "take": _take,
    "skip": lambda _args, _scene: _("cannot move"),
    "drop": _drop,
    "build": _build,
    "kill": _kill,
    "spare": lambda _args, _scene: _("kills nobody"),
    "palm": lambda args, _scene: _("plants a palm on %(tile)s") % {"tile": args[0]},
    "palace": lambda args, _scene: _("builds a palace on %(tile)s") % {"tile": args[0]},
    "buy": _buy,
    "summon": _summon,
    "pass": lambda _args, _scene: _("leaves the tile’s action"),
    "use": _use,
    "keep": _keep,
    "sell": _sell,
    "end": lambda _args, _scene: _("ends the turn"),
}
