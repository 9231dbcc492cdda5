"""Each bot here is wrong in one thing: the check for it fails, and the essential checks pass."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from arena.doctor import CHECKS, CheckOutcome, diagnose, select
from arena.doctor.check import CheckFinding
from arena.doctor.checks import leaving, messages, streams
from arena.wire.v1.bot_pb2 import Answer, Hello
from tests.doctor.raw_bot import RawBot, started_here


async def findings(bot: type[RawBot], *names: str) -> dict[str, CheckFinding]:
    """Return the findings of these checks and of the essential ones before them; of all checks if none is named."""
    chosen = select(names) if names else CHECKS
    return {finding.check.name: finding async for finding in diagnose(started_here(bot), chosen)}


def failures(found: dict[str, CheckFinding]) -> dict[str, str]:
    return {name: finding.sentence for name, finding in found.items() if finding.outcome is CheckOutcome.FAILED}


@pytest.fixture(autouse=True)
def _shorter_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the watches: a loop shows at once."""
    for module, name in ((leaving, "WATCH_S"), (streams, "WATCH_S"), (messages, "QUIET_S")):
        monkeypatch.setattr(module, name, 1.0)


@pytest.mark.slow
async def test_right_bot_passes_everything() -> None:
    found = await findings(RawBot)
    assert failures(found) == {}
    skipped = {name: finding.sentence for name, finding in found.items() if finding.outcome is CheckOutcome.SKIPPED}
    assert skipped == {
        "without-legal-list": "it wants the legal actions (Hello.wants_legal)",
        "frees-memory": "the memory of its process cannot be measured here",
    }


async def test_base_game_alone() -> None:
    class BaseOnly(RawBot):
        expansions = ()
        player_counts = (3,)
        places = 1

    found = await findings(
        BaseOnly, "phase-flute", "whim-h01", "djinn-geb", "players-3", "players-4", "several-matches"
    )
    outcomes = {name: (finding.outcome, finding.sentence) for name, finding in found.items()}
    assert outcomes["players-3"] == (CheckOutcome.PASSED, "")
    assert outcomes["phase-flute"] == (CheckOutcome.SKIPPED, "it does not play with artisans")
    assert outcomes["whim-h01"] == (CheckOutcome.SKIPPED, "it does not play with whims")
    assert outcomes["djinn-geb"] == (CheckOutcome.SKIPPED, "it does not play with artisans")
    assert outcomes["players-4"] == (CheckOutcome.SKIPPED, "it does not play with 4 players")
    assert outcomes["several-matches"] == (CheckOutcome.SKIPPED, "it plays one match at a time")


# --- their errors ---

FLAWS: dict[str, type[RawBot]] = {}
"""Wrong bots by the check that must fail."""


def fails(check: str) -> Any:
    def add(bot: type[RawBot]) -> type[RawBot]:
        FLAWS[check] = bot
        return bot

    return add


def says(**fields: Any) -> type[RawBot]:
    """Return a bot with another hello."""

    class Says(RawBot):
        def hello(self) -> Hello:
            hello = super().hello()
            for name, value in fields.items():
                if isinstance(value, list):
                    hello.ClearField(name)
                    getattr(hello, name).extend(value)
                else:
                    setattr(hello, name, value)
            return hello

    return Says


FLAWS |= {
    "hello-token": says(token="another"),
    "hello-protocol": says(protocol="arena.wire/1"),
    "hello-version": says(version=""),
    "hello-process": says(process="p" * 65),
    "hello-player-counts": says(player_counts=[3, 6]),
    "hello-expansions": says(expansions=["whims", "dice"]),
    "hello-running": says(running=["m1"]),
}


@fails("keeps-nonce-secret")
class Talkative(RawBot):
    def on_offer(self, offer: Any) -> None:
        super().on_offer(offer)
        self.say(reveal={"match_id": offer.match_id, "nonce": self.matches[offer.match_id].nonce})


@fails("long-nonce")
class ShortNonce(RawBot):
    def new_nonce(self) -> bytes:
        return super().new_nonce()[-4:]


@fails("new-nonce")
class SameNonce(RawBot):
    def new_nonce(self) -> bytes:
        return b"the same as ever"


@fails("same-offer-again")
class AnotherHash(RawBot):
    def on_offer(self, offer: Any) -> None:
        self.matches.pop(offer.match_id, None)
        super().on_offer(offer)


@fails("reveals-again")
class RevealsAnother(RawBot):
    def on_reveal_request(self, request: Any) -> None:
        super().on_reveal_request(request)
        self.matches[request.match_id].nonce = b"another nonce!!!"


