"""Turning points of invented turns, and the evaluation of whole games."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from arena.local.house_series import LocalGame
from arena.players.quick import Quick
from arena.rules import Game, RulesError, Ruleset, score
from arena.story import Point, TurningKind, alternatives, choice_of, evaluate
from arena.story.chances import chances, judged
from arena.story.evaluate import excitement
from arena.story.moments import Moment, moments
from arena.story.turning import turning_points
from arena.story.values import TurningPoint, parse_points, points_document
from tests.kit.games import random_game, random_states, seed_of


def record(game: Game, **verdict: Any) -> dict[str, Any]:
    """Return the record of a game, in the form of a match's record."""
    document = LocalGame(0, game, ("bot",) * game.ruleset.players).document()
    outcome = game.state.outcome
    placements = list(outcome.ranks) if outcome else []
    return {**document, "verdict": {"kind": "completed", "placements": placements, "forfeits": [], **verdict}}


@pytest.fixture(scope="module")
def game() -> Game:
    return random_game(3, seed_of("a story"))


def test_moments_lie_before_each_round_and_each_turn(game: Game) -> None:
    found = list(moments(record(game)))
    assert found[0].index == 0 and found[-1].index == len(game.events) and found[-1].state.is_over
    for before, after in pairwise(found):
        texts = [decision.text for decision in after.decisions]
        seats = {decision.seat for decision in after.decisions}
        if before.state.phase == "bid":
            assert not any(before.state.turn_track) and len(texts) == 3
            assert all(text.startswith("bid ") for text in texts) and len(seats) == 3
        else:
            assert before.state.phase == "move" and texts.count("end") == 1 == len(seats) and texts[-1] == "end"
    # The decisions are those of the game, in order.
    told = [decision.text for moment in found for decision in moment.decisions]
    assert told == [event.text for event in game.events if event.seat]


def test_an_evaluation_can_be_made_again(game: Game) -> None:
    one, two = (evaluate(record(game), rollouts=3) for _ in range(2))
    assert one == two
    assert all(sum(point.chances) == pytest.approx(1) and min(point.chances) >= 0 for point in one.points)
    winner = one.values.winners[0]
    assert one.points[-1].chances == tuple(float(seat == winner) for seat in (1, 2, 3)) and one.points[-1].error == 0
    assert any(point.error > 0 for point in one.points) and 0 < one.values.excitement < 1
    assert 3 <= len(one.turning_points) <= 5
    assert [turn.index for turn in one.turning_points] == sorted({turn.index for turn in one.turning_points})
    rounded = parse_points(points_document(one.points, one.turning_points))
    assert rounded[0][0].chances == pytest.approx(one.points[0].chances, abs=0.0005)
    assert [turn.index for turn in rounded[1]] == [turn.index for turn in one.turning_points]


def test_the_lead_changes_as_the_scores_at_the_ends_of_turns_say(game: Game) -> None:
    again, leaders = Game(game.ruleset, game.seed), []
    for event in game.events:
        if event.seat:
            again.play(event.text)
            totals = [score(again.state, seat)["total"] for seat in (1, 2, 3)]
            if event.text.split(" ")[0] in ("bid", "end") and totals.count(max(totals)) == 1:
                leaders.append(totals.index(max(totals)))
    changes = sum(1 for one, other in pairwise(leaders) if one != other)
    assert changes > 1 and evaluate(record(game), rollouts=1).values.lead_changes == changes


def test_what_was_drawn_later_is_not_looked_at(game: Game) -> None:
    """Two games that differ only in the order of the draw piles have the same chances."""
    state = next(moment.state for moment in list(moments(record(game)))[4:])
    other = state.copy()
    other.deck, other.djinn_deck = tuple(sorted(state.deck)), tuple(sorted(state.djinn_deck))
    known = state.copy()
    known.deck, known.djinn_deck = other.deck[::-1], other.djinn_deck[::-1]
    shuffled = [Quick(bytes(32)).shuffled(each) for each in (state, other, known)]
    assert len({each.deck for each in shuffled}) == 3, "the order follows from the draws and from what is left"
    assert {tuple(sorted(each.deck)) for each in shuffled} == {other.deck}
    with pytest.raises(AssertionError):  # the order that the match had is not kept
        assert Quick(bytes(32)).shuffled(state).deck == state.deck


def test_the_leader_is_the_likelier_to_win_and_who_forfeited_is_out(game: Game) -> None:
    last = list(moments(record(game)))[-1].state
    totals = list(game.state.outcome.scores) if game.state.outcome else []
    best = max(range(3), key=lambda seat: totals[seat]["total"])
    shares = judged(last)
    assert shares.index(max(shares)) == best
    without = judged(last, out=[best + 1])
    assert without[best] == 0 and sum(without) == pytest.approx(1)
    means, _ = chances(list(moments(record(game)))[-2].state, bytes(32), out=[best + 1], rollouts=2)
    assert means[best] == 0


def test_a_record_that_does_not_follow_is_refused(game: Game) -> None:
    document = record(game)
    document["events"] = [*document["events"][:5], [1, "bid 1"], *document["events"][5:]]
    with pytest.raises(RulesError):
        evaluate(document)


