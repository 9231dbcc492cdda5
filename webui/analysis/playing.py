"""Playing on from a position: a visitor decides for one seat, and house players answer for the others.

Nothing is stored. The address has the start, with everything drawn anew that the visitor's seat cannot know
(`tables.drawn_anew`), and the visitor's own decisions. The answers follow from these, because a house player never
changes its play. An address therefore shows nothing hidden, and always shows the same game. Answers are cached.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from hashlib import sha256
from typing import Final

from django.conf import settings
from django.core.cache import caches
from django.utils.translation import gettext as _

from arena.players import VERSION, make_player
from arena.rules import RulesError, view
from webui.analysis.addresses import Address, BadAddress, Line
from webui.analysis.tables import LineReplay, Start
from webui.core.static_files import edition
from webui.fair_queue import Busy
from webui.replays.single import one_at_a_time

HOUSE: Final = ("random", "greedy", "search-1", "search-2")
"""House players that answer, weakest first. The slowest takes 6 s for the whole game of five, and 0.2 s for a turn."""
USUAL: Final = "search-1"
"""House player that answers unless the visitor chooses another one."""
WAIT_S: Final = 5.0
"""Maximum number of seconds that a visitor waits for other computations."""
LONGEST_S: Final = 2.0
"""Number of seconds after which a computation is interrupted between two answers. The next request continues it."""
MOST_PLAYED: Final = 1000
"""Maximum number of decisions of all seats in a game. No rule ends a game in which a seat pulls meeples for ever."""


def is_answered(start: Start, address: Address, house: str) -> bool:
    """Return whether the answers to the visitor's last decision are known, so that nothing has to be computed."""
    return _known(_key(start, address, house, address.line)) is not None


def played_on(start: Start, address: Address, house: str, visitor: str) -> LineReplay:
    """Return the game up to the visitor's next decision, or to its end, as the visitor's seat sees it.

    `address`: its line has the visitor's own decisions.
    `house`: the house player that decides for the other seats.
    `visitor`: the network address of the visitor.

    Raise `BadAddress` if a decision is not legal. Raise `Busy` if other computations take too long, or if this one
    does: what has been computed is kept for the next request.
    """
    own = address.line
    counts = range(len(own), -1, -1)
    found = ((count, _known(_key(start, address, house, own[:count]))) for count in counts)
    answered, line = next(((count, line) for count, line in found if line is not None), (0, ()))
    game = LineReplay(start, line, address.chance, start.seat)
    with ExitStack() as computing:
        since = None
        for count in range(answered, len(own) + 1):
            if count > answered:
                if game.is_over:
                    raise BadAddress(_("The game ends before decision %(n)d of your line.") % {"n": count})
                game.play(own[count - 1])
            while not game.is_over and game.last.to_act != start.seat:
                if since is None:
                    lock = settings.PLACES.frames / "playing-lock"
                    computing.enter_context(one_at_a_time(lock, WAIT_S, visitor))
                    since = time.monotonic()
                _answer(game, address, house)
            if since is not None and (count == len(own) or time.monotonic() - since > LONGEST_S):
                caches["frames"].set(_key(start, address, house, own[:count]), tuple(game.line))
                if count < len(own):
                    raise Busy
    return game


def _answer(game: LineReplay, address: Address, house: str) -> None:
    """Play what a house player decides for the seat that is to act: one decision, or several of its turn."""
    if len(game.line) >= MOST_PLAYED:
        raise BadAddress(_("This game does not end. Go back, and play otherwise."))
    state, seat = game.last, game.last.to_act
    seed = sha256(f"answer {len(game.line)} {address.chance}".encode()).digest()
    chosen = make_player(house, seed).choose(view(state, seat), [action.text for action in state.legal])
    first, *more = [chosen] if isinstance(chosen, str) else chosen
    game.play(first)
    for text in more:
        # After a card is drawn, the player sees more than it planned with, and decides anew.
        if game.steps[-1].chance or game.is_over or game.last.to_act != seat or not _is_legal(game, text):
            return
        game.play(text)


def _is_legal(game: LineReplay, text: str) -> bool:
    try:
        game.last.parse(text)
    except RulesError:
        return False
    return True


def _key(start: Start, address: Address, house: str, own: Line) -> str:
    # A house player whose play differs between editions of the site would break a game that has begun.
    known = repr((address.start, start.seat, address.chance, house, VERSION, own, edition()))
    return f"played/{sha256(known.encode()).hexdigest()}"


def _known(key: str) -> Line | None:
    line: Line | None = caches["frames"].get(key)
    return line
