"""Read the games of the ladders for staff: how each is played, and its matches in flight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from webui.core.errors import NotFound
from webui.ladders.games import game_key, ladder_key, ladder_ref
from webui.ladders.models import Ladder
from webui.ladders.terms import game_terms
from webui.ladders.values import GameTerms
from webui.matches.models import Match, MatchState
from webui.staff.match_queries import IN_FLIGHT
from webui.staff.values import StaffGame, StaffLadder


def staff_games() -> list[StaffGame]:
    """Return all games, fastest first, in three queries."""
    terms = game_terms()
    of_game: dict[str, list[StaffLadder]] = {}
    in_flight = _in_flight()
    for row in Ladder.objects.order_by("-finished", "pk"):
        game = game_key(row.ruleset)
        of_game.setdefault(game, []).append(_ladder(row, terms.get(game), in_flight))
    whole = sum(game_rules.share for game_rules in terms.values() if game_rules.is_open)
    return [
        StaffGame(
            game_rules,
            100 * game_rules.share / whole if game_rules.is_open else 0.0,
            sorted(of_game.get(game, []), key=lambda ladder: not ladder.is_played),
        )
        for game, game_rules in terms.items()
    ]


def staff_game(game: str) -> StaffGame:
    """Return one game. Raise `NotFound`."""
    line = next((each for each in staff_games() if each.terms.game == game), None)
    if line is None:
        raise NotFound(f"there is no game {game!r}")
    return line


def staff_ladder(slug: str) -> StaffLadder:
    """Return one ladder. Raise `NotFound`."""
    row = Ladder.objects.filter(slug=slug).first()
    if row is None:
        raise NotFound(f"there is no ladder {slug!r}")
    return _ladder(row, None, _in_flight())


def _in_flight() -> Mapping[tuple[int, str], int]:
    rows = Match.objects.filter(state__in=IN_FLIGHT, ladder__isnull=False).values_list("ladder_id", "state")
    return Counter((ladder, state) for ladder, state in rows if ladder is not None)


def _ladder(row: Ladder, terms: GameTerms | None, in_flight: Mapping[tuple[int, str], int]) -> StaffLadder:
    return StaffLadder(
        ladder=ladder_ref(row),
        matches=row.finished,
        scheduled=in_flight.get((row.pk, str(MatchState.SCHEDULED)), 0),
        running=in_flight.get((row.pk, str(MatchState.RUNNING)), 0),
        is_played=terms is not None and terms.is_open and row.key == ladder_key(terms.ruleset, terms.clock),
    )
