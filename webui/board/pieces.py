"""Drawing of the things on a tile: badge, camel or tent, whim card, meeples, palms and palaces. A tile measures 100."""

from arena.rules import TileView
from arena.rules.components import WHIM_NUMBER, WHIMS
from webui.words.vocabulary import counts

TILE = 100

BADGES = {  # colour -> outline of the value badge, x of its number
    "red": ("M0 7a7 7 0 0 1 7-7H35L21 26H0z", 14),
    "blue": ("M0 7a7 7 0 0 1 7-7H31V9A17 17 0 0 1 14 26H0z", 15),
}
SIZES = {1: 36.0, 2: 33.0, 3: 30.0}
"""Size of a meeple, by the number of glyphs on the tile. More than three are drawn smaller."""
SIZE_OF_MANY, SIZE_OF_SIX = 27.5, 23.5
MIDDLES = {"y": 0.58, "w": 0.56, "g": 0.5, "b": 0.62, "r": 0.44, "p": 0.5}
"""Height of a silhouette's centre in its square, where the number is drawn."""
DRAWN_EACH = 5
"""Maximum number of meeples drawn individually. If there are more, each tribe is one glyph with a number."""


def pieces(tile: TileView) -> str:
    """Return the drawing of everything on a tile."""
    parts = []
    if tile.colour:
        outline, middle = BADGES[tile.colour]
        value = "★" if tile.kind == "city" else tile.value
        parts.append(f'<path class="badge-ground" d="{outline}"/>')
        parts.append(f'<text class="badge-value" x="{middle}" y="19">{value}</text>')
    if whim := tile.whim:
        parts.append(_whim(WHIMS[WHIM_NUMBER[whim]].reward))
    if owner := tile.owner:
        parts.append(_tent(owner) if tile.tent else _camel(owner))
    buildings = tile.palms or tile.palaces
    parts.append(_meeples(tile.meeples, bool(buildings)))
    if buildings:
        parts.append(_buildings(tile.palms, tile.palaces))
    return "".join(parts)


def _whim(reward: int) -> str:
    """Return the drawing of the whim card on a city, with the gold that it pays."""
    return (
        '<use class="whim-symbol" href="#whim" x="33.5" y="4" width="20" height="26"/>'
        f'<text class="whim-number" x="43.5" y="24.6">{reward}</text>'
    )


def _camel(seat: int) -> str:
    return (
        f'<g class="own seat-{seat}"><use href="#camel" x="54" y="4" width="42" height="34"/></g>'
        f'<text class="owner-number seat-{seat}" x="71.6" y="22.9">{seat}</text>'
    )


def _tent(seat: int) -> str:
    return (
        f'<g class="own seat-{seat}"><use href="#tent" x="62" y="4" width="34" height="30"/></g>'
        f'<text class="owner-number seat-{seat}" x="79" y="27">{seat}</text>'
    )


def _meeples(group: str, has_buildings: bool) -> str:
    tribes = counts(group)
    drawn = [(tribe, 1) for tribe, number in tribes for _ in range(number)]
    if len(drawn) > DRAWN_EACH:
        drawn = tribes
    parts = []
    for (tribe, number), (x, y, size) in zip(drawn, places(len(drawn), has_buildings), strict=True):
        glyph = "n" if number > 1 else "m"
        parts.append(
            f'<use class="meeple" href="#{glyph}-{tribe}" x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}"/>'
        )
        if number > 1:
            baseline = y + size * MIDDLES[tribe] + 4.7
            parts.append(
                f'<text class="meeple-number on-meeple-{tribe}" x="{x + size / 2:g}" y="{baseline:g}">{number}</text>'
            )
    return "".join(parts)


def places(count: int, has_buildings: bool) -> list[tuple[float, float, float]]:
    """Return x, y and size of each glyph. A row holds three glyphs, and the bottom right is left free for buildings."""
    size = SIZES.get(count, SIZE_OF_SIX if count > DRAWN_EACH else SIZE_OF_MANY)
    if count <= 3:
        gap = {1: 0.0, 2: 3.0, 3: 1.5}[count] if count else 0.0
        left = (TILE - count * size - (count - 1) * gap) / 2
        top = 44.0 if count == 3 and not has_buildings else 38.0
        return [(left + i * (size + gap), top, size) for i in range(count)]
    rest = count - 3
    pitch = size + 1.5
    left = (TILE - 3 * size - 3) / 2
    below = 7.0 if has_buildings else (TILE - rest * size - (rest - 1) * 1.5) / 2
    return [(left + i * pitch, 37.0, size) for i in range(3)] + [(below + i * pitch, 67.0, size) for i in range(rest)]


def _buildings(palms: int, palaces: int) -> str:
    """Return the drawing of the buildings at the bottom right. Palaces are rightmost; a disc shows a number above 1."""
    kinds = [(kind, number) for kind, number in (("palace", palaces), ("palm", palms)) if number]
    size = 27 if len(kinds) == 1 else 23
    parts = []
    for place, (kind, number) in enumerate(kinds):
        x, y = 98 - size - 18 * place, 96 - size
        parts.append(f'<use class="building" href="#{kind}" x="{x}" y="{y}" width="{size}" height="{size}"/>')
        if number > 1:
            cx, cy = 93 - 18 * place, y + 2
            parts.append(
                f'<circle class="count-ground" cx="{cx}" cy="{cy}" r="7"/>'
                f'<text class="count-number" x="{cx}" y="{cy + 3.6:g}">{number}</text>'
            )
    return "".join(parts)