@fails("guards-nonce")
class Trusting(RawBot):
    def on_reveal_request(self, request: Any) -> None:
        self.say(reveal={"match_id": request.match_id, "nonce": self.matches[request.match_id].nonce})


@fails("declines-when-full")
class Greedy(RawBot):
    def on_offer(self, offer: Any) -> None:
        self.places = 99
        super().on_offer(offer)

    def hello(self) -> Hello:
        self.places = 2
        return super().hello()


@fails("place-is-free-again")
class NeverForgetsAborted(RawBot):
    def on_match_aborted(self, aborted: Any) -> None:
        if aborted.reason == "VOID":
            super().on_match_aborted(aborted)


@fails("offer-withdrawn")
class StumblesOverUnknownMatch(RawBot):
    def on_match_aborted(self, aborted: Any) -> None:
        del self.matches[aborted.match_id]


def wrong_in(check: str, is_there: Any) -> None:
    @fails(check)
    class Wrong(RawBot):
        def choose(self, request: Any) -> list[str]:
            return ["bid 77"] if is_there(request) else super().choose(request)


def own(request: Any) -> Any:
    return request.view.seats[request.seat - 1]


for _number, _phase in enumerate(("tribe", "tile", "choose", "sell"), start=4):
    wrong_in(f"phase-{_phase}", lambda request, number=_number: request.phase == number and request.index >= 100)
for _number, _phase in enumerate(("control", "item", "flute", "horn", "scimitar"), start=9):
    wrong_in(f"phase-{_phase}", lambda request, number=_number: request.phase == number)
wrong_in("djinn-enki", lambda request: "enki" in own(request).djinns and any("enki" in one for one in request.legal))
wrong_in("djinn-boaz", lambda request: "boaz" in own(request).djinns)
wrong_in("djinn-kumarbi", lambda request: any(" f " in one for one in request.legal if one.startswith("bid")))
wrong_in("item-crown", lambda request: "crown" in own(request).items.ids)
wrong_in("item-lamp", lambda request: any(one.startswith("item lamp") for one in request.legal))
wrong_in("whim-h09", lambda request: "h09" in own(request).whims.open.ids)
wrong_in("whim-h22", lambda request: "h22" in own(request).whims.open.ids)
wrong_in("hand-of-ten", lambda request: sum(v for _, v in request.view.turn.hand.ListFields()) >= 10)
wrong_in("poor-bid", lambda request: request.phase == 1 and own(request).gold == 1)
wrong_in("last-round", lambda request: request.view.ending != 0 and request.view.round == 3)
wrong_in("long-legal-list", lambda request: len(request.legal) > 400)
wrong_in("players-5", lambda request: len(request.view.seats) == 5)
wrong_in("expansion-artisans", lambda request: list(request.view.ruleset.expansions) == ["artisans"])
wrong_in("expansion-artisans-whims", lambda request: len(request.view.ruleset.expansions) == 2)
wrong_in("whole-match", lambda request: request.view.round > 6)
wrong_in("big-request", lambda request: len(request.events) > 80)


@fails("without-legal-list")
class CannotListActions(RawBot):
    """It does not ask for the legal actions, and can decide only its first bid."""

    wants_legal = False

    def choose(self, request: Any) -> list[str]:
        taken = list(request.view.turn_track)
        return [f"bid {taken.index(0) + 1}"] if request.phase == 1 else ["skip"]


@fails("small-answers")
class Chatty(RawBot):
    def decide(self, request: Any) -> Answer:
        answer = super().decide(request)
        answer.note = "n" * 1025
        return answer


@fails("late-and-on")
class Stubborn(RawBot):
    """It insists on the decision that came too late."""

    late = False

    def on_fault(self, fault: Any) -> None:
        self.late = True

    def choose(self, request: Any) -> list[str]:
        return ["bid 77"] if self.late else super().choose(request)


@fails("survives-fault")
class StumblesOverReason(RawBot):
    def on_fault(self, fault: Any) -> None:
        {"ILLEGAL": 1, "MALFORMED": 2, "LATE": 3, "GONE": 4, "FLOODING": 5}[fault.reason]


@fails("survives-forfeit")
class StumblesOverForfeit(RawBot):
    def on_fault(self, fault: Any) -> None:
        assert not fault.forfeited


@fails("survives-abort")
class StumblesOverAbort(RawBot):
    def on_match_aborted(self, aborted: Any) -> None:
        seat = self.matches.pop(aborted.match_id)
        assert seat.answer is None or aborted.reason != "VOID" or seat.answer.index != 100


@fails("end-without-result")
class WantsResult(RawBot):
    def on_match_end(self, end: Any) -> None:
        super().on_match_end(end)
        assert end.HasField("result")


