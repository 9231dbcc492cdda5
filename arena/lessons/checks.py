"""The checks of the lessons. Each judges the records of a bot's games, and names the decisions that were wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from arena.lessons.game import SEAT, JudgedDecision, best_turn, decisions, played, points, promises, ways
from arena.lessons.values import LessonFinding, LessonVerdict
from arena.rules import Action, State, goods_in

SOURCES: Final = Path(__file__).parent / "sources"
MOST_FINDINGS: Final = 5
"""Maximum number of wrong decisions that a verdict names."""
ENOUGH_VIZIERS: Final = 3
"""Lead in viziers from which on others are not counted."""
SLACK: Final = 2
"""Points by which a bid may be worse than the best one."""
LEAST_SHARE: Final = 85
"""Percentage of the points of the best turns that a one-turn search gets at least."""

Record = dict[str, Any]
Judge = Callable[[JudgedDecision], LessonFinding | None]


@dataclass(frozen=True, slots=True)
class BotLesson:
    """One lesson."""

    number: int
    judge: Callable[[Sequence[Record]], LessonVerdict]
    opponent: str = "random"
    set_ups: tuple[int, ...] = (0,)
    """Numbers of the set-ups of its games."""
    wins: int = 0
    """Number of games to be won. The games end when that is decided."""

    @property
    def deals(self) -> list[bytes]:
        """Return the seeds of the set-ups of its games."""
        return [sha256(f"lesson {self.number}, deal {number}".encode()).digest() for number in self.set_ups]

    @property
    def start(self) -> str:
        """Return the program with which the lesson begins."""
        return (SOURCES / f"start_{self.number}.py").read_text(encoding="utf-8")

    @property
    def solution(self) -> str:
        """Return a program that passes."""
        return (SOURCES / f"solution_{self.number}.py").read_text(encoding="utf-8")

    def is_decided(self, records: Sequence[Record]) -> bool:
        """Return whether no further game is needed."""
        won = sum(map(_is_won, records))
        return won >= self.wins or len(records) - won > len(self.set_ups) - self.wins


# Judges of single decisions. Each returns None for a decision that it does not judge.


def _points_at_once(decision: JudgedDecision) -> LessonFinding | None:
    if decision.state.phase not in ("sow", "tribe", "tile"):
        return None
    after: dict[str, int] = {}
    for action in decision.state.legal:
        state = decision.state.play(action)
        if state.due is not None:
            return None  # nobody knows what chance brings
        after[action.text] = points(state)
    if min(after.values()) == max(after.values()):
        return None
    before = points(decision.state)
    best = max(after, key=lambda text: after[text])
    return LessonFinding(decision.index, decision.text, best, after[decision.text] - before, after[best] - before)


def _market(decision: JudgedDecision) -> LessonFinding | None:
    state = decision.state
    new = {action.text: _new_kinds(state, action) for action in state.legal}
    if state.phase != "tile" or not any(action.verb == "buy" for action in state.legal) or not max(new.values()):
        return None
    best = max(new, key=lambda text: new[text])
    return LessonFinding(decision.index, decision.text, best, new[decision.text], new[best])


def _new_kinds(state: State, action: Action) -> int:
    """Return how many kinds of goods an action buys of which the bot has none yet."""
    if action.verb != "buy":
        return 0
    return _kinds(state.play(action)) - _kinds(state)


def _kinds(state: State) -> int:
    return goods_in(state.seats[SEAT - 1].hand).bit_count()


def _viziers(decision: JudgedDecision) -> LessonFinding | None:
    state = decision.state
    have = [seat.viziers for seat in state.seats]
    lead = have.pop(SEAT - 1) - max(have)
    if state.phase != "move" or lead >= ENOUGH_VIZIERS:
        return None
    before = state.seats[SEAT - 1].viziers
    found = ways(state)
    best = max(found, key=lambda way: played(state, way).seats[SEAT - 1].viziers, default=None)
    most = played(state, best).seats[SEAT - 1].viziers - before if best else 0
    if best is None or not most:
        return None
    return LessonFinding(decision.index, decision.text, _text(best.actions), 0, most)


def _bids(decision: JudgedDecision) -> LessonFinding | None:
    state = decision.state
    if state.phase != "bid":
        return None
    offers = promises(state)
    left = {action.text: _left_of_bid(state, action, offers) for action in state.legal}
    best = max(left, key=lambda text: left[text])
    got = left[decision.text]
    return LessonFinding(
        decision.index, decision.text, best, got if got < left[best] - SLACK else left[best], left[best]
    )


def _left_of_bid(state: State, action: Action, offers: list[int]) -> int:
    """Return the sowing that is still there at this place of the order, less the price.

    The markers that are bid later are expected to spread evenly over the track.
    """
    after, spot = state.play(action), int(action.text.split()[1])
    ahead = sum(1 for marker in state.turn_track[:spot] if marker)
    ahead += (len(state.bid_order) - 1) * spot // len(state.turn_track)
    price = state.seats[SEAT - 1].gold - after.seats[SEAT - 1].gold
    return offers[min(ahead, len(offers) - 1)] - price


# Judges of games


def _each(judge: Judge, least: int) -> Callable[[Sequence[Record]], LessonVerdict]:
    """Return the judge of a game in which each decision that `judge` knows must be right."""

    def verdict(records: Sequence[Record]) -> LessonVerdict:
        found = [finding for each in decisions(records[0]) if (finding := judge(each)) is not None]
        return _verdict(records, found, least)

    return verdict


def _verdict(records: Sequence[Record], found: Iterable[LessonFinding], least: int) -> LessonVerdict:
    judged = list(found)
    wrong = [finding for finding in judged if finding.got < finding.most]
    faults = _faults(records)
    return LessonVerdict(
        is_passed=not wrong and not faults and len(judged) >= least,
        judged=len(judged),
        right=len(judged) - len(wrong),
        least=least,
        faults=faults,
        findings=tuple(wrong[:MOST_FINDINGS]),
    )


def _counted_viziers(records: Sequence[Record]) -> LessonVerdict:
    """Judge whole sowings: what the bot had before the decision, and what it has at its next one."""
    found: list[LessonFinding] = []
    open_one: tuple[LessonFinding, int] | None = None
    for each in decisions(records[0]):
        have = each.state.seats[SEAT - 1].viziers
        if open_one is not None and each.state.phase != "sow":
            found.append(_with(open_one[0], have - open_one[1]))
            open_one = None
        if (finding := _viziers(each)) is not None:
            open_one = finding, have
    return _verdict(records, found, least=1)


def _with(finding: LessonFinding, got: int) -> LessonFinding:
    return LessonFinding(finding.index, finding.played, finding.best, min(got, finding.most), finding.most)


def _searched_turns(records: Sequence[Record]) -> LessonVerdict:
    """Judge whole turns by their points, and the sum of all turns."""
    found: list[LessonFinding] = []
    open_one: tuple[JudgedDecision, int] | None = None
    for each in decisions(records[0]):
        if open_one is not None and each.state.phase not in ("sow", "tribe", "tile", "choose"):
            found.append(_turn(open_one[0], points(each.state) - open_one[1]))
            open_one = None
        if each.state.phase == "move":
            open_one = each, points(each.state)
    got, most = sum(min(each.got, each.most) for each in found), sum(each.most for each in found)
    share = 100 * got // most if most > 0 else 0
    worst = sorted((each for each in found if each.got < each.most), key=lambda each: each.got - each.most)
    faults = _faults(records)
    return LessonVerdict(
        is_passed=share >= LEAST_SHARE and not faults,
        judged=len(found),
        right=len(found) - len(worst),
        least=0,
        faults=faults,
        findings=tuple(sorted(worst[:MOST_FINDINGS], key=lambda each: each.index)),
        share=share,
    )


def _turn(decision: JudgedDecision, got: int) -> LessonFinding:
    value, way = best_turn(decision.state)
    best = _text(way.actions) if way else decision.text
    return LessonFinding(decision.index, decision.text, best, got, value - points(decision.state))


def _won_games(records: Sequence[Record]) -> LessonVerdict:
    won = sum(map(_is_won, records))
    lesson = LESSONS[-1]
    faults = _faults(records)
    return LessonVerdict(
        is_passed=won >= lesson.wins and not faults,
        judged=len(records),
        right=won,
        least=lesson.wins,
        faults=faults,
        findings=tuple(LessonFinding(-1, "", "", *_totals(record)) for record in records),
    )


def _totals(record: Record) -> tuple[int, int]:
    """Return the points of the bot and of its opponent. Both are 0 if the game was not played to its end."""
    result = record["result"]
    if result is None:
        return 0, 0
    own, other = (score["total"] for score in result["scores"])
    return own, other


def _is_won(record: Record) -> bool:
    placements = record["verdict"]["placements"]
    return bool(placements) and placements[SEAT - 1] == 1 and placements.count(1) == 1


def _faults(records: Sequence[Record]) -> int:
    return sum(incident["seat"] == SEAT for record in records for incident in record.get("incidents", []))


def _text(actions: Sequence[Action]) -> str:
    return ", ".join(action.text for action in actions)


LESSONS: Final = (
    BotLesson(1, _each(_points_at_once, 5)),
    BotLesson(2, _each(_market, 2)),
    BotLesson(3, _counted_viziers),
    BotLesson(4, _each(_bids, 4)),
    BotLesson(5, _searched_turns),
    # In 60 games on these set-ups, the start has won 2 and the solution 51. On most others they are less far apart.
    BotLesson(6, _won_games, opponent="greedy", set_ups=(33, 7, 34, 30, 12), wins=3),
)
