"""The checks of the lessons, on games that are played here without a sandbox, and on records made by hand."""

from __future__ import annotations

from hashlib import sha256
from types import ModuleType
from typing import Any

import pytest

from arena.bots import Bot, View
from arena.lessons import LESSONS, BotLesson
from arena.lessons.checks import SOURCES
from arena.lessons.game import decisions
from arena.players import make_player
from arena.rules import Game, Ruleset, replay_document, view

SEATS = [{"name": "bot", "version": "1"}, {"name": "house", "version": "1"}]
SEED = sha256(b"lessons").digest()


def bot_of(source: str) -> type[Bot]:
    module = ModuleType("bot")
    exec(compile(source, "bot.py", "exec"), vars(module))
    found: type[Bot] = vars(module)["MyBot"]
    return found


def record_of(game: Game, faults: int = 0) -> dict[str, Any]:
    """Return the parts of the record of a match that the checks read."""
    outcome = game.state.outcome
    document = replay_document(game, match="m", seats=SEATS)
    document["verdict"] = {"placements": list(outcome.ranks) if outcome else []}
    document["incidents"] = [{"at": 0, "seat": 1, "kind": "fault", "reason": "LATE"}] * faults
    return document


def played(source: str, lesson: BotLesson) -> list[dict[str, Any]]:
    """Play the games of a lesson. The bot has seat 1."""
    records: list[dict[str, Any]] = []
    for deal in lesson.deals:
        game = Game(Ruleset(2), SEED, deal)
        bot, house = bot_of(source)(), make_player(lesson.opponent, SEED)
        waiting: list[str] = []
        while not game.state.is_over:
            seat = game.state.to_act
            if not waiting and len(game.state.legal) == 1:
                waiting = [game.state.legal[0].text]
            if not waiting:
                seen, legal = View.of(view(game.state, seat)), [action.text for action in game.state.legal]
                choice = bot.choose(seen, legal) if seat == 1 else house.choose(seen, legal)
                assert not hasattr(choice, "__await__")
                waiting = [choice] if isinstance(choice, str) else list(choice)
            game.play(waiting.pop(0))
            if game.state.to_act != seat:
                waiting = []
        records.append(record_of(game))
        if lesson.is_decided(records):
            break
    return records


@pytest.mark.parametrize("lesson", LESSONS[:5], ids=lambda lesson: str(lesson.number))
def test_the_solution_passes_and_the_start_does_not(lesson: BotLesson) -> None:
    passed = lesson.judge(played(lesson.solution, lesson))
    assert passed.is_passed and passed.judged >= passed.least, passed
    failed = lesson.judge(played(lesson.start, lesson))
    assert not failed.is_passed and failed.findings, failed
    assert all(finding.got < finding.most for finding in failed.findings)


def test_every_program_is_in_one_folder() -> None:
    names = {f"{kind}_{lesson.number}.py" for lesson in LESSONS for kind in ("start", "solution")}
    assert {path.name for path in SOURCES.iterdir() if path.suffix == ".py"} == names


def test_decisions_are_those_with_a_choice() -> None:
    """Seat 1 of this seed bids first, and all four markers can be placed on the first free spot."""
    game = Game(Ruleset(2), bytes(32))
    for text in ("bid 1", "bid 2", "bid 3", "bid 4"):
        game.play(text)
    record = record_of(game)
    own = [index for index, (seat, *_) in enumerate(record["events"]) if seat == 1]
    assert [(each.index, each.text) for each in decisions(record)] == [(at, f"bid {at + 1}") for at in own]
    assert [each.state.phase for each in decisions(record)] == ["bid"] * len(own)


def won(own: int, other: int) -> dict[str, Any]:
    """Return the record of a game with these points."""
    ranks = [1 + (own < other), 1 + (other < own)]
    return {"verdict": {"placements": ranks}, "result": {"scores": [{"total": own}, {"total": other}]}}


@pytest.mark.parametrize(
    ("points", "is_decided", "is_passed"),
    [
        ([(9, 5), (7, 6)], False, False),
        ([(9, 5), (7, 6), (8, 1)], True, True),
        ([(9, 5), (5, 9), (7, 6), (1, 2)], False, False),
        ([(5, 9), (6, 6), (1, 8)], True, False),  # a draw is no win
        ([(5, 9), (9, 5), (5, 9), (9, 5), (9, 5)], True, True),
    ],
)
def test_three_of_five_games_decide_the_last_lesson(
    points: list[tuple[int, int]], is_decided: bool, is_passed: bool
) -> None:
    records = [won(*each) for each in points]
    verdict = LESSONS[5].judge(records)
    assert (LESSONS[5].is_decided(records), verdict.is_passed) == (is_decided, is_passed)
    assert [(each.got, each.most) for each in verdict.findings] == points


def test_a_fault_or_a_game_without_a_result_passes_nothing() -> None:
    forfeited = {"verdict": {"placements": [2, 1]}, "result": None}
    assert [(each.got, each.most) for each in LESSONS[5].judge([forfeited]).findings] == [(0, 0)]
    lesson = LESSONS[0]
    (record,) = played(lesson.solution, lesson)
    record["incidents"] = [{"at": 5, "seat": 2, "kind": "fault", "reason": "LATE"}]
    assert lesson.judge([record]).is_passed, "a fault of the opponent"
    record["incidents"] += [{"at": 9, "seat": 1, "kind": "fault", "reason": "LATE"}]
    verdict = lesson.judge([record])
    assert (verdict.is_passed, verdict.faults) == (False, 1)
