"""`arena bot new`: the files that it writes, and its errors. tests/doctor/test_kits.py shows that the kits work."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.new import KITS, LANGUAGES
from tests.kit import kits
from tests.kit.command import arena_here, complaint, printed

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_kit_is_complete(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "mybot"
    said = printed(arena_here("bot", "new", "--lang", language, folder))
    assert said == f"{folder} is a bot in {language}: {folder}/README.md says how to build and start it\n"
    written = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert {"README.md", "bot.toml", "Dockerfile", ".gitignore", ".dockerignore"} <= written.keys()
    assert any("test" in name.lower() or "mod tests" in path.read_text() for name, path in written.items())
    protos = {name: path.read_text() for name, path in written.items() if name.endswith(".proto")}
    sources = {
        f"proto/{path.relative_to(ROOT / 'proto')}": path.read_text() for path in ROOT.glob("proto/arena/**/*.proto")
    }
    assert protos == ({} if language == "python" else sources)
    assert list(tmp_path.iterdir()) == [folder]


def test_there_is_a_kit_for_each_language() -> None:
    assert {path.name for path in KITS.iterdir()} - {"__pycache__"} == {*LANGUAGES} == {*kits.KITS}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_readme_says_what_was_tried(language: str) -> None:
    text = (KITS / language / "README.md").read_text()
    lines = [line.strip() for line in text.splitlines()]
    assert {*kits.KITS[language].build} <= {*lines}
    started = f"ARENA_SERVER=127.0.0.1:50051 ARENA_TOKEN=<the token from your bot's page> {kits.KITS[language].run}"
    assert started in lines, "the process itself, which a signal reaches"
    assert len(lines) <= 30


def test_what_cannot_be_made(tmp_path: Path) -> None:
    said = complaint(arena_here("bot", "new", "--lang", "csharp", tmp_path / "mybot"))
    assert said == f"arena: there is no kit for 'csharp': choose one of {', '.join(LANGUAGES)}"
    assert "already exists: choose another folder" in complaint(arena_here("bot", "new", tmp_path))
    assert "there is no folder" in complaint(arena_here("bot", "new", tmp_path / "a" / "b"))
    (tmp_path / "file").write_text("")
    assert "already exists" in complaint(arena_here("bot", "new", tmp_path / "file"))
    assert "Missing argument" in complaint(arena_here("bot", "new"))
    assert not (tmp_path / "mybot").exists()
