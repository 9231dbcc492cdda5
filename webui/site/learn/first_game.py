"""A first game against a house player: twelve guided decisions at a prepared table.

Its whole state is the line of decisions in the address, and the rules check every one of them. Nothing is stored.
Everything is open at this table, as in an analysis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.players import make_player
from arena.rules import Ruleset, State, start, view
from arena.story import choice_of
from webui.analysis.addresses import Address, BadAddress, Line
from webui.analysis.tables import Start, Table, named_seats, seed_of, table_at
from webui.people.hints import known_hints
from webui.people.values import AskedSeat
from webui.replays.parts import caption
from webui.replays.replay import SOWN
from webui.words.options import option_words

NAMES: Final = ("Lina", "Omar")
"""Names of the seats, seat 1 first. The visitor plays Lina."""
OWN: Final = 1
DECISIONS: Final = 12
"""Number of decisions that are guided. A sowing is one, with all its drops."""
SEED: Final = "lesson"
OPPONENT: Final = "greedy"
"""House player that decides for the other seat."""


@dataclass(frozen=True)
class Guide:
    """The title and the explanation of a decision."""

    title: Promise
    text: Promise


BID: Final = Guide(
    gettext_lazy("Bid for a place in the turn order"),
    gettext_lazy(
        "A dearer place acts earlier, so you get the best move before Omar does. But gold is points: pay only for a"
        " move that is worth it. With two players each of you bids twice, and has two turns in every round."
    ),
)
SECOND_BID: Final = Guide(
    gettext_lazy("Bid with your second marker"),
    gettext_lazy(
        "This is for your second turn of the round. If the board has only one move that is worth gold, take a cheap"
        " place now: the last one costs nothing."
    ),
)
SOW: Final = Guide(
    gettext_lazy("Sow the meeples of a tile"),
    gettext_lazy(
        "Pick up all meeples of a lit tile and drop them one by one, each on a neighbouring tile, never straight back."
        " The last one must meet its own tribe: you lift all of that tribe and use their power. If that empties the"
        " tile, your camel takes it. Until the last drop, you can undo everything."
    ),
)
BUILDERS: Final = Guide(
    gettext_lazy("Builders earn gold"),
    gettext_lazy(
        "Each of them earns one gold for every blue tile among the nine around the last drop. Every Fakir that you"
        " discard counts as one more builder, so it is worth as much gold as there are blue tiles."
    ),
)
ASSASSINS: Final = Guide(
    gettext_lazy("Assassins kill a meeple"),
    gettext_lazy(
        "They reach as many tiles away as you have lifted, and one further with each Fakir. If they kill the last"
        " meeple of a tile that nobody has, your camel takes that tile. Or they kill a vizier or an elder in front of"
        " Omar."
    ),
)
MARKET: Final = Guide(
    gettext_lazy("Buy at the market"),
    gettext_lazy(
        "A Small Market sells one of the first three cards for 3 gold, a Large Market two of the first six for 6. Sets"
        " of different goods count more and more: 1, 3, 7, 13 … up to 60 points. Buy what you do not have yet."
    ),
)
SACRED: Final = Guide(
    gettext_lazy("Summon a Djinn"),
    gettext_lazy(
        "At a Sacred Place, two elders, or an elder and a Fakir, summon one of the open Djinns. It brings points at the"
        " end, and a power that nobody else has."
    ),
)
TILE: Final = Guide(
    gettext_lazy("Use the tile"),
    gettext_lazy("The tile of your last drop offers this. You may leave it, where there is a button for that."),
)
SALE: Final = Guide(
    gettext_lazy("Sell goods, or keep them"),
    gettext_lazy(
        "Before your turn ends you may sell sets of different goods. Goods that you keep count the same at the end, and"
        " a set that still grows is worth more. So sell only if you need gold for the next bids."
    ),
)
OTHER: Final = Guide(
    gettext_lazy("Choose how to go on"),
    gettext_lazy("This follows from a power that you use. What it does is said beside each choice."),
)


@dataclass(frozen=True)
class Happened:
    """A choice that was played, with what it brought about."""

    seat: int
    words: str
    followed: list[str]


@dataclass(frozen=True)
class GuidedDecision:
    """The texts beside the table."""

    number: int
    """Number of the decision that is due, from 1."""
    guide: Guide | None
    """None while Omar plays, and after the last guided decision."""
    happened: list[Happened]
    """The visitor's last choice, and all that followed."""
    verdict: str
    """Judgement of that choice by a house player. Empty if it was not asked."""
    is_over: bool


@cache
def _start() -> Start:
    ruleset, seed = Ruleset(len(NAMES)), seed_of(SEED)
    return Start(ruleset, start(ruleset, seed), named_seats(NAMES), seed=seed)


