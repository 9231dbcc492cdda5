"""How many points the seats of a match lost by their sowings, for the pages of the match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.story import accuracies, choice_of
from webui.replays.replay import FinishedReplay
from webui.stories.values import StoryPage
from webui.words.options import option_words


@dataclass(frozen=True)
class SeatAccuracy:
    """The accuracy of a seat."""

    seat: int
    name: str
    points: float
    """VP lost by a sowing, on average."""
    error: float
    """Standard error of `points`."""
    sowings: int
    """Number of sowings measured."""
    costliest: int
    """Index of the first decision of the sowing that cost most."""
    most: float
    """VP that it cost."""


@dataclass(frozen=True)
class LostPoints:
    """A sowing of a seat in words, and what it cost."""

    index: int
    """Index of its first decision."""
    round: int
    route: str
    """First and last tile."""
    words: str
    points: float
    """VP that the best other sowing promised more. 0 if none promised more."""


def seat_accuracies(story: StoryPage, names: Sequence[str]) -> list[SeatAccuracy]:
    """Return the accuracy of each seat that has one, in the order of the seats. `names` are the bots' names."""
    found = []
    for each in filter(None, accuracies(story.losses, len(names))):
        worst = max((loss for loss in story.losses if loss.seat == each.seat), key=lambda loss: loss.points)
        found.append(
            SeatAccuracy(
                seat=each.seat,
                name=names[each.seat - 1],
                points=max(0.0, each.points),
                error=each.error,
                sowings=each.sowings,
                costliest=worst.index,
                most=max(0.0, worst.points),
            )
        )
    return found


def lost_points(story: StoryPage, replay: FinishedReplay, names: Sequence[str], seat: int) -> list[LostPoints]:
    """Return what the sowings of a seat cost, in the order of the match."""
    texts, found = [step.text for step in replay.steps], []
    for loss in story.losses:
        if loss.seat == seat:
            ply = replay.ply_of(str(loss.index))
            state = replay.state(ply)
            route, words = option_words(state, choice_of(state, texts[ply:]), names, replay.ruleset)
            found.append(LostPoints(loss.index, state.round, route, words, max(0.0, loss.points)))
    return found
