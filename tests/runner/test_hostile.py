"""Hostile bots in matches against an honest one, with a real referee and a real runner of each kind of user.

Each match goes on, the honest bot is not charged, the runner logs one line for each sandbox, and nothing is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.referee import Clock, Policy
from tests.kit.hostile import HOSTILE
from tests.kit.until import until
from tests.kit.users import USERS, process_user
from tests.runner.conftest import FIRST
from tests.runner.running import HostedArena, hosting_arena
from webui.matches.models import MatchState, Participant

NAMES = {name: f"hostile{number}" for number, name in enumerate(HOSTILE)}
HONEST = "honest"
QUICK = {"clock": Clock(bank_ms=2_000, cap_ms=2_000), "policy": Policy(strikes=1)}
"""Terms with which a hostile bot forfeits soon. The honest one answers within milliseconds of its own."""
COMMON = "17 stops reading"
"""The one that runs in ordinary tests; the others are soak tests."""


@pytest.fixture(scope="module", params=USERS)
def hosted_arena(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[HostedArena]:
    programs = {HONEST: FIRST, **{NAMES[name]: bot.program for name, bot in HOSTILE.items()}}
    with django_db_blocker.unblock(), hosting_arena(process_user(request.param), programs) as hosted:
        hosted.start_runner()
        yield hosted


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == COMMON else pytest.mark.soak) for name in HOSTILE]
)
def test_a_hostile_bot_loses_its_match_and_leaves_nothing(hosted_arena: HostedArena, name: str) -> None:
    match, [runner] = NAMES[name], hosted_arena.runners
    hosted_arena.play(match, HONEST, NAMES[name], **QUICK)
    hosted_arena.arena.finish(match)
    until(lambda: not hosted_arena.left(), "the end of all sandboxes")
    assert hosted_arena.arena.fate(match).state == MatchState.FINISHED
    forfeits = dict(Participant.objects.filter(match=match).values_list("version__bot__name", "forfeit_reason"))
    assert not forfeits[HONEST] and forfeits[NAMES[name]], forfeits
    assert runner.process.poll() is None
    hostile = hosted_arena.versions[NAMES[name]]

    def reports() -> list[Any]:
        return [report for report in runner.reports() if report.match == match]

    until(lambda: {report.version for report in reports()} == {hostile, hosted_arena.versions[HONEST]}, "all reports")
    for report in reports():
        expected = HOSTILE[name].fault if report.version == hostile else ""
        assert report.fault in (expected, ""), report
    if fault := HOSTILE[name].fault:
        assert fault in {report.fault for report in reports()}
    lines = [
        line for line in runner.log.read_text().splitlines() if "sandbox_ended" in line and f"match={match}" in line
    ]
    assert len(lines) == len(reports())
