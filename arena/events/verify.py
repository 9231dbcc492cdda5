"""An event's public document, and proving it: every draw, seat, bye and standing follows from the facts before it.

What rests on replays is listed as claims, which the caller compares with them; what rests on the arena's word alone is
listed as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from arena.events.errors import EventError, FactRefused, NotProved, TermsError
from arena.events.event import Event
from arena.events.facts import EventState, Fact, FactKind, parse_fact
from arena.events.fields import object_of
from arena.events.formulas import GameKey, commitment_of, deal_of
from arena.events.reading import read_seed
from arena.events.standings import Standing
from arena.events.values import Draw, Game, Table

FORMAT: Final = "naqala-event/1"
MAX_FACTS: Final = 200_000


class Word(StrEnum):
    """What of an event rests on the arena's word, or on a person's decision."""

    FIELD = "field"
    """Who entered and left, when, and how strong each was when it was seeded."""
    TIMES = "times"
    """When things happened."""
    ABSENCES = "absences"
    """Who did not come in time."""
    RULINGS = "rulings"
    """Results, repetitions and disqualifications by a person's decision."""
    FREE = "free"
    """Who was free to be drawn, in a format that draws continuously."""
    RATED = "rated"
    """Whether its matches counted on the ladder."""
    RESULTS = "results"
    """Results of games without a match of the arena."""


@dataclass(frozen=True, slots=True)
class ResultClaim:
    """A result that counts, as the replay of its match must show it."""

    number: int
    """Of its fact, from 0."""
    key: GameKey
    match: str
    seats: tuple[tuple[str, str], ...]
    """Name and version by seat. In the seats of `game.out` somebody else plays, a bot of the house."""
    game: Game
    ruleset: Mapping[str, Any]
    clock: Mapping[str, Any]
    """What the terms say of it; what they leave out is the arena's default."""
    policy: Mapping[str, Any]
    deal: bytes | None
    """Of a deal block; None: the match has no deal of its own."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What follows from the facts of an event alone."""

    event: Event
    draws: int
    """How many rounds were drawn again and came out the same."""
    claims: tuple[ResultClaim, ...]
    """What replays have to show, in the order of the facts."""
    not_proved: tuple[Word, ...]
    failure: NotProved | None = None
    """What does not follow; everything above is of the facts before it."""


def event_document(facts: Sequence[Fact]) -> dict[str, Any]:
    """The public document of an event that is over; `FactRefused` before its seed is revealed."""
    event = Event(facts)
    return {
        "format": FORMAT,
        "facts": [fact.document() for fact in facts],
        "standings": standings_document(event),
    }


def standings_document(event: Event) -> list[dict[str, Any]]:
    """The final standings as JSON; numbers that may be fractions are texts, as `3/2`. None of an event that was
    cancelled before anybody entered it."""
    return [_row(event, row) for row in event.standings(_seed_of(event))] if event.entrants else []


def _seed_of(event: Event) -> bytes:
    if event.seed is None:
        raise FactRefused("BAD_STATE", "an event is proved once it is over and its seed is revealed")
    return event.seed


def _row(event: Event, row: Standing) -> dict[str, Any]:
    return {
        "place": row.place,
        "entrant": row.entrant,
        "name": event.entrants[row.entrant - 1].name,
        "points": str(row.points),
        "games": row.games,
        "byes": row.byes,
        "wins": row.wins,
        "tie_breaks": {name: str(value) for name, value in zip(event.tie_breaks, row.tie_breaks, strict=True)},
    }


@dataclass(slots=True)
class _Folding:
    """What is gathered while the facts are applied."""

    event: Event
    seed: bytes
    draws: int = 0
    versions: list[dict[int, str]] = field(default_factory=list)
    """Of each round, by entrant."""
    claims: dict[GameKey, ResultClaim] = field(default_factory=dict)
    matches: set[str] = field(default_factory=set)
    """All that were ever named, also by results that are void."""
    words: set[Word] = field(default_factory=lambda: {Word.FIELD, Word.TIMES})


