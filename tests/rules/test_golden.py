"""The golden playthroughs come out word for word (`make golden` writes them again)."""

import pytest

from tests.golden.playthrough import FOLDER, GAMES, playthrough


@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name: str) -> None:
    assert playthrough(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
