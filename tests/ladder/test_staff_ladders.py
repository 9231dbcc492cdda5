"""Terms and delays of ladders, which staff change while matches go on."""

from __future__ import annotations

from typing import Any

import pytest

from arena.cli.files import InputError
from arena.referee import Clock
from tests.kit.ladder import CLOCK, Kit
from tests.ladder.online import Online
from tests.ladder.staff import WHY, entries, run
from webui.accounts.values import Act, Actor
from webui.core.errors import BadRequest, NotFound, Stale
from webui.ladders import terms as ladder_terms
from webui.ladders.models import Ladder, LadderTerms
from webui.matches.models import Match
from webui.pairing import matchmaking
from webui.staff import ladder_queries

pytestmark = pytest.mark.django_db


SLOW = {"bank_ms": 120_000, "increment_ms": 2_000, "cap_ms": 20_000}


def test_a_game_without_terms_is_played_as_it_comes() -> None:
    terms = ladder_terms.game_terms()
    assert len(terms) == 15 and all(one.is_open and one.clock == CLOCK and not one.revision for one in terms.values())
    assert [terms[game].share for game in ("2", "3", "4", "5-whims", "2-artisans-whims")] == [4, 4, 4, 2, 1]


def test_terms_hold_for_the_matches_that_are_made_then(kit: Kit, staff: Actor) -> None:
    versions = kit.versions(2)
    online = [Online(version, player_counts=(2,), expansions=()) for version in versions]
    (before,) = matchmaking.matchmake(online, 1)
    assert ladder_terms.set_ladder_terms("2", is_open=True, share=9, clock=SLOW, revision=0, reason=WHY, by=staff)
    scheduled = matchmaking.matchmake(online, 2)
    assert scheduled
    former, new = (Match.objects.get(pk=match) for match in (before, scheduled[0]))
    assert (former.clock, new.clock) == (CLOCK, Clock(**SLOW)), "the former goes on as it was agreed"
    assert new.ladder is not None and former.ladder is not None and new.ladder != former.ladder
    game = ladder_queries.staff_game("2")
    assert game.current is not None and game.current.ladder.id == new.ladder.pk
    assert [(one.ladder.id, one.is_played) for one in game.ladders] == [
        (new.ladder.pk, True),
        (former.ladder.pk, False),
    ]
    terms = ladder_terms.terms_of_game("2")
    ladder_terms.set_ladder_terms(
        "2", is_open=False, share=9, clock=SLOW, revision=terms.revision, reason=WHY, by=staff
    )
    assert matchmaking.matchmake(online, 9) == [], "it is closed, and they play nothing else"
    assert [changes for _, _, changes in entries(Act.LADDER_CHANGED)] == [
        {"is_open": [True, False]}, {"share": [4, 9], "clock": [CLOCK.document(), SLOW]}
    ]  # fmt: skip
    assert LadderTerms.objects.get().revision == 2


def test_of_two_who_change_a_game_the_second_looks_again(staff: Actor) -> None:
    wanted: dict[str, Any] = {"is_open": True, "clock": CLOCK.document(), "reason": WHY, "by": staff}
    assert ladder_terms.set_ladder_terms("3", share=5, revision=0, **wanted)
    assert not ladder_terms.set_ladder_terms("3", share=5, revision=0, **wanted), "the same once more changes nothing"
    with pytest.raises(Stale):
        ladder_terms.set_ladder_terms("3", share=6, revision=0, **wanted)
    assert ladder_terms.set_ladder_terms("3", share=6, revision=1, **wanted)
    with pytest.raises(Stale):
        ladder_terms.set_ladder_terms("3", share=7, revision=1, **wanted)
    assert ladder_terms.terms_of_game("3").share == 6 and len(entries(Act.LADDER_CHANGED)) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": 0}, {"share": 101}, {"clock": {**SLOW, "bank_ms": 3_600_001}}, {"clock": {**SLOW, "cap_ms": 99}},
        {"clock": {"bank_ms": 0, "increment_ms": 0, "cap_ms": 1000}}, {"clock": {**SLOW, "more": 1}},
        {"clock": {**SLOW, "bank_ms": 1.5}}, {"clock": {**SLOW, "bank_ms": "9"}}, {"reason": ""},
    ],
    ids=str,
)  # fmt: skip
def test_terms_that_nobody_could_play_by_are_refused(staff: Actor, wrong: dict[str, Any]) -> None:
    wanted: dict[str, Any] = {"is_open": True, "share": 5, "clock": SLOW, "revision": 0, "reason": WHY, "by": staff}
    with pytest.raises(BadRequest):
        ladder_terms.set_ladder_terms("3", **{**wanted, **wrong})
    with pytest.raises(NotFound):
        ladder_terms.set_ladder_terms("6", **wanted)
    assert not LadderTerms.objects.exists() and not entries(Act.LADDER_CHANGED)


def test_the_delay_is_moved_by_compare_and_set(kit: Kit, staff: Actor) -> None:
    kit.match()
    slug = Ladder.objects.get().slug
    assert ladder_terms.set_ladder(slug, delay=4, seen={"delay": 0}, reason=WHY, by=staff)
    assert not ladder_terms.set_ladder(slug, delay=4, seen={"delay": 0}, reason=WHY, by=staff)
    with pytest.raises(Stale):
        ladder_terms.set_ladder(slug, delay=5, seen={"delay": 0}, reason=WHY, by=staff)
    for delay in (-1, 501):
        with pytest.raises(BadRequest):
            ladder_terms.set_ladder(slug, delay=delay, seen={"delay": 4}, reason=WHY, by=staff)
    with pytest.raises(NotFound):
        ladder_terms.set_ladder("nope", delay=1, seen={"delay": 0}, reason=WHY, by=staff)
    assert entries(Act.LADDER_CHANGED) == [(slug, WHY, {"delay": [0, 4]})]


def test_ladders_by_command(kit: Kit) -> None:
    kit.match()
    slug = Ladder.objects.get().slug
    assert run("ladder", "2", "--share", "8", "--reason", WHY) == "ladder 2: done\n"
    assert run("ladder", "2", "--share", "8", "--reason", WHY) == "ladder 2: nothing was changed\n"
    assert run("delay", slug, "--delay", "3", "--reason", WHY) == f"delay {slug}: done\n"
    assert run("ladder", "3-whims", "--close", "--bank", "90", "--reason", WHY) == "ladder 3-whims: done\n"
    said = run("ladders").splitlines()
    # 8 of 8 + 4 + 4 and, without 3-whims, of 1 + 1 + 2 + 1 + 1 + 1 + 2 + 1 + 1 + 1 + 2
    assert said[0] == "2: share 8 (27 %), 60 s + 1 s, at most 10 s, 0 run, 1 wait, 0 finished, spectators 3 behind"
    assert "3-whims: closed, 90 s + 1 s, at most 10 s" in said
    with pytest.raises(InputError, match="share: "):
        run("ladder", "2", "--share", "0", "--reason", WHY)
    with pytest.raises(InputError, match="no ladder"):
        run("delay", "4", "--delay", "3", "--reason", WHY)
    assert run("delay", slug, "--delay", "0", "--reason", WHY) == f"delay {slug}: done\n"
    with pytest.raises(InputError, match="no game"):
        run("ladder", "9", "--share", "3", "--reason", WHY)
