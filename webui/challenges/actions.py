"""Actions on challenges: unrated matches between an owner's bot and bots that accept the challenge.

A challenge waits until all its bots are online with a free place (`pairing`), for ten minutes at most. Its conditions
are checked twice, here and when its match is made, because settings may change in the meantime.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from arena.referee import Clock
from arena.rules import RulesError, Ruleset
from arena.rules.setup import check_ruleset
from webui.accounts.actions import create_user, record_act
from webui.accounts.models import User
from webui.accounts.values import OPERATOR, Act, Actor
from webui.bots.actions import register_bot, register_version
from webui.bots.models import Bot, BotToken
from webui.bots.token_actions import issue_token
from webui.challenges.models import Accepts, Challenge, ChallengeMatch, ChallengeSeat, ChallengeState, ChallengeTerms
from webui.challenges.queries import check_seats, rematch_seats
from webui.challenges.values import MOST_AT_ONCE, ChallengeRefusal, WantedSeat
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NameTaken, NotFound
from webui.matches.models import Match
from webui.matches.ownership import new_match_id
from webui.pairing.models import Exclusion
from webui.pairing.sessions import IN_FLIGHT_STATES

# Bots for load tests of an operator's own arena (`arena load`).
#
# Each bot has its own account, because an account may make only a few challenges at a time. The bots play only
# challenges. Their version waits for an examination that nobody has requested, so it gets no rated matches.


LOAD_VERSION: Final = "load"
"""Version with which the bots of `arena load` say hello."""
LABEL: Final = "load test"


@transaction.atomic
def make_load_bot(name: str, *, days: int) -> str:
    """Return a token for a bot of this name, valid for `days` days. The bot is made if it does not exist.

    The bot belongs to an account of the same name that cannot sign in. An existing bot keeps its matches, and its
    earlier tokens of this kind are revoked. Raise `NameTaken` if the name is that of another bot.
    """
    bot = Bot.objects.select_related("owner").filter(name=name).first()
    if bot is None:
        bot_id = register_bot(create_user(name, None), name, description="For load tests.")
        version = register_version(bot_id, LOAD_VERSION)
        Exclusion.objects.filter(version=version).delete()
        Exclusion.objects.create(version_id=version, matches=[])
        accept_challenges(bot_id, Accepts.ALL, MOST_AT_ONCE, (), by=OPERATOR)
    elif bot.owner.username == name and not bot.owner.has_usable_password():
        bot_id = bot.pk
        BotToken.objects.filter(bot=bot, label=LABEL, revoked_at=None).update(revoked_at=Now())
    else:
        raise NameTaken(f"the bot {name!r} is not for load tests: choose another name")
    return issue_token(bot_id, label=LABEL, days=days).token


log = structlog.get_logger(__name__)

OPEN_OF_OWNER: Final = 2
"""Maximum number of challenges of one owner that wait or are played."""
NEW_AN_HOUR: Final = 20
MOST_FRIENDS: Final = 50


@transaction.atomic
def challenge(owner_id: int, seats: Sequence[WantedSeat], expansions: Sequence[str] = ()) -> str:
    """Make a challenge between these bots, seat 1 first. Return its id, which is also the id of its match.

    One of the bots must belong to this owner. Raise `ChallengeRefusal` with the reason, `BadRequest` for a game that
    does not exist, or `NotFound`.
    """
    ruleset = _ruleset(seats, expansions)
    _lock_owner(owner_id)
    check_seats(owner_id, seats)
    made = Challenge.objects.filter(owner=owner_id)
    if made.filter(created_at__gt=before_now(3600)).count() >= NEW_AN_HOUR:
        raise ChallengeRefusal("HOURLY", "{n} challenges were made within an hour: wait a while", n=NEW_AN_HOUR)
    if _open_challenges(owner_id).count() >= OPEN_OF_OWNER:
        raise ChallengeRefusal(
            "OPEN", "{n} challenges of yours wait or are played: wait until one ends, or withdraw one", n=OPEN_OF_OWNER
        )
    return _make(owner_id, seats, ruleset, None)


@transaction.atomic
def lay_table(owner_id: int, seats: Sequence[WantedSeat], expansions: Sequence[str], clock: Clock) -> str:
    """Make a challenge of a person, who is at one of these seats, under this clock. Return its id.

    The caller limits how many there are. Raise the other errors of `challenge`.
    """
    ruleset = _ruleset(seats, expansions)
    _lock_owner(owner_id)
    check_seats(owner_id, seats)
    return _make(owner_id, seats, ruleset, clock)


def _ruleset(seats: Sequence[WantedSeat], expansions: Sequence[str]) -> Ruleset:
    ruleset = Ruleset(len(seats), tuple(sorted(set(expansions))))
    try:
        check_ruleset(ruleset)
    except RulesError as error:
        raise BadRequest(error.message) from None
    return ruleset


def _lock_owner(owner_id: int) -> None:
    """Serialise the challenges of an owner. Raise `NotFound` if there is no such active user."""
    if not User.objects.select_for_update().filter(pk=owner_id, is_active=True).exists():
        raise NotFound(f"there is no user {owner_id}")


def _make(owner_id: int, seats: Sequence[WantedSeat], ruleset: Ruleset, clock: Clock | None) -> str:
    row = Challenge.objects.create(id=new_match_id(), owner_id=owner_id, ruleset=ruleset, clock=clock)
    ChallengeSeat.objects.bulk_create(
        ChallengeSeat(challenge=row, seat=number, bot_id=seat.bot_id, version_id=seat.version_id)
        for number, seat in enumerate(seats, start=1)
    )
    transaction.on_commit(partial(log.info, "challenge_made", match=row.pk, owner=owner_id), robust=True)
    return row.pk


def _open_challenges(owner_id: int) -> QuerySet[Challenge]:
    """Return the challenges of this owner that wait or are played."""
    played = ChallengeMatch.objects.filter(match__state__in=IN_FLIGHT_STATES).values("challenge")
    return Challenge.objects.filter(Q(state=ChallengeState.WAITING) | Q(pk__in=played), owner=owner_id)


@transaction.atomic
def rematch(owner_id: int, match_id: str) -> str:
    """Challenge the bots of a challenge's match that has ended again, with the seats rotated. Return the challenge's
    id.

    If such a challenge of this owner waits or is played already, return its id: the request was sent twice.
    Raise the errors of `challenge`, and `NotFound` if no bot of this owner played in the match.
    """
    seats = rematch_seats(match_id, owner_id)
    if seats is None:
        raise NotFound(f"{match_id!r} is not an ended challenge of this owner's bots")
    ruleset = Match.objects.values_list("ruleset", flat=True).get(pk=match_id)
    User.objects.select_for_update().get(pk=owner_id)
    return _open_challenge(owner_id, seats, ruleset) or challenge(owner_id, seats, ruleset.expansions)


def _open_challenge(owner_id: int, seats: Sequence[WantedSeat], ruleset: Ruleset) -> str | None:
    """Return the id of a challenge of this owner with these seats that waits or is played, if there is one."""
    for row in _open_challenges(owner_id).filter(ruleset=ruleset).prefetch_related("seats"):
        in_order = sorted(row.seats.all(), key=lambda seat: seat.seat)
        if [WantedSeat(seat.bot_id, seat.version_id) for seat in in_order] == list(seats):
            return row.pk
    return None


def withdraw_challenge(challenge_id: str, owner_id: int) -> bool:
    """Withdraw a challenge. Return False if it does not wait any more, or if it is not this owner's."""
    waiting = Challenge.objects.filter(pk=challenge_id, owner=owner_id, state=ChallengeState.WAITING)
    return bool(waiting.update(state=ChallengeState.WITHDRAWN, ended_at=Now()))


