"""The folder that `arena bot new` makes is handed in unchanged, and plays on a running arena.

`arena bot submit` fetches packages first, as it does for authors, so these tests need a network.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.players import GRADED
from tests.e2e.playing import FAST, pause, play_only
from tests.e2e.registering import register
from tests.e2e.running import RunningArena
from tests.kit.kits import KITS
from tests.kit.lacking import give_up, require_sandboxes
from tests.kit.until import until
from webui.bots import token_actions
from webui.bots.models import Bot
from webui.commands.services.accounts import SAMPLE_BOT
from webui.hosting.models import HostedSeat, Submission, SubmissionState
from webui.matches.models import MatchState, Participant

PATIENCE_S = 900.0

pytestmark = [pytest.mark.soak, pytest.mark.e2e, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Iterator[RunningArena]:
    """Run an arena with fast house bots, which plays rated matches of two and three."""
    require_sandboxes()
    folder = tmp_path_factory.mktemp("kits") / "var"
    with django_db_blocker.unblock(), RunningArena(folder, "--house", "--sample") as arena:
        arena.wait_ready()
        with arena.database():
            pause(set(GRADED) - set(FAST))
            play_only("2", "3")
        yield arena


def submit(arena: RunningArena, folder: Path, bot: str, token: str) -> dict[str, Any]:
    """Hand in a folder, and return the submission once it has ended."""
    site = arena.wait_ready()["site"]
    told = arena.run(
        "bot", "submit", str(folder), "--bot", bot, "--site", site, "--token", token, "--json", timeout=PATIENCE_S
    )
    submission: dict[str, Any] = json.loads(told)
    return submission


def test_the_sample_bot_is_handed_in_as_by_an_author(arena: RunningArena) -> None:
    def states() -> list[str]:
        with arena.database():
            return list(Submission.objects.filter(bot__name=SAMPLE_BOT).values_list("state", flat=True))

    until(lambda: states() == [SubmissionState.READY], "the sample bot", PATIENCE_S, every=0.5)


@pytest.mark.parametrize("language", KITS)
def test_a_new_bot_is_handed_in_and_finishes_a_rated_match(language: str, arena: RunningArena, tmp_path: Path) -> None:
    if missing := [need for need in KITS[language].needs if shutil.which(need) is None]:
        give_up(f"{missing[0]} is missing, without which the kit in {language} cannot be built")
    bot, folder = f"Kit {language}", tmp_path / "mybot"
    arena.run("bot", "new", str(folder), "--lang", language)
    with arena.database():
        register({f"author-{language}": bot})
        row = Bot.objects.get(name=bot)
        token = token_actions.issue_api_token(row.owner_id, ["bots"]).token
    started = time.monotonic()
    submission = submit(arena, folder, bot, token)
    ready_s = time.monotonic() - started
    assert submission["state"] == "ready", submission

    def finished() -> bool:
        with arena.database():
            seats = Participant.objects.filter(version__bot=row, match__rated=True, match__state=MatchState.FINISHED)
            return seats.exists()

    until(finished, f"a rated match of the kit in {language}", PATIENCE_S, every=0.5)
    print(f"{language}: ready after {ready_s:.0f} s, a rated match after {time.monotonic() - started:.0f} s")
    with arena.database():
        played = Participant.objects.filter(version__bot=row, match__state=MatchState.FINISHED)
        assert set(played.values_list("forfeit_reason", flat=True)) == {""}
        until(HostedSeat.objects.filter(version__bot=row).exists, "a report on a seat", PATIENCE_S, every=0.5)
        assert set(HostedSeat.objects.filter(version__bot=row).values_list("fault", flat=True)) == {""}
        pause([row.slug])
