"""Positions that a house player plays to the end, as jobs of the upkeep process.

The rows are the truth, and no message is needed:

1. `_claim` claims a position with one UPDATE. An asker has one position that is played at a time.
2. Each game is stored as soon as it ends, if the row still has as many games as before it. Games follow from the
   position and their number. So a process that is killed loses the game it was in, and another one plays it again.
3. A claim is measured by the database's clock. That of a silent process ends, and counts as a failure.
4. A position ends after `GAMES` games, after `MOST_PROCESSOR_S` of processor time, or after `MOST_FAILURES`
   without a game in between.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Final

import structlog
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from arena.players import VERSION
from arena.rules import State, format_position, parse_position
from arena.story import finish_game
from webui.analysis.models import GAMES, PositionGames, PositionState
from webui.analysis.queries import in_turn
from webui.core.dbtime import after_now, before_now
from webui.core.errors import TooMany
from webui.core.upkeep import UpkeepWorker
from webui.matches.hooks import is_overloaded

log = structlog.get_logger(__name__)

PLAYER: Final = "greedy"
"""House player of all seats. Stronger ones take minutes for a game."""
MOST_PROCESSOR_S: Final = 120.0
"""Processor time after which no further game of a position begins. Fifty games of five seats take about 70 s."""
LONGEST_GAME_S: Final = 20.0
"""Processor time after which a game is given up."""
AT_ONCE_S: Final = 3.0
"""Seconds for which one run of the task plays. The askers then get their next turn."""
LEASE_S: Final = 60.0
"""Seconds until a silent process loses its position. It renews the claim with every game."""
MOST_FAILURES: Final = 3
"""Number of failures in succession with which a position ends."""
MOST_AN_HOUR: Final = 20
"""Maximum number of positions for which an address may ask within an hour."""
MOST_WAITING_OF_ADDRESS: Final = 3
"""Maximum number of positions of an address that are not finished."""
MOST_WAITING: Final = 60
"""Maximum number of positions that are not finished."""
HOUR_S: Final = 3600.0


def key_of(state: State) -> str:
    """Return the key of the games of a position: the same for all who ask for the same position."""
    return sha256(f"{PLAYER} {VERSION} {_document(state)}".encode()).hexdigest()[:40]


def _document(state: State) -> str:
    return json.dumps(format_position(state), separators=(",", ":"), sort_keys=True)


@transaction.atomic
def ask_for_games(state: State, address: str) -> str:
    """Ask for games from a state, unless somebody has asked for the same. Return their key.

    `address`: the network address of the visitor. Raise `TooMany` if it has asked for many, or too many wait.
    """
    key = key_of(state)
    if PositionGames.objects.filter(key=key).exists():
        return key
    asker = salted_hmac("position games", address).hexdigest()[:40]
    own, still_open = PositionGames.objects.filter(asker=asker), PositionState.OPEN
    if own.filter(created_at__gt=before_now(HOUR_S)).count() >= MOST_AN_HOUR:
        raise TooMany(f"you have asked for {MOST_AN_HOUR} positions within an hour: wait a while")
    if own.filter(state=still_open).count() >= MOST_WAITING_OF_ADDRESS:
        raise TooMany("your earlier positions are still being played: wait for them")
    if PositionGames.objects.filter(state=still_open).count() >= MOST_WAITING:
        raise TooMany("too many positions wait to be played: try again in a few minutes")
    PositionGames.objects.bulk_create(
        [PositionGames(key=key, position=_document(state), asker=asker)], ignore_conflicts=True
    )
    return key


def play_now(worker: UpkeepWorker) -> None:
    """Play positions on for a few seconds, unless the arena is overloaded."""
    if not is_overloaded():
        play_positions(AT_ONCE_S, is_stopping=worker.is_stopping)


def play_positions(budget_s: float, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Play games for about `budget_s` seconds, but at least one if there is any. Return how many were played."""
    end, played = time.monotonic() + budget_s, 0
    _end_silent_claims()
    while (row := _claim()) is not None:
        has_more = True
        while has_more:
            before, has_more = row.games, _play_game(row)
            played += row.games > before
            if time.monotonic() >= end or is_stopping():
                if has_more:
                    _rows_of(row).update(held_until=None)
                return played
    return played


def _end_silent_claims() -> None:
    """End the claims of processes that have died."""
    late = PositionGames.objects.filter(state=PositionState.OPEN, held_until__lt=Now())
    for pk in late.values_list("pk", flat=True):
        _fail(late.filter(pk=pk))


def _claim() -> PositionGames | None:
    """Claim the next position. Return None if there is nothing to do."""
    busy = PositionGames.objects.filter(held_until__isnull=False).values("asker")
    free = PositionGames.objects.filter(state=PositionState.OPEN, held_until=None).exclude(asker__in=busy)
    for pk in in_turn(free).values_list("pk", flat=True)[:MOST_WAITING]:
        try:
            with transaction.atomic():
                if free.filter(pk=pk).update(held_until=after_now(LEASE_S)):
                    return PositionGames.objects.get(pk=pk)
        except IntegrityError:  # another process has just claimed one of the same asker
            continue
    return None


def _play_game(row: PositionGames) -> bool:
    """Play the next game of a claimed position and store it. Return whether there is more to play."""
    began = time.thread_time()
    mine = _rows_of(row)
    seed = sha256(f"{row.key} {row.games}".encode()).digest()
    try:
        state = parse_position(json.loads(row.position))
        outcome = finish_game(state, PLAYER, seed, lambda: time.thread_time() - began > LONGEST_GAME_S)
    except Exception:  # a fault of ours, which must not hold up other positions
        log.exception("position_not_played", key=row.key)
        outcome = None
    if outcome is None:
        _fail(mine)
        return False
    row.results.append([[score["total"] for score in outcome.scores], list(outcome.ranks)])
    row.processor_ms += round(1000 * (time.thread_time() - began))
    row.games += 1
    is_done = row.games == GAMES or row.processor_ms > 1000 * MOST_PROCESSOR_S
    ends = {"state": PositionState.DONE, "ended_at": Now(), "held_until": None}
    stored = mine.update(
        games=row.games,
        results=row.results,
        processor_ms=row.processor_ms,
        failures=0,
        **(ends if is_done else {"held_until": after_now(LEASE_S)}),
    )
    return bool(stored) and not is_done


def _rows_of(row: PositionGames) -> QuerySet[PositionGames]:
    """Return the row if it still is as it was read: no other process has played its next game, or ended it."""
    return PositionGames.objects.filter(pk=row.pk, games=row.games, state=PositionState.OPEN)


def _fail(rows: QuerySet[PositionGames]) -> None:
    """End the claim of the position among the rows by a failure. It is played again, or ends."""
    row = rows.first()
    if row is None:
        return
    log.warning("position_failed", key=row.key, failures=row.failures + 1)
    ends = {"state": PositionState.DONE if row.games else PositionState.FAILED, "ended_at": Now()}
    is_last = row.failures + 1 >= MOST_FAILURES
    rows.update(failures=F("failures") + 1, held_until=None, **(ends if is_last else {}))
