"""The caller's own bots through the HTTP API."""

from __future__ import annotations

from datetime import datetime

from ninja import Router, Status
from pydantic import Field

from webui.accounts.values import Act, TokenLine
from webui.api.callers import Request, actor, caller, check_email, needs, own_bot, tell_owner
from webui.api.lists import Listed
from webui.api.schemas import Input, Joined, Name, ValueView, source
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.bots.actions import LONGEST_NOTE
from webui.bots.token_actions import LONGEST_LABEL
from webui.bots.values import ExclusionLine, OwnBot, Release
from webui.core.errors import NotFound
from webui.pairing import exclusions


class TokenOrder(Input):
    """A token to make."""

    label: str = Field("", max_length=LONGEST_LABEL, description="Where it will be used. Only its owner sees this.")
    days: int | None = Field(365, ge=1, le=3650, description="Days until it expires. Null: it never expires.")


class TokenDocument(ValueView):
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
    valid: bool = source("is_valid", "Neither expired nor revoked.")


class Tokens(ValueView):
    """Tokens of a bot, or of an account."""

    items: list[TokenDocument]


class NewTokenDocument(TokenDocument):
    """A token that has just been made."""

    token: str = Field(description="The token itself. It is shown only once.")


class ReleaseOrder(Input):
    """A version, with a note about what is new in it."""

    version: Name = Field(description="Version that the bot will send in its `Hello`; not the hash of a commit.")
    note: str = Field("", max_length=LONGEST_NOTE, description="Everybody can read it. It replaces an earlier note.")


class ReleaseDocument(ValueView):
    """A version that was released."""

    version: str
    ready: bool = source("is_ready", "It has not connected yet. It starts to play when it does.")


class ExclusionDocument(ValueView):
    """A version that plays no rated matches."""

    id: int
    version: str
    since: datetime = source("at")
    forfeited: list[str] = source("matches", "Forfeited matches, latest first. Empty: the version is new.")
    examination_asked: bool = source("is_asked", "An examination was requested and has not ended.")
    examination: str | None = Field(description="Match of this examination, or of the last one, which was not passed.")


class Exclusions(ValueView):
    """Versions of a bot that play no rated matches."""

    items: list[ExclusionDocument]


router = Router(tags=["own bots"])


@router.get("/bots/{slug}/tokens", response=Tokens, **needs("read", "bots"))
def list_tokens(request: Request, slug: str) -> Listed[TokenLine]:
    """The tokens of a bot of yours, and those revoked most recently.

    Oldest first. The tokens themselves are not shown.
    """
    return Listed(own_bot(request, slug).tokens)


@router.post("/bots/{slug}/tokens", response={201: NewTokenDocument}, **needs("bots"))
def make_token(request: Request, slug: str, order: TokenOrder) -> Status[Joined]:
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
    return Status(201, Joined(line, token=new.token))


@router.delete("/bots/{slug}/tokens/{token_id}", response=TokenDocument, **needs("bots"))
def revoke_token(request: Request, slug: str, token_id: int) -> TokenLine:
    """Revoke a token of a bot of yours.

    A bot that uses it cannot connect again.
    """
    _token(own_bot(request, slug), token_id)
    token_actions.revoke_token(token_id, by=actor(request))
    return _token(own_bot(request, slug), token_id)


@router.post("/bots/{slug}/releases", response=ReleaseDocument, **needs("bots"))
def release_version(request: Request, slug: str, order: ReleaseOrder) -> Release:
    """Announce a version of a bot of yours, with a note about what is new in it.

    If the version exists, this note replaces its earlier one.
    """
    return bot_actions.release_version(own_bot(request, slug).bot.id, order.version, order.note)


@router.delete("/bots/{slug}/releases/{version}", response=ReleaseDocument, **needs("bots"))
def withdraw_release(request: Request, slug: str, version: str) -> Release:
    """Withdraw the release of a version that has not connected yet.

    The response is the withdrawn release.
    """
    bot_actions.withdraw_release(own_bot(request, slug).bot.id, version)
    return Release(version, is_ready=True)


@router.get("/bots/{slug}/exclusions", response=Exclusions, **needs("read", "bots"))
def list_exclusions(request: Request, slug: str) -> Listed[ExclusionLine]:
    """Versions of a bot of yours that play no rated matches."""
    return Listed(own_bot(request, slug).exclusions)


@router.post("/bots/{slug}/exclusions/{exclusion_id}/examination", response=ExclusionDocument, **needs("bots"))
def examine_version(request: Request, slug: str, exclusion_id: int) -> ExclusionLine:
    """Request the examination of a version that plays no rated matches.

    The examination is one unrated match with house bots. Without a fault in it, the version plays rated matches again.
    """
    _exclusion(own_bot(request, slug), exclusion_id)
    exclusions.put_back(exclusion_id, caller(request).user_id, by=actor(request))
    return _exclusion(own_bot(request, slug), exclusion_id)


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
