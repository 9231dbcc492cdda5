"""Count what a spectator with a perfect memory knows: every seat's gold, and most of its cards (rules 2.3, 3.6).

Gold and cards are secret, but all coins and all cards of the market change hands openly. Only cards and items that are
drawn face down stay hidden. A seat's score therefore lies between two bounds, which are equal if nothing was drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arena.rules.components import (
    FAKIRS_PER_WILD,
    GEB_BONUS,
    GOODS,
    ITEM_NUMBER,
    ITEMS,
    MARKETS,
    OTHERS_GAIN,
    OWN_GAIN,
    START_GOLD,
    SUIT_VALUE,
    WHIM_NUMBER,
    WHIMS,
)
from arena.rules.open_score import open_score
from arena.rules.ruleset import Ruleset
from arena.rules.view import View
from arena.rules.view_parts import SeatView

Bounds = tuple[int, int]
"""Lower and upper bound of a seat's score or part of it."""


class PublicCount:
    """The public count of one game. It follows a spectator's views from the set-up on."""

    def __init__(self, setup: View) -> None:
        self._ruleset = Ruleset(setup.players, setup.expansions)
        self._view = setup
        self._gold = [START_GOLD] * setup.players
        self._known = [Counter[str]() for _ in range(setup.players)]
        """Cards that each seat certainly has."""

    @property
    def gold(self) -> list[int]:
        """GC of each seat, seat 1 first."""
        return list(self._gold)

    @property
    def known(self) -> list[dict[str, int]]:
        """Cards that each seat is known to have, seat 1 first. A seat may have others that it drew face down."""
        return [dict(+known) for known in self._known]

    def follow(self, text: str, chance: Sequence[str], after: View) -> None:
        """Count one decision: its `text`, the `chance` that followed it, and the view after both."""
        before, self._view = self._view, after
        assert before.to_act is not None
        self._pay(text.split(" "), before, after)
        if after.seats[0].hand is None:  # everything is public at the end
            self._hold(text.split(" "), chance, before, after)

    def bounds(self) -> list[Bounds]:
        """Return the bounds of each seat's score as if the game ended now, seat 1 first."""
        return [self._bounds(number) for number in range(1, self._view.players + 1)]

    def _bounds(self, number: int) -> Bounds:
        seat = self._view.seats[number - 1]
        known = self._known[number - 1]
        sure = sum(open_score(self._view, number).values()) + self._gold[number - 1]
        goods = [known[good] for good in GOODS]
        wilds = known["fakir"] // FAKIRS_PER_WILD if "al-amin" in seat.djinns else 0
        # An unknown card is worth at most as much as a card of choice.
        drawn = max(0, seat.cards - sum(known.values()))
        least_items, most_items = self._items(seat)
        return sure + suits(goods, wilds) + least_items, sure + suits(goods, wilds + drawn) + most_items

    def _items(self, seat: SeatView) -> Bounds:
        """Return the bounds of what a seat's items are worth."""
        if isinstance(seat.items, int):
            left = Counter(ITEMS[item].id for item in self._ruleset.items) - Counter(self._view.items_discarded)
            worth = sorted(self._worth(item, seat) for item in left.elements())
            return sum(worth[: seat.items]), sum(worth[len(worth) - seat.items :])
        whole = sum(self._worth(item, seat) for item in seat.items)
        return whole, whole

    @staticmethod
    def _worth(item: str, seat: SeatView) -> int:
        value = ITEMS[ITEM_NUMBER[item]].value
        return value + GEB_BONUS if value and "geb" in seat.djinns else value

    # Gold: the cost and gain of each decision.

    def _pay(self, words: list[str], before: View, after: View) -> None:
        verb, acting = words[0], before.to_act or 0
        if verb == "bid":
            self._bid(words, before, acting)
        elif verb == "build":
            builders = before.turn.lifted.count("b") + int(words[1])
            doubled = 2 if "echidna" in before.turn.doubled else 1
            self._earn(acting, builders * _blue(before, before.turn.at) * doubled)
        elif verb == "buy":
            self._earn(acting, -MARKETS[before.tiles[before.turn.at or ""].kind].price)
        elif verb == "sell":
            self._earn(acting, SUIT_VALUE[len(words) - 1])
        elif verb == "kill":
            if "kandicha" in before.seats[acting - 1].djinns and not words[1].startswith("@"):
                self._earn(acting, words[2].count("b") * _blue(before, words[1]))
            self._reward("nekir", before, acting)
        elif verb in ("drop", "fly"):
            owner = before.tiles[words[1]].owner
            if owner and "marid" in before.seats[owner - 1].djinns:
                self._earn(owner, OWN_GAIN if owner == acting else OTHERS_GAIN)
        gained = after.seats[acting - 1].djinns[len(before.seats[acting - 1].djinns) :]
        for _ in range(sum(djinn != "baal" for djinn in gained)):
            self._reward("baal", before, acting)
        for name, tile in after.tiles.items():
            for _ in range(tile.palaces - before.tiles[name].palaces):
                self._reward("monkir", before, acting)
            if before.tiles[name].whim and not tile.whim:
                self._reward("ganesha", before, acting)
        for had, has in zip(before.seats, after.seats, strict=True):
            for whim in has.paid_whims[len(had.paid_whims) :]:
                self._earn(has.number, WHIMS[WHIM_NUMBER[whim]].reward)

    def _bid(self, words: list[str], before: View, acting: int) -> None:
        track = self._ruleset.track
        spot = int(words[1]) - 1
        price = track.costs[spot]
        if len(words) > 2:
            price = [lower for lower in track.prices if lower < price][int(words[3]) - 1]
        self._earn(acting, -min(self._gold[acting - 1], price))
        markers, marker = list(before.turn_track), acting
        while marker:
            markers[spot], pushed = marker, markers[spot]
            marker, spot = pushed or 0, spot + 1
            if marker and marker != acting:
                if "kali" in before.seats[acting - 1].djinns:
                    self._earn(acting, OWN_GAIN)
                elif "kali" in before.seats[marker - 1].djinns:
                    self._earn(marker, OTHERS_GAIN)

    def _reward(self, djinn: str, before: View, acting: int) -> None:
        for seat in before.seats:
            if djinn in seat.djinns:
                self._earn(seat.number, OWN_GAIN if seat.number == acting else OTHERS_GAIN)

    def _earn(self, number: int, gold: int) -> None:
        self._gold[number - 1] += gold

    # Cards: everything taken from the market or given away is public.

    def _hold(self, words: list[str], chance: Sequence[str], before: View, after: View) -> None:
        verb, acting = words[0], before.to_act or 0
        known = self._known[acting - 1]
        given = Counter(words[1:]) if verb == "sell" else Counter(after.discard) - Counter(before.discard)
        if verb == "item":  # the horn discards the market
            given = Counter()
        if any(event.startswith("!shuffle resources") for event in chance):
            known.clear()  # the cards given away are in the new deck
        else:
            known.subtract(given)
        if verb == "buy":
            known.update(before.market[int(place) - 1] for place in words[1:])
        elif verb not in ("end", "item", "next"):
            known.update(before.market[: len(before.market) - len(after.market)])
        for card in [card for card, number in known.items() if number <= 0]:
            del known[card]
        for seat, cards in zip(after.seats, self._known, strict=True):
            if cards.total() > seat.cards:
                cards.clear()


def suits(goods: Sequence[int], wilds: int) -> int:
    """Return the VP of merchandise: `goods` has the number of each kind, `wilds` are cards of choice (rule 3.6)."""
    numbers = sorted(goods)
    for _ in range(wilds):
        numbers[0] += 1  # lengthen the longest suit that lacks this kind: longer suits gain more
        numbers.sort()
    return sum(SUIT_VALUE[sum(number > layer for number in numbers)] for layer in range(numbers[-1]))


def _blue(view: View, tile: str | None) -> int:
    return sum(near.colour == "blue" for near in view.around(tile or ""))
