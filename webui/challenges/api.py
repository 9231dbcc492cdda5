"""Routes of challenges, which are unrated matches on demand, and of the challenges that a bot accepts."""

from ninja import Query, Router, Status

from webui.accounts.values import BotIdentity
from webui.api.callers import Request, actor, caller, needs, own_bot
from webui.api.lists import Listed, PageQuery, page_of
from webui.api.schemas import Joined
from webui.bots import presence
from webui.bots import queries as bot_queries
from webui.challenges import actions, queries
from webui.challenges.schemas import (
    ChallengeDocument,
    ChallengeOrder,
    Challenges,
    ChallengeTermsInput,
    SeatOrder,
    shown_challenge,
)
from webui.challenges.values import ChallengeLine, ChallengeRefusal, WantedSeat
from webui.core.errors import BadRequest, NotFound
from webui.matches import queries as match_queries

router = Router(tags=["challenges"])


@router.post("/challenges", response={201: ChallengeDocument}, **needs("challenges", "play"))
def make_challenge(request: Request, order: ChallengeOrder) -> Status[Joined]:
    """Challenge bots to an unrated match.

    The match begins as soon as each bot is online and has a free place. A challenge expires after ten minutes. With a
    bot's own token, one of the seats must be that bot's.
    """
    own = caller(request).bot
    seats = [_wanted(seat, own) for seat in order.seats]
    if own is not None and own.bot_id not in {seat.bot_id for seat in seats}:
        raise ChallengeRefusal("NO_OWN", "the bot of the token must have a seat")
    made = actions.challenge(caller(request).user_id, seats, order.expansions)
    return Status(201, _challenge(request, queries.challenge(made)))


@router.post("/matches/{match_id}/rematch", response={201: ChallengeDocument}, **needs("challenges", "play"))
def make_rematch(request: Request, match_id: str) -> Status[Joined]:
    """Have the match of a challenge played again, with the seats rotated."""
    owner, own = caller(request).user_id, caller(request).bot
    if own is not None and own.bot_id not in {seat.bot_id for seat in queries.rematch_seats(match_id, owner) or ()}:
        raise NotFound(f"{match_id!r} is not an ended challenge of this bot")
    return Status(201, _challenge(request, queries.challenge(actions.rematch(owner, match_id))))


@router.get("/challenges/{challenge_id}", response=ChallengeDocument, **needs("read", "challenges", "play"))
def get_challenge(request: Request, challenge_id: str) -> Joined:
    """A challenge of yours: the bots that it waits for, or its result."""
    return _challenge(request, _own(request, challenge_id))


@router.delete("/challenges/{challenge_id}", response=ChallengeDocument, **needs("challenges", "play"))
def withdraw_challenge(request: Request, challenge_id: str) -> Joined:
    """Withdraw a waiting challenge of yours.

    If it does not wait any more, it stays as it is.
    """
    actions.withdraw_challenge(_own(request, challenge_id).id, caller(request).user_id)
    return _challenge(request, _own(request, challenge_id))


@router.get("/bots/{slug}/challenges", response=Challenges, **needs("read", "challenges"))
def list_challenges(request: Request, slug: str, page: Query[PageQuery]) -> Listed[Joined]:
    """Challenges in which a bot of yours sits, newest first.

    The list has your own challenges, and those of others that have a match.
    """
    challenges = queries.challenges_of(
        caller(request).user_id, own_bot(request, slug).bot.id, page.limit + 1, before=page.after(str)
    )
    online = presence.online()
    return page_of([shown_challenge(request, line, online) for line in challenges], page, lambda line: line.id)


@router.get("/bots/{slug}/challenge-terms", response=ChallengeTermsInput, **needs("read", "bots"))
def get_challenge_terms(request: Request, slug: str) -> Joined:
    """The challenges that a bot of yours accepts."""
    return _terms(own_bot(request, slug).bot.id)


@router.put("/bots/{slug}/challenge-terms", response=ChallengeTermsInput, **needs("bots"))
def set_challenge_terms(request: Request, slug: str, terms: ChallengeTermsInput) -> Joined:
    """Set the challenges that a bot of yours accepts."""
    bot_id = own_bot(request, slug).bot.id
    actions.accept_challenges(bot_id, terms.accepts.upper(), terms.at_once, terms.friends, by=actor(request))
    return _terms(bot_id)


def _wanted(seat: SeatOrder, own: BotIdentity | None) -> WantedSeat:
    if seat.bot is not None:
        bot = bot_queries.find_bot(seat.bot)
        if bot is None:
            raise NotFound(f"there is no bot {seat.bot!r}")
        bot_id = bot.id
    elif own is not None:
        bot_id = own.bot_id
    else:
        raise BadRequest("name the bot of each seat: only a bot's own token says which is meant")
    return WantedSeat(bot_id, None if seat.version is None else bot_queries.version_id(bot_id, seat.version))


def _own(request: Request, challenge_id: str) -> ChallengeLine:
    """Return a challenge of the caller.

    Raise `NotFound` for somebody else's challenge. With a bot's token, also raise it for a challenge without that bot.
    """
    line, own = queries.challenge(challenge_id), caller(request).bot
    is_seated = own is None or own.bot_id in {seat.bot.id for seat in line.seats}
    if line.owner_id != caller(request).user_id or not is_seated:
        raise NotFound(f"there is no challenge {challenge_id!r}")
    return line


def _challenge(request: Request, line: ChallengeLine) -> Joined:
    played = match_queries.match_page(line.match).line.seats if line.match and line.placements else []
    return shown_challenge(request, line, presence.online(), played)


def _terms(bot_id: int) -> Joined:
    accepted = queries.accepted_challenges(bot_id)
    return Joined(accepted, accepts=accepted.accepts.lower())
