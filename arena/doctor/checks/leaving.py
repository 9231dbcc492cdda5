"""Checks of how a bot ends, on a signal or after a refusal."""

from __future__ import annotations

from typing import Final

from arena.doctor.check import Checks
from arena.doctor.errors import Failed
from arena.doctor.server import SOON_S
from arena.doctor.session import Session
from arena.doctor.situations import PHASES
from arena.wire.v1.bot_pb2 import Error

LEAVING: Final = Checks()
MOVE: Final = PHASES[1]
LEAVE_S: Final = 10.0
"""Seconds in which a bot without a match must end."""
WATCH_S: Final = 2.5
TAKEN_OVER: Final = Error(
    code=10, reason="TAKEN_OVER", message="said by the doctor: it is on another stream", fatal=True
)
BAD_TOKEN: Final = Error(code=16, reason="BAD_TOKEN", message="said by the doctor: unknown token", fatal=True)
MOST_DIALS: Final = 2
"""Maximum number of connections after a final refusal."""


@LEAVING.register(
    "leaves-when-told", "At SIGTERM, as at the first Ctrl-C, end the stream if no match is running, and exit."
)
async def leaves(session: Session) -> None:
    """A bot without a match ends after SIGTERM."""
    process = session.process
    assert process is not None
    process.terminate()
    await _ended(session, "it still runs {0:g} seconds after SIGTERM, without a match")


@LEAVING.register(
    "finishes-match-when-told",
    "At SIGTERM send Leave, play the running matches to their end, accept no new ones, and exit after the last. If"
    " you abandon a match, you forfeit it.",
)
async def finishes(session: Session) -> None:
    """A bot that gets SIGTERM during a match finishes the match, accepts no other, and ends."""
    match = await session.open_match(MOVE)
    before = len(session.server.heard)
    process = session.process
    assert process is not None
    process.terminate()
    try:
        await session.server.until(
            lambda: any(message.HasField("leave") for message in session.server.heard[before:]),
            SOON_S,
            f"it has not sent Leave within {SOON_S:g} seconds after SIGTERM",
        )
        await match.decide()
        more = session.match()
        more.open()
        session.send(more.offer())
        await session.pong()
        if more.received("accept") is not None:
            raise Failed("it has accepted a new match after Leave")
        more.abort()
        match.finish()
        await _ended(session, "it still runs {0:g} seconds after the end of its last match, though it was leaving")
    finally:
        await session.stop()


async def _ended(session: Session, otherwise: str) -> None:
    process = session.process
    assert process is not None
    # The process may end now.
    session.expects_end = True
    try:
        await session.server.until(lambda: process.exit_code is not None, LEAVE_S, otherwise.format(LEAVE_S))
    finally:
        session.expects_end = False
        await session.stop()


@LEAVING.register(
    "taken-over",
    "TAKEN_OVER means that another process has your name: exit, or the two take the stream from each other.",
)
async def gives_way(session: Session) -> None:
    """After TAKEN_OVER the bot does not reconnect."""
    await _refused_for_good(session, TAKEN_OVER, at_hello=False)


@LEAVING.register(
    "bad-token",
    "A refusal as UNAUTHENTICATED is final: report it and exit, because the same hello gets the same answer.",
)
async def accepts_bad_token(session: Session) -> None:
    """A bot whose token is refused does not retry again and again."""
    await _refused_for_good(session, BAD_TOKEN, at_hello=True)


async def _refused_for_good(session: Session, error: Error, *, at_hello: bool) -> None:
    session.expects_end = True
    before = len(session.server.streams)
    try:
        if at_hello:
            await session.stop()
            session.server.refusal = error
            before += 1
            await session.start()
            await session.server.until(
                lambda: len(session.server.streams) >= before, LEAVE_S * 3, "it has not connected"
            )
        else:
            session.server.refusal = error
            session.server.end_stream(error)
        await session.quiet(WATCH_S)
        dials = len(session.server.streams) - before
        if dials > MOST_DIALS:
            raise Failed(f"it has connected {dials} times within {WATCH_S:g} seconds after {error.reason}")
    finally:
        session.expects_end = False
        await session.stop()
