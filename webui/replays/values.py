"""Values of the page of a match."""

from dataclasses import dataclass

from webui.matches.values import MatchLine


@dataclass(frozen=True)
class Series:
    """A series of matches, such as an event, that a match is part of."""

    slug: str
    """Name in addresses."""
    name: str
    following: str | None
    """Id of the next visible match of the series. None if there is none yet."""


@dataclass(frozen=True)
class Onward:
    """The matches suggested after a match."""

    event_slug: str
    """Name of the match's event in addresses. Empty if it has no event, like `event_name`."""
    event_name: str
    event: MatchLine | None
    ladder: MatchLine | None
    bots: dict[str, MatchLine]
    """Next match of each bot, by its name. Bots without one are left out, and matches that `event` or `ladder` has."""
