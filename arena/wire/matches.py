"""What a referee's shell says to bots and hears from them, as bytes: the codec between its commands and the messages.

Like the rest of arena.wire it decides nothing. Whoever referees over the network needs no generated code beside this.
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
"""Why a match is aborted that a bot is given again (`arena debug`)."""


class Signed(NamedTuple):
    """The offer of a match as the arena has signed and published it."""

    document: bytes
    """Canonical JSON: `arena.referee.offers`."""
    key: str
    signature: bytes


class RoundTrip(NamedTuple):
    """Where the time of an answer went."""

    network_ns: int
    queue_ns: int
    think_ns: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """A bot said yes to an offer."""

    nonce_hash: bytes


@dataclass(frozen=True, slots=True)
class Revealed:
    """A bot gave its nonce away."""

    nonce: bytes


@dataclass(frozen=True, slots=True)
class Declined:
    """A bot said no to an offer."""

    reason: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A bot said what it wants to do."""

    index: int
    actions: tuple[str, ...]
    note: str


def decode_reply(payload: bytes) -> Accepted | Declined | Revealed | Answered:
    """What a bot said about a match."""
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
    """`name`, `version` and `owner` by seat, seat 1 first."""
    clock: Clock
    policy: Policy
    commitment: bytes
    is_rated: bool
    signed: Signed | None = None
    """None for a match from before there were signed offers."""

    def offer(self, seat: int) -> bytes:
        """The offer for a seat: without who plays, so that nobody picks opponents."""
        return _bytes(
            ServerMessage(
                offer=Offer(match_id=self.match, terms=self._terms(seat), answer_within_ms=self.policy.offer_ms)
            )
        )

    def reveal_request(self, ask: AskReveal) -> bytes:
        """The request for a nonce, with who plays, now that all have accepted."""
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
        """A decision request; `last` says where the time of the seat's last answer went."""
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

    def fault(self, told: TellFault) -> bytes:
        """A notice of a fault."""
        return _bytes(
            ServerMessage(
                fault=Fault(
                    match_id=self.match,
                    index=told.index,
                    reason=told.reason,
                    rule=told.rule,
                    message=told.message,
                    strikes=told.strikes,
                    played=told.played,
                    forfeited=told.has_forfeited,
                )
            )
        )

    def resumed(self, seat: ResumeSeat) -> bytes:
        """A running match, for a bot that has come back."""
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
        """The end of the match, from its replay document."""
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
        """The match does not begin; `rest_ms`: so long the bot is offered no match of a ladder for it."""
        aborted = MatchAborted(match_id=self.match, reason=reason, message=message, rest_ms=rest_ms)
        return _bytes(ServerMessage(match_aborted=aborted))

    def _signed(self) -> SignedOffer | None:
        return None if self.signed is None else SignedOffer(**self.signed._asdict())

    def _participants(self) -> list[Participant]:
        return codec.encode_participants(dict(one) for one in self.participants)

    def _terms(self, seat: int) -> MatchTerms:
        policy = self.policy.document()
        del policy["offer_ms"]  # the offer itself says it
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
