"""`arena doctor` as users run it: with files and commands, its output, and its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.doctor import print_findings
from arena.doctor import CHECKS, GROUPS, CheckFinding, CheckOutcome
from tests.kit.command import ARENA, arena, arena_here, complaint, printed
from tests.kit.until import PATIENCE_S, until

STARTERS = Path(__file__).resolve().parents[2] / "arena" / "starters"


@pytest.mark.slow
def test_starter_passes_everything() -> None:
    done = arena("doctor", STARTERS / "python" / "mybot.py", "--json")
    found = json.loads(done.out)
    assert (done.code, done.err) == (0, ""), [check for check in found["checks"] if check["outcome"] == "failed"]
    assert found["format"] == "naqala/doctor/1"
    assert [check["check"] for check in found["checks"]] == [check.name for check in CHECKS]
    assert [check["check"] for check in found["checks"] if check["outcome"] != "passed"] == ["without-legal-list"]
    assert (found["passed"], found["failed"], found["skipped"]) == (len(CHECKS) - 1, 0, 1)


def test_illegal_bot(tmp_path: Path) -> None:
    bot = tmp_path / "sower.py"
    bot.write_text(
        "from arena.bots import Bot\n"
        "class Sower(Bot):\n"
        "    def choose(self, view, legal):\n"
        "        if view.phase == 'sow':\n"
        "            print('sowing', flush=True)\n"
        "            return 'drop A1 y'\n"
        "        return legal[0]\n"
    )
    done = arena_here("doctor", bot, "--only", "phase-sow", "--only", "phase-flute")
    assert done.code == 1
    failed, what, advice, *output, skipped, summary = done.out.splitlines()
    assert failed.startswith("FAILED phase-sow: in phase sow, with 2 players, it answered 'drop A1 y': ")
    assert what == "  The check: The bot decides legally in phase sow: where a meeple is dropped."
    assert advice.startswith("  What to do: Answer with an action of DecisionRequest.legal")
    assert "  | sowing" in output
    assert skipped == "skipped, it does not play with artisans: phase-flute"
    assert summary == "6 checks: 4 passed, 1 failed, 1 skipped"


def test_bot_that_cannot_start(tmp_path: Path) -> None:
    bot = tmp_path / "broken.py"
    bot.write_text("import nothing_of_this_name\n")
    done = arena_here("doctor", f"{sys.executable} {bot}", "--only", "dials-in", "--only", "answers", "--json")
    found = json.loads(done.out)
    assert done.code == 1 and (found["passed"], found["failed"], found["skipped"]) == (0, 1, 3)
    dials_in, *others = found["checks"]
    assert dials_in["found"] == "its process has ended, with exit code 1"
    assert dials_in["output"][-1] == "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    assert {other["found"] for other in others} == {"not checked, because dials-in has failed"}


def test_what_is_not_looked_at_does_not_hide_what_has_failed(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings(
        [
            CheckFinding(CHECKS[0], CheckOutcome.FAILED, "no"),
            *(CheckFinding(check, CheckOutcome.SKIPPED, "why") for check in CHECKS[1:]),
        ]
    )
    failed, _, _, skipped, _ = capsys.readouterr().out.splitlines()
    assert failed == "FAILED dials-in: no."
    assert skipped == f"skipped, why: {len(CHECKS) - 1} checks"


def test_nothing_is_left_running(tmp_path: Path) -> None:
    """The doctor starts a shell, which starts the bot; the class in the file is named."""
    bot = tmp_path / "two.py"
    bot.write_text(
        "import os\nfrom pathlib import Path\nfrom arena.bots import Bot\n"
        f"Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        "class One(Bot):\n"
        "    def choose(self, view, legal):\n        return legal[0]\n"
        "class Two(One):\n    pass\n"
    )
    run = f"{sys.executable} -c 'from arena.cli import main; main()' bot run {bot}:Two; true"
    printed(arena_here("doctor", "--only", "answers", "--", "sh", "-c", run))
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid))


def test_a_doctor_that_is_told_to_end_leaves_nothing(tmp_path: Path) -> None:
    bot = tmp_path / "silent.py"
    bot.write_text(
        "import os, pathlib, time\n"
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([*ARENA, "doctor", f"{sys.executable} {bot}"]) as doctor:
        pid = int(until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text()))
        doctor.terminate()
        assert doctor.wait(PATIENCE_S) == 130
    until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid))


def _is_zombie(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}") and ") Z " in Path(f"/proc/{pid}/stat").read_text()


def test_list() -> None:
    lines = printed(arena_here("doctor", "--list")).splitlines()
    assert {*GROUPS} <= {*lines}
    assert "  dials-in: The bot connects after its start and says hello in its first message." in lines
    listed = json.loads(printed(arena_here("doctor", "--list", "--json")))
    assert [one["check"] for one in listed] == [check.name for check in CHECKS]
    assert listed[0]["advice"] == CHECKS[0].advice


def test_the_site_shows_the_checks_as_they_are() -> None:
    """The file is written by `arena doctor --list --json | python -m json.tool --no-ensure-ascii`."""
    shown = STARTERS.parents[1] / "webui" / "site" / "docs" / "en" / "checks.json"
    assert json.loads(shown.read_text()) == json.loads(printed(arena_here("doctor", "--list", "--json")))


def test_bad_input(tmp_path: Path) -> None:
    assert "name a bot" in complaint(arena_here("doctor"))
    assert "there is no file nobot.py" in complaint(arena_here("doctor", "nobot.py"))
    assert "there is no file nobot.py" in complaint(arena_here("doctor", "nobot.py:Bot"))
    assert "there is no command 'no-such-program'" in complaint(arena_here("doctor", "no-such-program --fast"))
    assert "is not a command" in complaint(arena_here("doctor", "'"))
    (tmp_path / "typo.py").write_text("class Bot:\n    def choose(self\n")
    typo = complaint(arena_here("doctor", f"{tmp_path / 'typo.py'}:Bot"))
    assert "typo.py cannot be loaded: SyntaxError: '(' was never closed (typo.py, line 2)" in typo
    wrong = complaint(arena_here("doctor", STARTERS / "python" / "mybot.py", "--only", "phase-sew"))
    assert "there is no check 'phase-sew'" in wrong