def first_game(address: Address) -> Table:
    """Return the table after the decisions of a line.

    Raise `BadAddress` if the rules do not allow them, or if they go on after the last guided decision.
    """
    shown = table_at(address, _start())
    if decided(shown, len(address.line)) > DECISIONS:
        raise BadAddress(_("The first game ends after %(n)d decisions. Start it again.") % {"n": DECISIONS})
    return shown


def decided(shown: Table, at: int) -> int:
    """Return how many of the first `at` decisions are the visitor's choices. Forced ones do not count."""
    return sum(_is_choice(shown, number) for number in range(at))


def _is_choice(shown: Table, number: int) -> bool:
    step, state = shown.replay.steps[number], shown.replay.state(number)
    return step.seat == OWN and step.verb not in SOWN and (step.verb == "take" or len(state.legal) > 1)


def answered(address: Address) -> Address:
    """Return the address with all that is played until the visitor has to choose again: Omar's and forced decisions."""
    shown = first_game(address)
    replay, line = shown.replay, list(address.line)
    count = decided(shown, len(line))
    while count < DECISIONS and (choice := _answer(replay.state(len(line)))):
        for action in choice:
            replay.play(action)
            line.append(action)
    return Address(address.start, line=tuple(line), at=address.at)


def _answer(state: State) -> list[str]:
    """Return the decisions of the seat to act that are not the visitor's to choose. Empty if the visitor chooses."""
    legal = [action.text for action in state.legal]
    if state.is_over or (state.to_act == OWN and (len(legal) > 1 or state.phase == "sow")):
        return []
    if len(legal) == 1:
        return legal
    seen = view(state, state.to_act)
    choice = make_player(OPPONENT, sha256(repr(seen).encode()).digest()).choose(seen, legal)
    return [choice] if isinstance(choice, str) else list(choice)


def asked(shown: Table) -> AskedSeat | None:
    """Return what the visitor is asked at the position shown. None if it is Omar's turn, or the lesson is over."""
    state, address = shown.state, shown.address
    is_forced = address.at < len(address.line) and len(state.legal) == 1
    if state.to_act != OWN or is_forced or decided(shown, address.at) >= DECISIONS:
        return None
    return AskedSeat(shown.address.at, view(state, OWN), state)


def hints_key(line: Line) -> str:
    """Return the name under which the hints after a line are known."""
    return f"first-game/{sha256(repr(line).encode()).hexdigest()}"


def lesson(shown: Table) -> GuidedDecision:
    """Return what is said beside the table at the position shown."""
    at = shown.address.at
    count, now = decided(shown, at), asked(shown)
    last = max((number for number in range(at) if _is_choice(shown, number)), default=0)
    return GuidedDecision(
        number=min(count + 1, DECISIONS),
        guide=_guide(shown) if now else None,
        happened=list(_happened(shown, last, at)),
        verdict=_verdict(shown, last) if count else "",
        is_over=count >= DECISIONS or shown.state.is_over,
    )


def _guide(shown: Table) -> Guide:
    state = shown.state
    verbs = {action.text.partition(" ")[0] for action in state.legal}
    match state.phase:
        case "bid":
            bids = sum(step.seat == OWN and step.verb == "bid" for step in shown.replay.steps[: shown.address.at])
            return SECOND_BID if bids % 2 else BID
        case "move" | "sow":
            return SOW
        case "tribe":
            return BUILDERS if "build" in verbs else ASSASSINS if verbs & {"kill", "spare"} else OTHER
        case "tile":
            return MARKET if "buy" in verbs else SACRED if "summon" in verbs else TILE
        case "sell":
            return SALE
    return OTHER


def _happened(shown: Table, first: int, end: int) -> Iterator[Happened]:
    """Yield the choices from one decision of the line to another one. All decisions of a sowing are one choice."""
    replay, seats = shown.replay, shown.seats
    while first < end:
        step = replay.steps[first]
        actions = choice_of(replay.state(first), shown.address.line[first:end])
        route, words = option_words(replay.state(first), actions, NAMES, replay.ruleset)
        first += len(actions)
        if words and step.verb != "end":
            followed = caption(replay, seats, first)["followed"]
            yield Happened(step.seat, f"{route} {words}".strip(), followed)


def _verdict(shown: Table, last: int) -> str:
    """Return what a house player thinks of the visitor's last choice, if its hints were asked for before."""
    line = shown.address.line
    hints = known_hints(hints_key(line[:last]))
    played = list(choice_of(shown.replay.state(last), line[last:]))
    if not hints or len(played) > len(line) - last:
        return ""
    best = hints[0]
    if played == best["actions"]:
        return _("A house player would have chosen the same.")
    for hint in hints[1:]:
        if played == hint["actions"]:
            return _("A house player has another favourite. About yours it says: %(points)s.") % {
                "points": hint["points"]
            }
    words = f"{best['route']} {best['words']}".strip()
    return _("A house player would rather have chosen this: %(words)s.") % {"words": words}
