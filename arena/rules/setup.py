"""Set up the first position of a game, from its seed and its deal (rules 2 and 9)."""

from __future__ import annotations

from arena.rules.board import Board
from arena.rules.chance import Stream
from arena.rules.components import (
    CAMELS,
    DJINN_ROW,
    EXPANSIONS,
    MARKERS,
    MEEPLES_PER_TILE,
    PALACES,
    PALMS,
    RESOURCE_COPIES,
    RESOURCE_ROW,
    START_GOLD,
    TILES_OF_ARTISANS,
)
from arena.rules.errors import RulesError
from arena.rules.geometry import geometry
from arena.rules.notation import STRIDE
from arena.rules.ruleset import Ruleset
from arena.rules.seat import Seat
from arena.rules.state import State
from arena.rules.whims import place_whims


def check_ruleset(ruleset: Ruleset) -> None:
    """Raise `RulesError` for a ruleset that cannot be played."""
    known = [expansion for expansion in EXPANSIONS if expansion in ruleset.expansions]
    if list(ruleset.expansions) != known:
        raise RulesError(
            "NO_SUCH_RULESET", f"the expansions are {' and '.join(EXPANSIONS)}, each once, in this order", "2.2"
        )
    if ruleset.players not in CAMELS:
        raise RulesError("NO_SUCH_RULESET", f"a game has 2 to 5 players, not {ruleset.players}", "2.1")
    if ruleset.players == 5 and not ruleset.expansions:
        raise RulesError("NO_SUCH_RULESET", "five players need an expansion, whims or artisans", "2.2")


def start(ruleset: Ruleset, seed: bytes, deal: bytes | None = None) -> State:
    """Return the position before the first bid (2, 9).

    `seed` has 32 bytes, and so has `deal`, if any. Raise `RulesError` for a seed of another length, or for a ruleset
    that cannot be played.

    >>> start(Ruleset(3), bytes(32)).to_act
    2
    """
    return start_with_stream(ruleset, seed, deal)[0]


def start_with_stream(ruleset: Ruleset, seed: bytes, deal: bytes | None = None) -> tuple[State, Stream]:
    """Return the position before the first bid, and the stream from which all later chance comes.

    With a deal, the whole set-up comes from the deal. The seed's stream then shuffles the hidden cards and continues
    from there. Errors are those of `start`.

    >>> state, stream = start_with_stream(Ruleset(3), bytes(32))
    >>> stream.at > 0
    True
    """
    check_ruleset(ruleset)
    stream = Stream(seed)
    dealer = stream if deal is None else Stream(deal)
    board = _lay(ruleset, dealer)
    reading = [tile for tile in board.geometry.reading if board.geometry.passable >> tile & 1]
    meeples = dealer.shuffle([tribe for tribe, number in enumerate(ruleset.meeples) for _ in range(number)])
    markers = dealer.shuffle([seat + 1 for seat in range(ruleset.players) for _ in range(MARKERS[ruleset.players])])
    resources = dealer.shuffle([card for card, copies in enumerate(RESOURCE_COPIES) for _ in range(copies)])
    djinns = dealer.shuffle(ruleset.djinns)
    whims = dealer.shuffle(ruleset.whim_cards)
    items = dealer.shuffle(ruleset.items)

    state = State(board)
    for place, tile in enumerate(reading):
        for tribe in meeples[MEEPLES_PER_TILE * place : MEEPLES_PER_TILE * (place + 1)]:
            state.put(tile, tribe)
    state.palms_left, state.palaces_left = PALMS, PALACES
    state.row, state.deck = tuple(resources[:RESOURCE_ROW]), tuple(resources[RESOURCE_ROW:])
    state.djinn_row, state.djinn_deck = tuple(djinns[:DJINN_ROW]), tuple(djinns[DJINN_ROW:])
    state.whim_deck, state.item_pile = tuple(whims), tuple(items)
    place_whims(state)
    if deal is not None:
        state.deck = tuple(stream.shuffle(state.deck))
        state.djinn_deck = tuple(stream.shuffle(state.djinn_deck))
        state.whim_deck = tuple(stream.shuffle(state.whim_deck))
        state.item_pile = tuple(stream.shuffle(state.item_pile))
    state.seats = tuple(Seat(START_GOLD, CAMELS[ruleset.players], ruleset.tents) for _ in range(ruleset.players))
    state.bid_order = tuple(markers)
    state.to_act = markers[0]
    return state, stream


def _lay(ruleset: Ruleset, dealer: Stream) -> Board:
    """Lay the tiles at random. Repeat until no passable tile is cut off (rules 2.2 and 9)."""
    reading = geometry(*ruleset.shape).reading
    while True:
        tiles = dealer.shuffle([tile for tile in ruleset.tiles for _ in range(tile.copies)])
        inner = ruleset.inner
        if inner is None:
            laid = dict(zip(reading, tiles, strict=True))
        else:
            centre = [
                number for number in reading if number // STRIDE in inner.columns and number % STRIDE in inner.rows
            ]
            artisans = [tile for tile in TILES_OF_ARTISANS for _ in range(tile.copies)]
            laid = dict(zip(centre, dealer.shuffle(tiles[: inner.others] + artisans), strict=True))
            border = (number for number in reading if number not in laid)
            laid |= dict(zip(border, tiles[inner.others :], strict=True))
        board = Board(ruleset, laid)
        if board.geometry.is_connected:
            return board