def test_a_match_that_a_forfeit_ends_has_a_winner_and_no_turning_point_there() -> None:
    game = random_game(2, seed_of("left alone"))
    decisions = [number for number, event in enumerate(game.events) if event.seat]
    at = decisions[-20]
    document = record(game, kind="forfeit", placements=[1, 2], forfeits=[{"seat": 2, "at": at, "reason": "STRIKES"}])
    document["events"], document["result"] = document["events"][:at], None
    told = evaluate(document, rollouts=2)
    assert told.values.winners == (1,) and told.values.decided_by == "FORFEIT" and told.values.margin == 0
    assert told.points[-1] == Point(at, (1.0, 0.0), 0.0)
    assert all(turn.until < at for turn in told.turning_points)


def swings(*changes: float) -> list[Point]:
    """Return the chances of two seats over time. The first seat's chance changes by these amounts."""
    found, chance = [Point(0, (0.5, 0.5), 0.01)], 0.5
    for number, change in enumerate(changes, 1):
        chance += change
        found.append(Point(number, (chance, 1 - chance), 0.01))
    return found


def of_two() -> list[Moment]:
    return list(moments(record(random_game(2, seed_of("two seats")))))


def told(*changes: float) -> list[TurningPoint]:
    found = of_two()[: len(changes) + 1]
    return list(turning_points(found, swings(*changes)))


def test_of_many_swings_five_are_told_and_small_ones_only_where_there_are_few() -> None:
    assert len(told(0.1, -0.2, 0.1, -0.2, 0.1, -0.1, 0.1, -0.15)) <= 5
    few = told(0.3, 0.0, -0.04, 0.0, 0.05)
    assert [round(abs(turn.swing), 2) for turn in few] == [0.3, 0.04, 0.05]
    assert told(0.01, -0.02, 0.01) == [], "that may be noise"


def test_bids_are_told_of_the_seat_whose_chances_they_raise() -> None:
    (turn, *_) = told(-0.3)
    first = of_two()[1].state.to_act
    assert turn.seat == 2 and turn.kind == (TurningKind.OUTBID if first == 2 else TurningKind.BID) and turn.round == 1
    assert turn.swing == pytest.approx(0.3) and turn.index == 0


def test_a_turn_that_costs_its_own_seat_is_a_slip() -> None:
    seat = of_two()[2].decisions[0].seat
    (turn, *_) = told(0.0, -0.2 if seat == 1 else 0.2)
    assert turn.kind == TurningKind.SLIP and turn.seat == seat and turn.swing == pytest.approx(-0.2)


def test_excitement_rises_with_each_of_its_three_parts() -> None:
    calm, open_, turned = swings(0.4, 0.05, 0.05), swings(0.0, 0.0, 0.5), swings(0.3, -0.5, 0.7)
    assert excitement(open_, 5) > excitement(calm, 5) < excitement(turned, 5)
    assert excitement(calm, 0) > excitement(calm, 5) > excitement(calm, 50) > 0
    assert excitement([Point(0, (1.0, 0.0), 0.0)] * 3, 1000) == 0


@pytest.mark.parametrize("ruleset", [Ruleset(2), Ruleset(5, ("artisans", "whims"))], ids=["two", "five"])
def test_rollouts_come_to_their_end_from_every_decision(ruleset: Ruleset) -> None:
    player = Quick(bytes(32))
    for number, state in enumerate(random_states(ruleset, seed_of("rollouts", ruleset))):
        if state.is_over or number % 9:
            continue
        after, begun = player.shuffled(state), state.round
        for _ in range(100):
            if after.is_over or after.round != begun:
                break
            after = player.advance(after)
        assert after.is_over or after.round == begun + 1


def test_alternatives_are_legal_and_none_is_what_was_played() -> None:
    game = random_game(3, seed_of("alternatives"))
    again, phases = Game(game.ruleset, game.seed), set[str]()
    texts = [event.text for event in game.events if event.seat]
    for number, text in enumerate(texts):
        state = again.state
        if state.phase not in phases and len(state.legal) > 1:
            phases.add(state.phase)
            own = choice_of(state, texts[number:])
            found = alternatives(state, texts[number:], bytes(32), rollouts=2)
            assert found == alternatives(state, texts[number:], bytes(32), rollouts=2)
            assert 1 <= len(found) <= 3 and [one.gain for one in found] == sorted([one.gain for one in found])[::-1]
            for option in found:
                assert option.actions != own
                played = state
                for action in option.actions:
                    played = played.play(played.parse(action))  # raises if the action is not legal
        again.play(text)
    assert phases >= {"bid", "move", "sow", "tile"}


def test_where_there_was_no_choice_there_is_no_alternative() -> None:
    for state in random_states(2, seed_of("forced")):
        if not state.is_over and state.phase != "sow" and len(state.legal) == 1:
            assert alternatives(state, [state.legal[0].text], bytes(32)) == []
            return
    pytest.fail("no decision was forced")
