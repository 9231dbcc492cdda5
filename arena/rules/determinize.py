"""Draw complete states that fit a view: the parts that its seat cannot know are dealt at random.

A seat knows the contents of its view and of the box (rule 1). Three things follow from them:

- Cards and tokens out of sight are in the draw piles, in hidden hands or drawn face down. The view says how many are in
  each place. All deals that fit everything else are equally likely.
- A whim is paid as soon as its condition is met (8.23). No seat therefore holds an open whim whose condition it meets.
- A seat in the middle of a sowing can complete it (8), if necessary with a carpet that nobody else has seen (6.4).

A view says nothing of other seats' gold. The bank has no limit (1.4) and no phase depends on gold, so any amount fits.
Gold is not drawn: each such seat gets `HIDDEN_GOLD`.

A view has no memory either. If you have counted other seats' coins or seen which cards they took, put that into the
view first (`dataclasses.replace`). Only what the view leaves open is dealt.
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
"""Maximum number of deals tried for one state.

In 96 random games with Whims there were 5,163 views: 94 % of them needed one deal, and none more than 18.
"""


def determinize(view: View, rng: RandomSource) -> State:
    """Return a random complete state that fits everything the seat of `view` knows.

    `rng` is the source of chance: a `Stream` or a `random.Random`. The view of the result, for the same seat, is the
    given view. All deals of the hidden cards and tokens that fit are equally likely. Gold of other seats is unknown:
    each has 30 GC. A view at the end of a game leaves nothing open. To judge something that depends on hidden cards,
    use several such states (`determinizations`).

    Raise `PositionError` if no state fits the view.

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
    """Yield random complete states that fit a view, independent of one another, without end.

    The view is read only once, which takes longer than a deal. Arguments and errors are those of `determinize`.

    >>> from itertools import islice
    >>> seen = view(start(Ruleset(2), bytes(32)), seat=1)
    >>> len({state.deck for state in islice(determinizations(seen, Stream(bytes(32))), 5)})
    5
    """
    hidden = Hidden(view)
    while True:
        found = next(filter(hidden.fits, (hidden.deal(rng) for _ in range(MOST_DEALS))), None)
        if found is None:
            raise PositionError("NO_SUCH_POSITION", "no deal of the hidden cards fits the view", "8")
        yield found


class Hidden:
    """The hidden parts of a view: which cards and tokens they are, and how many are dealt to each place."""

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
        # Sort by name, so that the same draws give the same deal wherever the cards were.
        self._cards = sorted([*known.deck, *held], key=RESOURCES.__getitem__)
        self._djinns = sorted([*known.djinn_deck, *drawn.get("choose", ())], key=lambda n: DJINNS[n].id)
        self._items = sorted([*known.item_pile, *drawn.get("item", ()), *tokens], key=lambda n: ITEMS[n].id)
        self._whims = sorted([*known.whim_deck, *whims], key=lambda n: WHIMS[n].id)

    def deal(self, rng: RandomSource) -> State:
        """Return a state with the hidden parts dealt. It may contradict what follows from the view (`fits`)."""
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
        """Return whether a deal fits what follows from the view: no open whim is met, and a sowing can be completed."""
        for n in {*self._hands, *self._open}:
            seat = state.seats[n]
            if any(is_met(state, seat, whim) for whim in seat.open):
                return False
        return state.phase != "sow" or next(each_action(state), None) is not None


def _filled(view: View) -> View:
    """Return the view with its hidden parts filled in arbitrarily; a sowing in progress can be completed."""
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
    items.sort(key=lambda item: item != "carpet")  # the acting seat comes first, and gets a carpet if there is one
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
            raise PositionError("BAD_CARD", f"`{name}` has {said} cards, but {left} are out of sight")
    return filled


def _unseen(box: Iterable[str], *seen: Iterable[str]) -> list[str]:
    """Return the names of everything in the box that is out of sight, sorted."""
    return sorted((Counter(box) - Counter(name for names in seen for name in names)).elements())


def _cards_in(hand: int) -> list[int]:
    """Return the cards of a hand."""
    return [card for card in range(len(RESOURCES)) for _ in range(cards_of(hand, card))]


def _take(pile: list[T], number: int) -> tuple[T, ...]:
    """Take the first `number` off a pile. Raise `PositionError` if there are fewer."""
    if number > len(pile):
        raise PositionError("BAD_CARD", f"{number} hidden cards are held, but {len(pile)} are out of sight")
    taken = tuple(pile[:number])
    del pile[:number]
    return taken
