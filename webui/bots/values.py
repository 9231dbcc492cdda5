"""Values of bots: references, versions, and what owners manage."""

from dataclasses import dataclass, field
from datetime import datetime

from webui.accounts.values import TokenLine


@dataclass(frozen=True)
class BotRef:
    """A bot, with what a link needs."""

    id: int
    name: str
    slug: str
    owner_id: int
    owner: str
    is_house: bool
    is_hosted: bool = False
    """Whether the arena runs it now."""
    is_person: bool = False
    """Whether it is a person, who has no page."""


@dataclass(frozen=True)
class VersionRef:
    """A bot version, with what a link needs."""

    id: int
    name: str
    bot: BotRef
    is_hosted: bool = False
    """Whether the arena runs it, not its author."""


@dataclass(frozen=True)
class ExclusionLine:
    """A version that is excluded from rated matches."""

    id: int
    version_id: int
    version: str
    at: datetime
    matches: tuple[str, ...]
    """Matches that it forfeited, latest first. Empty if it is new."""
    is_asked: bool
    """Whether a requested examination has not ended yet."""
    examination: str | None
    """Match of that examination. Otherwise the match of the last one, which it did not pass."""

    @property
    def is_new(self) -> bool:
        """Return whether the version has never played rated matches."""
        return not self.matches


@dataclass(frozen=True)
class OwnBot:
    """A bot as its owner manages it."""

    bot: BotRef
    description: str
    state: str
    versions: int
    """Number of versions."""
    tokens: list[TokenLine] = field(default_factory=list)
    exclusions: tuple[ExclusionLine, ...] = ()
    """Exclusions that have not ended."""
    retired_at: datetime | None = None
    retired_versions: tuple[int, ...] = ()
    """Ids of the retired versions."""


@dataclass(frozen=True)
class Release:
    """A version that its author has released."""

    version: str
    is_ready: bool
    """Whether it has not said hello yet."""


@dataclass(frozen=True)
class BotVersionLine:
    """A version in the list of a bot's versions."""

    version: VersionRef
    created_at: datetime
    note: str
    """Note of its author. Empty if there is none."""
    is_ready: bool
    """Whether it was released and has not said hello yet."""
    examination: str | None
    """Latest match in which it passed an examination."""
    retired_at: datetime | None
