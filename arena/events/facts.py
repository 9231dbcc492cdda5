"""The facts of an event: an append-only list from which the state of the event is computed. It is also the audit log.

Each kind of fact has a class of its own, which holds its data. `TRANSITIONS` says in which states it can happen.
In JSON the data is an object with the fields of the class, without optional ones that are empty (`parse_fact`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar, Final

from arena.events.errors import FactRefused
from arena.events.fields import object_of, text_of
from arena.events.terms import Course, Terms, parse_terms
from arena.events.values import Draw, EventTable, GameKey


class EventState(StrEnum):
    """State of an event: draft → open → frozen → running ⇄ paused → finished → archived; or cancelled.

    >>> EventState.RUNNING == "running"
    True
    """

    DRAFT = "draft"
    OPEN = "open"
    FROZEN = "frozen"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    ARCHIVED = "archived"
    CANCELLED = "cancelled"


class FactKind(StrEnum):
    """Kind of a fact. Each has a class, which says what it carries.

    >>> FactKind("drawn")
    <FactKind.DRAWN: 'drawn'>
    """

    CREATED = "created"
    CHANGED = "changed"
    PUBLISHED = "published"
    ENTERED = "entered"
    WITHDRAWN = "withdrawn"
    CHECKED_IN = "checked_in"
    FROZEN = "frozen"
    STARTED = "started"
    DRAWN = "drawn"
    RESULT = "result"
    ABSENT = "absent"
    AGAIN = "again"
    RULED = "ruled"
    DISQUALIFIED = "disqualified"
    PAUSED = "paused"
    RESUMED = "resumed"
    EXTENDED = "extended"
    REVEALED = "revealed"
    TOLD = "told"
    FINISHED = "finished"
    ARCHIVED = "archived"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class FactData:
    """Base class of the data of facts.

    >>> GameEnded(round=1, table=2, placements=(2, 1)).document()
    {'round': 1, 'table': 2, 'game': 0, 'placements': [2, 1]}
    """

    KIND: ClassVar[FactKind]

    def document(self) -> dict[str, Any]:
        """Return the data as JSON, without optional fields that are empty."""
        written = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if value not in (None, "", ()) or value != each.default:
                written[each.name] = _written(value)
        return written


@dataclass(frozen=True, slots=True)
class EventCreated(FactData):
    """The event was drafted. This is always the first fact, and never occurs again."""

    KIND = FactKind.CREATED
    terms: Terms


@dataclass(frozen=True, slots=True)
class TermsChanged(FactData):
    """The terms were replaced. While entry is open, only terms that `may_change` may differ."""

    KIND = FactKind.CHANGED
    terms: Terms


@dataclass(frozen=True, slots=True)
class EventPublished(FactData):
    """The event was opened for entry."""

    KIND = FactKind.PUBLISHED
    commitment: str
    """SHA-256 of the event's seed, in hex."""


@dataclass(frozen=True, slots=True)
class BotEntered(FactData):
    """A bot entered. Entrants are numbered in the order of these facts. A bot that has left gets its old number back.

    After the field is frozen, the organiser enters bots, if they can still be drawn.
    """

    KIND = FactKind.ENTERED
    name: str
    owner: str = ""
    version: str = ""
    """Version that plays; only in a late entry."""
    strength: int | None = None
    """Rating for seeding; only in a late entry."""


@dataclass(frozen=True, slots=True)
class BotWithdrawn(FactData):
    """An entrant left."""

    KIND = FactKind.WITHDRAWN
    entrant: int


@dataclass(frozen=True, slots=True)
class BotCheckedIn(FactData):
    """The owner of an entrant confirmed that it will take part."""

    KIND = FactKind.CHECKED_IN
    entrant: int


@dataclass(frozen=True, slots=True)
class FieldFrozen(FactData):
    """The field was closed."""

    KIND = FactKind.FROZEN
    field: tuple[tuple[int, str, int], ...]
    """Entrant, version and strength of everybody who takes part."""


@dataclass(frozen=True, slots=True)
class EventStarted(FactData):
    """The event started."""

    KIND = FactKind.STARTED


