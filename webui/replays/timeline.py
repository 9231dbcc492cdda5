"""The timeline of a match: rounds and marks along its length, and where the controls lead."""

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
    """Something that happened, at its position on the timeline."""

    kind: str
    seat: int
    index: int
    """Of the event that follows."""
    percent: float
    title: str
    what: str = ""
    """The tile that was taken, or the id of the Djinn."""

    def document(self) -> MarkDocument:
        """The mark in a frame."""
        return self.kind, self.seat, self.title


def marks(replay: Replay, names: Sequence[str]) -> list[Mark]:
    """Captures, Djinns, faults and lead changes over the whole match."""
    return [mark for ply in range(1, len(replay.steps) + 1) for mark in marks_at(replay, names, ply)]


def marks_at(replay: Replay, names: Sequence[str], ply: int) -> list[Mark]:
    """The marks of the decision that led to a ply."""
    found: list[Mark] = []
    step = replay.steps[ply - 1]
    percent, bot = round(100 * ply / len(replay.steps), 2), names[step.seat - 1]

    def mark(kind: str, seat: int, title: str, what: str = "") -> None:
        found.append(Mark(kind, seat, step.next_index, percent, title, what))

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
    return found


def leader(replay: Replay, ply: int) -> int:
    """The seat that leads alone at the end of a turn; 0 where nobody does, inside turns and while hands are hidden.

    Inside a turn the score swings with every coin: a lead is what stands when the turn is over.
    """
    while ply and not replay.steps[ply - 1].ends_turn:
        ply -= 1
    scores = replay.scores(ply)
    if not scores:
        return 0
    totals = [score["total"] for score in scores]
    return totals.index(max(totals)) + 1 if totals.count(max(totals)) == 1 else 0


def _led(replay: Replay, ply: int) -> int:
    """The last seat that led alone up to a ply; 0 where none has."""
    while ply:
        if found := leader(replay, ply):
            return found
        ply -= 1
    return 0


def rounds(replay: Replay) -> list[tuple[int, float]]:
    """Each round with where it begins on the timeline, in percent. Reads every position."""
    whole = len(replay.steps) or 1
    found: list[tuple[int, float]] = []
    for number in range(len(replay.steps)):
        position = replay.position(number)
        if position and (not found or found[-1][0] != position.round):
            found.append((position.round, round(100 * number / whole, 2)))
    return found


def score_totals(replay: FinishedReplay) -> Totals:
    """The scores of a whole match."""
    return [[score["total"] for score in replay.scores(ply) or ()] for ply in range(len(replay.steps) + 1)]


def counted_totals(replay: Replay) -> Totals | None:
    """Of a match that runs the least that each score is, ply by ply; None where nobody has counted."""
    found = [replay.bounds(ply) for ply in range(len(replay.steps) + 1)]
    return [[low for low, _high in bounds] for bounds in found if bounds] if all(found) else None


@dataclass(frozen=True)
class Links:
    """Where the controls lead, as values of `?d=`; empty at either end."""

    first: str
    previous_turn: str
    previous: str
    next: str
    next_turn: str
    last: str


def links(replay: Replay, ply: int) -> Links:
    """The neighbours of a ply. A turn begins where another seat decides, or after `end`. Only what can be shown."""
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
