"""Draw pictures for the pages: boards, with the code that draws every match, and the draws of events."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.rules import Ruleset, TileView, start, view
from arena.rules.components import Colour, KindOfTile
from arena.rules.view import SPECTATOR
from webui.board.drawing import Sowing, draw_board
from webui.site.docs import draws

SEED = b"a board to learn the game with.."
NAMES = ["1", "2", "3", "4", "5"]
COLOURS: dict[str, Colour] = {
    "village": "blue", "sacred": "blue", "city": "blue", "workshop": "blue", "oasis": "red", "small-market": "red",
    "large-market": "red", "special-market": "red",
}  # fmt: skip
VALUES = {
    "village": 5, "sacred": 6, "workshop": 5, "oasis": 8, "small-market": 6, "large-market": 4, "special-market": 10,
    "city": 5,
}  # fmt: skip
KINDS: dict[str, KindOfTile] = {
    "V": "village", "S": "sacred", "O": "oasis", "m": "small-market", "M": "large-market", "C": "city", "L": "lake",
    "W": "workshop", "P": "special-market", "X": "chasm",
}  # fmt: skip


@dataclass(frozen=True)
class Pattern:
    """A part of a board, or a board that occurs in no game."""

    columns: int
    rows: int
    tiles: Mapping[str, TileView]


def tile(kind: str, meeples: str = "", **more: Any) -> TileView:
    """Return a tile, given the letter of its kind. `mini` names it later, by its place on the board."""
    name = KINDS[kind]
    plain = TileView("", name, VALUES.get(name, 0), COLOURS.get(name), meeples, owner=None, palms=0, palaces=0)
    return replace(plain, **more)


def mini(rows: list[list[TileView]], label: str, **how: Any) -> SafeString:
    """Draw a small board of a few tiles."""
    names = {f"{chr(65 + x)}{y + 1}": tile for y, row in enumerate(rows) for x, tile in enumerate(row)}
    tiles = {name: replace(tile, name=name) for name, tile in names.items()}
    pattern = Pattern(len(rows[0]), len(rows), tiles)
    return _figure(draw_board(pattern, NAMES, label=label, is_picture=True, **how), label)


def whole(ruleset: Ruleset, label: str) -> SafeString:
    """Draw the board of a set-up."""
    return _figure(draw_board(view(start(ruleset, SEED), SPECTATOR), NAMES, label=label, is_picture=True), label, "big")


def _figure(board: str, words: str, css: str = "") -> SafeString:
    # On one line, because a blank line would end the HTML block in Markdown.
    figure = f'<figure class="picture {css}">{board}<figcaption>{words}</figcaption></figure>'
    return SafeString(figure.replace("\n", ""))


class Pictures:
    """Pictures that the pages can show as `{{ pictures.NAME }}`."""

    @cached_property
    def opening(self) -> SafeString:
        """A base board before the first bid."""
        return whole(Ruleset(4), _("A base board before the first bid: thirty tiles, three meeples on each."))

    @cached_property
    def sowing(self) -> SafeString:
        """Path of a move."""
        rows = [
            [tile("m"), tile("O", "wg"), tile("V", "bb")],
            [tile("M", "gg"), tile("S", "yw"), tile("O", "bgr")],
            [tile("V", "wb"), tile("m", "ry"), tile("V", "gbb")],
        ]
        return mini(
            rows,
            _("Three meeples were picked up at A1 and dropped at B1, C1 and C2. The last, a builder, met one on C2."),
            sowing=Sowing(("A1", "B1", "C1", "C2")),
            current="C2",
        )

    @cached_property
    def control(self) -> SafeString:
        """Tile that is taken."""
        rows = [[tile("O", "ww"), tile("O", owner=1, palms=1)]]
        return mini(
            rows,
            _("An elder joins the two of A1: all three are lifted, and a camel takes the empty tile, as it took B1."),
        )

    @cached_property
    def builders(self) -> SafeString:
        """Tiles that count for builders."""
        rows = [
            [tile("V", "w"), tile("O", "rg"), tile("S", "y")],
            [tile("m", "gb"), tile("M", "bbb"), tile("V", "wr")],
            [tile("O", "g"), tile("S", "yb"), tile("M", "r")],
        ]
        return mini(
            rows,
            _("Three builders lifted at B2, four blue tiles among the nine: 3 × 4 = 12 coins, or 20 with two Fakirs."),
            current="B2",
        )

    @cached_property
    def assassins(self) -> SafeString:
        """Tiles that assassins reach."""
        rows = [
            [tile("O", "g"), tile("V", "wb"), tile("m", "y"), tile("O", "ww")],
            [tile("m", "bg"), tile("S", "rr"), tile("V", "gr"), tile("M", "y")],
            [tile("V", "y"), tile("O", "wb"), tile("m", "gb"), tile("S", "r")],
        ]
        return mini(
            rows,
            _(
                "Two assassins lifted at B2 reach two steps far: D2, not D1. Without its lone vizier D2 is empty, "
                "and a camel takes it."
            ),
            current="B2",
        )

    @cached_property
    def whims(self) -> SafeString:
        """A board with the Whims."""
        return whole(Ruleset(5, ("whims",)), _("With the Whims: six by six, a great lake, five great cities."))

    @cached_property
    def lake(self) -> SafeString:
        """Palms and palaces around the lake."""
        rows = [
            [tile("O", "wb", owner=1, palms=1), tile("C", "yg"), tile("V", "r", owner=2, palaces=2)],
            [tile("m", "bg"), tile("L"), tile("O", "g", owner=1, palms=2)],
            [tile("V", "y"), tile("M", "wb"), tile("C", "gb", owner=3)],
        ]
        return mini(rows, _("Palms and palaces on the eight tiles around the lake count twice: a palm 6, a palace 10."))

    @cached_property
    def both(self) -> SafeString:
        """A board with both expansions."""
        return whole(Ruleset(5, ("artisans", "whims")), _("With both expansions: seven by six, five players."))

    @cached_property
    def mountains(self) -> SafeString:
        """Mountains, a workshop and a tent."""
        rows = [
            [tile("O", "wp"), tile("m", "yg"), tile("V", "r")],
            [tile("P", "bg"), tile("W", "pp", mountains="NW"), tile("O", "g", owner=1, tent=True)],
            [tile("X"), tile("M", "wb"), tile("S", "gb")],
        ]
        return mini(rows, _("Mountains on two sides of a workshop, a chasm on A3, and a tent on C2."))

    @cached_property
    def swiss(self) -> SafeString:
        """Tables of a Swiss."""
        words = _(
            "Three rounds of a Swiss: nine bots at tables of three, each with its points before the "
            "round. Bots with equal points meet where possible, and nobody meets twice."
        )
        return _figure(draws.swiss(), words)

    @cached_property
    def round_robin(self) -> SafeString:
        """Meetings of a round robin."""
        words = _("How often each two of twelve bots meet in one cycle of a round robin at tables of four.")
        return _figure(draws.round_robin(), words)

    @cached_property
    def knockout(self) -> SafeString:
        """Heats of a knockout."""
        words = _(
            "A knockout of nine bots in heats of three, with the points of each heat: the best goes on, "
            "and the three best seeds cannot meet before the final."
        )
        return _figure(draws.knockout(), words)

    @cached_property
    def league(self) -> SafeString:
        """Seasons of a league."""
        words = _(
            "Two divisions of a league with two seats: the standings after the first season, and who plays where in "
            "the second. One bot has gone up, and one down."
        )
        return _figure(draws.league(), words)
