"""The legal actions of a state: a lazy sequence, and the check of one action without listing them (rules 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import overload

from arena.rules import bidding, control, items, powers, selling, sowing, tiles, tribes
from arena.rules.components import TRIBES
from arena.rules.errors import IllegalAction
from arena.rules.groups import count
from arena.rules.notation import PILES, Action
from arena.rules.state import State

Lister = Callable[[State], Sequence[Action]]
Check = Callable[[State, Action], None]

LISTERS: dict[str, tuple[Lister, ...]] = {
    "bid": (bidding.list_bids,),
    "move": (sowing.list_moves, powers.list_uses, items.list_items),
    "sow": (sowing.list_drops, sowing.list_flights),
    "tribe": (tribes.list_builds, tribes.list_kills, powers.list_uses, items.list_items),
    "tile": (tiles.list_visits, powers.list_uses, items.list_crafts, items.list_items),
    "choose": (powers.list_keeps,),
    "sell": (powers.list_uses, selling.list_sales, items.list_items),
    "control": (control.list_pieces,),
    "item": (items.list_kept_items,),
    "flute": (items.list_pulls,),
    "horn": (items.list_nexts,),
    "scimitar": (items.list_slays,),
    "over": (),
}
"""What lists the actions of each phase, in the order of their verbs."""

CHECKS: dict[str, tuple[tuple[str, ...], Check]] = {
    "bid": (("bid",), bidding.check_bid),
    "take": (("move",), sowing.check_take),
    "skip": (("move",), sowing.check_skip),
    "drop": (("sow",), sowing.check_drop),
    "build": (("tribe",), tribes.check_build),
    "kill": (("tribe",), tribes.check_kill),
    "spare": (("tribe",), tribes.check_spare),
    "palm": (("tile",), tiles.check_place),
    "palace": (("tile",), tiles.check_place),
    "buy": (("tile",), tiles.check_buy),
    "summon": (("tile",), tiles.check_summon),
    "pass": (("tile",), tiles.check_pass),
    "use": (("move", "tribe", "tile", "sell"), powers.check_use),
    "keep": (("choose", "item"), items.check_keep),
    "sell": (("sell",), selling.check_sell),
    "end": (("sell",), selling.check_end),
    "camel": (("control",), control.check_piece),
    "tent": (("control",), control.check_piece),
    "craft": (("tile",), items.check_craft),
    "item": (("move", "tribe", "tile", "sell"), items.check_item),
    "slay": (("scimitar",), items.check_slay),
    "pull": (("flute",), items.check_pull),
    "done": (("flute",), items.check_done),
    "next": (("horn",), items.check_next),
    "fly": (("sow",), sowing.check_fly),
}
"""For each verb the phases in which it may be legal, and its check there."""


class LegalActions(Sequence[Action]):
    """The legal actions in the order of the notation; listed when first needed, tested without listing.

    Empty when the game is over, and while chance is due.
    """

    __slots__ = ("_actions", "_state")

    def __init__(self, state: State) -> None:
        self._state = state
        self._actions: Sequence[Action] | None = None

    def _listed(self) -> Sequence[Action]:
        if self._actions is None:
            self._actions = list_actions(self._state)
        return self._actions

    def __bool__(self) -> bool:
        return self._state.due is None and self._state.phase != "over"

    def __len__(self) -> int:
        return len(self._listed())

    def __iter__(self) -> Iterator[Action]:
        return iter(self._listed())

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | Sequence[Action]:
        return self._listed()[index]

    def __contains__(self, action: object) -> bool:
        return isinstance(action, Action) and not action.is_chance and is_legal(self._state, action)

    def __repr__(self) -> str:
        return f"<LegalActions {[action.text for action in self]}>"


def list_actions(state: State) -> Sequence[Action]:
    """Every legal action, in the order of the notation."""
    if state.due is not None:
        return ()
    actions: list[Action] = []
    for lister in LISTERS[state.phase]:
        actions += lister(state)
    return actions


def is_legal(state: State, action: Action) -> bool:
    """Whether an action is legal, without listing the others."""
    try:
        _check(state, action)
    except IllegalAction:
        return False
    return True


def check(state: State, action: Action) -> None:
    """Raise `IllegalAction`, with the rule and the position, unless the action or chance event may be played."""
    try:
        _check(state, action)
    except IllegalAction as error:
        if state.due is None:
            from arena.rules.position import format_position

            error.position = format_position(state)
        raise


def _check(state: State, action: Action) -> None:
    if action.is_chance:
        _check_chance(state, action)
        return
    if state.due is not None:
        raise IllegalAction("CHANCE_DUE", f"chance is due first: {state.due}", "notation, Chance")
    if state.phase == "over":
        raise IllegalAction("GAME_OVER", "the game is over", "3.5")
    phases, verb_check = CHECKS[action.verb]
    if state.phase not in phases:
        verbs = sorted({legal.verb for legal in state.legal})
        raise IllegalAction(
            "WRONG_PHASE",
            f"{action.verb!r} is not legal in phase {state.phase!r}, where seat {state.to_act} may {', '.join(verbs)}",
            "8",
        )
    verb_check(state, action)


def _check_chance(state: State, event: Action) -> None:
    due = state.due
    if due is None:
        raise IllegalAction("NO_CHANCE_DUE", "no chance is due: a decision is", "notation, Chance")
    if event.verb != f"!{due.kind}" or (due.kind == "shuffle" and event.args[0] != due.pile):
        raise IllegalAction("WRONG_CHANCE", f"the chance that is due is {due}", "notation, Chance")
    if due.kind == "bag":
        drawn = Counter(event.args)
        if len(event.args) != due.count or any(
            number > count(state.bag, int(tribe)) for tribe, number in drawn.items()
        ):
            held = "".join(TRIBES[int(tribe)] * count(state.bag, int(tribe)) for tribe in range(len(TRIBES)))
            raise IllegalAction("WRONG_CHANCE", f"draw {due.count} of the meeples in the bag, {held}", "4 Anun-Nak")
        return
    discard = state.discard_of(due.pile)
    if sorted(int(card) for card in event.args[1:]) != sorted(discard):
        cards = " ".join(PILES[due.pile][card] for card in discard)
        raise IllegalAction("WRONG_CHANCE", f"shuffle exactly the discard pile: {cards}", "8.12")
