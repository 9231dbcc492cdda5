"""Bots that are online for the matchmaker, and matches that end without a game, for tests of pairing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F
from django.db.models.functions import Now

from tests.kit.ladder import Kit
from webui.ladders.models import Ladder
from webui.matches import ending
from webui.matches import queries as match_queries
from webui.matches.models import Match
from webui.ratings.folding import rate_finish


@dataclass(frozen=True)
class Online:
    """A bot process that is online, as the bus announces it."""

    bot_version: int
    capacity: int = 4
    player_counts: tuple[int, ...] = (2, 3, 4)
    expansions: tuple[str, ...] = ()
    connected: bool = True
    leaving: bool = False
    connected_at_ns: int = 0
    running: int = 0
    matches: tuple[str, ...] = ()
    gateway: str = "gateway"
    places: int = 0


def tables(match_ids: list[str]) -> list[list[int]]:
    """Return the versions at the table of each match, in the order of their seats."""
    lines = [match_queries.match_page(match_id, hidden_too=True).line for match_id in match_ids]
    return [[seat.version.id for seat in line.seats] for line in lines]


def finish_or_abort(kit: Kit, match_id: str, silent: set[int], reason: str = "NO_ANSWER") -> bool:
    """End a scheduled match, and return whether it was played.

    It is aborted for `reason` if versions in `silent` have seats in it. They are blamed.
    """
    claim = kit.claim(match_id, match_id)
    blamed = [seat.seat for seat in claim.seats if seat.version_id in silent]
    if blamed:
        ending.abort_match(match_id, claim.epoch, reason, blamed)
        return False
    # Tests of pairing need no game, only that it counts as played.
    ladder = Match.objects.get(pk=match_id).ladder
    assert ladder is not None
    Ladder.objects.filter(pk=ladder.pk).update(finished=F("finished") + 1)
    ladder.refresh_from_db()
    rate_finish(ladder.pk, ladder.finished, match_id, [1] * len(claim.seats))
    Match.objects.filter(pk=match_id).update(
        state="FINISHED", owner="", lease_expires_at=None, finished_at=Now(), verdict={}, ladder_number=ladder.finished
    )
    return True


def later(seconds: float) -> None:
    """Make all matches, and their ends, older by this many seconds."""
    gone = timedelta(seconds=seconds)
    Match.objects.filter(finished_at__isnull=False).update(finished_at=F("finished_at") - gone)
    Match.objects.update(created_at=F("created_at") - gone)
