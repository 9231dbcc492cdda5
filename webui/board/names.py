"""Accessible names of the board and its tiles, for screen readers."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from arena.rules import TileView
from arena.rules.components import Colour, KindOfTile
from webui.words.tiles import TILE_KINDS, whim_needs, whim_reward
from webui.words.vocabulary import coins, group_words, listed, once_a_language

COLOURS = {"red": gettext_lazy("red"), "blue": gettext_lazy("blue")}

SIDES = {
    "N": pgettext_lazy("mountains to the", "north"),
    "E": pgettext_lazy("mountains to the", "east"),
    "S": pgettext_lazy("mountains to the", "south"),
    "W": pgettext_lazy("mountains to the", "west"),
}
_STEPS = {"N": (0, -1, "S"), "E": (1, 0, "W"), "S": (0, 1, "N"), "W": (-1, 0, "E")}
"""For each side, the offset to the neighbour in columns and rows, and the neighbour's side that faces this one."""


def mountain_sides(tiles: Mapping[str, TileView]) -> dict[str, str]:
    """Return the sides of each tile that mountains close, in the order NESW. A range closes both tiles next to it."""
    closed: dict[str, set[str]] = {}
    for name, tile in tiles.items():
        for side in tile.mountains or "":
            right, down, facing = _STEPS[side]
            closed.setdefault(name, set()).add(side)
            closed.setdefault(f"{chr(ord(name[0]) + right)}{int(name[1:]) + down}", set()).add(facing)
    return {name: "".join(side for side in SIDES if side in sides) for name, sides in closed.items()}


def tile_label(tile: TileView, seats: Sequence[str], mountains: str = "") -> str:
    """Return a label such as `E2, Small Market, worth 6, red; elder, 2 merchants, builder; owned by Oud; 1 palm`.

    `mountains`: the sides that mountains close, such as `NW`.
    """
    parts = [_ground_words(tile.name, tile.kind, tile.value, tile.colour)]
    if tile.colour is None:
        return parts[0]
    if whim := tile.whim:
        values = {"needs": whim_needs(whim), "gold": coins(whim_reward(whim))}
        parts.append(_("whim: %(needs)s, pays %(gold)s") % values)
    parts.append(group_words(tile.meeples) or _("no meeples"))
    if owner := tile.owner:
        owned = _("owned by %(bot)s (tent)") if tile.tent else _("owned by %(bot)s")
        parts.append(owned % {"bot": seats[owner - 1]})
    if palms := tile.palms:
        parts.append(ngettext("%(n)d palm", "%(n)d palms", palms) % {"n": palms})
    if palaces := tile.palaces:
        parts.append(ngettext("%(n)d palace", "%(n)d palaces", palaces) % {"n": palaces})
    if mountains:
        parts.append(_("mountains to the %(sides)s") % {"sides": listed([SIDES[side] for side in mountains])})
    return "; ".join(parts)


@once_a_language
def _ground_words(name: str, kind: KindOfTile, value: int, colour: Colour | None) -> str:
    """Return the words for what is printed on a tile."""
    values = {"tile": name, "kind": TILE_KINDS[kind], "value": value}
    if colour is None:  # lake and chasm
        return _("%(tile)s, %(kind)s, impassable") % values
    values["colour"] = COLOURS[colour]
    if kind == "city":
        return _("%(tile)s, %(kind)s, %(colour)s") % values
    return _("%(tile)s, %(kind)s, worth %(value)d, %(colour)s") % values


def board_label(columns: int, rows: int) -> str:
    """Return the accessible name of the whole board."""
    return _("Board, %(columns)d columns by %(rows)d rows. Arrow keys move between tiles.") % {
        "columns": columns,
        "rows": rows,
    }
