"""What a reader who does not see the board hears: tribes, tiles and pieces in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

TRIBES = "ywgbrp"

TILE_KINDS = {
    "village": gettext_lazy("Village"),
    "sacred": gettext_lazy("Sacred Place"),
    "oasis": gettext_lazy("Oasis"),
    "small-market": gettext_lazy("Small Market"),
    "large-market": gettext_lazy("Large Market"),
    "city": gettext_lazy("Great City"),
    "lake": gettext_lazy("Great Lake"),
    "workshop": gettext_lazy("Workshop"),
    "special-market": gettext_lazy("Specialized Market"),
    "chasm": gettext_lazy("Chasm"),
}

COLOURS = {"red": gettext_lazy("red"), "blue": gettext_lazy("blue")}

IMPASSABLE = ("lake", "chasm")


_MEEPLES: dict[str, Callable[[int], str]] = {
    "y": lambda n: ngettext("vizier", "%(n)d viziers", n) % {"n": n},
    "w": lambda n: ngettext("elder", "%(n)d elders", n) % {"n": n},
    "g": lambda n: ngettext("merchant", "%(n)d merchants", n) % {"n": n},
    "b": lambda n: ngettext("builder", "%(n)d builders", n) % {"n": n},
    "r": lambda n: ngettext("assassin", "%(n)d assassins", n) % {"n": n},
    "p": lambda n: ngettext("artisan", "%(n)d artisans", n) % {"n": n},
}


def counts(group: str) -> list[tuple[str, int]]:
    """The tribes of a group with their numbers, in the order of the notation: `wwr` is two elders and an assassin."""
    return [(tribe, group.count(tribe)) for tribe in TRIBES if tribe in group]


def meeples(tribe: str, number: int) -> str:
    """`elder`, `2 merchants`."""
    return _MEEPLES[tribe](number)


def group_words(group: str, joint: str = ", ") -> str:
    """`elder, 2 merchants`; nothing for the empty group."""
    return joint.join(meeples(tribe, number) for tribe, number in counts(group))


def tile_label(name: str, tile: Mapping[str, Any], seats: Sequence[str]) -> str:
    """`E2, Small Market, worth 6, red; elder, 2 merchants, builder; owned by Oud; 1 palm`."""
    kind = TILE_KINDS[tile["kind"]]
    if tile["kind"] in IMPASSABLE:
        return _("%(tile)s, %(kind)s, impassable") % {"tile": name, "kind": kind}
    if tile["kind"] == "city":
        ground = _("%(tile)s, %(kind)s, %(colour)s")
    else:
        ground = _("%(tile)s, %(kind)s, worth %(value)d, %(colour)s")
    colour = COLOURS[tile["colour"]]
    parts = [ground % {"tile": name, "kind": kind, "value": tile["value"], "colour": colour}]
    parts.append(group_words(tile["meeples"]) or _("no meeples"))
    if owner := tile["owner"]:
        owned = _("owned by %(bot)s (tent)") if tile.get("tent") else _("owned by %(bot)s")
        parts.append(owned % {"bot": seats[owner - 1]})
    if palms := tile["palms"]:
        parts.append(ngettext("%(n)d palm", "%(n)d palms", palms) % {"n": palms})
    if palaces := tile["palaces"]:
        parts.append(ngettext("%(n)d palace", "%(n)d palaces", palaces) % {"n": palaces})
    return "; ".join(parts)


def board_label(columns: int, rows: int) -> str:
    """What the whole board is called."""
    return _("Board, %(columns)d columns by %(rows)d rows. Arrow keys move between tiles.") % {
        "columns": columns,
        "rows": rows,
    }
