"""A player for rollouts: it plays whole turns on a fully known state, in a millisecond or two each.

This is not a house player of an arena: it decides for every seat in turn, and its play may change.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.players.greedy import GOLD_TO_KEEP, OF_AN_ACTION, OF_THE_TURN, SUIT_WORTH_SELLING
from arena.players.outlook import margin, offers
from arena.players.search import Budget, Search, SowingTrial
from arena.rules import Action, State
from arena.rules.groups import goods_in
from arena.rules.notation import END

SOWINGS = 4
"""Number of sowings played out for each turn of a rollout."""
NOISE = 6
"""Maximum VP of noise added to the estimate of a sowing or bid, so that rollouts differ as players do."""
BID_SHARE = 0.65
"""Weight of an offer against gold; it is below 1 because other offers are often as good once this one is taken."""
FAKIR = 1.5
"""VP that a Fakir is worth to a bidder."""


class Quick(Search):
    """A player that continues from any decision. All its draws follow from its seed."""

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed, Budget("plays whole turns quickly", SOWINGS))

    def worth(self, state: State, seat: int) -> float:
        """Return how far the seat stands above the mean of the others, in VP."""
        return margin(state, seat)

    def shuffled(self, state: State) -> State:
        """Return the same state with all draw piles shuffled, because what is to come is not known."""
        draft = state.copy()
        draft.deck, draft.djinn_deck = self._drawn(draft.deck), self._drawn(draft.djinn_deck)
        draft.item_pile, draft.whim_deck = self._drawn(draft.item_pile), self._drawn(draft.whim_deck)
        return draft

    def _drawn(self, pile: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self._stream.shuffle(pile))

    def after(self, state: State, action: Action) -> State:
        """Return the state after a legal action and the chance that follows it."""
        return self._after(state, action)

    def advance(self, state: State) -> State:
        """Play a part of a turn: a bid, a sowing with its consequences, or the choices that end the turn."""
        if state.phase == "bid":
            return self._after(state, self._bid(state))
        if state.phase in ("move", "sow"):
            tried = self._tried(state, SOWINGS)
            if not tried:
                return self._after(state, state.legal[0])
            return max(tried, key=lambda trial: trial.value + self._noise()).after
        if state.phase == "sell":
            return self._after(state, self._sale(state, list(state.legal)))
        if state.phase == "flute":
            return self._after(state, state.legal[-1])  # put the flute away: pulling could go on for ever
        return self._finished(state, state.to_act, (*OF_THE_TURN, *OF_AN_ACTION))

    def sowings(self, state: State, number: int) -> list[SowingTrial]:
        """Return at most `number` different sowings of the turn, each played to the end of the turn, best first."""
        return self._tried(state, number)

    def _bid(self, state: State) -> Action:
        """Return the bid whose place in the order is worth most, less its price."""
        promises = [gain for gain, _, _ in offers(state, state.to_act)] or [0.0]
        gold, rivals = state.seats[state.to_act - 1].gold, len(state.bid_order) - 1

        def value(action: Action) -> float:
            spot = int(action.args[0])
            before = sum([1 for marker in state.turn_track[:spot] if marker])
            place = min(len(promises) - 1, round(before + rivals * spot / len(state.turn_track)))
            price = gold - state.play(action).seats[state.to_act - 1].gold
            return BID_SHARE * promises[place] - price - FAKIR * int(action.args[1]) + self._noise()

        return max(state.legal, key=value)

    def _noise(self) -> float:
        return NOISE * self._stream.below(1000) / 1000

    def _sale(self, state: State, actions: Sequence[Action]) -> Action:
        """Sell a good suit, or any suit if the seat needs gold to bid; otherwise end the turn."""
        mine = state.seats[state.to_act - 1]
        kinds = goods_in(mine.hand).bit_count()
        sales = [action for action in actions if action.verb == "sell"]
        if sales and (kinds >= SUIT_WORTH_SELLING or (mine.gold < GOLD_TO_KEEP and kinds > 1)):
            return max(sales, key=lambda action: len(action.args))
        return END
