"""The facts of an event: an append-only list from which everything about it follows. It is the audit log, too.

==============  =======================  ===========================================================================
kind            in state                 data
==============  =======================  ===========================================================================
`created`       (first)                  `terms`
`changed`       draft, open              `terms`: all of them anew. While open, only what entrants did not rely on
`published`     draft                    `commitment`: SHA-256 of the event's seed, in hex
`entered`       open; later by hand,     `name`, `owner`; late: `version`, `strength`, too. Numbers follow the order
                if it can be drawn
`withdrawn`     open to paused           `entrant`
`checked_in`    open                     `entrant`: its owner says that it will come
`frozen`        open                     `field`: a list of `[entrant, version, strength]`
`started`       frozen
`drawn`         running                  `tables`: lists of seats, or of `{"seats", "group"}`; `byes`, `label`; with
                                         free versions `versions`: a list of `[entrant, version]`. Continuous
                                         formats: `free`, who could be drawn
`result`        running, paused          `round`, `table`, `game` (from 0), `match`, `placements`, `scores`; `out` if
                                         a seat did not come
`absent`        running, paused          `round`, `table`, `entrant`: who did not come in time
`again`         running, paused          `games`: a list of `[round, table, game]` whose results are void and which are
                                         played again
`ruled`         running to finished      `round`, `table`, `game`, `placements`: a result by decision of the organiser
`disqualified`  open to finished         `entrant`
`paused`        running
`resumed`       paused
`extended`      open to paused           `course`: the new one
`revealed`      running to finished      `round`: results up to it are shown
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

from arena.events.errors import FactRefused
from arena.events.fields import object_of, text_of


class EventState(StrEnum):
    """Where an event is in its life: draft → open → frozen → running ⇄ paused → finished → archived; or cancelled."""

    DRAFT = "draft"
    OPEN = "open"
    FROZEN = "frozen"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    ARCHIVED = "archived"
    CANCELLED = "cancelled"


class FactKind(StrEnum):
    """What happened."""

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
    """One thing that happened."""

    kind: FactKind
    data: Mapping[str, Any] = field(default_factory=dict)
    """As the table above says."""
    by: str = ""
    """Who: a user's name; empty for the arena itself."""
    why: str = ""
    """A reason in words, where a person decided."""
    at: str = ""
    """When, as ISO 8601 in UTC. Nothing follows from it."""

    def document(self) -> dict[str, Any]:
        """As JSON, without what is empty."""
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
"""In which states a fact can happen, and the state after it (None: the same). `created` is the first fact alone."""


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
"""What a fact may carry; the other kinds carry nothing."""


def parse_fact(value: Any, where: str) -> Fact:
    """A fact from its JSON."""
    table = object_of(value, where, ("kind", "at", "by", "why", "data"))
    if table.get("kind") not in list(FactKind):
        raise FactRefused("UNKNOWN_FACT", f"{where}: there is no fact {table.get('kind')!r}")
    kind = FactKind(table["kind"])
    data = table.get("data", {})
    if not isinstance(data, Mapping):
        raise FactRefused("BAD_FACT", f"{where}.data must be an object")
    texts = {name: text_of(table.get(name, ""), f"{where}.{name}") for name in ("by", "why", "at")}
    return Fact(kind, data, **texts)