@dataclass(frozen=True, slots=True)
class RoundDrawn(FactData):
    """A round was drawn. Its fields `tables`, `byes` and `label` are those of a `Draw`.

    In JSON, a table is the list of its seats, or an object with `seats` and `group`.

    >>> RoundDrawn((EventTable(1, (1, 2)), EventTable(2, (3, 4), "final"))).document()
    {'tables': [[1, 2], {'seats': [3, 4], 'group': 'final'}]}
    """

    KIND = FactKind.DRAWN
    tables: tuple[EventTable, ...]
    byes: tuple[int, ...] = ()
    label: str = ""
    free: tuple[int, ...] | None = None
    """Entrants that could be drawn, in a continuous format."""
    versions: tuple[tuple[int, str], ...] = ()
    """Entrants and the versions with which they play, if versions are free."""

    @property
    def draw(self) -> Draw:
        """The draw."""
        return Draw(self.tables, self.byes, self.label)


@dataclass(frozen=True, slots=True)
class GameEnded(FactData):
    """A game ended."""

    KIND = FactKind.RESULT
    round: int
    table: int
    game: int = 0
    """Number of the game at its table, from 0."""
    match: str = ""
    """Id of the match."""
    placements: tuple[int, ...] = ()
    """Places by seat: 1 is best, tied seats share the better place."""
    scores: tuple[int, ...] | None = None
    """Scores by seat, if the game was played."""
    out: tuple[int, ...] = ()
    """Entrants that were absent."""

    @property
    def key(self) -> GameKey:
        """Key of the game."""
        return self.round, self.table, self.game


@dataclass(frozen=True, slots=True)
class EntrantAbsent(FactData):
    """An entrant did not come to a table in time."""

    KIND = FactKind.ABSENT
    round: int
    table: int
    entrant: int


@dataclass(frozen=True, slots=True)
class GamesRepeated(FactData):
    """The results of these games became void. They are played again."""

    KIND = FactKind.AGAIN
    games: tuple[GameKey, ...]


@dataclass(frozen=True, slots=True)
class GameRuled(FactData):
    """The organiser decided a game. `placements` and `out` are those of a `GameEnded`."""

    KIND = FactKind.RULED
    round: int
    table: int
    game: int = 0
    placements: tuple[int, ...] = ()
    out: tuple[int, ...] = ()

    @property
    def key(self) -> GameKey:
        """Key of the game."""
        return self.round, self.table, self.game


@dataclass(frozen=True, slots=True)
class BotDisqualified(FactData):
    """An entrant was disqualified."""

    KIND = FactKind.DISQUALIFIED
    entrant: int


@dataclass(frozen=True, slots=True)
class EventPaused(FactData):
    """The event was paused: no new matches begin."""

    KIND = FactKind.PAUSED


@dataclass(frozen=True, slots=True)
class EventResumed(FactData):
    """The event went on after a pause."""

    KIND = FactKind.RESUMED


@dataclass(frozen=True, slots=True)
class CourseChanged(FactData):
    """The timing of the event was changed."""

    KIND = FactKind.EXTENDED
    course: Course


@dataclass(frozen=True, slots=True)
class RoundsRevealed(FactData):
    """Results up to this round became visible."""

    KIND = FactKind.REVEALED
    round: int


@dataclass(frozen=True, slots=True)
class MessageSent(FactData):
    """The organiser sent a message to all entrants."""

    KIND = FactKind.TOLD
    text: str


@dataclass(frozen=True, slots=True)
class EventFinished(FactData):
    """The event is over."""

    KIND = FactKind.FINISHED
    seed: bytes


@dataclass(frozen=True, slots=True)
class EventArchived(FactData):
    """The event was archived."""

    KIND = FactKind.ARCHIVED


