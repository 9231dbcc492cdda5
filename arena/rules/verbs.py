"""The table of verbs: the phases in which each is legal, and the functions that list, check and play it (rules 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, get_args

from arena.rules import bidding, control, draws, items, powers, selling, sowing, tiles, tribes, workshop
from arena.rules.draft import Draft, Phase
from arena.rules.notation import Action, ChanceVerb, Verb

Lister = Callable[[Draft], Sequence[Action]]


class VerbRow(NamedTuple):
    """One verb.

    `phases` are the phases in which it may be legal; chance has none. `list(state)` returns its legal actions in one of
    these phases, in the order of the notation. `check(state, action)` raises `IllegalAction` unless the action is legal
    in one of these phases. `play(draft, action)` writes the effect of a legal action and puts what follows on the
    agenda.
    """

    phases: tuple[Phase, ...]
    list: Lister
    check: Callable[[Draft, Action], None]
    play: Callable[[Draft, Action], None]


OWN_TURN: Final[tuple[Phase, ...]] = ("move", "tribe", "tile", "sell")
"""Phases in which a power or an item may interrupt a player turn (8.6)."""

# fmt: off
TABLE: Final[dict[Verb | ChanceVerb, VerbRow]] = {
    "bid": VerbRow(("bid",), bidding.list_bids, bidding.check_bid, bidding.play_bid),
    "take": VerbRow(("move",), sowing.list_takes, sowing.check_take, sowing.play_take),
    "skip": VerbRow(("move",), sowing.list_skip, sowing.check_skip, sowing.play_skip),
    "drop": VerbRow(("sow",), sowing.list_drops, sowing.check_drop, sowing.play_drop),
    "build": VerbRow(("tribe",), tribes.list_builds, tribes.check_build, tribes.play_build),
    "kill": VerbRow(("tribe",), tribes.list_kills, tribes.check_kill, tribes.play_kill),
    "spare": VerbRow(("tribe",), tribes.list_spare, tribes.check_spare, tribes.play_spare),
    "palm": VerbRow(("tile",), tiles.list_palms, tiles.check_place, tiles.play_place),
    "palace": VerbRow(("tile",), tiles.list_palaces, tiles.check_place, tiles.play_place),
    "buy": VerbRow(("tile",), tiles.list_buys, tiles.check_buy, tiles.play_buy),
    "summon": VerbRow(("tile",), tiles.list_summons, tiles.check_summon, tiles.play_summon),
    "pass": VerbRow(("tile",), tiles.list_pass, tiles.check_pass, tiles.play_pass),
    "use": VerbRow(OWN_TURN, powers.list_uses, powers.check_use, powers.play_use),
    "keep": VerbRow(("choose", "item"), workshop.list_keeps, workshop.check_keep, workshop.play_keep),
    "sell": VerbRow(("sell",), selling.list_sales, selling.check_sell, selling.play_sell),
    "end": VerbRow(("sell",), selling.list_end, selling.check_end, selling.play_end),
    "camel": VerbRow(("control",), control.list_camel, control.check_piece, control.play_piece),
    "tent": VerbRow(("control",), control.list_tent, control.check_piece, control.play_piece),
    "craft": VerbRow(("tile",), workshop.list_crafts, workshop.check_craft, workshop.play_craft),
    "item": VerbRow(OWN_TURN, items.list_items, items.check_item, items.play_item),
    "slay": VerbRow(("scimitar",), items.list_slays, items.check_slay, items.play_slay),
    "pull": VerbRow(("flute",), items.list_pulls, items.check_pull, items.play_pull),
    "done": VerbRow(("flute",), items.list_done, items.check_done, items.play_done),
    "next": VerbRow(("horn",), items.list_nexts, items.check_next, items.play_next),
    "fly": VerbRow(("sow",), sowing.list_flights, sowing.check_fly, sowing.play_fly),
    "!bag": VerbRow((), draws.list_nothing, draws.check_bag, draws.play_bag),
    "!shuffle": VerbRow((), draws.list_nothing, draws.check_shuffle, draws.play_shuffle),
}
# fmt: on
"""Verbs in the order in which they are listed."""

PLAYS: Final = {verb: row.play for verb, row in TABLE.items()}
"""Function that plays each verb."""
LISTERS: Final[dict[Phase, tuple[Lister, ...]]] = {
    phase: tuple(row.list for row in TABLE.values() if phase in row.phases) for phase in get_args(Phase)
}
"""Functions that list the actions of each phase, in the order of their verbs."""
_OF_ITEMS: Final = (items.list_items, workshop.list_crafts, sowing.list_flights)
LISTERS_WITHOUT_ITEMS: Final[dict[Phase, tuple[Lister, ...]]] = {
    phase: tuple(lister for lister in listers if lister not in _OF_ITEMS) for phase, listers in LISTERS.items()
}
"""Functions that list the actions of each phase in a game without Artisans, where those for items list nothing."""
