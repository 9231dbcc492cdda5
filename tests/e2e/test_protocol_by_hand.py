"""The page "The protocol by hand", followed in a shell from top to bottom: its commands and its reader's input."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from arena.players import ask_house
from arena.referee import prove
from arena.wire.v1 import bot_pb2, game_pb2
from tests.e2e.registering import register
from tests.e2e.running import COMMAND, LOOK_S, RunningArena, Site, bot_process
from tests.kit.kits import bot_environment
from tests.kit.until import until
from webui.site.docs.pages import read

HERE = Path(sys.executable).parent
PATH = f"{HERE}:{os.environ['PATH']}"
"""`make` puts grpcurl beside Python."""
MISSING = [program for program in ("grpcurl", "jq", "bash") if not shutil.which(program, path=PATH)]
MATCH_S = 500.0

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(1200),
    pytest.mark.when_changed("protocol-by-hand"),
    pytest.mark.skipif(
        bool(MISSING) and os.environ.get("ARENA_REQUIRE_ALL") != "1",
        reason=f"{', '.join(MISSING)} is missing: make .venv/bin/grpcurl, and install Debian's package jq",
    ),
]


class Reader:
    """A reader who follows the page with a shell, in a separate folder, and fills in their own values."""

    def __init__(self, folder: Path, **values: str) -> None:
        code = read("protocol").code
        self._blocks = [text for kind, text in code if kind == "sh"]
        self._typed = [json.loads(text) for kind, text in code if kind == "json"]
        self._values = values
        self._folder = folder
        self._environment = {**os.environ, "PATH": PATH}

    def block(self, *needles: str) -> str:
        """Return the one block of commands that contains all of these."""
        (found,) = [block for block in self._blocks if all(needle in block for needle in needles)]
        return found

    def export(self) -> None:
        """Run the block with the variables; its values are examples."""
        names = re.findall(r"^export (\w+)=", self.block("export"), re.MULTILINE)
        assert set(names) == set(self._values)
        self._environment |= self._values

    def run(self, block: str) -> str:
        """Return the output of the commands."""
        done = subprocess.run(
            ["bash", "-euc", block],
            cwd=self._folder, env=self._environment, capture_output=True, text=True, timeout=MATCH_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{block}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done.stdout

    def typed(self, kind: str, **values: Any) -> dict[str, Any]:
        """Return the input that the page shows, with the reader's own values."""
        (found,) = [message[kind] for message in self._typed if kind in message]
        assert set(values) <= set(found)
        return {kind: {**found, **values}}

    @contextmanager
    def at_the_keyboard(self, block: str) -> Iterator[Conversation]:
        """Run the commands with a terminal; they end with it, if not before."""
        process = subprocess.Popen(
            ["bash", "-c", block], cwd=self._folder, env=self._environment, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            yield Conversation(process)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGHUP)
                process.communicate(timeout=60)


class Conversation:
    """Typed input and shown output, one message a line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def type(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")

    def end(self) -> str:
        """Send Ctrl-D, and return the remaining output."""
        return self._process.communicate(timeout=60)[0]

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        if not (line := self._process.stdout.readline()):
            raise StopIteration
        assert line.startswith("{"), line + self._process.stdout.read()
        message: dict[str, Any] = json.loads(line)
        return message


def received(text: str) -> list[dict[str, Any]]:
    """Parse JSON documents one after the other."""
    decoder, found, text = json.JSONDecoder(), [], text.strip()
    while text:
        message, end = decoder.raw_decode(text)
        found.append(message)
        text = text[end:].strip()
    return found


def play_by_hand(reader: Reader, block: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Type the page's input up to the second request of a match. Return its offer and that request."""
    seen: dict[str, Any] = {}
    with reader.at_the_keyboard(block) as conversation:
        for message in conversation:
            ((kind, body),) = message.items()
            first, seen[kind] = kind not in seen, body
            match kind:
                case "welcome":
                    assert first and body["protocol"] == "arena.wire/2" and body["limits"]["max_matches"] == 1
                case "ping":
                    conversation.type(reader.typed("pong", id=body["id"]))
                case "offer":
                    assert {"ruleset", "seat", "clock", "commitment"} <= set(body["terms"])
                    assert "participants" not in body["terms"]
                    conversation.type(reader.typed("accept", match_id=body["match_id"]))
                case "reveal_request":
                    digest = reader.typed("accept")["accept"]["nonce_hash"]
                    assert body["nonce_hashes"][seen["offer"]["terms"]["seat"] - 1] == digest
                    assert len(body["participants"]) == len(body["nonce_hashes"]) and "signed" in body
                    conversation.type(reader.typed("reveal", match_id=body["match_id"]))
                case "request":
                    assert "phase" in body and "bank_ms" in body and "view" not in body
                    if not first:
                        assert "ping" in seen
                        return seen["offer"], body
                    answer = reader.typed(
                        "answer", match_id=body["match_id"], index=body.get("index", 0), actions=body["legal"][:1]
                    )
                    conversation.type(answer)
                case _:
                    pytest.fail(str(message))
    pytest.fail("the stream has ended")