@dataclass(frozen=True, slots=True)
class EventCancelled(FactData):
    """The event was cancelled."""

    KIND = FactKind.CANCELLED
    seed: bytes | None = None
    """Seed of the event; None for an event that was never published."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened in an event.

    >>> Fact(BotWithdrawn(3), by="ann").document()
    {'kind': 'withdrawn', 'by': 'ann', 'data': {'entrant': 3}}
    """

    data: FactData
    by: str = ""
    """Name of the user who caused the fact; empty for the arena itself."""
    why: str = ""
    """Reason in words, if a person decided."""
    at: str = ""
    """Time of the fact, as ISO 8601 in UTC. No draw or standing depends on it."""

    @property
    def kind(self) -> FactKind:
        """Kind of the fact."""
        return self.data.KIND

    def document(self) -> dict[str, Any]:
        """Return the fact as JSON, without empty fields."""
        written = {"kind": str(self.kind), "at": self.at, "by": self.by, "why": self.why, "data": self.data.document()}
        return {name: value for name, value in written.items() if value}


_D, _O, _Z, _R, _P, _F, _X = (
    EventState.DRAFT,
    EventState.OPEN,
    EventState.FROZEN,
    EventState.RUNNING,
    EventState.PAUSED,
    EventState.FINISHED,
    EventState.CANCELLED,
)
TRANSITIONS: Final[Mapping[FactKind, tuple[frozenset[EventState], EventState | None]]] = {
    kind: (frozenset(before), after)
    for kind, before, after in (
        (FactKind.CHANGED, (_D, _O), None),
        (FactKind.PUBLISHED, (_D,), _O),
        (FactKind.ENTERED, (_O, _Z, _R, _P), None),
        (FactKind.WITHDRAWN, (_O, _Z, _R, _P), None),
        (FactKind.CHECKED_IN, (_O,), None),
        (FactKind.FROZEN, (_O,), _Z),
        (FactKind.STARTED, (_Z,), _R),
        (FactKind.DRAWN, (_R,), None),
        (FactKind.RESULT, (_R, _P), None),
        (FactKind.ABSENT, (_R, _P), None),
        (FactKind.AGAIN, (_R, _P), None),
        (FactKind.RULED, (_R, _P, _F), None),
        (FactKind.DISQUALIFIED, (_O, _Z, _R, _P, _F), None),
        (FactKind.PAUSED, (_R,), _P),
        (FactKind.RESUMED, (_P,), _R),
        (FactKind.EXTENDED, (_O, _Z, _R, _P), None),
        (FactKind.REVEALED, (_R, _P, _F), None),
        (FactKind.TOLD, (_O, _Z, _R, _P, _F), None),
        (FactKind.FINISHED, (_R,), _F),
        (FactKind.ARCHIVED, (_F, _X), EventState.ARCHIVED),
        (FactKind.CANCELLED, (_D, _O, _Z, _R, _P), _X),
    )
}
"""States in which a fact can happen, and the state after it (None: unchanged). `created` can only be the first fact."""

_CLASSES: Final[Mapping[FactKind, type[FactData]]] = {
    data.KIND: data
    for data in (
        EventCreated, TermsChanged, EventPublished, BotEntered, BotWithdrawn, BotCheckedIn, FieldFrozen, EventStarted,
        RoundDrawn, GameEnded, EntrantAbsent, GamesRepeated, GameRuled, BotDisqualified, EventPaused, EventResumed,
        CourseChanged, RoundsRevealed, MessageSent, EventFinished, EventArchived, EventCancelled,
    )
}  # fmt: skip


def parse_fact(value: Any, where: str) -> Fact:
    """Parse a fact from its JSON.

    `where` names the value in error messages, for example `facts[3]`. Raise `FactRefused` for an unknown kind or bad
    data, `TermsError` for unknown keys, bad texts or bad terms.

    >>> parse_fact({"kind": "disqualified", "data": {"entrant": 3}, "why": "plays for two owners"}, "facts[3]").data
    BotDisqualified(entrant=3)
    """
    table = object_of(value, where, ("kind", "at", "by", "why", "data"))
    if table.get("kind") not in list(FactKind):
        raise FactRefused("UNKNOWN_FACT", f"{where}: unknown kind of fact {table.get('kind')!r}")
    data = table.get("data", {})
    if not isinstance(data, Mapping):
        raise _bad(f"{where}.data must be an object")
    texts = {name: text_of(table.get(name, ""), f"{where}.{name}") for name in ("by", "why", "at")}
    return Fact(parse_data(FactKind(table["kind"]), data), **texts)


