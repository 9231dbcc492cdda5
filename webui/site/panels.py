"""What stands around the board, made ready for templates: seats, tracks, market, Djinns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.rules.components import CAMELS, DJINN_NUMBER, GOODS, MARKERS, MARKETS, RESOURCE_COPIES, RESOURCES
from arena.rules.components import DJINNS as DJINN_CARDS
from webui.ladder.values import SeatLine
from webui.site import words
from webui.site.story import Document, Story
from webui.site.words.things import counts, group_words


@dataclass(frozen=True)
class Card:
    """A resource in a row or a hand."""

    id: str
    name: str
    number: int = 1
    copies: int = 0
    dots: range = range(0)
    """One for a common good, three for a rare one; none for a Fakir."""


@dataclass(frozen=True)
class DjinnCard:
    """A Djinn in the row or at a seat."""

    id: str
    name: str
    value: int
    effect: Promise | str
    when: Promise | str


@dataclass(frozen=True)
class Part:
    """One source of a score, with its place in the stacked bar in percent."""

    category: str
    name: str
    value: int
    left: float
    width: float


@dataclass(frozen=True)
class SeatPanel:
    """One seat. `gold` and `hand` are None where a spectator may not see them; `cards` then says how many."""

    seat: int
    line: SeatLine
    is_acting: bool
    gold: int | None
    viziers: int
    elders: int
    camels: int
    all_camels: range
    hand: list[Card] | None
    cards: int
    djinns: list[DjinnCard]
    total: int | None
    rank: int | None
    parts: list[Part]
    bar_label: str


@dataclass(frozen=True)
class Spot:
    """A spot of a track: what it costs or its number, and the seat whose marker is there."""

    label: str
    seat: int | None


def card(name: str, number: int = 1) -> Card:
    """A resource with its picture's id, its name and its rarity."""
    copies = RESOURCE_COPIES[RESOURCES.index(name)]
    dots = range({2: 3, 4: 2}.get(copies, 1) if name in GOODS else 0)
    return Card(name, str(words.RESOURCES[name]), number, copies, dots)


def djinn_card(djinn: str) -> DjinnCard:
    """A Djinn with what it does and what it is worth."""
    text = words.DJINNS[djinn]
    value = DJINN_CARDS[DJINN_NUMBER[djinn]].value if djinn in DJINN_NUMBER else 0
    return DjinnCard(djinn, str(text.name), value, text.effect, text.when)


def seat_panels(position: Document, lines: Sequence[SeatLine], scores: list[dict[str, int]] | None) -> list[SeatPanel]:
    """All seats, seat 1 first."""
    totals = [score["total"] for score in scores] if scores else []
    panels = []
    for index, (seat, line) in enumerate(zip(position["seats"], lines, strict=True)):
        hand = seat["hand"]
        score = scores[index] if scores else {}
        parts = _parts(score)
        told = ", ".join(f"{part.name} {part.value}" for part in parts)
        panels.append(
            SeatPanel(
                seat=index + 1,
                line=line,
                is_acting=position["to_act"] == index + 1,
                gold=seat["gold"],
                viziers=seat["viziers"],
                elders=seat["elders"],
                camels=seat["camels"],
                all_camels=range(1, CAMELS[position["players"]] + 1),
                hand=None if hand is None else [card(name, number) for name, number in hand.items()],
                cards=seat.get("cards", 0) if hand is None else sum(hand.values()),
                djinns=[djinn_card(djinn) for djinn in seat["djinns"]],
                total=score.get("total"),
                rank=1 + sum(total > totals[index] for total in totals) if totals else None,
                parts=parts,
                bar_label=_("%(bot)s, %(total)d points: %(parts)s")
                % {"bot": line.version.bot.name, "total": score.get("total", 0), "parts": told},
            )
        )
    return panels


