"""Values of the page of a match."""

from dataclasses import dataclass

from webui.matches.values import MatchLine


@dataclass(frozen=True)
class Series:
    """A series of matches, such as an event, that a match is part of."""

    slug: str
    """Its name in addresses."""
    name: str
    following: str | None
    """Id of the next match of it that may be seen; None: there is none yet."""


@dataclass(frozen=True)
class Onward:
    """The next matches after one that has been seen."""

    event_slug: str
    """Empty where it belongs to none, as `event_name`."""
    event_name: str
    event: MatchLine | None
    ladder: MatchLine | None
    bots: dict[str, MatchLine]
    """By the name of the bot; without those that have not played again, or play in one of the two others."""
