"""The move list of a match: its lines as values and as HTML."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from webui.site import words
from webui.site.replay.replay import Replay, Step
from webui.site.templatetags.arena import seat_badge


@dataclass(frozen=True)
class Move:
    """A line of the move list."""

    index: int
    next_index: int
    """Of the event that follows, before which lies the position that the move led to."""
    seat: int
    words: str
    text: str
    starts_turn: bool
    round: int | None
    """Set on the first move of a round."""
    fault: str


def move_list(replay: Replay, names: Sequence[str]) -> list[Move]:
    """The lines of a match so far; `names` are those of the bots, seat 1 first."""
    return [move_at(replay, names, ply) for ply in range(1, len(replay.steps) + 1)]


def move_at(replay: Replay, names: Sequence[str], ply: int) -> Move:
    """The line of the decision that led to a ply."""
    step, before = replay.steps[ply - 1], replay.position(ply - 1)
    assert before is not None  # every ply of a replay has a position
    earlier = replay.position(ply - 2) if ply > 1 else None
    return Move(
        index=step.index,
        next_index=step.next_index,
        seat=step.seat,
        words=words.decision_words(step.text, names, replay.ruleset, before, replay.position(ply)),
        text=step.text,
        starts_turn=starts_turn(replay, ply),
        round=before.round if earlier is None or earlier.round != before.round else None,
        fault=fault_words(step),
    )


def fault_words(step: Step) -> str:
    """What went wrong at a decision, if anything did."""
    if reason := step.facts.get("default"):
        return _("%(reason)s: a default decision was played") % {"reason": words.reason_words(str(reason))}
    if step.facts.get("house"):
        return _("played by the house for a seat that forfeited")
    return ""


def ends_turn(step: Step) -> bool:
    """A bid is a turn of its own."""
    return step.verb in ("end", "bid")


def starts_turn(replay: Replay, ply: int) -> bool:
    """Whether the decision that led to a ply is the first of a turn."""
    return ply == 1 or replay.steps[ply - 2].seat != replay.steps[ply - 1].seat or ends_turn(replay.steps[ply - 2])


def move_line(move: Move, *, is_current: bool = False) -> SafeString:
    """A line of the move list, under the heading of its round where it is the first."""
    begun = move.starts_turn
    return format_html(
        '{}<li class="mv{}{}"><a href="?d={}" data-step class="mv-l"{}><span class="mv-i tab">{}</span>{}'
        '<span class="mv-w">{}{}</span><code>{}</code></a></li>',
        _round_line(move.round) if move.round else "",
        " nt" if begun else "",
        " is-now" if is_current else "",
        move.next_index,
        SafeString(' aria-current="step"') if is_current else "",
        move.index,
        seat_badge(move.seat) if begun else SafeString("<span></span>"),
        move.words,
        _fault(move.fault) if move.fault else "",
        move.text,
    )


def _round_line(number: int) -> SafeString:
    return format_html('<li class="mv-r">{}</li>', _("Round %(round)s") % {"round": number})


def _fault(words: str) -> SafeString:
    return format_html(' <span class="down" title="{0}">!<span class="vh"> {0}</span></span>', words)
