"""The public document of an event, and its proof: every draw, seat, bye and standing follows from the earlier facts.

Results rest on replays. They are returned as claims, which the caller compares with the replays. Everything that rests
only on the arena's word is listed by name.

In the examples, `facts` are those of a finished knockout of two bots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from arena.events.errors import EventError, FactRefused, NotProved, TermsError
from arena.events.event import Event
from arena.events.facts import (
    EventCancelled,
    EventFinished,
    EventPublished,
    EventState,
    Fact,
    FactKind,
    GameEnded,
    GameRuled,
    GamesRepeated,
    RoundDrawn,
    parse_fact,
)
from arena.events.fields import object_of
from arena.events.standings import StandingLine
from arena.events.values import Draw, EventTable, GameKey, TableGame, commitment_of, deal_of

FORMAT: Final = "naqala-event/1"
MAX_FACTS: Final = 200_000


class Word(StrEnum):
    """Parts of an event that rest on the arena's word or on a person's decision."""

    FIELD = "field"
    """Which bots entered and left, when, and their strengths for seeding."""
    TIMES = "times"
    """Times of facts."""
    ABSENCES = "absences"
    """Entrants that did not come in time."""
    RULINGS = "rulings"
    """Results, repetitions and disqualifications decided by a person."""
    FREE = "free"
    """Entrants that were free to be drawn, in a continuous format."""
    RATED = "rated"
    """Whether the matches counted on the ladder."""
    RESULTS = "results"
    """Results of games without a match in the arena."""


@dataclass(frozen=True, slots=True)
class ResultClaim:
    """A result that counts, as the replay of its match must show it."""

    number: int
    """Number of its fact, from 0."""
    key: GameKey
    match: str
    seats: tuple[tuple[str, str], ...]
    """Name and version by seat. House bots play in the seats of `game.out`."""
    game: TableGame
    ruleset: Mapping[str, Any]
    clock: Mapping[str, Any]
    """Clock settings of the terms; what they omit is the arena's default."""
    policy: Mapping[str, Any]
    deal: bytes | None
    """Deal of a deal block; None if the match has no deal of its own."""


@dataclass(frozen=True, slots=True)
class EventProof:
    """Everything that follows from the facts of an event alone."""

    event: Event
    draws: int
    """Number of rounds that were drawn again with the same result."""
    claims: tuple[ResultClaim, ...]
    """Results that replays must confirm, in the order of the facts."""
    not_proved: tuple[Word, ...]
    failure: NotProved | None = None
    """The first fact that does not follow; all other fields cover the facts before it."""


def event_document(facts: Sequence[Fact]) -> dict[str, Any]:
    """Return the public document of an event that is over.

    Raise `FactRefused` if its seed has not been revealed.

    >>> sorted(event_document(facts))
    ['facts', 'format', 'standings']
    """
    event = Event(facts)
    return {
        "format": FORMAT,
        "facts": [fact.document() for fact in facts],
        "standings": standings_document(event),
    }


def standings_document(event: Event) -> list[dict[str, Any]]:
    """Return the final standings as JSON. Numbers that may be fractions are texts, such as `3/2`.

    The list is empty for an event that was cancelled before anybody entered. Raise `FactRefused` if the seed has not
    been revealed.

    >>> [(row["place"], row["name"], row["points"]) for row in standings_document(Event(facts))]
    [(1, 'bot 1', '1'), (2, 'bot 2', '0')]
    """
    return [_row(event, row) for row in event.standings(_seed_of(event))] if event.entrants else []


def _seed_of(event: Event) -> bytes:
    if event.seed is None:
        raise FactRefused("BAD_STATE", "an event can be proved only after it is over and its seed is revealed")
    return event.seed


def _row(event: Event, row: StandingLine) -> dict[str, Any]:
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
    """State of a proof while the facts are applied."""

    event: Event
    seed: bytes
    draws: int = 0
    versions: list[dict[int, str]] = field(default_factory=list)
    """Versions of each round, by entrant."""
    claims: dict[GameKey, ResultClaim] = field(default_factory=dict)
    matches: set[str] = field(default_factory=set)
    """All matches that were ever named, including those of void results."""
    words: set[Word] = field(default_factory=lambda: {Word.FIELD, Word.TIMES})


def prove_facts(document: Any) -> EventProof:
    """Prove an event from its document, up to the first fact that does not follow.

    The `failure` of the proof is that fact. Earlier results may still be wrong; their replays would show it. Raise
    `NotProved` if this is not the document of an event that is over.

    >>> document = event_document(facts)
    >>> document["standings"][0]["points"] = "2"
    >>> prove_facts(document).failure.code
    'STANDINGS'
    """
    facts, shown = _read(document)
    folding = _Folding(Event(), _find_seed(facts))
    failure: NotProved | None = None
    try:
        for number, value in enumerate(facts):
            _follow(folding, number, value)
        _check_standings(folding.event, shown)
    except NotProved as error:
        failure = error
    claims = sorted(folding.claims.values(), key=lambda claim: claim.number)
    words = tuple(word for word in Word if word in folding.words)
    return EventProof(folding.event, folding.draws, tuple(claims), words, failure)


def _follow(folding: _Folding, number: int, value: Any) -> None:
    try:
        _apply(folding, number, parse_fact(value, f"facts[{number}]"))
    except NotProved:
        raise
    except EventError as error:
        raise NotProved(error.code, number, str(error)) from error


def _check_standings(event: Event, shown: Sequence[Any]) -> None:
    for number, (ours, theirs) in enumerate(zip(standings_document(event), shown, strict=False)):
        if ours != theirs:
            raise NotProved("STANDINGS", -1, f"row {number + 1} of the standings must be {ours}, not {theirs!r:.300}")
    if len(shown) != len(event.entrants):
        raise NotProved("STANDINGS", -1, f"the standings must have {len(event.entrants)} rows, not {len(shown)}")


