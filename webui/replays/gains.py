"""Gains: changes in the points of the seats by a decision or a turn, by source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webui.replays.replay import Replay
from webui.words import vocabulary

MINUS = "\N{MINUS SIGN}"


def signed(number: int) -> str:
    """Return a number with its sign, such as `+12` or `−3`."""
    return f"+{number}" if number > 0 else f"{MINUS}{-number}"


@dataclass(frozen=True)
class Gain:
    """The change in the points of a seat."""

    seat: int
    sources: tuple[tuple[str, int], ...]
    """Categories of the score with their changes, gains before losses."""

    @property
    def text(self) -> str:
        """Changes by source without names, such as `+6, −3`."""
        return ", ".join(signed(change) for _name, change in self.sources)

    @property
    def total(self) -> str:
        """Sum of the changes, such as `+3`, or `±0` if they cancel out."""
        number = sum(change for _name, change in self.sources)
        return signed(number) if number else "±0"

    @property
    def words(self) -> str:
        """Changes by source with names, such as `Goods +6, Gold −3`."""
        return ", ".join(text for _name, text in self.named)

    @property
    def named(self) -> list[tuple[str, str]]:
        """Pairs of a source and its text, such as `("goods", "Goods +6")`."""
        names = vocabulary.source_names()
        return [(name, f"{names[name]} {signed(change)}") for name, change in self.sources]


def gains_between(before: Sequence[Mapping[str, int]], after: Sequence[Mapping[str, int]]) -> list[Gain]:
    """Return the gains of the seats whose points differ, seat 1 first. Sources hidden in either list are ignored."""
    gains = []
    for seat, (had, has) in enumerate(zip(before, after, strict=True), 1):
        if had == has:
            continue
        changes = [(name, has[name] - had[name]) for name in vocabulary.CATEGORIES if name in had and name in has]
        if changed := [change for change in changes if change[1]]:
            gains.append(Gain(seat, tuple(sorted(changed, key=lambda change: change[1] < 0))))
    return gains


def gains_at(replay: Replay, ply: int) -> list[Gain]:
    """Return the gains of the decision that led to a ply. Empty at the set-up."""
    return gains_between(replay.points(ply - 1), replay.points(ply)) if ply else []


def gains_of_turn(replay: Replay, ply: int) -> list[Gain]:
    """Return the gains of the turn up to a ply."""
    return gains_between(replay.points(replay.before_turn(ply)), replay.points(ply)) if ply else []


def added(gains: Sequence[Sequence[Gain]]) -> list[Gain]:
    """Return the sum of the gains of several decisions."""
    sums: dict[int, dict[str, int]] = {}
    for gain in (gain for each in gains for gain in each):
        of_seat = sums.setdefault(gain.seat, dict.fromkeys(vocabulary.CATEGORIES, 0))
        for name, change in gain.sources:
            of_seat[name] += change
    seats = range(1, max(sums, default=0) + 1)
    whole: list[dict[str, int]] = [sums.get(seat, {}) for seat in seats]
    return gains_between([dict.fromkeys(sources, 0) for sources in whole], whole)