@transaction.atomic
def accept_challenges(bot_id: int, accepts: str, at_once: int, friends: Sequence[str], *, by: Actor) -> None:
    """Set which challenges a bot accepts, and how many it plays at once. `friends` are names of accounts.

    Raise `ChallengeRefusal` for a name without an account.
    """
    bot = Bot.objects.select_for_update().filter(pk=bot_id).first()
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    if accepts not in Accepts.values:
        raise BadRequest(f"accepts {accepts!r}: use one of {', '.join(Accepts.values)}")
    if not 1 <= at_once <= MOST_AT_ONCE:
        raise BadRequest(f"a bot plays 1 to {MOST_AT_ONCE} challenges at once, not {at_once}")
    names = set(friends)
    if len(names) > MOST_FRIENDS:
        raise ChallengeRefusal("FRIENDS", "name at most {n} accounts", n=MOST_FRIENDS)
    users = dict(User.objects.filter(username__in=names, is_active=True).values_list("username", "pk"))
    if missing := sorted(names - users.keys()):
        raise ChallengeRefusal("NO_ACCOUNT", "there is no account {name}", name=missing[0])
    row, _ = ChallengeTerms.objects.get_or_create(bot=bot)
    before = (row.accepts, row.at_once, set(row.friends.values_list("pk", flat=True)))
    if before == (accepts, at_once, set(users.values())):
        return
    row.accepts, row.at_once = Accepts(accepts), at_once
    row.save()
    row.friends.set(users.values())
    record_act(Act.CHALLENGES_SET, bot.owner_id, by=by, subject=f"{bot.name}: {accepts.lower()}")
