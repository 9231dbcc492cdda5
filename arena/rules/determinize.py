"""Complete states that fit a view: what its seat cannot know is dealt at random.

What a seat knows is what its view says, what is in the box (rule 1), and what follows from these:

- Cards and tokens that are not in sight are in the draw piles, in hidden hands or drawn face down, as many in each as
  the view says. Every deal of them that fits all else is equally likely.
- A whim is paid as soon as its condition is met (8.23), so nobody holds an open one whose condition they meet.
- Who is in the middle of a sowing can complete it (8), if need be with a carpet that nobody else has seen (6.4).

Of the gold of other seats a view says nothing, the bank has no limit (1.4), and no phase rests on it: any amount fits.
It is not drawn; each such seat has `HIDDEN_GOLD`.

A view has no memory, either. Those who have counted the coins of others, or seen which cards they took, put that into
the view first (`dataclasses.replace`): only what a view leaves open is dealt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from arena.rules.chance import RandomSource, shuffled
from arena.rules.components import DJINNS, ITEMS, RESOURCE_COPIES, RESOURCES, WHIMS
from arena.rules.errors import PositionError
from arena.rules.groups import cards_of, hand_of
from arena.rules.legal import each_action
from arena.rules.parsing import parse_position
from arena.rules.ruleset import Ruleset
from arena.rules.state import State
from arena.rules.view import View, format_view
from arena.rules.view_parts import pile_size
from arena.rules.whims import is_met

HIDDEN_GOLD = 30
"""GC of a seat whose gold is not known."""
T = TypeVar("T")
MOST_DEALS = 10_000
"""Deals tried for one state. Of 5,163 views of 96 random games with Whims 94 % needed one, and none more than 18."""


def determinize(view: View, rng: RandomSource) -> State:
    """A complete state that fits everything the seat of a view knows, drawn by `rng`: a `Stream` or a `random.Random`.

    The view of it, for the same seat, is the view that was given. Cards and tokens out of sight are dealt so that every
    deal that fits is equally likely; of other seats' gold nothing is known, and each has 30 GC. A view at the end of a
    game leaves nothing open. What rests on hidden cards is judged over several such states (`determinizations`).

    Raises `PositionError` for a view that fits no state.

    >>> from random import Random
    >>> seen = view(start(Ruleset(2), bytes(32)), seat=1)
    >>> seen.deck, seen.others[0].gold
    (45, None)
    >>> state = determinize(seen, Random(1))
    >>> len(state.deck), state.seats[1].gold, view(state, seat=1) == seen
    (45, 30, True)
    """
    return next(determinizations(view, rng))


def determinizations(view: View, rng: RandomSource) -> Iterator[State]:
    """As many such states as are asked for, independent of one another: `islice(determinizations(view, rng), 20)`.

    The view is read once, which takes longer than a deal. Errors as `determinize`.

    >>> from itertools import islice
    >>> seen = view(start(Ruleset(2), bytes(32)), seat=1)
    >>> len({state.deck for state in islice(determinizations(seen, Stream(bytes(32))), 5)})
    5
    """
    hidden = Hidden(view)
    while True:
        found = next(filter(hidden.fits, (hidden.deal(rng) for _ in range(MOST_DEALS))), None)
        if found is None:
            raise PositionError("NO_SUCH_POSITION", "no way to deal what the view leaves open fits it", "8")
        yield found


class Hidden:
    """What a view leaves open: which cards and tokens these are, and how many are dealt to whom."""

    def __init__(self, view: View) -> None:
        self._is_complete = not isinstance(view.deck, int)
        document = format_view(view if self._is_complete else _filled(view))
        document.pop("view", None)
        self._known = known = parse_position(document)
        self._hands = {n: seat.cards for n, seat in enumerate(view.seats) if seat.hand is None}
        self._tokens = {n: seat.items for n, seat in enumerate(view.seats) if isinstance(seat.items, int)}
        self._open = {n: seat.open_whims for n, seat in enumerate(view.seats) if isinstance(seat.open_whims, int)}
        self._drawn = view.turn.drawn if isinstance(view.turn.drawn, int) else 0
        drawn = {known.phase: known.drawn} if self._drawn else {}
        held = [card for n in self._hands for card in _cards_in(known.seats[n].hand)]
        tokens = [item for n in self._tokens for item in known.seats[n].items]
        whims = [whim for n in self._open for whim in known.seats[n].open]
        # In the order of their names, so that the same draws give the same deal whatever stood where.
        self._cards = sorted([*known.deck, *held], key=RESOURCES.__getitem__)
        self._djinns = sorted([*known.djinn_deck, *drawn.get("choose", ())], key=lambda n: DJINNS[n].id)
        self._items = sorted([*known.item_pile, *drawn.get("item", ()), *tokens], key=lambda n: ITEMS[n].id)
        self._whims = sorted([*known.whim_deck, *whims], key=lambda n: WHIMS[n].id)

    def deal(self, rng: RandomSource) -> State:
        """A state with all of them dealt, whether or not it fits what follows from the view."""
        if self._is_complete:
            return self._known
        state = self._known.copy()
        seats = [seat.copy() for seat in state.seats]
        cards, djinns, items, whims = (
            shuffled(pool, rng) for pool in (self._cards, self._djinns, self._items, self._whims)
        )
        for n, number in self._hands.items():
            seats[n].hand = hand_of(_take(cards, number))
        for n, number in self._tokens.items():
            seats[n].items = _take(items, number)
        for n, number in self._open.items():
            seats[n].open = _take(whims, number)
        if self._drawn:
            state.drawn = _take(djinns if state.phase == "choose" else items, self._drawn)
        state.seats = tuple(seats)
        state.deck, state.djinn_deck, state.item_pile, state.whim_deck = map(tuple, (cards, djinns, items, whims))
        return state

    def fits(self, state: State) -> bool:
        """Whether a deal fits what follows from the view: whims that are not paid yet, and a sowing that can end."""
        for n in {*self._hands, *self._open}:
            seat = state.seats[n]
            if any(is_met(state, seat, whim) for whim in seat.open):
                return False
        return state.phase != "sow" or next(each_action(state), None) is not None


def _filled(view: View) -> View:
    """The view with what it leaves open filled in somehow, but so that a sowing in progress can be completed."""
    ruleset = Ruleset(view.players, view.expansions)
    turn = view.turn
    drawn = () if isinstance(turn.drawn, int) else turn.drawn
    seats = list(view.seats)

    box = [name for name, copies in zip(RESOURCES, RESOURCE_COPIES, strict=True) for _ in range(copies)]
    seen = [*view.market, *view.discard, *(drawn if view.phase == "horn" else ())]
    seen += [name for seat in seats for name, number in (seat.hand or {}).items() for _ in range(number)]
    cards = _unseen(box, seen)
    djinns = _unseen(
        [DJINNS[number].id for number in ruleset.djinns],
        [*view.djinns, *view.djinn_discard, *(drawn if view.phase == "choose" else ())],
        *(seat.djinns for seat in seats),
    )
    items = _unseen(
        [ITEMS[number].id for number in ruleset.items],
        [*view.items_discarded, *(drawn if view.phase == "item" else ())],
        *(seat.items for seat in seats if isinstance(seat.items, tuple)),
    )
    items.sort(key=lambda item: item != "carpet")  # to the acting seat, if it can have one
    whims = _unseen(
        [WHIMS[number].id for number in ruleset.whim_cards],
        [tile.whim for tile in view.tiles.values() if tile.whim],
        *(seat.paid_whims for seat in seats),
        *(seat.open_whims for seat in seats if isinstance(seat.open_whims, tuple)),
    )
    for n, seat in sorted(enumerate(seats), key=lambda pair: pair[1].number != view.to_act):
        seats[n] = replace(
            seat,
            gold=HIDDEN_GOLD if seat.gold is None else seat.gold,
            hand=Counter(_take(cards, seat.cards)) if seat.hand is None else seat.hand,
            items=_take(items, seat.items) if isinstance(seat.items, int) else seat.items,
            open_whims=_take(whims, seat.open_whims) if isinstance(seat.open_whims, int) else seat.open_whims,
        )
    if isinstance(turn.drawn, int):
        turn = replace(turn, drawn=_take(djinns if view.phase == "choose" else items, turn.drawn))
    filled = replace(
        view,
        seats=tuple(seats),
        turn=turn,
        deck=tuple(cards),
        djinn_deck=tuple(djinns),
        item_pile=tuple(items),
        whim_deck=tuple(whims),
    )
    for name in ("deck", "djinn_deck", "item_pile", "whim_deck"):
        said, left = pile_size(getattr(view, name)), len(getattr(filled, name))
        if said != left:
            raise PositionError("BAD_CARD", f"`{name}` has {said} cards, and {left} are out of sight")
    return filled


def _unseen(box: Iterable[str], *seen: Iterable[str]) -> list[str]:
    """What is in the box and not in sight, by name."""
    return sorted((Counter(box) - Counter(name for names in seen for name in names)).elements())


def _cards_in(hand: int) -> list[int]:
    """The cards of a hand."""
    return [card for card in range(len(RESOURCES)) for _ in range(cards_of(hand, card))]


def _take(pile: list[T], number: int) -> tuple[T, ...]:
    """Take the first so many off a pile; `PositionError` if there are fewer."""
    if number > len(pile):
        raise PositionError("BAD_CARD", f"{number} cards are held, and {len(pile)} are out of sight")
    taken = tuple(pile[:number])
    del pile[:number]
    return taken
