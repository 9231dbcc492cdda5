"""The two tracks, the hand of a sowing and drawn cards, as values for templates."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext as _

from arena.rules import View
from arena.rules.components import MARKERS
from webui.board.drawing import Sowing
from webui.board.seats import cards_words, items_words
from webui.words import cards, vocabulary
from webui.words.vocabulary import counts, group_words


@dataclass(frozen=True)
class Spot:
    """A spot of a track: its price or number, and the seat whose marker is there."""

    label: str
    seat: int | None
    is_joined: bool = False
    """Whether the next spot has the same price. A second marker then pushes the first one there."""


def turn_track(position: View, costs: Sequence[int]) -> list[Spot]:
    """Return the turn-order track as printed, dearest spot first. The free spots at its end stand apart."""
    return _turn_track(position.turn_track, tuple(costs))


@lru_cache(maxsize=1000)
def _turn_track(markers: tuple[int | None, ...], costs: tuple[int, ...]) -> list[Spot]:
    joined = [bool(cost) and cost == after for cost, after in zip(costs, [*costs[1:], 0], strict=True)]
    return [Spot(str(cost), seat, is_joined) for cost, seat, is_joined in zip(costs, markers, joined, strict=True)]


def bid_track(position: View) -> list[Spot]:
    """Return the bid-order track, first bidder first."""
    players = position.players
    waiting = position.bid_order
    places = players * MARKERS[players]
    return [Spot(str(place + 1), waiting[place] if place < len(waiting) else None) for place in range(places)]


@dataclass(frozen=True)
class Hand:
    """The meeples still in hand during a sowing, and its progress."""

    meeples: list[str]
    words: str
    step: int
    steps: int


def hand_of(position: View, sowing: Sowing | None) -> Hand | None:
    """Return what is left to sow after a decision of this sowing. Return None outside a sowing."""
    if sowing is None:
        return None
    group = position.turn.hand
    walked = len(sowing.path) - 1
    meeples = [tribe for tribe, number in counts(group) for _number in range(number)]
    return Hand(meeples, group_words(group), walked, walked + len(group))


@dataclass(frozen=True)
class PendingPieces:
    """Pieces beside the board that wait for a decision: lifted meeples, or drawn cards and tokens.

    `drawings` are symbols, each with the class of its drawing. Hidden pieces show their backs.
    """

    title: str
    drawings: list[tuple[str, str]]
    words: str


def held_of(position: View) -> PendingPieces | None:
    """Return the pieces that were lifted or drawn and still wait for a decision. Return None if there are none."""
    phase, drawn = position.phase, position.turn.drawn
    if lifted := position.turn.lifted:
        return PendingPieces(_("lifted"), [(f"m-{tribe}", "glyph large") for tribe in lifted], group_words(lifted))
    if not drawn:
        return None
    if isinstance(drawn, int):
        back, number = ("item", items_words(drawn)) if phase == "item" else ("card", cards_words(drawn))
        return PendingPieces(_("drawn"), [(back, "glyph large")] * drawn, number)
    prefix, css, name = {
        "item": ("x", "item-icon large", cards.item_name),
        "choose": ("d", "djinn-icon", cards.djinn_name),
        "horn": ("i", "resource-icon", lambda card: str(vocabulary.RESOURCES[card])),
    }[phase]
    title = _("still to be laid") if phase == "horn" else _("drawn")
    return PendingPieces(title, [(f"{prefix}-{card}", css) for card in drawn], ", ".join(map(name, drawn)))
