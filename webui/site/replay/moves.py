"""The course of a match, made ready for templates: the move list, the controls' links, the lane with its marks."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from webui.site import words
from webui.site.replay.replay import Step, Story


@dataclass(frozen=True)
class Move:
    """A line of the move list."""

    index: int
    seat: int
    words: str
    text: str
    starts_turn: bool
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

    def document(self) -> list[object]:
        """The mark in a frame."""
        return [self.kind, self.seat, self.title]


def moves(story: Story, names: Sequence[str], first: int = 1) -> list[Move]:
    """The move list from a place on."""
    lines: list[Move] = []
    for number, step in enumerate(story.steps[first - 1 :], first):
        before, after = story.position(number - 1), story.position(number)
        assert before is not None  # every place of a story has a position
        earlier = story.position(number - 2) if number > 1 else None
        new_round = before["round"] if earlier is None or earlier["round"] != before["round"] else None
        lines.append(
            Move(
                index=step.index,
                seat=step.seat,
                words=words.decision_words(step.text, names, story.ruleset, before, after),
                text=step.text,
                starts_turn=starts_turn(story, number),
                round=new_round,
                fault=fault_words(step),
            )
        )
    return lines


def fault_words(step: Step) -> str:
    """What went wrong at a decision, if anything did."""
    if reason := step.facts.get("default"):
        return _("%(reason)s: a default decision was played") % {"reason": words.reason_words(str(reason))}
    if step.facts.get("house"):
        return _("played by the house for a seat that forfeited")
    return ""


def marks(story: Story, names: Sequence[str]) -> list[Mark]:
    """Captures, Djinns, faults and lead changes over the whole match, for the lane under the board."""
    return [mark for place in range(1, len(story.steps) + 1) for mark in marks_at(story, names, place)]


def marks_at(story: Story, names: Sequence[str], place: int) -> list[Mark]:
    """What is marked of the decision that led to a place."""
    found: list[Mark] = []
    step = story.steps[place - 1]
    percent, bot = round(100 * place / len(story.steps), 2), names[step.seat - 1]

    def mark(kind: str, seat: int, title: str) -> None:
        found.append(Mark(kind, seat, step.index, percent, title))

    if step.facts.get("default"):
        mark("fault", step.seat, f"{bot}: {fault_words(step)}")
    if step.verb in ("summon", "keep") and (djinn := step.text.split(" ")[1]) in words.DJINNS:
        mark("djinn", step.seat, _("%(bot)s gains %(djinn)s") % {"bot": bot, "djinn": words.djinn_name(djinn)})
    before, after = story.position(place - 1), story.position(place)
    if before is not None and after is not None:
        for tile, now in after["board"]["tiles"].items():
            if now["owner"] and now["owner"] != before["board"]["tiles"][tile]["owner"]:
                title = _("%(bot)s takes %(tile)s") % {"bot": names[now["owner"] - 1], "tile": tile}
                mark("capture", now["owner"], title)
    was, now_leads = leader(story, place - 1), leader(story, place)
    if was and now_leads and was != now_leads:
        mark("lead", now_leads, _("%(bot)s takes the lead") % {"bot": names[now_leads - 1]})
    return found


def leader(story: Story, place: int) -> int:
    """The seat that leads alone at the end of a turn; 0 where nobody does, inside turns and while hands are hidden.

    Inside a turn the score swings with every coin: a lead is what stands when the turn is over.
    """
    while place and not ends_turn(story.steps[place - 1]):
        place -= 1
    scores = story.scores(place)
    if not scores:
        return 0
    totals = [score["total"] for score in scores]
    return totals.index(max(totals)) + 1 if totals.count(max(totals)) == 1 else 0


def ends_turn(step: Step) -> bool:
    """A bid is a turn of its own."""
    return step.verb in ("end", "bid")


def starts_turn(story: Story, place: int) -> bool:
    """Whether the decision that led to a place is the first of a turn."""
    return place == 1 or story.steps[place - 2].seat != story.steps[place - 1].seat or ends_turn(story.steps[place - 2])


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
    starts = [number for number in range(1, end + 1) if starts_turn(story, number)]

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
