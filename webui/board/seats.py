"""The panels of the seats, as values for templates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from arena.rules import SeatView, View
from arena.rules.components import CAMELS
from arena.rules.counting import Bounds
from arena.rules.view_parts import Pile
from webui.board.panel_cards import Card, DjinnCard, ItemCard, WhimCard, card, djinn_card, item_cards, whim_card
from webui.matches.values import SeatLine
from webui.words import vocabulary
from webui.words.glossary import OF_SOURCES

cached = lru_cache(maxsize=2000)
"""Cache for the values of a seat, of which little changes from one decision to the next."""


@dataclass(frozen=True)
class ScorePart:
    """One source of a score, with its end in the stacked bar."""

    category: str
    name: str
    value: int
    end: int


@dataclass(frozen=True)
class HiddenThings:
    """Cards that may be hidden, and their number. `cards` is None if they are hidden."""

    cards: list[ItemCard] | None
    number: int


@dataclass(frozen=True)
class SeatWhims:
    """The whims of a seat: those that are visible or paid, and the number of others that lie face down."""

    cards: list[WhimCard]
    face_down: int


class SeatPanel(NamedTuple):
    """The panel of one seat.

    `gold` and `hand` are None where a spectator may not see them. `cards` is then the number of cards in the hand.
    `artisans`, `tents` and `items` are None without the artisans in play, `whims` without the whims.
    """

    seat: int
    line: SeatLine
    gold: int | None
    viziers: int
    elders: int
    camels: int
    all_camels: range
    hand: list[Card] | None
    cards: int
    djinns: list[DjinnCard]
    total: int | None
    seen: int
    """Points that can be seen. If there is a total, these are all points."""
    rank: int | None
    parts: list[ScorePart]
    bar_label: str
    bounds: Bounds | None = None
    """Minimum and maximum of the total, as far as it can be counted, while the total itself is hidden."""
    artisans: int | None = None
    tents: int | None = None
    items: HiddenThings | None = None
    whims: SeatWhims | None = None


class SeatKnown(NamedTuple):
    """The known values of a seat. The panel also depends on the seat's line and the expansions in play."""

    view: SeatView
    points: Mapping[str, int]
    """Points by source: all of them, or those that can be seen."""
    total: int | None
    rank: int | None
    bounds: Bounds | None


def seats_known(
    position: View,
    scores: list[dict[str, int]] | None,
    points: Sequence[Mapping[str, int]] = (),
    bounds: Sequence[Bounds] | None = None,
) -> list[SeatKnown]:
    """Return the known values of all seats, seat 1 first.

    `scores`: the whole scores; None while they are hidden.
    `points`: the points that can be seen, for hidden scores.
    `bounds`: the minimum and maximum of each whole score, for hidden scores.
    """
    if scores:
        totals = [score["total"] for score in scores]
        ranks = [1 + sum(total > own for total in totals) for own in totals]
        return [SeatKnown(*fields, None) for fields in zip(position.seats, scores, totals, ranks, strict=True)]
    return [
        SeatKnown(seat, points[at] if points else {}, None, None, bounds[at] if bounds else None)
        for at, seat in enumerate(position.seats)
    ]


def seat_panel(position: View, line: SeatLine, known: SeatKnown) -> SeatPanel:
    """Return the panel of one seat. It reads only those values of `position` that never change during a match."""
    seat, language = known.view, get_language()
    artisans = "artisans" in position.expansions
    bar = _bar(language, line.version.bot.name, tuple(known.points.items()), is_whole=known.total is not None)
    return SeatPanel(
        seat=seat.number,
        line=line,
        gold=seat.gold,
        viziers=seat.viziers,
        elders=seat.elders,
        camels=seat.camels,
        all_camels=range(1, CAMELS[position.players] + 1),
        hand=None if seat.hand is None else _hand(language, tuple(seat.hand.items())),
        cards=seat.cards,
        djinns=_djinns(language, seat.djinns, seat.used, artisans=artisans),
        total=known.total,
        seen=bar.total,
        rank=known.rank,
        parts=bar.parts,
        bounds=known.bounds,
        bar_label=bar.label,
        artisans=seat.artisans if artisans else None,
        tents=seat.tents if artisans else None,
        items=_items(seat.items) if artisans else None,
        whims=_whims(seat) if "whims" in position.expansions else None,
    )


@dataclass(frozen=True)
class _Bar:
    """The stacked bar of a seat."""

    parts: list[ScorePart]
    total: int
    label: str


@cached
def _bar(language: str | None, bot: str, score: tuple[tuple[str, int], ...], *, is_whole: bool) -> _Bar:
    """Make the bar from the points by source. With `is_whole` these are all points, otherwise the visible ones."""
    parts, values = [], dict(score)
    end = 0
    for name, title in vocabulary.source_names().items():
        if value := values.get(name, 0):
            end += value
            parts.append(ScorePart(name, title, value, end))
    label = (
        ngettext("%(bot)s, %(total)d point: %(parts)s", "%(bot)s, %(total)d points: %(parts)s", end)
        if is_whole
        else ngettext(
            "%(bot)s, %(total)d point in sight: %(parts)s", "%(bot)s, %(total)d points in sight: %(parts)s", end
        )
    )
    summary = ", ".join(f"{part.name} {part.value}" for part in parts)
    return _Bar(parts, end, label % {"bot": bot, "total": end, "parts": summary})


@cached
def _hand(language: str | None, hand: tuple[tuple[str, int], ...]) -> list[Card]:
    return [card(name, number) for name, number in hand]


@cached
def _djinns(language: str | None, djinns: tuple[str, ...], used: tuple[str, ...], *, artisans: bool) -> list[DjinnCard]:
    return [djinn_card(djinn, artisans=artisans, is_used=djinn in used) for djinn in djinns]


def _items(items: Pile) -> HiddenThings:
    return HiddenThings(None, items) if isinstance(items, int) else HiddenThings(item_cards(items), len(items))


def _whims(seat: SeatView) -> SeatWhims:
    paid = [whim_card(whim, is_paid=True) for whim in seat.paid_whims]
    if isinstance(seat.open_whims, int):
        return SeatWhims(paid, seat.open_whims)
    return SeatWhims([*map(whim_card, seat.open_whims), *paid], 0)


def cards_words(number: int) -> str:
    """Return the words for a hidden hand, such as `6 cards`."""
    return ngettext("%(n)d card", "%(n)d cards", number) % {"n": number} if number else _("no cards")


def items_words(number: int) -> str:
    """Return the words for hidden tokens, such as `2 items`."""
    return ngettext("%(n)d item", "%(n)d items", number) % {"n": number} if number else _("no items")


def whims_words(number: int) -> str:
    """Return the words for hidden whims, such as `2 whims face down`."""
    return ngettext("%(n)d whim face down", "%(n)d whims face down", number) % {"n": number}


@dataclass(frozen=True)
class ScoreRow:
    """One source of points, with the points of every seat."""

    category: str
    term: str
    """Term of the glossary that explains it."""
    name: str
    values: tuple[int, ...]


def score_table(scores: list[dict[str, int]]) -> list[ScoreRow]:
    """Return the points by source, for the table under the seats. Sources of expansions appear only if in play."""
    return [
        ScoreRow(name, OF_SOURCES[name], title, tuple(score[name] for score in scores))
        for name, title in vocabulary.source_names().items()
        if name in scores[0]
    ]
