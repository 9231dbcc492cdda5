"""Terms of the ladders, read and changed: clock, share of the matches, delay for spectators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import IntegrityError, transaction

from arena.referee import Clock
from webui.accounts.actions import check_reason, record_act
from webui.accounts.values import Act, Actor
from webui.core.errors import BadRequest, NotFound, Stale
from webui.ladders.games import GAMES, SHARES, ensure_ladder
from webui.ladders.models import MOST_SHARE, Ladder, LadderTerms
from webui.ladders.values import GameTerms


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
    if row is None:
        return GameTerms(game, ruleset, True, SHARES[ruleset], Clock().document(), 0)
    return GameTerms(game, ruleset, row.is_open, row.share, row.clock, row.revision)


MOST_BANK_MS: Final = 3_600_000
MOST_INCREMENT_MS: Final = 60_000
CAP_MS: Final = (100, 600_000)
"""Minimum and maximum time for one request, in milliseconds."""
MOST_DELAY: Final = 500
"""Maximum delay for spectators, in decisions."""


def check_clock(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a clock's document in its stored form. Raise `BadRequest` if nobody could play under it."""
    try:
        clock = Clock.parse(document)
    except (TypeError, ValueError) as error:
        raise BadRequest(str(error)) from error
    numbers = (clock.bank_ms, clock.increment_ms, clock.cap_ms)
    if not all(type(number) is int for number in numbers):
        raise BadRequest("a clock is of whole milliseconds")
    if not clock.bank_ms and not clock.increment_ms:
        raise BadRequest("a clock needs a bank or an increment: otherwise nobody could think")
    if clock.bank_ms > MOST_BANK_MS or clock.increment_ms > MOST_INCREMENT_MS:
        raise BadRequest("a clock has at most an hour, and at most a minute for each turn")
    if not CAP_MS[0] <= clock.cap_ms <= CAP_MS[1]:
        raise BadRequest("one request takes at least 0.1 s and at most ten minutes")
    return clock.document()


@transaction.atomic
def set_ladder_terms(
    game: str, *, is_open: bool, share: int, clock: Mapping[str, Any], revision: int, reason: str, by: Actor
) -> bool:
    """Set the terms under which the matchmaker plays a game. Return False if nothing changes.

    `revision` is the revision that the caller has seen. Raise `Stale` if it is not the current one. Raise `NotFound` or
    `BadRequest` for invalid terms.

    With another clock, matches count for another ladder, which is made.
    """
    reason = check_reason(reason)
    if game not in GAMES:
        raise NotFound(f"there is no game {game!r}: use one of {', '.join(GAMES)}")
    if not 1 <= share <= MOST_SHARE:
        raise BadRequest(f"a share is 1 to {MOST_SHARE}")
    clock = check_clock(clock)
    before = terms_of_game(game)
    wanted = {"is_open": is_open, "share": share, "clock": clock}
    changes = {name: (getattr(before, name), value) for name, value in wanted.items() if getattr(before, name) != value}
    if not changes:
        return False
    if before.revision != revision:
        raise Stale
    if revision == 0:
        try:
            with transaction.atomic():
                LadderTerms.objects.create(game=game, revision=1, **wanted)
        except IntegrityError:
            raise Stale from None
    elif not LadderTerms.objects.filter(pk=game, revision=revision).update(revision=revision + 1, **wanted):
        raise Stale
    if is_open:
        ensure_ladder(GAMES[game], clock)
    record_act(Act.LADDER_CHANGED, None, by=by, subject=game, reason=reason, changes=changes)
    return True


@transaction.atomic
def set_delay(slug: str, delay: int, *, seen: int, reason: str, by: Actor) -> bool:
    """Set how many decisions spectators of a ladder are behind. Return False if nothing changes.

    The change also applies to running matches at once. `seen` is the delay that the caller has seen. Raise `Stale` if
    it is not the current one, and `NotFound` or `BadRequest` for invalid values.
    """
    reason = check_reason(reason)
    if not 0 <= delay <= MOST_DELAY:
        raise BadRequest(f"spectators are 0 to {MOST_DELAY} decisions behind")
    now = Ladder.objects.filter(slug=slug).values_list("delay", flat=True).first()
    if now is None:
        raise NotFound(f"there is no ladder {slug!r}")
    if now == delay:
        return False
    if not Ladder.objects.filter(slug=slug, delay=seen).update(delay=delay):
        raise Stale
    record_act(Act.LADDER_CHANGED, None, by=by, subject=slug, reason=reason, changes={"delay": (seen, delay)})
    return True
