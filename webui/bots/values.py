"""Values of bots: references, versions, and what owners manage."""

from dataclasses import dataclass, field
from datetime import datetime

from webui.accounts.values import TokenLine


@dataclass(frozen=True)
class BotRef:
    """A bot, as far as a link needs it."""

    id: int
    name: str
    slug: str
    owner_id: int
    owner: str
    is_house: bool


@dataclass(frozen=True)
class VersionRef:
    """A bot version, as far as a link needs it."""

    id: int
    name: str
    bot: BotRef


@dataclass(frozen=True)
class ExclusionLine:
    """A version that plays no rated matches."""

    id: int
    version_id: int
    version: str
    at: datetime
    matches: tuple[str, ...]
    """That it forfeited, the latest first; none: it is new."""
    is_asked: bool
    """An examination was asked for, which has not ended."""
    examination: str | None
    """The match of that, or else of the last one, which it did not pass."""

    @property
    def is_new(self) -> bool:
        """Whether it has never played rated matches."""
        return not self.matches


@dataclass(frozen=True)
class OwnBot:
    """A bot as its owner manages it."""

    bot: BotRef
    description: str
    state: str
    versions: int
    """How many."""
    tokens: list[TokenLine] = field(default_factory=list)
    exclusions: tuple[ExclusionLine, ...] = ()
    """Those that have not ended."""
    retired_at: datetime | None = None
    retired_versions: tuple[int, ...] = ()
    """Their ids."""


@dataclass(frozen=True)
class Release:
    """A version that its author has released."""

    version: str
    is_ready: bool
    """It has not said hello yet."""


@dataclass(frozen=True)
class BotVersionLine:
    """A version in the list of a bot's versions."""

    version: VersionRef
    created_at: datetime
    note: str
    """What its author says of it; empty: nothing."""
    is_ready: bool
    """It was released, and has not said hello yet."""
    examination: str | None
    """The latest match in which it has passed an examination."""
    retired_at: datetime | None
