"""Emails without a mail server are files of the arena, and never lines of a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.mail import send_mail

from arena.host.places import Places


@pytest.fixture
def without_server(settings: Any, tmp_path: Path) -> Path:
    settings.EMAIL_BACKEND = "webui.core.backends.EmailFiles"
    settings.PLACES = Places(tmp_path / "var")
    return tmp_path / "var"


def test_an_email_without_a_server_is_a_file(without_server: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert send_mail("Your password", "https://arena.example/reset/secret-key/", None, ["mira@example.org"]) == 1
    (kept,) = (without_server / "emails").iterdir()
    assert "secret-key" in kept.read_text()
    printed = capfd.readouterr()
    assert "secret-key" not in printed.out + printed.err


def test_an_email_that_cannot_be_kept_is_dropped(without_server: Path, capfd: pytest.CaptureFixture[str]) -> None:
    without_server.write_text("not a folder")
    assert send_mail("Your password", "https://arena.example/reset/secret-key/", None, ["mira@example.org"]) == 0
    printed = capfd.readouterr()
    assert "secret-key" not in printed.out + printed.err and "email_dropped" in printed.out + printed.err