def prove_facts(document: Any) -> Proof:
    """Prove an event from its document, up to the first fact that does not follow, which is the `failure` of the proof.

    Results before it may be wrong, too, as their replays would show. `NotProved` if it is no document of an event
    that is over.
    """
    facts, shown = _read(document)
    folding = _Folding(Event(), _find_seed(facts))
    failure: NotProved | None = None
    try:
        for number, fact in enumerate(facts):
            _follow(folding, number, fact)
        _check_standings(folding.event, shown)
    except NotProved as error:
        failure = error
    claims = sorted(folding.claims.values(), key=lambda claim: claim.number)
    words = tuple(word for word in Word if word in folding.words)
    return Proof(folding.event, folding.draws, tuple(claims), words, failure)


def _follow(folding: _Folding, number: int, fact: Fact) -> None:
    try:
        _apply(folding, number, fact)
    except NotProved:
        raise
    except EventError as error:
        raise NotProved(error.code, number, str(error)) from error


def _check_standings(event: Event, shown: Sequence[Any]) -> None:
    for number, (ours, theirs) in enumerate(zip(standings_document(event), shown, strict=False)):
        if ours != theirs:
            raise NotProved("STANDINGS", -1, f"row {number + 1} of the standings is {ours}, not {theirs!r:.300}")
    if len(shown) != len(event.entrants):
        raise NotProved("STANDINGS", -1, f"the standings have {len(event.entrants)} rows, not {len(shown)}")


def _read(document: Any) -> tuple[list[Fact], list[Any]]:
    """Facts and standings of a document."""
    try:
        table = object_of(document, "document", ("format", "facts", "standings"))
        if table.get("format") != FORMAT:
            raise NotProved("BAD_FORMAT", -1, f"the format must be {FORMAT!r}, not {table.get('format')!r:.60}")
        facts, shown = table.get("facts"), table.get("standings")
        if not isinstance(facts, list) or not isinstance(shown, list) or not 0 < len(facts) <= MAX_FACTS:
            raise NotProved("BAD_FORMAT", -1, f"it must have `facts`, 1 to {MAX_FACTS} of them, and `standings`")
    except TermsError as error:
        raise NotProved("BAD_FORMAT", -1, str(error)) from error
    read = []
    for number, value in enumerate(facts):
        try:
            read.append(parse_fact(value, f"facts[{number}]"))
        except EventError as error:
            raise NotProved(error.code, number, str(error)) from error
    return read, shown


def _find_seed(facts: Iterable[Fact]) -> bytes:
    """The revealed seed, which must be the one that was committed to: otherwise every draw would be found wrong."""
    commitment = None
    for number, fact in enumerate(facts):
        try:
            if fact.kind is FactKind.PUBLISHED:
                commitment = read_seed(fact.data, "commitment").hex()
            elif fact.kind in (FactKind.FINISHED, FactKind.CANCELLED) and "seed" in fact.data:
                seed = read_seed(fact.data, "seed")
                if commitment_of(seed) != commitment:
                    raise NotProved("BAD_SEED", number, "the seed is not the one that the event was committed to")
                return seed
        except FactRefused as error:
            raise NotProved(error.code, number, str(error)) from error
    raise NotProved("NOT_OVER", -1, "no fact reveals the seed: an event is proved when it is over")


def _apply(folding: _Folding, number: int, fact: Fact) -> None:
    event, drawn = folding.event, None
    if event.state is EventState.RUNNING and fact.kind in (FactKind.DRAWN, FactKind.FINISHED):
        drawn = _draw_again(folding, number, fact)
    event.apply(fact)
    if fact.kind is FactKind.DRAWN:
        _compare(drawn, event.rounds[-1], number)
        folding.draws += 1
        folding.versions.append({entrant.number: entrant.version for entrant in event.entrants})
    elif fact.kind is FactKind.RESULT:
        _claim(folding, number, fact)
    elif fact.kind is FactKind.RULED:
        folding.claims.pop(_key(fact.data), None)
    elif fact.kind is FactKind.AGAIN:
        for game in fact.data["games"]:
            folding.claims.pop((game[0], game[1], game[2]), None)
    folding.words |= _WORDS.get(fact.kind, set())


