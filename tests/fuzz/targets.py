"""The decoders of what comes from outside, and what each of them may raise."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from arena.bus.envelopes import (
    EnvelopeError,
    FromBot,
    Presence,
    ToBot,
    decode_from_bot,
    decode_presence,
    decode_to_gateway,
    encode_from_bot,
    encode_presence,
    encode_to_gateway,
)
from arena.cli.files import InputError, read_replays
from arena.gateway.limits import GatewayLimits
from arena.gateway.service import Service
from arena.referee import Clock, Entry, LogError, Policy, Record, Terms
from arena.rules import Game, ReplayError, Ruleset, match_seed, replay_document, verify_replay
from arena.wire.codec import CodecError, decode_server
from arena.wire.matches import decode_reply
from arena.wire.v1.bot_pb2 import Accept, Answer, BotMessage, Decline, Hello, Pong, Reveal
from tests.kit.games import seed_of

CORPUS = Path(__file__).parents[1] / "corpus"
MOST_BYTES = 64 << 20
"""Memory that no input of a kilobyte or two makes a decoder take."""


@dataclass(frozen=True)
class Target:
    """One decoder."""

    decode: Callable[[bytes], object]
    errors: tuple[type[Exception], ...]
    """What it may raise; everything else is a finding."""
    good: tuple[bytes, ...]
    """Inputs that it decodes; fuzzing begins with them."""

    def try_(self, data: bytes) -> bool:
        """Decode; whether it was accepted."""
        try:
            self.decode(data)
        except self.errors:
            return False
        return True


SERVER_SEED = seed_of("fuzz", "server")
NONCES = [seed_of("nonce", seat)[:16] for seat in (1, 2)]
TERMS = Terms("m", Ruleset(2), SERVER_SEED, Clock(), Policy())
DECISIONS = 25


def _game() -> Game:
    """The first decisions of a random game."""
    game, rng = Game(TERMS.ruleset, match_seed(SERVER_SEED, NONCES)), Random(1)
    while len(game.events) < DECISIONS:
        game.play(rng.choice(game.state.legal))
    return game


def _log(game: Game) -> list[list[Any]]:
    """As a referee would have written it."""
    hashes = [sha256(nonce).hexdigest() for nonce in NONCES]
    log: list[list[Any]] = [["commit", seat, digest, {"by": "p"}] for seat, digest in enumerate(hashes, 1)]
    log += [["ready", seat, nonce.hex(), None] for seat, nonce in enumerate(NONCES, 1)]
    log += [["fault", 1, "LATE", {"index": 0, "strikes": 1, "rule": "", "message": "late"}], ["lost", 2, "GONE", None]]
    log += [["back", 2, "", {"away_ms": 5}], ["note", 1, "hm", {"index": 0}]]
    log += [
        ["chance", 0, event.text, None] if event.seat == 0 else ["decision", event.seat, event.text, {"ms": 7}]
        for event in game.events
    ]
    return [*log, ["forfeit", 1, "GONE", {"index": len(game.events)}]]


def _decode_log(data: bytes) -> Record:
    """A log as the database has it: kind, seat and text of the declared types, and any JSON beside them."""
    entries = []
    for number, entry in enumerate(json.loads(data)):
        match entry:
            case [str(kind), int(seat), str(text), more]:
                entries.append(Entry(number, kind, seat, text, more))
            case _:
                raise LogError("no row of the table is so")
    return Record.fold(TERMS, entries)


def _read_file(suffix: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        with TemporaryDirectory(prefix="arena-fuzz-") as directory:
            path = Path(directory, f"replay{suffix}")
            path.write_bytes(data)
            return [verify_replay(document) for document in read_replays(path)]

    return read


def _handle_message(data: bytes) -> None:
    """One message of a bot at its gateway. Whatever it is, the stream goes on."""
    sent: list[bytes] = []
    registry = SimpleNamespace(
        answer=lambda *_: None, leave=lambda _: None, fault=lambda *_: None, ponged=lambda *_: True
    )
    gateway: Any = SimpleNamespace(_limits=GatewayLimits(), _registry=registry)
    gateway._answer = partial(Service._answer, gateway)
    stream: Any = SimpleNamespace(send=sent.append)
    Service._handle_message(gateway, None, stream, data)
    for message in sent:
        decode_server(message)


GAME = _game()
REPLAY = json.dumps(
    replay_document(
        GAME,
        match="m",
        seats=[{"name": "a", "version": "1"}] * 2,
        server_seed=SERVER_SEED,
        nonces=NONCES,
        verdict={"kind": "forfeit", "placements": [2, 1], "forfeits": [{"seat": 1, "index": 25, "reason": "GONE"}]},
    )
).encode()

FRAMES = tuple(
    message.SerializeToString()
    for message in (
        BotMessage(accept=Accept(match_id="m", nonce_hash=bytes(range(32)))),
        BotMessage(reveal=Reveal(match_id="m", nonce=b"12345678")),
        BotMessage(decline=Decline(match_id="m", reason="no")),
        BotMessage(answer=Answer(match_id="m", index=3, actions=["pass", "end"], note="x")),
        BotMessage(pong=Pong(id=3)),
        BotMessage(hello=Hello(protocol="arena.wire/2", process="p", version="1")),
    )
)
TARGETS = {
    "heard": Target(_handle_message, (), FRAMES),
    "reply": Target(decode_reply, (CodecError,), FRAMES[:3]),
    "to_gateway": Target(
        decode_to_gateway,
        (EnvelopeError,),
        (encode_to_gateway(ToBot("s1", "m1", 2, 3, "w1", b"\n\x00payload\n", ask=True, index=7)),),
    ),
    "from_bot": Target(
        decode_from_bot,
        (EnvelopeError,),
        (encode_from_bot(FromBot("m1", 2, "s1", "message", b"\xff\n", 3, 7, is_answer=True, gateway="g1")),),
    ),
    "presence": Target(
        decode_presence,
        (EnvelopeError,),
        (encode_presence(Presence("s1", "g1", bot=1, bot_version=2, owner=3, process="p1", player_counts=(2, 3))),),
    ),
    "log": Target(_decode_log, (LogError,), (json.dumps(_log(GAME)).encode(),)),
    "replay": Target(_read_file(".json"), (InputError, ReplayError), (REPLAY,)),
    "replay_gz": Target(_read_file(".gz"), (InputError, ReplayError), ()),
    "replay_zst": Target(_read_file(".zst"), (InputError, ReplayError), ()),
}
