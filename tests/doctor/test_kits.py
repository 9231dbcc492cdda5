"""Each starter kit, as `arena bot new` writes it and `make kits` builds it, passes every check of `arena doctor`."""

from __future__ import annotations

import json
import subprocess

import pytest

from arena.doctor import CHECKS
from tests.kit.command import arena
from tests.kit.kits import KITS, bot_environment, kit_command

NOT_FOR_THEM = "without-legal-list"
"""Checks that do not apply: the kits need the list of legal actions."""
SHORT_LIVED = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""The doctor starts a bot often: optimising Java code that runs for a few seconds costs more than it saves."""

NO_PROXY_ANSWERS = dict.fromkeys(("grpc_proxy", "https_proxy", "HTTPS_PROXY", "http_proxy"), "http://127.0.0.1:9")
"""A bot on the same machine must not use a proxy, although gRPC would."""


@pytest.mark.e2e
@pytest.mark.parametrize("language", list(KITS))
def test_a_kit_never_sends_its_token_in_clear_by_mistake(language: str) -> None:
    environment = bot_environment("arena.example.org:50051", "secret", "p")
    done = subprocess.run(
        kit_command(language), env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode != 0
    assert "write https://arena.example.org:50051, or http://" in done.stdout + done.stderr


@pytest.mark.e2e
@pytest.mark.parametrize("language", [language for language in KITS if language != "python"])
def test_a_kit_passes_everything(language: str) -> None:
    done = arena("doctor", "--json", "--", *kit_command(language), **SHORT_LIVED, **NO_PROXY_ANSWERS)
    found = json.loads(done.out)
    assert (done.code, done.err) == (0, ""), [check for check in found["checks"] if check["outcome"] == "failed"]
    assert [check["check"] for check in found["checks"] if check["outcome"] != "passed"] == [NOT_FOR_THEM]
    assert found["passed"] == len(CHECKS) - 1
