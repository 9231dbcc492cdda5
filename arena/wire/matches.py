"""Translate between a referee's commands and the messages of one match, as bytes.

Like the rest of arena.wire, this module decides nothing. A referee that runs over the network needs no other generated
code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from arena.referee import AskMove, AskReveal, Clock, Policy, ResumeSeat, TellFault
from arena.rules import Ruleset
from arena.wire import codec
from arena.wire.joining import joiner
from arena.wire.names import PHASES, CodecError
from arena.wire.v1.bot_pb2 import (
    DecisionRequest,
    Fault,
    MatchAborted,
    MatchEnd,
    MatchTerms,
    Offer,
    Participant,
    Resumed,
    RevealRequest,
    ServerMessage,
    SignedOffer,
)

_AS_REQUEST, _AS_VIEW = joiner(ServerMessage, "request"), joiner(DecisionRequest, "view")

REPEATED: Final = "REPEATED"
"""Reason for aborting a match that a bot plays again (`arena debug`)."""


class Signed(NamedTuple):
    """The offer of a match as the arena signed and published it."""

    document: bytes
    """Canonical JSON (`arena.referee.offers`)."""
    key: str
    signature: bytes


class RoundTrip(NamedTuple):
    """Division of an answer's time between network, queue and thinking."""

    network_ns: int
    queue_ns: int
    think_ns: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """A bot accepted an offer."""

    nonce_hash: bytes


@dataclass(frozen=True, slots=True)
class Revealed:
    """A bot revealed its nonce."""

    nonce: bytes


@dataclass(frozen=True, slots=True)
class Declined:
    """A bot declined an offer."""

    reason: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A bot answered a decision request."""

    index: int
    actions: tuple[str, ...]
    note: str


def decode_reply(payload: bytes) -> Accepted | Declined | Revealed | Answered:
    """Read a bot message about a match. Raise `CodecError` for any other message."""
    message = codec.decode_bot(payload)
    match message.WhichOneof("kind"):
        case "accept":
            return Accepted(message.accept.nonce_hash)
        case "decline":
            return Declined(message.decline.reason)
        case "reveal":
            return Revealed(message.reveal.nonce)
        case "answer":
            return Answered(message.answer.index, tuple(message.answer.actions), message.answer.note)
        case kind:
            raise CodecError(f"{kind or 'an unknown kind'} is not a message about a match")


@dataclass(frozen=True, slots=True)
class MatchCodec:
    """The terms of one match, and its messages."""

    match: str
    ruleset: Ruleset
    participants: Sequence[Mapping[str, str]]
    """`name`, `version` and `owner` of each bot, seat 1 first."""
    clock: Clock
    policy: Policy
    commitment: bytes
    is_rated: bool
    signed: Signed | None = None
    """None for a match that no arena plays."""

    def offer(self, seat: int) -> bytes:
        """Encode the offer for a seat. It leaves out the participants, so that nobody picks opponents."""
        return _bytes(
            ServerMessage(
                offer=Offer(match_id=self.match, terms=self._terms(seat), answer_within_ms=self.policy.offer_ms)
            )
        )

    def reveal_request(self, ask: AskReveal) -> bytes:
        """Encode the request for a nonce. It names the participants, because all have accepted."""
        return _bytes(
            ServerMessage(
                reveal_request=RevealRequest(
                    match_id=self.match,
                    nonce_hashes=ask.nonce_hashes,
                    answer_within_ms=self.policy.offer_ms,
                    participants=self._participants(),
                    signed=self._signed(),
                )
            )
        )

    def request(self, ask: AskMove, last: RoundTrip | None, *, wants_legal: bool) -> bytes:
        """Encode a decision request. `last` is how the time of the seat's last answer is divided."""
        rest = DecisionRequest(
            match_id=self.match,
            index=ask.index,
            seat=ask.seat,
            phase=PHASES.number(ask.phase),
            events=codec.encode_events(ask.events, ask.since),
            legal=[action.text for action in ask.legal] if wants_legal else [],
            bank_ms=ask.bank_ms,
            increment_ms=self.clock.increment_ms,
            cap_ms=ask.cap_ms,
            grace_ms=ask.grace_ms,
            last_round_trip=None if last is None else codec.encode_round_trip(*last),
        )
        return _AS_REQUEST(_AS_VIEW(codec.pack_view(ask.view)) + rest.SerializeToString())

    def fault(self, fault: TellFault) -> bytes:
        """Encode the notice of a fault."""
        return _bytes(
            ServerMessage(
                fault=Fault(
                    match_id=self.match,
                    index=fault.index,
                    reason=fault.reason,
                    rule=fault.rule,
                    message=fault.message,
                    strikes=fault.strikes,
                    played=fault.played,
                    forfeited=fault.has_forfeited,
                )
            )
        )

    def resumed(self, seat: ResumeSeat) -> bytes:
        """Encode a running match, for a bot that has reconnected."""
        terms, signed = self._terms(seat.seat), None
        if seat.all_accepted:
            terms.participants.extend(self._participants())
            signed = self._signed()
        return _bytes(
            ServerMessage(
                resumed=Resumed(
                    match_id=self.match,
                    terms=terms,
                    index=seat.index,
                    view=None if seat.view is None else codec.encode_view(seat.view),
                    bank_ms=seat.bank_ms,
                    grace_ms=seat.grace_ms,
                    signed=signed,
                )
            )
        )

    def end(self, replay: Mapping[str, Any], replay_url: str) -> bytes:
        """Encode the end of the match, from its replay document."""
        return _bytes(
            ServerMessage(
                match_end=MatchEnd(
                    match_id=self.match,
                    verdict=codec.encode_verdict(replay["verdict"]),
                    result=codec.encode_result(replay["result"]) if replay["result"] else None,
                    server_seed=bytes.fromhex(replay["server_seed"]),
                    nonces=[bytes.fromhex(nonce) for nonce in replay["nonces"]],
                    deal=bytes.fromhex(replay.get("deal", "")),
                    replay_url=replay_url,
                )
            )
        )

    def aborted(self, reason: str, message: str, rest_ms: int = 0) -> bytes:
        """Encode `MatchAborted`. `rest_ms` is how long the bot gets no offers of ladder matches as a consequence."""
        aborted = MatchAborted(match_id=self.match, reason=reason, message=message, rest_ms=rest_ms)
        return _bytes(ServerMessage(match_aborted=aborted))

    def _signed(self) -> SignedOffer | None:
        return None if self.signed is None else SignedOffer(**self.signed._asdict())

    def _participants(self) -> list[Participant]:
        return codec.encode_participants(dict(participant) for participant in self.participants)

    def _terms(self, seat: int) -> MatchTerms:
        policy = self.policy.document()
        del policy["offer_ms"]  # the offer has it in a field of its own
        return MatchTerms(
            ruleset=codec.encode_ruleset(self.ruleset.document()),
            seat=seat,
            clock=codec.encode_clock(self.clock.document()),
            policy=codec.encode_policy(policy),
            commitment=self.commitment,
            rated=self.is_rated,
        )


def _bytes(message: ServerMessage) -> bytes:
    return message.SerializeToString()
