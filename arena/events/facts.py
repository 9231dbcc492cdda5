"""The facts of an event: an append-only list from which the state of the event is computed. It is also the audit log.

==============  =======================  ===========================================================================
kind            in state                 data
==============  =======================  ===========================================================================
`created`       (first)                  `terms`
`changed`       draft, open              `terms`: the whole document; while open, only terms that `may_change` differ
`published`     draft                    `commitment`: SHA-256 of the event's seed, in hex
`entered`       open; later by hand,     `name`, `owner`; a late entry also has `version` and `strength`. Entrants are
                if it can be drawn       numbered in the order of these facts
`withdrawn`     open to paused           `entrant`
`checked_in`    open                     `entrant`: its owner confirms that it will take part
`frozen`        open                     `field`: a list of `[entrant, version, strength]`
`started`       frozen
`drawn`         running                  `tables`: lists of seats, or of `{"seats", "group"}`; `byes`, `label`. Free
                                         versions: `versions`, a list of `[entrant, version]`. Continuous formats:
                                         `free`, the entrants that could be drawn
`result`        running, paused          `round`, `table`, `game` (from 0), `match`, `placements`, `scores`; `out` if
                                         an entrant was absent
`absent`        running, paused          `round`, `table`, `entrant`: it did not come in time
`again`         running, paused          `games`: a list of `[round, table, game]`. Their results are void and they are
                                         played again
`ruled`         running to finished      `round`, `table`, `game`, `placements`: a result by decision of the organiser
`disqualified`  open to finished         `entrant`
`paused`        running
`resumed`       paused
`extended`      open to paused           `course`: the new one
`revealed`      running to finished      `round`: results up to this round become visible
`told`          open to finished         `text`: a message to all entrants
`finished`      running                  `seed`: revealed, in hex
`archived`      finished, cancelled
`cancelled`     before finished          `seed`, if there is one
==============  =======================  ===========================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from arena.events.fields import FactRefused, object_of, text_of


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
    """Kind of a fact; the table above says what each kind carries.

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
class Fact:
    """One thing that happened in an event.

    >>> Fact(FactKind.WITHDRAWN, {"entrant": 3}, by="ann").document()
    {'kind': 'withdrawn', 'by': 'ann', 'data': {'entrant': 3}}
    """

    kind: FactKind
    data: Mapping[str, Any] = field(default_factory=dict)
    """Fields as listed in the table above."""
    by: str = ""
    """Name of the user who caused the fact; empty for the arena itself."""
    why: str = ""
    """Reason in words, if a person decided."""
    at: str = ""
    """Time of the fact, as ISO 8601 in UTC. No draw or standing depends on it."""

    def document(self) -> dict[str, Any]:
        """Return the fact as JSON, without empty fields."""
        written = {"kind": str(self.kind), "at": self.at, "by": self.by, "why": self.why, "data": dict(self.data)}
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


DATA: Final[Mapping[FactKind, tuple[str, ...]]] = {
    FactKind.CREATED: ("terms",),
    FactKind.CHANGED: ("terms",),
    FactKind.PUBLISHED: ("commitment",),
    FactKind.ENTERED: ("name", "owner", "version", "strength"),
    FactKind.WITHDRAWN: ("entrant",),
    FactKind.CHECKED_IN: ("entrant",),
    FactKind.FROZEN: ("field",),
    FactKind.DRAWN: ("tables", "byes", "label", "versions", "free"),
    FactKind.RESULT: ("round", "table", "game", "match", "placements", "scores", "out"),
    FactKind.ABSENT: ("round", "table", "entrant"),
    FactKind.AGAIN: ("games",),
    FactKind.RULED: ("round", "table", "game", "placements", "out"),
    FactKind.DISQUALIFIED: ("entrant",),
    FactKind.EXTENDED: ("course",),
    FactKind.REVEALED: ("round",),
    FactKind.TOLD: ("text",),
    FactKind.FINISHED: ("seed",),
    FactKind.CANCELLED: ("seed",),
}
"""Fields that a fact may have; the other kinds have none."""


def parse_fact(value: Any, where: str) -> Fact:
    """Parse a fact from its JSON.

    `where` names the value in error messages, for example `facts[3]`. Raise `FactRefused` for an unknown kind or bad
    data, `TermsError` for unknown keys or bad texts.

    >>> parse_fact({"kind": "disqualified", "data": {"entrant": 3}, "why": "plays for two owners"}, "facts[3]").data
    {'entrant': 3}
    """
    table = object_of(value, where, ("kind", "at", "by", "why", "data"))
    if table.get("kind") not in list(FactKind):
        raise FactRefused("UNKNOWN_FACT", f"{where}: unknown kind of fact {table.get('kind')!r}")
    kind = FactKind(table["kind"])
    data = table.get("data", {})
    if not isinstance(data, Mapping):
        raise FactRefused("BAD_FACT", f"{where}.data must be an object")
    texts = {name: text_of(table.get(name, ""), f"{where}.{name}") for name in ("by", "why", "at")}
    return Fact(kind, data, **texts)
