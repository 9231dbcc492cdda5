"""Faults, ends, several matches at once, and messages of future versions."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

from google.protobuf.message import Message

from arena.doctor.check import Checks
from arena.doctor.errors import Failed, Skipped
from arena.doctor.match import DoctorMatch
from arena.doctor.server import LIMITS
from arena.doctor.session import Session
from arena.doctor.situations import PHASES
from arena.referee import Clock
from arena.wire.v1.bot_pb2 import ServerMessage

MESSAGES: Final = Checks()
BID, MOVE = PHASES[:2]
AT_ONCE: Final = 8
"""Maximum number of matches that are played at the same time."""
ROUNDS: Final = 2
NEW_FIELD: Final = b"\xfa\x3f\x0bfrom-future"
"""Field 1023 of any message: eleven bytes."""
SHORT_MATCHES: Final = 20
LEAK: Final = 48 * 1024
"""Memory in KiB that `SHORT_MATCHES` matches may cost."""
QUIET_S: Final = 1.0
SLOWEST: Final = Clock(bank_ms=0, increment_ms=2_000)

M = TypeVar("M", bound=Message)


@MESSAGES.register(
    "little-bank",
    "Think no longer than the smaller of DecisionRequest.bank_ms and cap_ms. Have a simple decision ready for when time"
    " is short.",
)
async def answers_in_time(session: Session) -> None:
    """With an empty bank the bot answers within its increment of two seconds."""
    match = await session.open_match(MOVE, clock=SLOWEST)
    await match.play_turn()


@MESSAGES.register(
    "late-and-on", "After a fault LATE the match continues without your answer: think only about the newest request."
)
async def goes_on_after_late(session: Session) -> None:
    """After a decision that came too late the bot answers the next one under its index."""
    match = await session.open_match(BID)
    session.send(match.request())
    line = match.line
    assert line is not None
    fault = match.fault("LATE", played="said by the doctor")
    line.play_at_random()
    session.send(fault)
    match.pass_on()
    session.send(match.request())
    match.play(await match.answer())


@MESSAGES.register("survives-fault", "Fault says what you did wrong: log it and continue. New reasons may be added.")
async def survives_fault(session: Session) -> None:
    """Faults of every reason, even an unknown one, do no harm."""
    match = await session.open_match(MOVE)
    for reason in ("ILLEGAL", "MALFORMED", "LATE", "GONE", "FLOODING", "A_REASON_FROM_THE_FUTURE"):
        session.send(match.fault(reason, played="pass"))
    await match.decide()


@MESSAGES.register("survives-forfeit", "After Fault.forfeited you are not asked again; wait for the end of the match.")
async def survives_forfeit(session: Session) -> None:
    """A seat that has forfeited waits for the end, and plays its next match."""
    match = await session.open_match(MOVE)
    session.send(match.fault("LATE", has_forfeited=True))
    await session.pong()
    match.finish()
    again = await session.open_match(MOVE)
    await again.decide()


@MESSAGES.register("survives-abort", "At MatchAborted drop the match, whatever the reason, and accept the next one.")
async def survives_abort(session: Session) -> None:
    """A match that is aborted while the bot thinks does no harm."""
    match = await session.open_match(MOVE)
    session.send(match.request())
    match.abort()
    await session.pong()
    again = await session.open_match(MOVE)
    await again.decide()


@MESSAGES.register("end-without-result", "MatchEnd.result is absent if the game was not played to its end.")
async def survives_forfeit_of_others(session: Session) -> None:
    """A match may end without a result because all others have forfeited. The end of an unknown match does no harm
    either."""
    match = await session.open_match(MOVE)
    await match.decide()
    match.finish()
    end = match.end()
    end.match_end.match_id = "never-heard-of"
    session.send(end)
    await session.pong()


@MESSAGES.register(
    "several-matches",
    "Store everything about a match under its match_id, because messages of several matches are mixed.",
)
async def plays_several(session: Session) -> None:
    """Several matches are played at the same time, with mixed requests."""
    if session.places == 1:
        raise Skipped("it plays one match at a time")
    matches = [session.match() for _ in range(min(session.places, AT_ONCE))]
    for match in matches:
        match.open()
        session.send(match.offer())
    for match in matches:
        await match.accepted()
        session.send(match.reveal_request())
    for match in matches:
        await match.revealed()
    for _ in range(ROUNDS):
        waiting = [match for match in matches if match.pass_on()]
        for match in waiting:
            session.send(match.request())
        for match in reversed(waiting):
            match.play(await match.answer())


@MESSAGES.register(
    "one-answer-each",
    "Answer each request once, and send no unrequested messages: more than"
    f" {LIMITS.max_messages_per_second} of them a second are a fault (FLOODING).",
)
async def says_no_more(session: Session) -> None:
    """The bot says nothing more after its answer."""
    match = await session.open_match(MOVE)
    await match.ask()
    before = len(session.server.heard)
    await session.quiet(QUIET_S)
    kinds = [message.WhichOneof("kind") for message in session.server.heard[before:]]
    extra = sum(kind not in ("ping", "pong") for kind in kinds)
    if extra > 1 or kinds.count("ping") > LIMITS.max_messages_per_second:
        raise Failed(f"it has sent {len(kinds)} more messages within {QUIET_S:g} second after its answer")


@MESSAGES.register(
    "small-answers",
    f"Keep Answer.note within {LIMITS.max_note_bytes} bytes of UTF-8 (Limits.max_note_bytes; a longer one is cut) and"
    f" a whole message within {LIMITS.max_message_bytes} bytes (Limits.max_message_bytes; a larger one is a fault).",
)
async def stays_small(session: Session) -> None:
    """All answers and notes so far are within the limits of the welcome."""
    match = await session.open_match(MOVE)
    await match.play_turn()
    for message in session.server.heard:
        if not message.HasField("answer"):
            continue
        if (size := message.ByteSize()) > LIMITS.max_message_bytes:
            raise Failed(f"an answer had {size} bytes, but {LIMITS.max_message_bytes} are allowed")
        if (size := len(message.answer.note.encode())) > LIMITS.max_note_bytes:
            raise Failed(f"a note had {size} bytes, but {LIMITS.max_note_bytes} are kept")


@MESSAGES.register(
    "unknown-fields", "Ignore fields that you do not know, as protobuf does: the protocol grows by new fields."
)
async def ignores_new_fields(session: Session) -> None:
    """Unknown fields, in every message from offer to request, are ignored."""
    match = session.match(MOVE.line(session.ruleset()))
    match.open()
    session.send(_newer(match.offer()))
    await match.accepted()
    session.send(_newer(match.reveal_request()))
    await match.revealed()
    session.send(_newer(match.request()))
    match.play(await match.answer())
    session.server.close(match.id, _newer(match.end()))
    await session.pong()


def _newer(message: ServerMessage) -> ServerMessage:
    """Return a copy with an unknown field at every level of the message."""
    newer = _with_new_field(message)
    kind = getattr(newer, newer.WhichOneof("kind") or "")
    for _field, value in kind.ListFields():
        if isinstance(value, Message):
            value.MergeFromString(NEW_FIELD)
    kind.MergeFromString(NEW_FIELD)
    return newer


def _with_new_field(message: M) -> M:
    newer = type(message)()
    newer.ParseFromString(message.SerializeToString() + NEW_FIELD)
    return newer


@MESSAGES.register(
    "unknown-message", "Ignore a ServerMessage of an unknown kind: none of the kinds that you know is set in it."
)
async def ignores_new_kinds(session: Session) -> None:
    """An unknown kind of message is ignored, also during a match."""
    match = await session.open_match(MOVE)
    session.send(_with_new_field(ServerMessage()))
    session.send(ServerMessage())
    await match.decide()


@MESSAGES.register(
    "frees-memory",
    "Free everything of a match at its end: its object, its thread, its tree, and all data under its id.",
)
async def frees_memory(session: Session) -> None:
    """Twenty short matches leave no memory behind."""
    if _memory(session) is None:
        raise Skipped("the memory of its process cannot be measured here")
    for _ in range(SHORT_MATCHES // 4):
        await _short_match(session)
    before = _memory(session)
    for _ in range(SHORT_MATCHES):
        await _short_match(session)
    after = _memory(session)
    if before is not None and after is not None and after - before > LEAK:
        raise Failed(f"{SHORT_MATCHES} short matches have cost {(after - before) // 1024} MiB of memory")


async def _short_match(session: Session) -> None:
    match: DoctorMatch = await session.open_match(MOVE)
    await match.decide()
    match.finish()


def _memory(session: Session) -> int | None:
    """Return the memory in KiB of the bot's process and its children; `None` where that cannot be measured."""
    if session.process is None or session.process.pid is None:
        return None
    try:
        return _resident(session.process.pid)
    except OSError:
        return None


def _resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    own = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")), 0)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return own + sum(_resident(int(child)) for child in children)