def _read(document: Any) -> tuple[list[Any], list[Any]]:
    """Return the facts and standings of a document."""
    try:
        table = object_of(document, "document", ("format", "facts", "standings"))
        if table.get("format") != FORMAT:
            raise NotProved("BAD_FORMAT", -1, f"the format must be {FORMAT!r}, not {table.get('format')!r:.60}")
        facts, shown = table.get("facts"), table.get("standings")
        if not isinstance(facts, list) or not isinstance(shown, list) or not 0 < len(facts) <= MAX_FACTS:
            raise NotProved("BAD_FORMAT", -1, f"the document must have `standings` and 1 to {MAX_FACTS} `facts`")
    except TermsError as error:
        raise NotProved("BAD_FORMAT", -1, str(error)) from error
    return facts, shown


def _find_seed(facts: Iterable[Any]) -> bytes:
    """Return the revealed seed.

    It must match the commitment: otherwise every draw would be reported as wrong.
    """
    commitment = None
    for number, value in enumerate(facts):
        if not isinstance(value, Mapping) or value.get("kind") not in _OF_SEED:
            continue
        try:
            data = parse_fact(value, f"facts[{number}]").data
        except EventError as error:
            raise NotProved(error.code, number, str(error)) from error
        if isinstance(data, EventPublished):
            commitment = data.commitment
        elif isinstance(data, EventFinished | EventCancelled) and data.seed is not None:
            if commitment_of(data.seed) != commitment:
                raise NotProved("BAD_SEED", number, "the seed does not match the published commitment")
            return data.seed
    raise NotProved("NOT_OVER", -1, "no fact reveals the seed: an event can be proved only after it is over")


_OF_SEED: Final = (FactKind.PUBLISHED, FactKind.FINISHED, FactKind.CANCELLED)
"""Kinds of facts that commit to the seed or reveal it."""


def _apply(folding: _Folding, number: int, fact: Fact) -> None:
    event, drawn = folding.event, None
    if event.state is EventState.RUNNING and isinstance(fact.data, RoundDrawn | EventFinished):
        drawn = _draw_again(folding, number, fact.data)
    event.apply(fact)
    match fact.data:
        case RoundDrawn():
            _compare(drawn, event.rounds[-1], number)
            folding.draws += 1
            folding.versions.append({entrant.number: entrant.version for entrant in event.entrants})
        case GameEnded(key=key):
            _claim(folding, number, key)
        case GameRuled(key=key):
            folding.claims.pop(key, None)
        case GamesRepeated(games=games):
            for key in games:
                folding.claims.pop(key, None)
    folding.words |= _WORDS.get(fact.kind, set())


_WORDS: Final[Mapping[FactKind, set[Word]]] = {
    FactKind.ABSENT: {Word.ABSENCES},
    FactKind.RULED: {Word.RULINGS},
    FactKind.AGAIN: {Word.RULINGS},
    FactKind.DISQUALIFIED: {Word.RULINGS},
}


def _draw_again(folding: _Folding, number: int, fact: RoundDrawn | EventFinished) -> Draw | None:
    """Return the draw that the format makes here; None if there is nothing more to draw.

    Refuse an end that is too early.
    """
    event = folding.event
    is_continuous = event.terms.format.is_continuous
    if not event.is_between_rounds and (not is_continuous or isinstance(fact, EventFinished)):
        raise NotProved("ROUND_OPEN", number, f"round {len(event.rounds)} is not over")
    if isinstance(fact, EventFinished):
        if not is_continuous and event.draw(folding.seed) is not None:
            raise NotProved("NOT_OVER", number, f"it is too early: the format draws round {len(event.rounds) + 1} next")
        return None
    free = fact.free
    if is_continuous:
        if free is None or not event.present.issuperset(free):
            raise NotProved("BAD_FACT", number, "`free` must list entrants present in the event")
        if busy := {seat for pairing in event.pairings() for seat in pairing.seats} & set(free):
            raise NotProved("BUSY", number, f"entrant {min(busy)} is still playing at another table")
        folding.words.add(Word.FREE)
    elif free is not None:
        raise NotProved("BAD_FACT", number, "`free` is for formats that draw continuously")
    return event.draw(folding.seed, free)


def _compare(due: Draw | None, drawn: Draw, number: int) -> None:
    if due is None:
        raise NotProved("OVER", number, "the format draws nothing more here")
    for ours, theirs in zip(due.tables, drawn.tables, strict=False):
        if ours != theirs:
            raise NotProved("DRAW", number, f"table {ours.number} must be {_shown(ours)}, not {_shown(theirs)}")
    if len(due.tables) != len(drawn.tables):
        raise NotProved("DRAW", number, f"the round must have {len(due.tables)} tables, not {len(drawn.tables)}")
    if due.byes != drawn.byes:
        raise NotProved("BYES", number, f"the byes must be {list(due.byes)}, not {list(drawn.byes)}")
    if due.label != drawn.label:
        raise NotProved("LABEL", number, f"the label must be {due.label!r}, not {drawn.label!r:.80}")


def _shown(table: EventTable) -> str:
    return f"{list(table.seats)}{f' of {table.group!r:.80}' if table.group else ''}"


def _claim(folding: _Folding, number: int, key: GameKey) -> None:
    event = folding.event
    game, match = event.games[key], event.matches[key]
    if game.out:
        folding.words.add(Word.ABSENCES)
    if len(game.out) == len(game.seats):
        return  # a void match, which has no replay
    if not match:
        folding.words.add(Word.RESULTS)
        return
    if match in folding.matches:
        raise NotProved("TWICE", number, f"match {match!r:.80} is already the result of another game")
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
