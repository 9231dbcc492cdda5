"""Two bots at the same positions: chooses the positions and compares the answers."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from arena.local.competitor import Competitor
from arena.local.histories import RecordedMatch, SeatHistory
from arena.local.reproduction import BotReply, Reproduction, judge
from arena.referee import AskMove, AskReveal
from arena.rules import RulesError, parse_action
from arena.rules.replay import read_events
from arena.rules.verbs import TABLE
from arena.wire.history import Sent


class ReplayPoint(NamedTuple):
    """A decision in a replay that can be asked again."""

    document: int
    """Number of the replay, from 0."""
    at: int
    """Index of the decision."""
    seat: int


@dataclass(frozen=True)
class SharedRequest:
    """A request that both bots get."""

    match: str
    index: int
    seat: int
    phase: str
    played: str
    history: SeatHistory


class Answers(NamedTuple):
    """The bots' answers to one request."""

    position: SharedRequest
    replies: tuple[BotReply, BotReply]
    wrong: tuple[str, str]
    """The error in each answer; empty if there is none."""
    is_steady: tuple[bool, bool]
    """Whether each bot repeated its answer; true for a bot that was asked once."""

    @property
    def differ(self) -> bool:
        """Whether the two bots decide differently, as far as both answers go.

        Answers do not differ if one of the bots contradicts itself. A wrong answer and a right one always differ.
        """
        if bool(self.wrong[0]) != bool(self.wrong[1]):
            return True
        if not all(self.is_steady):
            return False
        one, other = (canonical(reply) for reply in self.replies)
        length = min(len(one), len(other)) or max(len(one), len(other))
        return one[:length] != other[:length]


def canonical(reply: BotReply) -> tuple[str, ...]:
    """Return the actions of an answer as the notation writes them."""
    return tuple(map(_canonical, reply.actions))


def _canonical(text: str) -> str:
    try:
        return parse_action(text).text
    except RulesError:
        return text


def sample(
    documents: Iterable[Any], size: int, seed: int, *, seats: Collection[int] = (), phases: Collection[str] = ()
) -> list[tuple[Any, list[ReplayPoint]]]:
    """Choose `size` decisions at random, all with equal probability, and return them with their replays.

    There are fewer if the replays have fewer. Empty `seats` and `phases` stand for all. Raises `ReplayError` for a
    document that is not a replay.
    """
    chance, seen = random.Random(seed), 0  # noqa: S311 - no secret
    kept: list[tuple[ReplayPoint, Any]] = []
    for number, document in enumerate(documents):
        for chosen in _places(number, document, seats, phases):
            seen += 1
            if len(kept) < size:
                kept.append((chosen, document))
            elif (at := chance.randrange(seen)) < size:
                kept[at] = (chosen, document)
    by_document: dict[int, tuple[Any, list[ReplayPoint]]] = {}
    for chosen, document in sorted(kept, key=lambda point: point[0]):
        by_document.setdefault(chosen.document, (document, []))[1].append(chosen)
    return list(by_document.values())


def _places(number: int, document: Any, seats: Collection[int], phases: Collection[str]) -> Iterator[ReplayPoint]:
    """Yield the decisions for which bots were asked."""
    for index, event in enumerate(read_events(document if isinstance(document, dict) else {})):
        facts, verb = event.facts or {}, event.text.split(" ")[0]
        was_asked = "ms" in facts if "server_seed" in document else not facts
        row = TABLE.get(verb)  # type: ignore[call-overload]  # any text
        is_of_phase = not phases or (row is not None and bool(set(phases) & set(row.phases)))
        if event.seat and was_asked and is_of_phase and (not seats or event.seat in seats):
            yield ReplayPoint(number, index, event.seat)


def positions(
    match: RecordedMatch, points: Sequence[ReplayPoint], phases: Collection[str] = ()
) -> Iterator[SharedRequest]:
    """Yield the requests for these decisions, in their order, without decisions for which no bot was asked."""
    requests: dict[int, SharedRequest] = {}
    for seat in {point.seat for point in points}:
        wanted = {point.at for point in points if point.seat == seat}
        earlier = [Sent(match.codec.offer(seat))]
        for sent in match.sent_commands(seat):
            match sent.command:
                case AskReveal():
                    earlier.append(Sent(match.codec.reveal_request(sent.command)))
                case AskMove(index=index, phase=phase) if index in wanted and (not phases or phase in phases):
                    request = Sent(match.codec.request(sent.command, None, wants_legal=True), index, sent.state)
                    played = match.document["events"][index][1]
                    history = SeatHistory(match.terms.match, seat, (*earlier, request), {})
                    requests.setdefault(index, SharedRequest(match.terms.match, index, seat, phase, played, history))
    yield from (requests[index] for index in sorted(requests))


def ask_both(bots: tuple[Competitor, Competitor], position: SharedRequest, *, is_twice: bool) -> Answers:
    """Ask both bots at the same time, as restarted processes without history. Raises `NoReply`."""

    def ask(bot: Competitor) -> tuple[BotReply, bool]:
        reproduction = Reproduction(bot, position.history, position.index, lambda _: None, is_resumed=True)
        try:
            reply = reproduction.ask()
            return reply, not is_twice or canonical(reproduction.ask()) == canonical(reply)
        finally:
            reproduction.close()

    with ThreadPoolExecutor(2) as pool:
        (one, one_again), (other, other_again) = pool.map(ask, bots)
    request = position.history.sent[-1]
    return Answers(position, (one, other), (judge(one, request), judge(other, request)), (one_again, other_again))
