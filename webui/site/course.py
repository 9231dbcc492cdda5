"""The course of a match, made ready for templates: the move list, the controls' links, the lane with its marks."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from webui.site import words
from webui.site.story import Step, Story


@dataclass(frozen=True)
class Move:
    """A line of the move list."""

    index: int
    seat: int
    words: str
    text: str
    starts_turn: bool
    is_current: bool
    is_later: bool
    round: int | None
    """Set on the first move of a round."""
    fault: str


@dataclass(frozen=True)
class Mark:
    """Something that happened, on the lane of the whole match."""

    kind: str
    seat: int
    index: int
    percent: float
    title: str


def moves(story: Story, names: Sequence[str], place: int, *, with_positions: bool) -> list[Move]:
    """The move list; with the positions between, its words say more."""
    lines: list[Move] = []
    last: Step | None = None
    shown_round = 0
    for number, step in enumerate(story.steps, 1):
        before = story.position(number - 1) if with_positions else None
        after = story.position(number) if with_positions else None
        new_round = before["round"] if before and before["round"] != shown_round else None
        shown_round = new_round or shown_round
        lines.append(
            Move(
                index=step.index,
                seat=step.seat,
                words=words.decision_words(step.text, names, story.ruleset, before, after),
                text=step.text,
                starts_turn=last is None or last.seat != step.seat or last.verb in ("end", "bid"),
                is_current=number == place,
                is_later=number > place,
                round=new_round,
                fault=fault_words(step),
            )
        )
        last = step
    return lines


def fault_words(step: Step) -> str:
    """What went wrong at a decision, if anything did."""
    if reason := step.facts.get("default"):
        return _("%(reason)s: a default decision was played") % {"reason": words.reason_words(str(reason))}
    if step.facts.get("house"):
        return _("played by the house for a seat that forfeited")
    return ""


def marks(story: Story, names: Sequence[str]) -> list[Mark]:
    """Captures, Djinns and faults over the whole match, for the lane under the board. Needs every position."""
    found: list[Mark] = []
    whole = len(story.steps) or 1
    for number, step in enumerate(story.steps, 1):
        percent, bot = round(100 * number / whole, 2), names[step.seat - 1]
        if step.facts.get("default"):
            found.append(Mark("fault", step.seat, step.index, percent, f"{bot}: {fault_words(step)}"))
        if step.verb in ("summon", "keep"):
            title = _("%(bot)s gains %(djinn)s") % {"bot": bot, "djinn": words.djinn_name(step.text.split(" ")[1])}
            found.append(Mark("djinn", step.seat, step.index, percent, title))
        before, after = story.position(number - 1), story.position(number)
        if before is None or after is None:
            continue
        for tile, now in after["board"]["tiles"].items():
            if now["owner"] and now["owner"] != before["board"]["tiles"][tile]["owner"]:
                title = _("%(bot)s takes %(tile)s") % {"bot": names[now["owner"] - 1], "tile": tile}
                found.append(Mark("capture", now["owner"], step.index, percent, title))
    return found


def rounds(story: Story) -> list[tuple[int, float]]:
    """Where each round begins on the lane, in percent. Needs every position."""
    whole = len(story.steps) or 1
    found: list[tuple[int, float]] = []
    for number in range(len(story.steps)):
        position = story.position(number)
        if position and (not found or found[-1][0] != position["round"]):
            found.append((position["round"], round(100 * number / whole, 2)))
    return found


@dataclass(frozen=True)
class Links:
    """Where the controls lead, as values of `?d=`; empty where there is nothing further."""

    first: str
    previous_turn: str
    previous: str
    next: str
    next_turn: str
    last: str


def links(story: Story, place: int) -> Links:
    """The neighbours of a place. A turn begins where another seat decides, or after `end`. Only what can be shown."""
    end = len(story.steps)
    starts = [
        number
        for number, step in enumerate(story.steps, 1)
        if number == 1 or story.steps[number - 2].seat != step.seat or story.steps[number - 2].verb in ("end", "bid")
    ]

    def to(number: int | None) -> str:
        if number is None or not 0 <= number <= end or story.position(number) is None:
            return ""
        return story.name_of(number)

    return Links(
        first=to(0) if place else "",
        previous_turn=to(max((number for number in starts if number < place), default=0)) if place else "",
        previous=to(place - 1),
        next=to(place + 1),
        next_turn=to(min((number for number in starts if number > place), default=end)) if place < end else "",
        last=to(end) if place < end else "",
    )


@dataclass(frozen=True)
class Lane:
    """The whole match on a line: where we are, where rounds begin, what happened."""

    percent: float
    rounds: list[tuple[int, float]]
    marks: list[Mark]


def lane(story: Story, names: Sequence[str], place: int) -> Lane:
    """The lane under the board."""
    return Lane(round(100 * place / (len(story.steps) or 1), 2), rounds(story), marks(story, names))
