"""Lost streams, slow networks and pings."""

from __future__ import annotations

from typing import Final

from arena.doctor.check import Checks
from arena.doctor.errors import Failed, Skipped
from arena.doctor.match import DoctorMatch
from arena.doctor.server import SOON_S
from arena.doctor.session import Session
from arena.doctor.situations import PHASES
from arena.referee import Clock
from arena.wire.v1.bot_pb2 import Error, ServerMessage

STREAMS: Final = Checks()
MOVE: Final = PHASES[1]
DELAY_S: Final = 0.3
PINGS: Final = 20
HURRY: Final = Clock(bank_ms=2_500, increment_ms=0)
WATCH_S: Final = 3.0
"""Seconds for which a refused bot is watched."""
MOST_DIALS: Final = 8
"""Maximum number of connections during that time after a temporary refusal."""
GOING_DOWN: Final = Error(code=14, reason="GOING_DOWN", message="said by the doctor: come back", fatal=True)
TRY_AGAIN: Final = Error(code=14, reason="TRY_AGAIN", message="said by the doctor: come back later", fatal=True)
PENDING: Final = (
    "After a reconnect the pending DecisionRequest is repeated under its old index: answer it, even if you have"
    " answered it before."
)


@STREAMS.register(
    "answers-pings", "Answer every Ping at once with a Pong of the same id, on a thread that does not compute moves."
)
async def answers_pings(session: Session) -> None:
    """A burst of pings is answered, each with its id."""
    for _ in range(PINGS - 1):
        session.server.ping()
    before = len(session.server.heard)
    await session.pong()
    pongs = [message.pong.id for message in session.server.heard[before:] if message.HasField("pong")]
    if len(set(pongs)) < PINGS:
        raise Failed(f"it has answered {len(set(pongs))} of {PINGS} pings")


@STREAMS.register(
    "answers-pings-while-thinking",
    "Read the stream on a thread that does not compute moves: a bot that leaves pings unanswered counts as"
    " disconnected, and its clock is charged for the network's time.",
)
async def answers_pings_while_thinking(session: Session) -> None:
    """A ping is answered at once while the bot thinks."""
    match = await session.open_match(MOVE)
    session.send(match.request())
    await session.pong()
    await match.answer()


@STREAMS.register(
    "comes-back",
    "When the stream ends with UNAVAILABLE, open another one after a moment and say hello with the same token and"
    " process.",
)
async def comes_back(session: Session) -> None:
    """After a lost stream the bot reconnects as the same process."""
    process = session.hello.process
    session.server.end_stream()
    hello = await session.back()
    if hello.process != process:
        raise Failed(
            f"it has reconnected as process {hello.process!r}; it was {process!r} before, and would lose its matches"
        )


@STREAMS.register("comes-back-after-restart-of-server", "GOING_DOWN is temporary: reconnect; your matches wait.")
async def comes_back_after_going_down(session: Session) -> None:
    """After the error GOING_DOWN the bot reconnects."""
    session.server.end_stream(GOING_DOWN)
    await session.back()


@STREAMS.register("lost-before-answer", PENDING)
async def lost_before_answer(session: Session) -> None:
    """After a stream that is lost while it thinks, the bot reconnects and answers the pending request."""
    match = await session.open_match(MOVE)
    session.send(match.request())
    answered = len(match.answers)
    session.server.end_stream()
    await session.back()
    match.play(await match.answer(answered))


@STREAMS.register("names-running-matches", "When you reconnect, list your running matches in Hello.running.")
async def names_running(session: Session) -> None:
    """The hello after a lost stream names the running match."""
    match = await session.open_match(MOVE)
    session.server.end_stream()
    hello = await session.back()
    if match.id not in hello.running:
        raise Failed("its hello after a lost stream does not name the match that it is in")


@STREAMS.register("answer-was-lost", PENDING)
async def answer_was_lost(session: Session) -> None:
    """An answer that was lost with the stream is sent again."""
    match = await session.open_match(MOVE)
    await match.ask()
    answered = len(match.answers)
    session.server.end_stream()
    await session.back()
    match.play(await match.answer(answered))


@STREAMS.register("request-repeated", "Answer a repeated request with the same index as you answered it before.")
async def answers_repeated(session: Session) -> None:
    """A request that is repeated on one stream is answered twice, or once for both."""
    match = await session.open_match(MOVE)
    session.send(match.request())
    session.send(match.request())
    await match.answer()
    session.send(match.request())
    match.play(await match.answer(len(match.answers) - 1))
    await match.play_turn()


