"""The move list of a match, as values and as HTML. Each turn is a line that unfolds to its decisions."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from webui.replays.gains import Gain, added, gains_at
from webui.replays.replay import Replay, Step
from webui.words import badges, decisions
from webui.words.badges import seat_badge


@dataclass(frozen=True)
class Move:
    """A decision of the move list."""

    index: int
    next_index: int
    """Index of the event that follows. The position after the move is the one before that event."""
    seat: int
    words: str
    brief: str
    """Text in the summary line of its turn. Empty if the line need not mention it."""
    text: str
    starts_turn: bool
    round: int | None
    """Number of the round. Set only on the first move of a round."""
    fault: str
    gains: tuple[Gain, ...]

    @property
    def is_alone(self) -> bool:
        """Whether the move is a bid, which is a turn of one decision and needs no folding."""
        return self.text.startswith("bid ")


def move_list(replay: Replay, names: Sequence[str]) -> list[Move]:
    """Return the decisions of a match so far. `names` are the bots' names, seat 1 first."""
    return [move_at(replay, names, ply) for ply in range(1, len(replay.steps) + 1)]


def move_at(replay: Replay, names: Sequence[str], ply: int) -> Move:
    """Return the decision that led to a ply."""
    step, before, after = replay.steps[ply - 1], replay.position(ply - 1), replay.position(ply)
    assert before is not None  # every ply of a replay has a position
    earlier = replay.position(ply - 2) if ply > 1 else None
    return Move(
        index=step.index,
        next_index=step.next_index,
        seat=step.seat,
        words=decisions.decision_words(step.text, names, replay.ruleset, before, after),
        brief=decisions.brief_words(step.text, names, replay.ruleset, before, after),
        text=step.text,
        starts_turn=replay.starts_turn(ply),
        round=before.round if earlier is None or earlier.round != before.round else None,
        fault=fault_words(step),
        gains=tuple(gains_at(replay, ply)),
    )


def turns(moves: Sequence[Move]) -> list[list[Move]]:
    """Group the moves by turn."""
    result: list[list[Move]] = []
    for move in moves:
        if move.starts_turn:
            result.append([])
        result[-1].append(move)
    return result


def fault_words(step: Step) -> str:
    """Return the words for what went wrong at a decision. Empty if nothing did."""
    if reason := step.facts.get("default"):
        return _("%(reason)s: a default decision was played") % {"reason": badges.reason_words(str(reason))}
    if step.facts.get("house"):
        return _("played by the house for a seat that forfeited")
    return ""


def turn_line(turn: Sequence[Move], *, current: int | None = None) -> SafeString:
    """Return a turn of the move list with its decisions. The first turn of a round has the round's heading above it.

    `current`: the position of the current decision within the turn, which is then unfolded.
    """
    first = turn[0]
    heading = _round_line(first.round) if first.round else SafeString()
    if first.is_alone:
        return format_html("{}{}", heading, move_line(first, is_current=current == 0))
    lines = SafeString("".join(move_line(move, is_current=at == current) for at, move in enumerate(turn)))
    return format_html(
        '{}<li class="turn{}"><details{}>{}<ol>{}</ol></details></li>',
        heading,
        "" if current is None else " has-now",
        "" if current is None else SafeString(" open"),
        fold_line(turn),
        lines,
    )


def fold_line(turn: Sequence[Move]) -> SafeString:
    """Return the summary line of a turn: the route of its sowing, its actions, and the points that it gained."""
    path = [move.text.split(" ")[1] for move in turn if move.text.partition(" ")[0] in ("take", "drop", "fly")]
    route = f"{path[0]} → {path[-1]}" if len(path) > 1 else "".join(path)
    actions = [move.brief for move in turn if move.brief]
    faults = list(dict.fromkeys(move.fault for move in turn if move.fault))
    return format_html(
        '<summary class="turn-line">{}<span class="turn-words">{}{}{}</span>{}</summary>',
        seat_badge(turn[0].seat),
        format_html("<b>{}</b> ", route) if route else "",
        format_html_join("", "{} ", ((_fault(words),) for words in faults)),  # first: a line's end may be cut off
        "; ".join(actions),
        _points(turn[0].seat, added([move.gains for move in turn])),
    )


def move_line(move: Move, *, is_current: bool = False) -> SafeString:
    """Return the line of a decision."""
    return format_html(
        '<li class="move{}{}"><a href="?d={}" data-step class="move-link"{}>'
        '<span class="move-index tabular">{}</span>{}'
        '<span class="move-words">{}{}{}</span><code>{}</code></a></li>',
        " is-alone" if move.is_alone else "",
        " is-now" if is_current else "",
        move.next_index,
        SafeString(' aria-current="step"') if is_current else "",
        move.index,
        seat_badge(move.seat) if move.is_alone else "",
        format_html_join("", "{}", ((_gain(gain, move.seat),) for gain in move.gains)),
        move.words,
        _fault(move.fault) if move.fault else "",
        move.text,
    )


def _gain(gain: Gain, seat: int) -> SafeString:
    """Return a gain such as `+6, −3:`, to stand before the words. A gain of another seat has that seat's badge."""
    badge = SafeString() if gain.seat == seat else seat_badge(gain.seat)
    return format_html('<b class="gained">{}{}:</b> ', badge, gain.text)


def _points(seat: int, gains: Sequence[Gain]) -> SafeString:
    """Return the gains of a turn, those of its own seat first."""
    if not gains:
        return SafeString("<span></span>")
    own_first = sorted(gains, key=lambda gain: gain.seat != seat)
    return format_html(
        '<span class="turn-points tabular">{}</span>',
        format_html_join(
            "",
            '<b class="gained" title="{}">{}{}</b>',
            ((gain.words, "" if gain.seat == seat else seat_badge(gain.seat), gain.total) for gain in own_first),
        ),
    )


def _round_line(number: int) -> SafeString:
    return format_html('<li class="move-round">{}</li>', _("Round %(round)s") % {"round": number})


def _fault(words: str) -> SafeString:
    return format_html(' <span class="down" title="{0}">!<span class="visually-hidden"> {0}</span></span>', words)
