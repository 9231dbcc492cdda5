"""The timeline of a match: its rounds and marks, and the targets of the controls."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from webui.ratings.charts import Totals
from webui.replays.moves import fault_words
from webui.replays.replay import FinishedReplay, Replay
from webui.words import cards

MarkDocument = tuple[str, int, str]
"""Kind, seat and title of a mark."""


@dataclass(frozen=True)
class Mark:
    """An incident, such as a capture, with its position on the timeline."""

    kind: str
    seat: int
    index: int
    """Index of the event that follows."""
    percent: float
    title: str
    what: str = ""
    """Tile that was captured, or id of the Djinn."""

    def document(self) -> MarkDocument:
        """Return the mark as a value in a frame."""
        return self.kind, self.seat, self.title


def marks(replay: Replay, names: Sequence[str]) -> list[Mark]:
    """Return the captures, Djinns, faults and lead changes of the whole match."""
    return [mark for ply in range(1, len(replay.steps) + 1) for mark in marks_at(replay, names, ply)]


def marks_at(replay: Replay, names: Sequence[str], ply: int) -> list[Mark]:
    """Return the marks of the decision that led to a ply."""
    marks: list[Mark] = []
    step = replay.steps[ply - 1]
    percent, bot = round(100 * ply / len(replay.steps), 2), names[step.seat - 1]

    def mark(kind: str, seat: int, title: str, what: str = "") -> None:
        marks.append(Mark(kind, seat, step.next_index, percent, title, what))

    if step.facts.get("default"):
        mark("fault", step.seat, f"{bot}: {fault_words(step)}")
    if step.verb in ("summon", "keep") and (djinn := step.text.split(" ")[1]) in cards.DJINNS:
        mark("djinn", step.seat, _("%(bot)s gains %(djinn)s") % {"bot": bot, "djinn": cards.djinn_name(djinn)}, djinn)
    before, after = replay.position(ply - 1), replay.position(ply)
    if before is not None and after is not None:
        for tile, now in after.tiles.items():
            if now is not before.tiles[tile] and now.owner and now.owner != before.tiles[tile].owner:
                title = _("%(bot)s takes %(tile)s") % {"bot": names[now.owner - 1], "tile": tile}
                mark("capture", now.owner, title, tile)
    now_leads = leader(replay, ply) if step.ends_turn else 0
    if now_leads and _led(replay, ply - 1) not in (0, now_leads):
        mark("lead", now_leads, _("%(bot)s takes the lead") % {"bot": names[now_leads - 1]})
    return marks


def leader(replay: Replay, ply: int) -> int:
    """Return the seat that was alone in the lead at the end of the latest turn.

    Return 0 if there was none, or if scores are hidden. Leads within a turn are ignored, because the score swings with
    every coin.
    """
    while ply and not replay.steps[ply - 1].ends_turn:
        ply -= 1
    scores = replay.scores(ply)
    if not scores:
        return 0
    totals = [score["total"] for score in scores]
    return totals.index(max(totals)) + 1 if totals.count(max(totals)) == 1 else 0


def _led(replay: Replay, ply: int) -> int:
    """Return the last seat that had the lead alone, up to a ply. Return 0 if none had."""
    while ply:
        if seat := leader(replay, ply):
            return seat
        ply -= 1
    return 0


def rounds(replay: Replay) -> list[tuple[int, float]]:
    """Return each round with its start on the timeline, in percent. This reads every position."""
    whole = len(replay.steps) or 1
    starts: list[tuple[int, float]] = []
    for number in range(len(replay.steps)):
        position = replay.position(number)
        if position and (not starts or starts[-1][0] != position.round):
            starts.append((position.round, round(100 * number / whole, 2)))
    return starts


def score_totals(replay: FinishedReplay) -> Totals:
    """Return the scores of a whole match, ply by ply."""
    return [[score["total"] for score in replay.scores(ply) or ()] for ply in range(len(replay.steps) + 1)]


def counted_totals(replay: Replay) -> Totals | None:
    """Return the minimum scores of a running match, ply by ply. Return None if they were not counted."""
    all_bounds = [replay.bounds(ply) for ply in range(len(replay.steps) + 1)]
    return [[low for low, _high in bounds] for bounds in all_bounds if bounds] if all(all_bounds) else None


@dataclass(frozen=True)
class Links:
    """The targets of the controls, as values of `?d=`. A target is empty if the control leads nowhere."""

    first: str
    previous_turn: str
    previous: str
    next: str
    next_turn: str
    last: str


def links(replay: Replay, ply: int) -> Links:
    """Return the targets of the controls at a ply. Positions that cannot be shown are left out.

    A turn begins when another seat decides, or after `end`.
    """
    end = len(replay.steps)
    starts = [number for number in range(1, end + 1) if replay.starts_turn(number)]

    def to(number: int | None) -> str:
        if number is None or not 0 <= number <= end or replay.position(number) is None:
            return ""
        return str(replay.index_of(number))

    return Links(
        first=to(0) if ply else "",
        previous_turn=to(max((number for number in starts if number < ply), default=0)) if ply else "",
        previous=to(ply - 1),
        next=to(ply + 1),
        next_turn=to(min((number for number in starts if number > ply), default=end)) if ply < end else "",
        last=to(end) if ply < end else "",
    )
