"""Terms of the ladders, read and changed: clock, share of the matches, delay for spectators."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db import IntegrityError, transaction

from arena.events import TermsError
from arena.events.fields import TermsTable, terms_of
from arena.referee import Clock
from webui.accounts.actions import check_reason, record_act
from webui.accounts.values import Act, Actor
from webui.core.errors import BadRequest, NotFound, Stale
from webui.ladders.games import GAMES, SHARES, ensure_ladder
from webui.ladders.models import Ladder, LadderTerms
from webui.ladders.values import GameSettings, GameTerms, LadderSettings

Settings = TypeVar("Settings", bound=TermsTable)


def game_terms() -> dict[str, GameTerms]:
    """Return the terms of all games by name, fastest first: those that staff have set, or the defaults."""
    rows = {row.game: row for row in LadderTerms.objects.all()}
    return {game: _terms(game, rows.get(game)) for game in GAMES}


def terms_of_game(game: str) -> GameTerms:
    """Return the terms of one game. Raise `NotFound` if there is no such game."""
    if game not in GAMES:
        raise NotFound(f"there is no game {game!r}")
    return _terms(game, LadderTerms.objects.filter(pk=game).first())


def _terms(game: str, row: LadderTerms | None) -> GameTerms:
    ruleset = GAMES[game]
    row = row or LadderTerms(game=game, is_open=True, share=SHARES[ruleset], clock=Clock(), revision=0)
    settings = {name: getattr(row, name) for name in terms_of(GameSettings)}
    return GameTerms(game=game, ruleset=ruleset, revision=row.revision, **settings)


def _read(table: type[Settings], settings: dict[str, Any]) -> Settings:
    """Return settings that are allowed. Raise `BadRequest` otherwise."""
    try:
        return table.parse(settings)
    except TermsError as error:
        raise BadRequest(str(error)) from error


@transaction.atomic
def set_ladder_terms(game: str, *, revision: int, reason: str, by: Actor, **settings: Any) -> bool:
    """Set the terms under which the matchmaker plays a game: all `GameSettings`. Return False if nothing changes.

    `revision` is the revision that the caller has seen. Raise `Stale` if it is not the current one. Raise `NotFound` or
    `BadRequest` for invalid terms.

    With another clock, matches count for another ladder, which is made.
    """
    reason = check_reason(reason)
    if game not in GAMES:
        raise NotFound(f"there is no game {game!r}: use one of {', '.join(GAMES)}")
    wanted = _read(GameSettings, settings)
    before = terms_of_game(game)
    values = {name: getattr(wanted, name) for name in terms_of(GameSettings)}
    old, new = before.document(), wanted.document()
    changes = {name: (old[name], value) for name, value in new.items() if old[name] != value}
    if not changes:
        return False
    if before.revision != revision:
        raise Stale
    if revision == 0:
        try:
            with transaction.atomic():
                LadderTerms.objects.create(game=game, revision=1, **values)
        except IntegrityError:
            raise Stale from None
    elif not LadderTerms.objects.filter(pk=game, revision=revision).update(revision=revision + 1, **values):
        raise Stale
    if wanted.is_open:
        ensure_ladder(GAMES[game], wanted.clock)
    record_act(Act.LADDER_CHANGED, None, by=by, subject=game, reason=reason, changes=changes)
    return True


@transaction.atomic
def set_ladder(slug: str, *, seen: dict[str, Any], reason: str, by: Actor, **settings: Any) -> bool:
    """Set some `LadderSettings`. Return False if nothing changes.

    The change also applies to running matches at once. `seen` are the values that the caller has seen. Raise `Stale` if
    they are not the current ones, and `NotFound` or `BadRequest` for invalid values.
    """
    reason = check_reason(reason)
    _read(LadderSettings, settings)
    now = Ladder.objects.filter(slug=slug).values(*settings).first()
    if now is None:
        raise NotFound(f"there is no ladder {slug!r}")
    if now == settings:
        return False
    if not Ladder.objects.filter(slug=slug, **seen).update(**settings):
        raise Stale
    changes = {name: (now[name], value) for name, value in settings.items() if now[name] != value}
    record_act(Act.LADDER_CHANGED, None, by=by, subject=slug, reason=reason, changes=changes)
    return True