@STREAMS.register(
    "request-before-resumed",
    "The pending request may arrive before Resumed: start the match with whichever arrives first.",
)
async def takes_request_first(session: Session) -> None:
    """A restarted process accepts the pending request before it gets Resumed."""
    match = await session.open_match(MOVE)
    request = match.request()
    await _away(session, match)
    session.send(request)
    session.send(match.resumed())
    match.play(await match.answer(len(match.answers)))


@STREAMS.register("request-inside-resumed", "Check Resumed.request: it may hold the pending request.")
async def takes_request_inside(session: Session) -> None:
    """The pending request may be inside Resumed."""
    match = await session.open_match(MOVE)
    request = match.request()
    await _away(session, match)
    resumed = match.resumed()
    resumed.resumed.request.CopyFrom(request.request)
    session.send(resumed)
    match.play(await match.answer(len(match.answers)))


async def _away(session: Session, match: DoctorMatch) -> None:
    """Kill the bot and restart it without resuming the match."""
    await session.stop()
    del session.server.running[match.id]
    await session.connected()
    match.open()


@STREAMS.register(
    "started-again-in-match",
    "A restarted process gets its matches back with Resumed, which has the terms and the view: continue from these,"
    " without earlier data.",
)
async def started_again(session: Session) -> None:
    """A process that was killed and restarted continues its match."""
    match = await session.open_match(MOVE)
    match.request()
    await session.stop()
    await session.connected()
    match.play(await match.answer())
    await match.play_turn()


@STREAMS.register(
    "process-name-stays",
    "Make Hello.process from values that do not change: not from a process id, a time or a random number.",
)
async def keeps_name(session: Session) -> None:
    """A restarted process has the same name."""
    if len(session.first_hellos) < 2:
        await session.restart()
    before, after = (hello.process for hello in session.first_hellos[-2:])
    if before != after:
        raise Failed(f"it was process {before!r}, and is {after!r} after a restart: its matches would be lost")


@STREAMS.register(
    "rejoined-with-little-time",
    "Check DecisionRequest.bank_ms and cap_ms before you think: the smaller one is the time that you have, also after a"
    " reconnect.",
)
async def rejoined_with_little_time(session: Session) -> None:
    """After a reconnect the bot answers within the two and a half seconds that are left on its clock."""
    match = await session.open_match(MOVE, clock=HURRY)
    session.server.end_stream()
    await session.back()
    await match.decide()


@STREAMS.register("over-while-away", "Drop the matches in Welcome.over: they are over and take no place.")
async def drops_what_is_over(session: Session) -> None:
    """Matches that ended while the bot was disconnected free their places."""
    if session.places > PINGS:
        raise Skipped(f"it has {session.places} places; the check fills at most {PINGS}")
    matches = [session.match() for _ in range(session.places)]
    for match in matches:
        await match.begin()
    session.server.end_stream()
    for match in matches:
        del session.server.running[match.id]
    await session.back()
    for _ in matches:
        await session.match().begin()


@STREAMS.register("end-while-away", "Accept a MatchEnd that arrives right after Welcome.")
async def takes_end_late(session: Session) -> None:
    """The end of a match may arrive after the reconnect."""
    match = await session.open_match(MOVE)
    session.server.end_stream()
    await session.back()
    match.finish()
    await session.pong()
    await session.match().begin()


@STREAMS.register(
    "slow-network",
    "Wait for each message, and do not rely on fast round trips: far from the server each message takes a while.",
)
async def plays_slowly(session: Session) -> None:
    """With a delay of 0.3 seconds for each message the bot accepts, reveals and plays a turn."""
    session.server.delay_s = DELAY_S
    match = await session.open_match(PHASES[0])
    await match.play_turn()


@STREAMS.register(
    "does-not-hammer", "After a refusal wait a random time, up to a limit that doubles with each refusal."
)
async def does_not_hammer(session: Session) -> None:
    """A bot whose hellos are refused as UNAVAILABLE waits longer and longer before it reconnects."""
    before = len(session.server.streams)
    session.server.refusal = TRY_AGAIN
    session.server.end_stream(GOING_DOWN)
    await session.quiet(WATCH_S)
    dials = len(session.server.streams) - before
    await session.stop()  # it may wait for half a minute now
    if dials > MOST_DIALS:
        raise Failed(
            f"it has connected {dials} times within {WATCH_S:g} seconds; up to {MOST_DIALS} would be acceptable"
        )


@STREAMS.register("error-message", "Error without `fatal` is about one of your messages: log it and continue.")
async def survives_error(session: Session) -> None:
    """An error that is not fatal does no harm."""
    for reason, match_id in (("MATCH_UNKNOWN", "never-heard-of"), ("A_REASON_FROM_THE_FUTURE", "")):
        error = Error(code=5, reason=reason, message="said by the doctor", match_id=match_id)
        session.send(ServerMessage(error=error))
    await session.pong(SOON_S)
    await session.match().begin()
