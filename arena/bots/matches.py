"""All matches of a bot process: handles the server's messages about matches. It does not know the stream."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import structlog

from arena.bots.bot import Bot, End, Fault, MatchInfo
from arena.bots.match_runner import MatchRunner
from arena.bots.receipts import broken_promise, keep_receipt
from arena.referee import canonical_bytes, other_terms
from arena.wire import codec
from arena.wire.matches import REPEATED
from arena.wire.v1.bot_pb2 import (
    Accept,
    BotMessage,
    DecisionRequest,
    Decline,
    MatchAborted,
    MatchEnd,
    MatchTerms,
    Offer,
    Resumed,
    Reveal,
    RevealRequest,
    ServerMessage,
    SignedOffer,
    Welcome,
)
from arena.wire.v1.bot_pb2 import Fault as FaultMessage

# The signed offer that is sent when all bots have accepted a match. It must have the terms of the offer itself.


class UntrueOffer(ValueError):
    """Raised when a signed offer has other terms; the message says which."""


def read_signed_offer(match: MatchInfo, signed: SignedOffer) -> dict[str, Any]:
    """Return the document and its signature, as a line of the public log.

    Raises `UntrueOffer` if it does not fit this match. The signature is kept, not checked: a bot has no keys of the
    arena, but whoever checks its receipt has.
    """
    try:
        document = json.loads(signed.document)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or canonical_bytes(document) != signed.document:
        raise UntrueOffer("the signed offer is not a canonical JSON object")
    terms = {
        "match": match.id,
        "ruleset": match.ruleset,
        "seats": [{"name": player["name"], "version": player["version"]} for player in match.participants],
        "clock": match.clock,
        "policy": match.policy,
        "rated": match.rated,
        "commitment": match.commitment.hex(),
    }
    try:
        differs = other_terms(document, terms)
    except (AttributeError, KeyError, TypeError):
        raise UntrueOffer("the signed offer is not an offer document") from None
    if differs is not None:
        raise UntrueOffer(f"the signed offer has a different {differs}")
    return {"document": document, "signature": {"key": signed.key, "ed25519": signed.signature.hex()}}


log = structlog.get_logger("arena.bots")

FORGET_S = 180.0  # how long a match is kept that the server does not name after a reconnect
OVER_S = 60.0  # how long the end of a match is awaited after the server has said that it is over
MAX_NOTE_BYTES = 1024
NONCE_BYTES = 16


class Matches:
    """The matches being played, by id. All methods belong to the event loop."""

    def __init__(
        self,
        bot: type[Bot],
        max_matches: int,
        send: Callable[[BotMessage], None],
        receipts: Path | None = None,
        nonce_key: bytes = b"",
    ) -> None:
        self.is_closed = False
        """If true, new matches are declined."""
        self.finished = 0
        """Number of matches played to their end."""
        self._bot = bot
        self._max_matches = max_matches
        self._send = send
        self._receipts = receipts
        self._nonce_key = nonce_key
        self._runners: dict[str, MatchRunner] = {}
        self._tasks: set[asyncio.Future[None]] = set()
        self._max_note_bytes = MAX_NOTE_BYTES
        self._name = ""
        """The bot's name, as the server gives it."""

    def __len__(self) -> int:
        return sum(runner.over_since is None for runner in self._runners.values())

    @property
    def running(self) -> list[str]:
        """Return the matches that are not over, as far as this process knows."""
        return [match for match, runner in self._runners.items() if runner.over_since is None]

    def welcomed(self, welcome: Welcome) -> None:
        """Handle a welcome. Matches that the server does not name may still be resumed later."""
        self._name = welcome.bot
        self._max_note_bytes = welcome.limits.max_note_bytes or MAX_NOTE_BYTES
        now = time.monotonic()
        for runner in self._runners.values():
            runner.unknown_since = None if runner.match.id in welcome.running else now
            if runner.match.id in welcome.over and runner.over_since is None:
                runner.over_since = now

    def take(self, message: ServerMessage) -> None:
        """Handle a message if it is about a match."""
        kind = message.WhichOneof("kind")
        if kind == "offer":
            self._offered(message.offer)
        elif kind == "resumed":
            self._resumed(message.resumed)
        elif kind == "reveal_request":
            self._asked_to_reveal(message.reveal_request)
        elif kind == "request":
            self._asked(message.request)
        elif kind == "fault":
            self._faulted(message.fault)
        elif kind == "match_end":
            self._ended(message.match_end)
        elif kind == "match_aborted":
            self._aborted(message.match_aborted)
        elif kind == "error" and (runner := self._runners.get(message.error.match_id)):
            runner.unknown_since = time.monotonic()  # most likely its end was missed
        self._forget_unknown()

    async def settle(self) -> None:
        """Wait until the bots' last methods are done."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def abandon(self) -> None:
        """Cancel everything that is still awaited."""
        for task in self._tasks:
            task.cancel()

    def _offered(self, offer: Offer) -> None:
        runner = self._runners.get(offer.match_id)
        if runner is None and (self.is_closed or len(self) >= self._max_matches):
            reason = "leaving" if self.is_closed else "no free place"
            self._send(BotMessage(decline=Decline(match_id=offer.match_id, reason=reason)))
            return
        if runner is None:
            runner = self._start(_match(offer.match_id, offer.terms, nonce=self._new_nonce(offer)))
            runner.log.info("match_started", players=offer.terms.ruleset.players)
            self._keep_receipt(runner)
        digest = sha256(runner.match.nonce).digest()
        self._send(BotMessage(accept=Accept(match_id=offer.match_id, nonce_hash=digest)))

    def _asked_to_reveal(self, request: RevealRequest) -> None:
        """Reveal the nonce if its hash is among the fixed ones. A seat without a nonce forfeits."""
        runner = self._runners.get(request.match_id)
        nonce = b""
        if runner is not None:
            runner.unknown_since = None
        if runner is None or not runner.match.nonce:
            nonce = self._nonce_of_earlier_process(request)
            if not nonce:
                why = "this process restarted after it accepted the match"
                log.error("nonce_lost", match=request.match_id, why=why)
        elif (fixed := with_hashes(runner.match, tuple(request.nonce_hashes))) is None:
            runner.log.error("nonce_hash_not_as_given", hint="keep the receipt and tell the operator")
        else:
            try:
                fixed = _with_seats(fixed, request, self._name)
            except UntrueOffer as error:
                runner.log.error("offer_not_as_signed", why=str(error), hint="keep the receipt and tell the operator")
            else:
                nonce = runner.match.nonce
            runner.set_terms(fixed)
            self._keep_receipt(runner)
        self._send(BotMessage(reveal=Reveal(match_id=request.match_id, nonce=nonce)))

    def _new_nonce(self, offer: Offer) -> bytes:
        if not self._nonce_key:
            return secrets.token_bytes(NONCE_BYTES)
        return derived_nonce(self._nonce_key, offer.match_id, offer.terms.seat)

    def _nonce_of_earlier_process(self, request: RevealRequest) -> bytes:
        """Return the nonce that an earlier process with the same key derived for this match; empty if it cannot be
        found."""
        if self._nonce_key:
            for seat, digest in enumerate(request.nonce_hashes, 1):
                nonce = derived_nonce(self._nonce_key, request.match_id, seat)
                if sha256(nonce).digest() == digest:
                    return nonce
        return b""

    def _resumed(self, resumed: Resumed) -> None:
        runner = self._runners.get(resumed.match_id)
        if runner is None:  # the process was restarted
            runner = self._start(_match(resumed.match_id, resumed.terms))
        elif runner.match.clock is None:  # also restarted, but the pending request came first
            runner.set_terms(_match(resumed.match_id, resumed.terms))
        runner.unknown_since = None
        runner.log.info("match_resumed", index=resumed.index)
        if resumed.HasField("request"):
            self._asked(resumed.request)

    def _asked(self, request: DecisionRequest) -> None:
        runner = self._runners.get(request.match_id)
        if runner is None:
            ruleset = codec.decode_ruleset(request.view.ruleset)
            runner = self._start(MatchInfo(id=request.match_id, seat=request.seat, ruleset=ruleset))
        runner.unknown_since = runner.over_since = None
        if runner.answer is not None and runner.answer.index == request.index:
            self._send(BotMessage(answer=runner.answer))
        elif runner.wanted != request.index:
            runner.set_wanted(request.index)
            self._spawn(self._decide(runner, request))

    async def _decide(self, runner: MatchRunner, request: DecisionRequest) -> None:
        answer = await runner.call(lambda: runner.decide(request, self._max_note_bytes))
        if answer is not None and runner.wanted == answer.index:
            runner.answer = answer
            self._send(BotMessage(answer=answer))

    def _faulted(self, message: FaultMessage) -> None:
        if runner := self._runners.get(message.match_id):
            fault = Fault(
                index=message.index,
                reason=message.reason,
                rule=message.rule,
                message=message.message,
                strikes=message.strikes,
                played=message.played,
                forfeited=message.forfeited,
            )
            runner.unknown_since = None
            runner.log.warning("fault", **asdict(fault))
            if runner.wanted == fault.index:  # the default decision was played
                runner.set_wanted(None)
            self._spawn(runner.call(lambda: runner.hook(lambda bot: bot.fault(fault))))

    def _ended(self, message: MatchEnd) -> None:
        if runner := self._runners.get(message.match_id):
            end = End(
                verdict=codec.decode_verdict(message.verdict),
                result=codec.decode_result(message.result) if message.HasField("result") else None,
                server_seed=message.server_seed,
                nonces=tuple(message.nonces),
                deal=message.deal,
                replay_url=message.replay_url,
            )
            if (broken := broken_promise(runner.match, end)) is not None:
                runner.log.error("seed_not_as_promised", what=broken, hint="keep the receipt and tell the operator")
            self.finished += 1
            places = end.verdict["placements"]
            place = places[runner.match.seat - 1] if len(places) >= runner.match.seat else None
            runner.log.info("match_ended", verdict=end.verdict["kind"], place=place, replay=end.replay_url)
            self._finish(runner, lambda bot: bot.match_ended(end))

    def _aborted(self, message: MatchAborted) -> None:
        if message.rest_ms:
            log.warning("left_out", match=message.match_id, reason=message.reason, for_s=message.rest_ms / 1000)
        if runner := self._runners.get(message.match_id):
            log_abort = runner.log.info if message.reason == REPEATED else runner.log.warning
            log_abort("match_aborted", reason=message.reason, message=message.message)
            self._finish(runner, lambda bot: bot.match_aborted(message.reason, message.message))

    def _keep_receipt(self, runner: MatchRunner) -> None:
        if self._receipts is not None:
            try:
                keep_receipt(self._receipts, runner.match)
            except OSError as error:
                runner.log.warning("receipt_not_kept", why=str(error))

    # --- runners ---

    def _start(self, match: MatchInfo) -> MatchRunner:
        runner = self._runners[match.id] = MatchRunner(self._bot, match)
        self._spawn(runner.call(lambda: runner.hook(lambda bot: bot.match_started())))
        return runner

    def _finish(self, runner: MatchRunner, hook: Callable[[Bot], Awaitable[None] | None]) -> None:
        del self._runners[runner.match.id]
        runner.set_wanted(None)
        self._spawn(runner.call(lambda: runner.hook(hook)))
        runner.close()

    def _forget_unknown(self) -> None:
        """Drop matches whose end was missed while there was no stream."""
        now = time.monotonic()
        for runner in list(self._runners.values()):
            is_forgotten = runner.unknown_since is not None and now - runner.unknown_since > FORGET_S
            if is_forgotten or (runner.over_since is not None and now - runner.over_since > OVER_S):
                runner.log.warning("match_forgotten")
                del self._runners[runner.match.id]
                runner.set_wanted(None)
                runner.close()

    def _spawn(self, work: Coroutine[Any, Any, None] | asyncio.Future[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def derived_nonce(key: bytes, match_id: str, seat: int) -> bytes:
    """Return the nonce that follows from a secret key for one seat of a match."""
    return hmac.digest(key, f"nonce {seat} {match_id}".encode(), "sha256")[:NONCE_BYTES]


def _with_seats(match: MatchInfo, request: RevealRequest, own: str) -> MatchInfo:
    """Return the match with its players and its signed offer, if they were sent.

    Raises `UntrueOffer` if the signed terms differ from the offered ones, or name another bot than `own` at this
    seat.
    """
    if request.participants:
        match = replace(match, participants=tuple(codec.decode_participants(request.participants)))
    if not request.HasField("signed"):
        return match
    match = replace(match, offer=read_signed_offer(match, request.signed))
    if own and [participant["name"] for participant in match.participants][match.seat - 1 : match.seat] != [own]:
        raise UntrueOffer("the signed offer has a different bot at this seat")
    return match


def with_hashes(match: MatchInfo, hashes: tuple[bytes, ...]) -> MatchInfo | None:
    """Return the match with the hashes of all nonces; `None` if this seat's own hash is not in its place."""
    own = hashes[match.seat - 1] if len(hashes) >= match.seat else None
    return replace(match, nonce_hashes=hashes) if own == sha256(match.nonce).digest() else None


def _match(match_id: str, terms: MatchTerms, nonce: bytes = b"") -> MatchInfo:
    return MatchInfo(
        id=match_id,
        seat=terms.seat,
        ruleset=codec.decode_ruleset(terms.ruleset),
        participants=tuple(codec.decode_participants(terms.participants)),
        clock=codec.decode_clock(terms.clock),
        policy=codec.decode_policy(terms.policy),
        commitment=terms.commitment,
        nonce=nonce,
        rated=terms.rated,
    )