def parse_data(kind: FactKind, data: Mapping[str, Any]) -> FactData:
    """Parse the data of a fact of this kind from its JSON. Raise `FactRefused` or `TermsError` if it is bad.

    >>> parse_data(FactKind.DRAWN, {"tables": [[1, 2]], "byes": [3]}).draw.byes
    (3,)
    """
    known = {each.name: each for each in fields(_CLASSES[kind])}
    if unknown := sorted(map(str, set(data) - set(known))):
        raise _bad(f"`{kind}` has no field {', '.join(unknown[:5])}")
    if missing := [name for name, each in known.items() if each.default is MISSING and name not in data]:
        raise _bad(f"`{kind}` needs {', '.join(missing)}")
    return _CLASSES[kind](**{name: _READERS[name](value, f"`{name}`") for name, value in data.items()})


def _bad(message: str) -> FactRefused:
    return FactRefused("BAD_FACT", message)


def _written(value: Any) -> Any:
    """Return the value of a field as JSON."""
    match value:
        case bytes():
            return value.hex()
        case Terms() | Course():
            return value.document()
        case EventTable():
            return {"seats": list(value.seats), "group": value.group} if value.group else list(value.seats)
        case tuple():
            return [_written(item) for item in value]
    return value


def _number(value: Any, where: str) -> int:
    if type(value) is not int:  # exact, because booleans are not numbers here
        raise _bad(f"{where} must be a whole number")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _bad(f"{where} must be a text")
    return value


def _name(value: Any, where: str) -> str:
    if not _text(value, where):
        raise _bad(f"{where} must not be empty")
    return str(value)


def _message(value: Any, where: str) -> str:
    if not text_of(value, where, least=1).strip():
        raise _bad("a message needs a text")
    return str(value)


def _seed(value: Any, where: str) -> bytes:
    try:
        seed = bytes.fromhex(_text(value, where))
    except ValueError:
        seed = b""
    if len(seed) != 32:
        raise _bad(f"{where} must be 64 hex digits")
    return seed


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _bad(f"{where} must be a list")
    return value


def _numbers(value: Any, where: str) -> tuple[int, ...]:
    if not all(type(item) is int for item in _list(value, where)):
        raise _bad(f"{where} must be a list of whole numbers")
    return tuple(value)


def _rows(value: Any, where: str, **columns: type) -> tuple[Any, ...]:
    """Read a list of lists, each with an item of these types."""
    types = list(columns.values())
    for row in _list(value, where):
        if not isinstance(row, list) or list(map(type, row)) != types:
            raise _bad(f"{where} must be a list of [{', '.join(columns)}]")
    return tuple(map(tuple, value))


def _tables(value: Any, where: str) -> tuple[EventTable, ...]:
    return tuple(_table(item, number) for number, item in enumerate(_list(value, where), start=1))


def _table(value: Any, number: int) -> EventTable:
    group = ""
    if isinstance(value, Mapping):
        group, value = value.get("group", ""), value.get("seats")
    if not isinstance(value, list) or not all(type(seat) is int for seat in value) or not isinstance(group, str):
        raise _bad(f"table {number} must be a list of entrants")
    return EventTable(number, tuple(value), group)


_READERS: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "terms": lambda value, _: parse_terms(value),
    "course": lambda value, _: Course.parse(value),
    "commitment": lambda value, where: _seed(value, where).hex(),
    "seed": _seed,
    "name": _name,
    "text": _message,
    **dict.fromkeys(("owner", "version", "label", "match"), _text),
    **dict.fromkeys(("entrant", "strength", "round", "table", "game"), _number),
    **dict.fromkeys(("byes", "free", "placements", "scores", "out"), _numbers),
    "field": partial(_rows, entrant=int, version=str, strength=int),
    "versions": partial(_rows, entrant=int, version=str),
    "games": partial(_rows, round=int, table=int, game=int),
    "tables": _tables,
}
"""Reader of each field; a field has the same meaning in all facts."""