_WORDS: Final[Mapping[FactKind, set[Word]]] = {
    FactKind.ABSENT: {Word.ABSENCES},
    FactKind.RULED: {Word.RULINGS},
    FactKind.AGAIN: {Word.RULINGS},
    FactKind.DISQUALIFIED: {Word.RULINGS},
}


def _draw_again(folding: _Folding, number: int, fact: Fact) -> Draw | None:
    """What the format draws here, None if there is nothing more to draw; refuses an end that comes too early."""
    event = folding.event
    is_continuous = event.terms.format.is_continuous
    if not event.is_between_rounds and (not is_continuous or fact.kind is FactKind.FINISHED):
        raise NotProved("ROUND_OPEN", number, f"round {len(event.rounds)} is not over")
    if fact.kind is FactKind.FINISHED:
        if not is_continuous and event.draw(folding.seed) is not None:
            raise NotProved("NOT_OVER", number, f"by the format, round {len(event.rounds) + 1} comes next")
        return None
    free = fact.data.get("free")
    if is_continuous:
        if not isinstance(free, list) or not all(type(one) is int and one in event.present for one in free):
            raise NotProved("BAD_FACT", number, "`free` must list entrants of the event")
        if busy := {seat for pairing in event.pairings() for seat in pairing.seats} & set(free):
            raise NotProved("BUSY", number, f"entrant {min(busy)} still plays at another table")
        folding.words.add(Word.FREE)
    elif free is not None:
        raise NotProved("BAD_FACT", number, "`free` is for formats that draw continuously")
    return event.draw(folding.seed, free)


def _compare(due: Draw | None, drawn: Draw, number: int) -> None:
    if due is None:
        raise NotProved("OVER", number, "by the format nothing more is drawn here")
    for ours, theirs in zip(due.tables, drawn.tables, strict=False):
        if ours != theirs:
            raise NotProved("DRAW", number, f"table {ours.number} is {_shown(ours)}, not {_shown(theirs)}")
    if len(due.tables) != len(drawn.tables):
        raise NotProved("DRAW", number, f"the round has {len(due.tables)} tables, not {len(drawn.tables)}")
    if due.byes != drawn.byes:
        raise NotProved("BYES", number, f"the byes are {list(due.byes)}, not {list(drawn.byes)}")
    if due.label != drawn.label:
        raise NotProved("LABEL", number, f"the label is {due.label!r}, not {drawn.label!r:.80}")


def _shown(table: Table) -> str:
    return f"{list(table.seats)}{f' of {table.group!r:.80}' if table.group else ''}"


def _key(data: Mapping[str, Any]) -> GameKey:
    """The game of a fact that was applied."""
    return data["round"], data["table"], data.get("game", 0)


def _claim(folding: _Folding, number: int, fact: Fact) -> None:
    event, key = folding.event, _key(fact.data)
    game, match = event.games[key], event.matches[key]
    if game.out:
        folding.words.add(Word.ABSENCES)
    if len(game.out) == len(game.seats):
        return  # a void match, which has no replay
    if not match:
        folding.words.add(Word.RESULTS)
        return
    if match in folding.matches:
        raise NotProved("TWICE", number, f"match {match!r:.80} is the result of another game")
    folding.matches.add(match)
    if event.terms.rated:
        folding.words.add(Word.RATED)
    versions = folding.versions[key[0] - 1]
    is_block = event.terms.unit != "match"
    folding.claims[key] = ResultClaim(
        number=number,
        key=key,
        match=match,
        seats=tuple((event.entrants[seat - 1].name, versions[seat]) for seat in game.seats),
        game=game,
        ruleset=event.terms.ruleset.document(),
        clock=event.terms.clock,
        policy=event.terms.policy,
        deal=deal_of(folding.seed, key, event.attempts.get(key, 0)) if is_block else None,
    )
