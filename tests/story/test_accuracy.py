"""What sowings cost: better players lose fewer points, forfeited seats are left out, and the numbers stay the same."""

from __future__ import annotations

from typing import Any

import pytest

from arena.local.house_series import local_game
from arena.rules import Ruleset, replay_document
from arena.story import Loss, accuracies
from arena.story.accuracy import LEAST, losses
from arena.story.values import parse_losses, points_document


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    """A game of a greedy player against a random one."""
    names = ("greedy", "random")
    game = local_game(Ruleset(2), bytes(32), names)
    return replay_document(game, match="m", seats=[{"name": name, "version": "1"} for name in names])


@pytest.fixture(scope="module")
def measured(record: dict[str, Any]) -> list[Loss]:
    return list(losses(record, {}))


def test_every_sowing_with_another_choice_is_measured(record: dict[str, Any], measured: list[Loss]) -> None:
    takes = {number: event[0] for number, event in enumerate(record["events"]) if event[1].startswith("take ")}
    assert measured and {loss.index: loss.seat for loss in measured}.items() <= takes.items()
    assert len(measured) > len(takes) - 4, "only at the end there is nothing else to sow"


def test_a_better_player_loses_less_and_the_same_record_gives_the_same(
    record: dict[str, Any], measured: list[Loss]
) -> None:
    greedy, random = accuracies(measured, 2)
    assert greedy is not None and random is not None
    assert greedy.points + 3 < random.points and random.error > 0
    assert list(losses(record, {})) == measured


def test_after_a_forfeit_the_house_decides(record: dict[str, Any], measured: list[Loss]) -> None:
    at = measured[len(measured) // 2].index
    found = list(losses(record, {1: at}, rollouts=2))
    assert all(loss.index < at for loss in found if loss.seat == 1) and any(loss.index > at for loss in found)


def test_the_mean_and_its_error() -> None:
    """By hand: mean 2, variance 4, three sowings."""
    few = [Loss(1, 1, 0.0), Loss(5, 1, 2.0), Loss(9, 1, 4.0), *[Loss(n, 2, 1.0) for n in range(LEAST - 1)]]
    first, second = accuracies(few, 2)
    assert first is not None and second is None, "too few say nothing"
    assert (first.seat, first.sowings, first.points, first.error) == (1, 3, 2.0, pytest.approx(2 / 3**0.5))


def test_losses_are_stored_in_tenths() -> None:
    document = points_document((), (), (Loss(12, 2, 3.14), Loss(40, 1, -0.26)))
    assert parse_losses(document) == (Loss(12, 2, 3.1), Loss(40, 1, -0.3))
    assert parse_losses({"points": [], "turns": []}) == (), "a story of the first evaluator has none"
