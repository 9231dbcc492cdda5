"""Suspicions, for staff only: bots that may help each other, and accounts that may have the same owner.

Suspicions are computed on request and never stored. They have no automatic consequences. The addresses are those of
tokens and sessions; of an IPv6 address only the first half is known.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations

from django.db.models.functions import TruncHour
from django.utils import timezone

from arena.fairness.figures import KingmakingResult
from webui.accounts.models import User, UserSession
from webui.bots.models import Bot, BotToken
from webui.fairness.models import FairnessReport
from webui.matches.models import Participant

# Values of fairness reports.


@dataclass(frozen=True)
class Suspicion:
    """Two accounts that may have the same owner."""

    accounts: tuple[str, str]
    reasons: tuple[str, ...]
    """Reasons for the suspicion, in English."""


MOST_AT_ADDRESS = 5
"""Maximum number of accounts at an address that counts as evidence. Schools and providers have more."""
NEAR_SIGN_UP = timedelta(minutes=10)
DAYS = 14
HOURS_P = 1e-6
"""Maximum p-value at which two owners' playing hours count as alike. It is low because there are many pairs."""


def who_helps_whom() -> tuple[date, KingmakingResult] | None:
    """Return the latest measured day and the result for the month up to it.

    Return None if nothing was measured.
    """
    row = FairnessReport.objects.filter(pairs__isnull=False).order_by("-date").first()
    return None if row is None or row.pairs is None else (row.date, _with_names(KingmakingResult.parse(row.pairs)))


def _with_names(result: KingmakingResult) -> KingmakingResult:
    """Return `result` with the bots' current names in place of their ids."""
    keys = {key for pair in result.pairs for key in (pair.helper, pair.helped) if key.isdecimal()}
    names = {str(bot): name for bot, name in Bot.objects.filter(pk__in=keys).values_list("pk", "name")}
    pairs = [
        pair._replace(helper=names.get(pair.helper, pair.helper), helped=names.get(pair.helped, pair.helped))
        for pair in result.pairs
    ]
    return result._replace(pairs=pairs)


def house_bot_keys() -> frozenset[str]:
    """Return the ids of the house bots as text, which is how `FairnessReport.pairs` names bots."""
    return frozenset(str(bot) for bot in Bot.objects.filter(is_house=True).values_list("pk", flat=True))


def accounts_alike() -> list[Suspicion]:
    """Return the pairs of bot owners that may be one person, those with the most reasons first.

    A shared address is enough. Without it, both must hold: they signed up at nearly the same time, and their bots play
    in the same hours.
    """
    owners = dict(
        User.objects.filter(is_active=True, bots__is_house=False)
        .distinct()
        .values_list("id", "username")
        .order_by("id")
    )
    reasons: dict[tuple[int, int], list[str]] = defaultdict(list)
    shares_address = set()
    for address, users in _addresses().items():
        present = sorted(users & owners.keys())
        if len(present) <= MOST_AT_ADDRESS:
            for pair in combinations(present, 2):
                shares_address.add(pair)
                reasons[pair].append(f"both were seen at {address}")
    joined = User.objects.filter(id__in=owners).order_by("date_joined").values_list("id", "date_joined")
    for one, other, apart in _near(list(joined)):
        reasons[one, other].append(f"signed up {round(apart.total_seconds() / 60)} minutes apart")
    for one, other, hours in _hours_alike(reasons):
        reasons[one, other].append(f"their bots played in the same {hours} hours of the last {DAYS} days")
    suspicions = [
        Suspicion((owners[pair[0]], owners[pair[1]]), tuple(why))
        for pair, why in reasons.items()
        if pair in shares_address or len(why) > 1
    ]
    return sorted(suspicions, key=lambda suspicion: (-len(suspicion.reasons), suspicion.accounts))


def _addresses() -> dict[str, set[int]]:
    by_address: dict[str, set[int]] = defaultdict(set)
    tokens = BotToken.objects.exclude(last_address="").values_list("last_address", "bot__owner_id")
    sessions = UserSession.objects.exclude(address="").values_list("address", "user_id")
    for address, user_id in (*tokens, *sessions):
        by_address[address].add(user_id)
    return by_address


def _near(joined: list[tuple[int, datetime]]) -> Iterator[tuple[int, int, timedelta]]:
    for place, (user, at) in enumerate(joined):
        for other, later in joined[place + 1 :]:
            if later - at > NEAR_SIGN_UP:
                break
            yield min(user, other), max(user, other), later - at


def _hours_alike(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Return the pairs whose bots played in more of the same hours than chance explains, with the number of such hours.

    Only hours in which somebody played are compared. Pass only pairs with another reason: there may be millions of
    pairs, and this reason alone is not enough.
    """
    from scipy.stats import hypergeom  # no other query needs it

    since = timezone.now() - timedelta(days=DAYS)
    played = (
        Participant.objects.filter(match__started_at__gte=since, match__finished_at__gte=since)  # uses an index
        .filter(version__bot__is_house=False, match__challenge_match=None)
        .values_list("version__bot__owner_id", TruncHour("match__started_at"))
        .order_by()
        .distinct()
    )
    hours: dict[int, set[datetime]] = defaultdict(set)
    for owner, hour in played:
        hours[owner].add(hour)
    total = len(set().union(*hours.values())) if hours else 0
    alike = []
    for one, other in pairs:
        both = len(hours[one] & hours[other])
        if both and hypergeom.sf(both - 1, total, len(hours[one]), len(hours[other])) <= HOURS_P:
            alike.append((one, other, both))
    return alike
