"""The caller's own bots through the HTTP API."""

from __future__ import annotations

from datetime import datetime

from ninja import Router, Schema, Status
from pydantic import Field

from webui.accounts.values import Act, TokenLine
from webui.api.callers import Request, actor, caller, check_email, needs, own_bot, tell_owner
from webui.api.schemas import Input, Name
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.bots.actions import LONGEST_NOTE
from webui.bots.token_actions import LONGEST_LABEL
from webui.bots.values import ExclusionLine, OwnBot
from webui.core.errors import NotFound
from webui.pairing import exclusions


class TokenOrder(Input):
    """A token to make."""

    label: str = Field("", max_length=LONGEST_LABEL, description="Where it will be used. Only its owner sees this.")
    days: int | None = Field(365, ge=1, le=3650, description="Days until it expires. Null: it never expires.")


class TokenDocument(Schema):
    """A token as its owner sees it after it was made."""

    id: int
    prefix: str = Field(description="Its first characters.")
    label: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    last_address: str = Field(description="Address from which it was last used.")
    revoked_at: datetime | None
    valid: bool = Field(description="Neither expired nor revoked.")

    @classmethod
    def of(cls, line: TokenLine) -> TokenDocument:
        """Return the token as a list shows it."""
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

    items: list[TokenDocument]


class NewTokenDocument(TokenDocument):
    """A token that has just been made."""

    token: str = Field(description="The token itself. It is shown only once.")


class ReleaseOrder(Input):
    """A version, with a note about what is new in it."""

    version: Name = Field(description="Version that the bot will send in its `Hello`; not the hash of a commit.")
    note: str = Field("", max_length=LONGEST_NOTE, description="Everybody can read it. It replaces an earlier note.")


class ReleaseDocument(Schema):
    """A version that was released."""

    version: str
    ready: bool = Field(description="It has not connected yet. It starts to play when it does.")


class ExclusionDocument(Schema):
    """A version that plays no rated matches."""

    id: int
    version: str
    since: datetime
    forfeited: list[str] = Field(description="Forfeited matches, latest first. Empty: the version is new.")
    examination_asked: bool = Field(description="An examination was requested and has not ended.")
    examination: str | None = Field(description="Match of this examination, or of the last one, which was not passed.")

    @classmethod
    def of(cls, line: ExclusionLine) -> ExclusionDocument:
        """Return the exclusion as its owner sees it."""
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

    items: list[ExclusionDocument]


router = Router(tags=["own bots"])


@router.get("/bots/{slug}/tokens", response=Tokens, **needs("read", "bots"))
def list_tokens(request: Request, slug: str) -> Tokens:
    """The tokens of a bot of yours, and those revoked most recently.

    Oldest first. The tokens themselves are not shown.
    """
    return Tokens(items=[TokenDocument.of(line) for line in own_bot(request, slug).tokens])


@router.post("/bots/{slug}/tokens", response={201: NewTokenDocument}, **needs("bots"))
def make_token(request: Request, slug: str, order: TokenOrder) -> Status[NewTokenDocument]:
    """Make a token for a bot of yours.

    You get an email about it.
    """
    bot = own_bot(request, slug).bot
    check_email(request)
    new = token_actions.issue_token(
        bot.id, label=order.label, days=order.days, made_with=caller(request).token_id, by=actor(request)
    )
    tell_owner(request, Act.TOKEN_ISSUED, bot.name)
    line = _token(own_bot(request, slug), new.token_id)
    return Status(201, NewTokenDocument(**TokenDocument.of(line).model_dump(), token=new.token))


@router.delete("/bots/{slug}/tokens/{token_id}", response=TokenDocument, **needs("bots"))
def revoke_token(request: Request, slug: str, token_id: int) -> TokenDocument:
    """Revoke a token of a bot of yours.

    A bot that uses it cannot connect again.
    """
    _token(own_bot(request, slug), token_id)
    token_actions.revoke_token(token_id, by=actor(request))
    return TokenDocument.of(_token(own_bot(request, slug), token_id))


@router.post("/bots/{slug}/releases", response=ReleaseDocument, **needs("bots"))
def release_version(request: Request, slug: str, order: ReleaseOrder) -> ReleaseDocument:
    """Announce a version of a bot of yours, with a note about what is new in it.

    If the version exists, this note replaces its earlier one.
    """
    released = bot_actions.release_version(own_bot(request, slug).bot.id, order.version, order.note)
    return ReleaseDocument(version=released.version, ready=released.is_ready)


@router.delete("/bots/{slug}/releases/{version}", response=ReleaseDocument, **needs("bots"))
def withdraw_release(request: Request, slug: str, version: str) -> ReleaseDocument:
    """Withdraw the release of a version that has not connected yet.

    The response is the withdrawn release.
    """
    bot_actions.withdraw_release(own_bot(request, slug).bot.id, version)
    return ReleaseDocument(version=version, ready=True)


@router.get("/bots/{slug}/exclusions", response=Exclusions, **needs("read", "bots"))
def list_exclusions(request: Request, slug: str) -> Exclusions:
    """Versions of a bot of yours that play no rated matches."""
    return Exclusions(items=[ExclusionDocument.of(line) for line in own_bot(request, slug).exclusions])


@router.post("/bots/{slug}/exclusions/{exclusion_id}/examination", response=ExclusionDocument, **needs("bots"))
def examine_version(request: Request, slug: str, exclusion_id: int) -> ExclusionDocument:
    """Request the examination of a version that plays no rated matches.

    The examination is one unrated match with house bots. Without a fault in it, the version plays rated matches again.
    """
    _exclusion(own_bot(request, slug), exclusion_id)
    exclusions.put_back(exclusion_id, caller(request).user_id, by=actor(request))
    return ExclusionDocument.of(_exclusion(own_bot(request, slug), exclusion_id))


def _token(own: OwnBot, token_id: int) -> TokenLine:
    for line in own.tokens:
        if line.id == token_id:
            return line
    raise NotFound(f"{own.bot.name} has no token {token_id}")


def _exclusion(own: OwnBot, exclusion_id: int) -> ExclusionLine:
    for line in own.exclusions:
        if line.id == exclusion_id:
            return line
    raise NotFound(f"{own.bot.name} has no exclusion {exclusion_id}")
