"""How the matchmaker plays the games of the ladders."""

from __future__ import annotations

from arena.referee import Clock
from webui.ladder.ladders import GAMES, SHARES
from webui.ladder.models import LadderTerms
from webui.ladder.values import NotFound
from webui.ladder.values.staff import GameTerms


def game_terms() -> dict[str, GameTerms]:
    """All games by their names, the fastest first: as staff have set them, otherwise as they come."""
    rows = {row.game: row for row in LadderTerms.objects.all()}
    return {game: _terms(game, rows.get(game)) for game in GAMES}


def terms_of_game(game: str) -> GameTerms:
    """One of them. `NotFound`."""
    if game not in GAMES:
        raise NotFound(f"there is no game {game!r}")
    return _terms(game, LadderTerms.objects.filter(pk=game).first())


def _terms(game: str, row: LadderTerms | None) -> GameTerms:
    ruleset = GAMES[game]
    if row is None:
        return GameTerms(game, ruleset, True, SHARES[ruleset], Clock().document(), 0)
    return GameTerms(game, ruleset, row.is_open, row.share, row.clock, row.revision)
