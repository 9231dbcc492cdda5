"""`arena report fairness`: of files of records, and of the arena's own reports."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from typer.testing import CliRunner

from arena.cli.files import InputError
from arena.local import play_local_games
from arena.rules import Ruleset
from tests.kit.ladder import Kit
from webui.commands import report
from webui.fairness import actions as fairness_actions
from webui.fairness.models import FairnessReport
from webui.matches.models import Match

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def run(*words: Any) -> Any:
    return CliRunner().invoke(report.app, ["fairness", *map(str, words)])


def test_of_files(tmp_path: Path) -> None:
    documents = [game.document() for game in play_local_games(Ruleset(2), bytes(32), ["random", "random"], 5)]
    file = tmp_path / "games.jsonl"
    file.write_text("".join(json.dumps(document) + "\n" for document in documents))
    found = run(file)
    assert found.exit_code == 0, found.output
    first = sum(document["result"]["ranks"][0] == 1 for document in documents)
    assert "records: 5 folded, 5 proved, 0 refused, 0 overcharged" in found.output
    assert f"  1  won {20 * first:.1f} %" in found.output
    documents[3]["events"][0][1] = "bid 99"
    file.write_text("".join(json.dumps(document) + "\n" for document in documents))
    found = run(file, "--json")
    assert found.exit_code == report.UNSOUND
    of_day = json.loads(found.output)["day"]
    assert (of_day["proved"], list(of_day["failures"])) == (4, [f"{file}, 4"])


def test_of_the_arena(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is no report yet" in str(run().exception)
    kit.finish()
    Match.objects.update(finished_at=NOON)
    monkeypatch.setattr(timezone, "now", lambda: NOON + timedelta(hours=1))
    fairness_actions.report_fairness()
    assert "records: 1 folded, 1 proved, 0 refused" in run().output
    assert json.loads(run("--json", "--date", "2026-11-21").output) == FairnessReport.objects.get().document
    for wrong in (("--date", "2026-11-20"), ("--date", "yesterday"), ("games.jsonl", "--date", "2026-11-21")):
        assert isinstance(run(*wrong).exception, InputError)