def _parts(score: Mapping[str, int]) -> list[Part]:
    whole = sum(value for name, value in score.items() if name != "total") or 1
    parts, left = [], 0.0
    for name in words.CATEGORIES:
        if value := score.get(name, 0):
            width = 100 * value / whole
            parts.append(Part(name, str(words.CATEGORIES[name]), value, round(left, 2), round(width, 2)))
            left += width
    return parts


@dataclass(frozen=True)
class ScoreRow:
    """One source of points over all seats."""

    category: str
    name: str
    values: list[int]


def score_table(scores: list[dict[str, int]]) -> list[ScoreRow]:
    """Points by source, for the table under the seats."""
    return [
        ScoreRow(name, str(title), [score[name] for score in scores])
        for name, title in words.CATEGORIES.items()
        if name in scores[0]
    ]


def turn_track(position: Document, costs: Sequence[int]) -> list[Spot]:
    """The turn-order track as it is printed: dearest spot first."""
    return [Spot(str(cost), seat) for cost, seat in zip(costs, position["turn_track"], strict=True)]


def bid_track(position: Document) -> list[Spot]:
    """The bid-order track: who bids first."""
    players = position["players"]
    waiting = position["bid_order"]
    places = players * MARKERS[players]
    return [Spot(str(place + 1), waiting[place] if place < len(waiting) else None) for place in range(places)]


@dataclass(frozen=True)
class Market:
    """The row of resources, in threes, with what each market reaches."""

    rows: list["MarketRow"]
    deck: int
    discard: int


@dataclass(frozen=True)
class MarketRow:
    """Three places of the market."""

    places: list[tuple[int, Card | None]]
    rule: str


def market(position: Document) -> Market:
    """The market: nine places in row order, taken ones empty until clean-up."""
    resources = position["resources"]
    row = [card(name) for name in resources["row"]]
    small, large = MARKETS["small-market"], MARKETS["large-market"]
    rules = {
        small.reach: _("small market: %(price)d gold, %(n)d card from above"),
        large.reach: _("large market: %(price)d gold, %(n)d cards from above"),
    }
    told = {
        small.reach: {"price": small.price, "n": small.cards},
        large.reach: {"price": large.price, "n": large.cards},
    }
    rows = []
    for first in range(0, 9, 3):
        places = [(place + 1, row[place] if place < len(row) else None) for place in range(first, first + 3)]
        rule = rules[first + 3] % told[first + 3] if first + 3 in rules else ""
        rows.append(MarketRow(places, rule))
    return Market(rows, _size(resources["deck"]), len(resources["discard"]))


@dataclass(frozen=True)
class DjinnRow:
    """The Djinns that can be summoned, and how many places are empty until clean-up."""

    cards: list[DjinnCard]
    taken: range
    pile: int


def djinn_row(position: Document) -> DjinnRow:
    """The face-up Djinns."""
    djinns = position["djinns"]
    cards = [djinn_card(djinn) for djinn in djinns["row"]]
    return DjinnRow(cards, range(3 - len(cards)), _size(djinns["deck"]))


def _size(deck: list[str] | int) -> int:
    return deck if isinstance(deck, int) else len(deck)


@dataclass(frozen=True)
class Hand:
    """The meeples still in hand during a sowing, and how far it is."""

    meeples: list[str]
    words: str
    step: int
    steps: int


def hand_of(position: Document, story: Story, place: int) -> Hand | None:
    """What is left to sow after the decision at a place."""
    turn = position["turn"] or {}
    sowing = story.sowing(place)
    if sowing is None:
        return None
    group = turn.get("hand", "-").strip("-")
    walked = len(sowing.path) - 1
    meeples = [tribe for tribe, number in counts(group) for _number in range(number)]
    return Hand(meeples, group_words(group), walked, walked + len(group))


def cards_words(number: int) -> str:
    """`6 cards`: a hidden hand."""
    return ngettext("%(n)d card", "%(n)d cards", number) % {"n": number} if number else _("no cards")
