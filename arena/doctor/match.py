"""One match with the bot: the messages to the bot, and its answers."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from arena.doctor.errors import Failed
from arena.doctor.server import LIMITS, BotServer
from arena.doctor.situations import DoctorLine
from arena.referee import AskMove, AskReveal, Clock, Policy, ResumeSeat, TellFault
from arena.referee.terms import MAX_NONCE, NONCE_HASH
from arena.rules import ActionSyntaxError, IllegalAction, Ruleset, commitment, match_seed, view
from arena.wire.matches import MatchCodec
from arena.wire.v1.bot_pb2 import Answer, BotMessage, Reveal, ServerMessage

SECRET: Final = sha256(b"the doctor's secret").digest()
NONCE: Final = sha256(b"the nonce of every other seat").digest()[:16]
SLACK_S: Final = 0.5
"""Seconds beyond its limit for which an answer is awaited."""
SPAN: Final = 60
"""Maximum number of decisions of one turn."""


class DoctorMatch:
    """A match in which the bot has one seat and the others play at random. It sends nothing by itself."""

    def __init__(
        self, server: BotServer, match: str, *, line: DoctorLine | None, ruleset: Ruleset, clock: Clock
    ) -> None:
        self.id = match
        self.server = server
        self.ruleset = ruleset
        self.clock = clock
        self.policy = Policy()
        self.line = line
        self.seat = 1 if line is None else line.state.to_act
        self.heard: list[BotMessage] = []
        self.answers: list[Answer] = []
        self.nonce_hash = b""
        self.bank_ms = clock.bank_ms + clock.increment_ms
        self._nonces: list[bytes] = []
        self._pending: ServerMessage | None = None
        self._answers_before = 0
        """Number of answers that came before the pending request."""
        self._sent_until = 0 if line is None else line.index
        self._codec = MatchCodec(
            match=match,
            ruleset=ruleset,
            participants=[
                {"name": "your bot" if seat == self.seat else f"doctor-{seat}", "version": "1", "owner": "doctor"}
                for seat in range(1, ruleset.players + 1)
            ],
            clock=clock,
            policy=self.policy,
            commitment=commitment(SECRET),
            is_rated=False,
        )

    # --- the server's interface ---

    def hear(self, message: BotMessage) -> None:
        """Store a message of the bot about this match."""
        self.heard.append(message)
        if message.HasField("answer"):
            self.answers.append(message.answer)

    def resumption(self) -> list[ServerMessage]:
        """Return the messages that resume the match after a lost stream."""
        pending = [] if self._pending is None else [self._pending]
        return [self.resumed(), *pending] if self.nonce_hash else []

    def received(self, kind: str, after: int = 0) -> Any:
        """Return the bot's first message of this kind after its first `after` messages; `None` if there is none."""
        return next((getattr(message, kind) for message in self.heard[after:] if message.HasField(kind)), None)

    # --- messages ---

    def offer(self) -> ServerMessage:
        """Return the offer of the match."""
        return ServerMessage.FromString(self._codec.offer(self.seat))

    def reveal_request(self) -> ServerMessage:
        """Return the request to reveal the nonce."""
        hashes = [sha256(NONCE).digest()] * self.ruleset.players
        hashes[self.seat - 1] = self.nonce_hash
        return ServerMessage.FromString(self._codec.reveal_request(AskReveal(self.seat, tuple(hashes))))

    def request(self) -> ServerMessage:
        """Return the request for the bot's decision. It stays pending until it is played."""
        line = self._begun()
        ask = AskMove(
            seat=self.seat,
            index=line.index,
            phase=line.state.phase,
            view=view(line.state, self.seat),
            events=line.seen_events(self.seat, self._sent_until),
            since=self._sent_until,
            legal=line.state.legal,
            bank_ms=self.bank_ms,
            cap_ms=self.clock.cap_ms,
            grace_ms=self.policy.grace_ms,
        )
        self._answers_before = len(self.answers)
        self._pending = ServerMessage.FromString(
            self._codec.request(ask, None, wants_legal=self.server.hello.wants_legal)
        )
        return self._pending

    def resumed(self) -> ServerMessage:
        """Return the message that resumes the match after a lost stream."""
        index = 0 if self.line is None else self.line.index
        seen = None if self.line is None else view(self.line.state, self.seat)
        return ServerMessage.FromString(
            self._codec.resumed(ResumeSeat(self.seat, index, seen, self.bank_ms, self.policy.grace_ms))
        )

    def fault(self, reason: str, *, played: str = "", has_forfeited: bool = False) -> ServerMessage:
        """Return a fault of the bot."""
        fault = TellFault(self.seat, self._begun().index, reason, "", "said by the doctor", 1, played, has_forfeited)
        return ServerMessage.FromString(self._codec.fault(fault))

    def end(self) -> ServerMessage:
        """Return the end of the match. If the game is not over, all others have forfeited."""
        outcome = None if self.line is None else self.line.state.outcome
        others = [seat for seat in range(1, self.ruleset.players + 1) if seat != self.seat]
        if outcome is None:
            placements = [2] * self.ruleset.players
            placements[self.seat - 1] = 1
            forfeits = [{"seat": seat, "at": 0, "reason": "GONE"} for seat in others]
            verdict: dict[str, Any] = {"kind": "forfeit", "placements": placements, "forfeits": forfeits}
            result = None
        else:
            verdict = {"kind": "completed", "placements": list(outcome.ranks), "forfeits": []}
            result = {"scores": list(outcome.scores), "ranks": list(outcome.ranks), "reason": outcome.reason}
        replay = {
            "verdict": verdict,
            "result": result,
            "server_seed": SECRET.hex(),
            "nonces": [nonce.hex() for nonce in self._nonces] or [NONCE.hex()] * self.ruleset.players,
        }
        return ServerMessage.FromString(self._codec.end(replay, ""))

    def aborted(self, reason: str) -> ServerMessage:
        """Return the abort of the match, which then counts for nobody."""
        return ServerMessage.FromString(self._codec.aborted(reason, "said by the doctor"))

    # --- steps of a check ---

    def open(self) -> None:
        """Register the match with the server."""
        self.server.running[self.id] = self

    async def begin(self) -> None:
        """Offer the match, and have the nonce revealed."""
        self.open()
        self.server.send(self.offer())
        await self.accepted()
        self.server.send(self.reveal_request())
        await self.revealed()

    async def accepted(self) -> None:
        """Wait until the offer is accepted."""
        seconds = self.policy.offer_ms / 1000
        reply = await self.server.until(
            lambda: next(
                (message for message in self.heard if message.HasField("accept") or message.HasField("decline")), None
            ),
            seconds,
            f"it has not answered an offer within {seconds:g} seconds",
        )
        if reply.HasField("decline"):
            raise Failed(f"it has declined an offer while it had a free place: {reply.decline.reason!r}")
        self.nonce_hash = reply.accept.nonce_hash
        if len(self.nonce_hash) != NONCE_HASH:
            raise Failed(f"Accept.nonce_hash has {len(self.nonce_hash)} bytes, not {NONCE_HASH}")

    async def revealed(self) -> None:
        """Wait until the nonce is revealed, and begin the game."""
        seconds = self.policy.offer_ms / 1000
        reveal: Reveal = await self.server.until(
            lambda: self.received("reveal"), seconds, f"it has not answered a RevealRequest within {seconds:g} seconds"
        )
        if len(reveal.nonce) > MAX_NONCE:
            raise Failed(f"its nonce has {len(reveal.nonce)} bytes, but at most {MAX_NONCE} are allowed")
        if sha256(reveal.nonce).digest() != self.nonce_hash:
            raise Failed("its nonce is not the one whose SHA-256 was in its Accept")
        self._nonces = [NONCE] * self.ruleset.players
        self._nonces[self.seat - 1] = reveal.nonce
        if self.line is None:
            self.line = DoctorLine.new_game(self.ruleset, match_seed(SECRET, self._nonces))

    async def ask(self) -> Answer:
        """Ask for the next decision and return the answer, without playing it."""
        self.server.send(self.request())
        return await self.answer()

    async def answer(self, after: int = 0) -> Answer:
        """Wait for the first answer to the pending request after the first `after` answers."""
        index = self._begun().index
        limit = min(self.bank_ms, self.clock.cap_ms) / 1000
        begun = self.server.clock()

        def matching() -> Answer | None:
            return next((answer for answer in self.answers[after:] if answer.index == index), None)

        try:
            answer = await self.server.until(
                matching,
                limit + SLACK_S + 2 * self.server.delay_s,
                f"{self._where()} it has not answered within {limit:g} seconds, the smaller of bank and cap",
            )
        except Failed:
            self.server.check_alive()
            if wrong := [answer.index for answer in self.answers[max(after, self._answers_before) :]]:
                raise Failed(f"{self._where()} it was asked for index {index} and answered index {wrong[-1]}") from None
            raise
        took = self.server.clock() - begun - 2 * self.server.delay_s
        if took > limit * self.server.patience:
            raise Failed(f"{self._where()} it took {took:.1f} seconds; it had {limit:g}, the smaller of bank and cap")
        return answer

    def play(self, answer: Answer) -> None:
        """Play an answer as a referee does: until chance intervenes or another seat is to act."""
        line = self._begun()
        if not answer.actions:
            raise Failed(f"{self._where()} it answered without an action")
        if len(answer.actions) > LIMITS.max_actions:
            raise Failed(
                f"{self._where()} it answered with {len(answer.actions)} actions, but {LIMITS.max_actions} are allowed"
            )
        self._pending = None
        self._sent_until = line.index
        for text in answer.actions:
            try:
                events = line.play(text)
            except (ActionSyntaxError, IllegalAction) as error:
                raise Failed(f"{self._where()} it answered {text[:80]!r}: {error}") from None
            if events > 1 or line.state.to_act != self.seat:
                return

    async def decide(self) -> None:
        """Ask for a decision and play it."""
        self.play(await self.ask())

    def pass_on(self) -> bool:
        """Play for the others, and forced actions, until the bot has to decide. Return false if the game is over."""
        line = self._begun()
        while not line.state.is_over:
            if line.state.to_act == self.seat and line.state.legal.sole is None:
                return True
            line.play_at_random()
        return False

    async def play_turn(self) -> None:
        """Let the bot decide until another seat is to act."""
        line = self._begun()
        for _ in range(SPAN):
            if line.state.to_act != self.seat:
                return
            if line.state.legal.sole is None:
                await self.decide()
            else:
                line.play_at_random()

    async def play_on(self, goes_on: Callable[[DoctorLine], bool]) -> None:
        """Play while `goes_on` holds before a decision of the bot, at most to the end of the game."""
        while self.pass_on() and goes_on(self._begun()):
            await self.decide()

    def abort(self, reason: str = "VOID") -> None:
        """Abort the match."""
        self.server.close(self.id, self.aborted(reason))

    def finish(self) -> None:
        """End the match."""
        self.server.close(self.id, self.end())

    def _begun(self) -> DoctorLine:
        assert self.line is not None, "the match has not begun"
        return self.line

    def _where(self) -> str:
        line = self._begun()
        return f"in phase {line.state.phase}, with {self.ruleset.players} players,"
