"""Bots as their owners manage them: tokens, releases, versions that play no rated matches."""

from ninja import Router, Status

from webui.api.callers import Request, actor, caller, check_email, needs, own_bot, tell_owner
from webui.api.schemas.own_bots import (
    Exclusion,
    Exclusions,
    NewToken,
    Release,
    ReleaseOrder,
    Token,
    TokenOrder,
    Tokens,
)
from webui.ladder import actions
from webui.ladder.actions import Act
from webui.ladder.values import ExclusionLine, NotFound, OwnBot, TokenLine

router = Router(tags=["own bots"])


@router.get("/bots/{slug}/tokens", response=Tokens, **needs("read", "bots"))
def list_tokens(request: Request, slug: str) -> Tokens:
    """The tokens of a bot of yours, and the last ones that were revoked.

    Oldest first. None is there in clear.
    """
    return Tokens(items=[Token.of(line) for line in own_bot(request, slug).tokens])


@router.post("/bots/{slug}/tokens", response={201: NewToken}, **needs("bots"))
def make_token(request: Request, slug: str, order: TokenOrder) -> Status[NewToken]:
    """Make a token for a bot of yours.

    You are told by email.
    """
    bot = own_bot(request, slug).bot
    check_email(request)
    new = actions.issue_token(
        bot.id, label=order.label, days=order.days, made_with=caller(request).token_id, by=actor(request)
    )
    tell_owner(request, Act.TOKEN_ISSUED, bot.name)
    line = _token(own_bot(request, slug), new.token_id)
    return Status(201, NewToken(**Token.of(line).model_dump(), token=new.token))


@router.delete("/bots/{slug}/tokens/{token_id}", response=Token, **needs("bots"))
def revoke_token(request: Request, slug: str, token_id: int) -> Token:
    """Revoke a token of a bot of yours.

    A bot that uses it cannot connect again.
    """
    _token(own_bot(request, slug), token_id)
    actions.revoke_token(token_id, by=actor(request))
    return Token.of(_token(own_bot(request, slug), token_id))


@router.post("/bots/{slug}/releases", response=Release, **needs("bots"))
def release_version(request: Request, slug: str, order: ReleaseOrder) -> Release:
    """Name a version of a bot of yours, and say what is new in it.

    A version that is known gets this note in place of its former one.
    """
    released = actions.release_version(own_bot(request, slug).bot.id, order.version, order.note)
    return Release(version=released.version, ready=released.is_ready)


@router.delete("/bots/{slug}/releases/{version}", response=Release, **needs("bots"))
def withdraw_release(request: Request, slug: str, version: str) -> Release:
    """Take back the release of a version that has not said hello yet.

    The answer is what it was.
    """
    actions.withdraw_release(own_bot(request, slug).bot.id, version)
    return Release(version=version, ready=True)


@router.get("/bots/{slug}/exclusions", response=Exclusions, **needs("read", "bots"))
def list_exclusions(request: Request, slug: str) -> Exclusions:
    """Versions of a bot of yours that play no rated matches."""
    return Exclusions(items=[Exclusion.of(line) for line in own_bot(request, slug).exclusions])


@router.post("/bots/{slug}/exclusions/{exclusion_id}/examination", response=Exclusion, **needs("bots"))
def examine_version(request: Request, slug: str, exclusion_id: int) -> Exclusion:
    """Have a version examined that plays no rated matches.

    It is one unrated match with bots of the house; without a fault in it the version plays rated matches.
    """
    _exclusion(own_bot(request, slug), exclusion_id)
    actions.put_back(exclusion_id, caller(request).user_id, by=actor(request))
    return Exclusion.of(_exclusion(own_bot(request, slug), exclusion_id))


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
