"""The shell contract: what a bot does in a match, what it is told then, and how the match ends for it.

The scenarios are played by each of the three shells (`tests/shells/shells.py`). A bot must not see which of them it
plays with: it is told the same messages in the same order. The doctor differs in one way. It forfeits nobody, but
fails the check with a sentence, and aborts the match.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.referee import Clock, Policy
from arena.wire.v1.bot_pb2 import Answer, ServerMessage
from tests.doctor.raw_bot import RawBot

SOME = 4
"""Number of requests that a bot answers before it does something wrong."""


class Dropped(Exception):
    """Raised by a bot that drops its stream, and reconnects."""


class Gone(Exception):
    """Raised by a bot that ends and is never started again."""


class WatchedBot(RawBot):
    """A bot that does everything right and writes down what it is told; derived bots are wrong in one thing."""

    places = 1
    expansions = ()
    requests = 0
    """Number of requests so far."""
    told: list[str]
    """Messages, repeated ones once. `watched` makes a class with its own list for each run."""

    def take(self, message: ServerMessage) -> None:
        label = label_of(message)
        if label and self.told[-1:] != [label]:
            self.told.append(label)
        super().take(message)

    def on_request(self, request: Any) -> None:
        self.requests += 1
        if self.requests <= SOME:
            super().on_request(request)
        else:
            self.on_later_request(request)

    def on_later_request(self, request: Any) -> None:
        super().on_request(request)


def label_of(message: ServerMessage) -> str:
    """Return a message in a few words; empty if it is not about the match."""
    kind = message.WhichOneof("kind") or ""
    match kind:
        case "offer" | "reveal_request" | "request" | "resumed" | "match_end":
            return kind
        case "fault":
            return f"fault {message.fault.reason}" + " and forfeit" * message.fault.forfeited
        case "match_aborted":
            return f"aborted {message.match_aborted.reason}"
    return ""


class Declines(WatchedBot):
    def on_offer(self, offer: Any) -> None:
        self.say(decline={"match_id": offer.match_id, "reason": "busy"})


class IgnoresOffers(WatchedBot):
    def on_offer(self, offer: Any) -> None:
        pass


class SendsShortHash(WatchedBot):
    def on_offer(self, offer: Any) -> None:
        self.say(accept={"match_id": offer.match_id, "nonce_hash": b"short"})


class RevealsAnother(WatchedBot):
    def on_reveal_request(self, request: Any) -> None:
        self.say(reveal={"match_id": request.match_id, "nonce": b"of another match"})


class KeepsItsNonce(WatchedBot):
    def on_reveal_request(self, request: Any) -> None:
        pass


class PlaysIllegally(WatchedBot):
    def choose(self, request: Any) -> list[str]:
        return ["bid 1"] if self.requests == SOME else super().choose(request)


class WritesNonsense(WatchedBot):
    def choose(self, request: Any) -> list[str]:
        return ["dance"] if self.requests == SOME else super().choose(request)


class AnswersWithoutAction(WatchedBot):
    def choose(self, request: Any) -> list[str]:
        return [] if self.requests == SOME else super().choose(request)


class FallsSilent(WatchedBot):
    def on_later_request(self, request: Any) -> None:
        pass


class AnswersAnotherIndex(WatchedBot):
    def on_later_request(self, request: Any) -> None:
        self.say(answer=Answer(match_id=request.match_id, index=request.index - 1, actions=self.choose(request)))


class RepeatsItself(WatchedBot):
    def on_later_request(self, request: Any) -> None:
        super().on_later_request(request)
        super().on_later_request(request)


class DropsItsStream(WatchedBot):
    def on_later_request(self, request: Any) -> None:
        if self.requests == SOME + 1:
            raise Dropped
        super().on_later_request(request)


class Leaves(WatchedBot):
    def on_later_request(self, request: Any) -> None:
        raise Gone


class Scenario(NamedTuple):
    """One row of the contract."""

    bot: type[WatchedBot]
    told: tuple[str, ...]
    """Messages that the bot gets, in order."""
    forfeit: str = ""
    """Reason for which its seat forfeits."""
    doctor: str = ""
    """Pattern of the doctor's sentence; empty if the bot passes."""
    clock: Clock = Clock()
    policy: Policy = Policy()


BEGUN = ("offer", "reveal_request", "request")
AT_ONCE = Policy(offer_ms=200)
IN_TIME = Clock(cap_ms=300)

SCENARIOS = {
    "it does everything right": Scenario(WatchedBot, (*BEGUN, "match_end")),
    "it declines": Scenario(Declines, ("offer", "aborted DECLINED"), doctor="declined an offer .* free place: 'busy'"),
    "it does not answer an offer": Scenario(
        IgnoresOffers, ("offer", "aborted NO_ANSWER"), doctor="not answered an offer within 0.2 s", policy=AT_ONCE
    ),
    "its hash is too short": Scenario(
        SendsShortHash, ("offer", "aborted BAD_NONCE"), doctor="nonce_hash has 5 bytes, not 32"
    ),
    "it reveals another nonce": Scenario(
        RevealsAnother,
        ("offer", "reveal_request", "fault NO_REVEAL and forfeit", "match_end"),
        "NO_REVEAL",
        doctor="not the one whose SHA-256 was in its Accept",
        policy=AT_ONCE,
    ),
    "it does not reveal its nonce": Scenario(
        KeepsItsNonce,
        ("offer", "reveal_request", "fault NO_REVEAL and forfeit", "match_end"),
        "NO_REVEAL",
        doctor="not answered a RevealRequest within 0.2 s",
        policy=AT_ONCE,
    ),
    "an answer is illegal": Scenario(
        PlaysIllegally, (*BEGUN, "fault ILLEGAL", "request", "match_end"), doctor="it answered 'bid 1': "
    ),
    "an answer is no action": Scenario(
        WritesNonsense, (*BEGUN, "fault MALFORMED", "request", "match_end"), doctor="it answered 'dance': "
    ),
    "an answer has no action": Scenario(
        AnswersWithoutAction, (*BEGUN, "fault MALFORMED", "request", "match_end"), doctor="without an action"
    ),
    "one fault is too many": Scenario(
        PlaysIllegally,
        (*BEGUN, "fault ILLEGAL and forfeit", "match_end"),
        "ILLEGAL",
        doctor="it answered 'bid 1': ",
        policy=Policy(strikes=1),
    ),
    "it falls silent": Scenario(
        FallsSilent,
        (*BEGUN, "fault LATE and forfeit", "match_end"),
        "LATE",
        doctor="not answered within 0.3 seconds",
        clock=IN_TIME,
        policy=Policy(strikes=1),
    ),
    "it answers another index": Scenario(
        AnswersAnotherIndex,
        (*BEGUN, "fault LATE and forfeit", "match_end"),
        "LATE",
        doctor=r"asked for index \d+ and answered index \d+",
        clock=IN_TIME,
        policy=Policy(strikes=1),
    ),
    "it repeats its answers": Scenario(RepeatsItself, (*BEGUN, "match_end")),
    "it drops its stream and reconnects": Scenario(DropsItsStream, (*BEGUN, "resumed", "request", "match_end")),
    "it never comes back": Scenario(
        Leaves, BEGUN, "GONE", doctor="its process has ended, with exit code 1", policy=Policy(grace_ms=200)
    ),
}