def test_the_page_can_be_followed(tmp_path: Path, django_db_blocker: Any) -> None:
    with ExitStack() as stack:
        arena = stack.enter_context(RunningArena(tmp_path / "var", ARENA_STORY_SECONDS="0.1"))
        ready = arena.wait_ready()
        command = [*COMMAND, "bot", "run", "--house", "greedy"]
        environment = bot_environment(ready["gateway"], ready["token"], "opponent")
        stack.enter_context(bot_process(command, environment, tmp_path / "opponent.log"))
        with django_db_blocker.unblock(), arena.database():
            token = register({"ada": "Difference"})["Difference"]
        folder = tmp_path / "reader"
        folder.mkdir()
        reader = Reader(folder, ARENA_SERVER=ready["gateway"], ARENA_TOKEN=token)
        reader.export()

        looked = reader.run(reader.block("Health/Check"))
        assert "arena.wire.v1.BotService\n" in looked and "rpc Play" in looked and '"status": "SERVING"' in looked
        assert "bool wants_legal" in looked, "the fields of Hello"

        reader.run(reader.block("> hello.json"))
        offer, pending = play_by_hand(reader, reader.block("cat hello.json -"))
        match = offer["match_id"]

        nonce, digest = reader.run(reader.block("> nonce")).split()
        assert b64decode(digest) == sha256(b64decode(nonce)).digest() and len(b64decode(nonce)) == 16
        reader.run(reader.block("> bot.jq"))
        asked = 'echo \'{"reveal_request": {"match_id": "7"}}\' | jq -nc --arg nonce n --arg hash h -f bot.jq'
        assert json.loads(reader.run(asked)) == {"reveal": {"match_id": "7", "nonce": "n"}}
        reader.run(reader.block("mkfifo"))
        heard = received((folder / "received.json").read_text())
        (welcome,) = [message["welcome"] for message in heard if "welcome" in message]
        assert welcome["running"] == [match]
        assert match in [message["resumed"]["match_id"] for message in heard if "resumed" in message]
        requests = [message["request"] for message in heard if "request" in message]
        again = next(request for request in requests if request["match_id"] == match)
        assert again["index"] == pending["index"] and "view" in again
        assert not [message for message in heard if "error" in message or "match_aborted" in message]

        ended = received(reader.run(reader.block("select(.match_end)")))
        end = next(message["match_end"] for message in ended if message["match_end"]["match_id"] == match)
        assert end["verdict"]["kind"] in ("VERDICT_KIND_COMPLETED", "VERDICT_KIND_FORFEIT")
        seat = offer["terms"]["seat"]
        assert end["nonces"][seat - 1] == reader.typed("reveal")["reveal"]["nonce"], "what was typed is in the seed"
        assert end["replay_url"].startswith(ready["site"]) and match in end["replay_url"]
        site = Site(ready["site"])
        replay = site.replay(match)
        assert replay is not None
        prove(replay, ask_house)

        check_files(reader, folder)
        check_a_refusal(Reader(folder, ARENA_SERVER=ready["gateway"], ARENA_TOKEN="naqala_nobody's"))
        # A finished match gets its story. Only here do few matches end: each story takes seconds of processor time.
        until(lambda: ' data-chances="' in site.page(f"/matches/{match}/"), "its story", MATCH_S, every=LOOK_S)


def check_files(reader: Reader, folder: Path) -> None:
    """The `.proto` files of the server are those of the repository."""
    reader.run(reader.block("-proto-out-dir"))
    command = [sys.executable, "-m", "grpc_tools.protoc", "-Iproto", "--include_imports", "-oset", "bot.proto"]
    command[-1] = "proto/arena/wire/v1/bot.proto"
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    given = FileDescriptorSet.FromString((folder / "set").read_bytes())
    for file, module in zip(given.file, (game_pb2, bot_pb2), strict=True):
        assert {message.name: len(message.field) for message in file.message_type} == {
            name: len(message.fields) for name, message in module.DESCRIPTOR.message_types_by_name.items()
        }


def check_a_refusal(reader: Reader) -> None:
    """With another token the reader gets the reason, and the stream ends with a status."""
    reader.export()
    reader.run(reader.block("> hello.json"))
    with reader.at_the_keyboard(reader.block("cat hello.json -")) as conversation:
        assert next(conversation)["error"]["reason"] == "BAD_TOKEN"
        assert "Code: Unauthenticated" in conversation.end()
