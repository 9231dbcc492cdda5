"""The package that the site gives to bot authors: the one of its own version, as it is downloaded."""

import base64
import hashlib
import io
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from django.test import Client

from tests.kit.installing import Installed
from webui.core import wheel

NAME = f"naqala_arena-{version('naqala-arena')}-py3-none-any.whl"


def test_it_is_found_by_one_address(client: Client) -> None:
    answer = client.get("/docs/download/")
    assert answer.status_code == 302 and answer["Location"] == f"/docs/download/{NAME}"


@pytest.mark.slow
def test_it_is_installed_and_plays(client: Client, tmp_path: Path) -> None:
    answer = client.get(f"/docs/download/{NAME}")
    assert answer.status_code == 200
    (tmp_path / NAME).write_bytes(answer.content)
    bare = Installed(tmp_path / NAME, tmp_path)
    assert bare.run("arena", "--version").startswith(f"naqala-arena {version('naqala-arena')}, rules ")
    assert "random" in bare.run("arena", "play", "random", "random")
    bot = bare.run("python", "-c", "from arena import starters; print(*starters.__path__)").strip()
    assert bot.startswith(str(tmp_path))


def test_it_holds_what_a_bot_author_needs_and_every_byte_of_it_is_recorded() -> None:
    with zipfile.ZipFile(io.BytesIO(wheel.wheel())) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert {name.split("/")[0] for name in files} == {"arena", NAME.removesuffix("-py3-none-any.whl") + ".dist-info"}
    assert {
        "arena/py.typed",
        "arena/rules/schemas/position.schema.json",
        "arena/starters/typescript/.dockerignore",
    } <= set(files)
    assert not any("__pycache__" in name or "/_native/" in name for name in files)
    about = next(name.removesuffix("RECORD") for name in files if name.endswith("/RECORD"))
    metadata = files[f"{about}METADATA"].decode()
    assert "Requires-Dist: grpcio" in metadata and "extra" not in metadata and "django" not in metadata
    rows = dict(row.split(",", 1) for row in files.pop(f"{about}RECORD").decode().splitlines())
    del rows[f"{about}RECORD"]
    assert rows == {name: f"sha256={_digest(content)},{len(content)}" for name, content in files.items()}


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
