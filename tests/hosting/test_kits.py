"""What `arena bot new` writes can be handed in as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.cli.dry_run import dry_run
from arena.cli.new import KITS, LANGUAGES, write_kit
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.manifest import MANIFEST_NAME, read_manifest
from tests.kit.lacking import give_up

NEEDS = {
    "python": "python3", "ruby": "grpc_tools_ruby_protoc", "cpp": "grpc_cpp_plugin", "java": "mvn", "typescript": "npm",
}  # fmt: skip
"""Program without which the kit cannot be tried."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_kit_has_a_manifest(language: str) -> None:
    manifest = read_manifest((KITS / language / MANIFEST_NAME).read_text(encoding="utf-8"), DEFAULT_LIMITS)
    assert manifest.language == language


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    "language",
    [
        pytest.param("python", marks=pytest.mark.slow),
        pytest.param("ruby", marks=pytest.mark.slow),
        pytest.param("cpp", marks=pytest.mark.soak),
        pytest.param("java", marks=pytest.mark.soak),
        pytest.param("typescript", marks=pytest.mark.soak),
    ],
)
def test_a_new_bot_passes_a_dry_run(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which(NEEDS[language]) is None:
        give_up(f"{NEEDS[language]} is missing, without which the kit in {language} cannot be tried")
    write_kit(tmp_path / "mybot", language)
    dry_run(tmp_path / "mybot")
    assert "4 checks: 4 passed" in capsys.readouterr().out
