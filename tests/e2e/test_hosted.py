"""Bots that are submitted to a running arena, which builds, examines and plays them."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from arena.players import GRADED
from tests.e2e.playing import FAST, pause
from tests.e2e.registering import register, submit
from tests.e2e.running import RunningArena
from tests.kit.until import until
from webui.hosting.models import HostedSeat
from webui.matches.models import ENDED, Match, MatchState, Participant

PROGRAM = """\
from arena.bots import Bot


class Fox(Bot):
    def choose(self, view, legal):
        print("chose among", len(legal), flush=True)
        return legal[-1]
"""
PATIENCE_S = 900.0
KILLS = 3

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


def test_a_submitted_bot_plays_its_matches_whatever_happens_to_runners(tmp_path: Path, django_db_blocker: Any) -> None:
    program = tmp_path / "fox.py"
    program.write_text(PROGRAM)
    with django_db_blocker.unblock(), RunningArena(tmp_path / "var", "--house") as arena:
        arena.wait_ready()
        with arena.database():
            pause(set(GRADED) - set(FAST))
            register({"ada": "Fox"})
        submit(arena, "Fox", program)

        def seats(state: MatchState) -> int:
            with arena.database():
                return Participant.objects.filter(version__bot__name="Fox", match__state=state).count()

        # Some of these are of house bots that were paused meanwhile. A new runner plays them to their ends, too.
        with arena.database():
            begun = list(Match.objects.filter(state=MatchState.RUNNING).values_list("pk", flat=True))
        for kill in range(1, KILLS + 1):
            until(lambda: seats(MatchState.RUNNING), "a match of the bot", PATIENCE_S, every=0.2)
            os.kill(arena.state("runner")["pid"], signal.SIGKILL)
            done = seats(MatchState.FINISHED)
            until(lambda: seats(MatchState.FINISHED) > done, f"a match after kill {kill}", PATIENCE_S, every=0.5)  # noqa: B023
        with arena.database():
            going_on = Match.objects.filter(pk__in=begun).exclude(state__in=ENDED)
            until(lambda: not going_on.exists(), "the end of all earlier matches", PATIENCE_S, every=0.5)
            matches = Participant.objects.filter(version__bot__name="Fox", match__state=MatchState.FINISHED)
            reports = HostedSeat.objects.filter(version__bot__name="Fox", match__in=matches.values("match"))
            until(reports.exists, "a report on a seat", PATIENCE_S, every=0.5)
            assert {report.fault for report in reports} == {""}
            assert "chose among" in reports[0].stdout
            assert not matches.exclude(forfeit_reason=""), "a killed runner cost the bot a match"
