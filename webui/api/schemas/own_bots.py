"""Bots as their owners manage them: tokens, releases, versions that play no rated matches."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema
from pydantic import Field

from webui.api.schemas.base import Input, Name
from webui.ladder.actions import LONGEST_NOTE
from webui.ladder.actions.tokens import LONGEST_LABEL
from webui.ladder.values import ExclusionLine, TokenLine


class TokenOrder(Input):
    """A token to be made."""

    label: str = Field("", max_length=LONGEST_LABEL, description="Where it will be used; for its owner alone.")
    days: int | None = Field(365, ge=1, le=3650, description="It expires then; null: never.")


class Token(Schema):
    """A token as its owner sees it later."""

    id: int
    prefix: str = Field(description="Its first characters.")
    label: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    last_address: str = Field(description="Where it was used last.")
    revoked_at: datetime | None
    valid: bool = Field(description="Neither expired nor revoked.")

    @classmethod
    def of(cls, line: TokenLine) -> Token:
        """The token as a list shows it."""
        return cls(
            id=line.id,
            prefix=line.prefix,
            label=line.label,
            scopes=list(line.scopes),
            created_at=line.created_at,
            expires_at=line.expires_at,
            last_used_at=line.last_used_at,
            last_address=line.last_address,
            revoked_at=line.revoked_at,
            valid=line.is_valid,
        )


class Tokens(Schema):
    """Tokens of a bot, or of an account."""

    items: list[Token]


class NewToken(Token):
    """A token that has just been made."""

    token: str = Field(description="The token itself, which is shown this once.")


class ReleaseOrder(Input):
    """A version, and what is new in it."""

    version: Name = Field(description="As the bot will say it in its hello; not the hash of a commit.")
    note: str = Field("", max_length=LONGEST_NOTE, description="Everybody can read it. It replaces a former one.")


class Release(Schema):
    """A version that was released."""

    version: str
    ready: bool = Field(description="It has not said hello yet, and begins with its first one.")


class Exclusion(Schema):
    """A version that plays no rated matches."""

    id: int
    version: str
    since: datetime
    forfeited: list[str] = Field(description="Matches, the latest first; none: the version is new.")
    examination_asked: bool = Field(description="An examination was asked for, and has not ended.")
    examination: str | None = Field(description="Its match, or that of the last one, which was not passed.")

    @classmethod
    def of(cls, line: ExclusionLine) -> Exclusion:
        """The exclusion as its owner sees it."""
        return cls(
            id=line.id,
            version=line.version,
            since=line.at,
            forfeited=list(line.matches),
            examination_asked=line.is_asked,
            examination=line.examination,
        )


class Exclusions(Schema):
    """Versions of a bot that play no rated matches."""

    items: list[Exclusion]