@fails("several-matches")
class MixesMatches(RawBot):
    """It confuses the match of the request with the previous one."""

    before = ""

    def choose(self, request: Any) -> list[str]:
        before, self.before = self.before, request.match_id
        return ["bid 77"] if before != request.match_id and before in self.matches else super().choose(request)


@fails("one-answer-each")
class Floods(RawBot):
    def on_request(self, request: Any) -> None:
        for _ in range(30):
            super().on_request(request)


@fails("unknown-fields")
class RefusesNewFields(RawBot):
    def on_offer(self, offer: Any) -> None:
        if b"from-future" in offer.SerializeToString():
            raise ValueError("what is this?")
        super().on_offer(offer)


@fails("unknown-message")
class RefusesNewKinds(RawBot):
    def take(self, message: Any) -> None:
        if message.WhichOneof("kind") is None:
            raise ValueError("what is this?")
        super().take(message)


@fails("answers-pings")
class AnswersLastPing(RawBot):
    """It answers only the last of several pings."""

    last: Any = None

    def on_ping(self, ping: Any) -> None:
        self.last = ping
        asyncio.get_running_loop().call_later(0.01, self.answer_last, ping)

    def answer_last(self, ping: Any) -> None:
        if ping is self.last:
            super().on_ping(ping)


@fails("comes-back")
class AnotherNameEachTime(RawBot):
    def hello(self) -> Hello:
        hello = super().hello()
        hello.process = f"raw-{self.failures}-{time.monotonic_ns()}"
        return hello


@fails("process-name-stays")
class NamedByTime(RawBot):
    def __init__(self, address: str, token: str) -> None:
        super().__init__(address, token)
        self.name = f"raw-{time.monotonic_ns()}"

    def hello(self) -> Hello:
        hello = super().hello()
        hello.process = self.name
        return hello


@fails("names-running-matches")
class ForgetsToName(RawBot):
    def hello(self) -> Hello:
        hello = super().hello()
        del hello.running[:]
        return hello


@fails("answer-was-lost")
class AnswersAnotherWay(RawBot):
    def on_request(self, request: Any) -> None:
        seat = self.matches[request.match_id]
        if seat.answer is not None and seat.answer.index == request.index:
            self.say(answer={"match_id": request.match_id, "index": request.index, "actions": ["bid 77"]})
            return
        super().on_request(request)


@fails("request-before-resumed")
class WantsResumedFirst(RawBot):
    def on_request(self, request: Any) -> None:
        assert request.match_id in self.matches
        super().on_request(request)


@fails("started-again-in-match")
class NeedsItsMemory(RawBot):
    def on_resumed(self, resumed: Any) -> None:
        assert resumed.match_id in self.matches


@fails("over-while-away")
class KeepsWhatIsOver(RawBot):
    def on_welcome(self, welcome: Any) -> None:
        self.failures = 0


@fails("end-while-away")
class RefusesLateEnd(RawBot):
    came_back = False

    def on_resumed(self, resumed: Any) -> None:
        self.came_back = True
        super().on_resumed(resumed)

    def on_match_end(self, end: Any) -> None:
        assert not self.came_back
        super().on_match_end(end)


@fails("does-not-hammer")
class Hammers(RawBot):
    def pause(self) -> float:
        return 0.01


@fails("error-message")
class TakesErrorsToHeart(RawBot):
    def on_error(self, error: Any) -> None:
        assert error.fatal


@fails("finishes-match-when-told")
class DropsItsMatches(RawBot):
    def told_to_end(self) -> None:
        self.matches.clear()
        self.take = lambda message: None  # type: ignore[method-assign]
        super().told_to_end()


@fails("taken-over")
class FightsForItsName(RawBot):
    def is_final(self, status: Any) -> bool:
        return status is not grpc_status("ABORTED") and super().is_final(status)

    def pause(self) -> float:
        return 0.1


@fails("bad-token")
class InsistsOnItsToken(RawBot):
    def is_final(self, status: Any) -> bool:
        return status is not grpc_status("UNAUTHENTICATED") and super().is_final(status)

    def pause(self) -> float:
        return 0.1


def grpc_status(name: str) -> Any:
    import grpc

    return grpc.StatusCode[name]


@pytest.mark.parametrize("check", FLAWS)
async def test_flaw_is_found(check: str) -> None:
    found = await findings(FLAWS[check], check)
    assert list(failures(found)) == [check], failures(found)


async def test_hash_of_commit_is_no_version() -> None:
    found = await findings(says(version="9e419cc"), "hello-version")
    assert "the hash of a commit" in found["hello-version"].sentence
