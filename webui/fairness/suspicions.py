"""For staff alone: games in which to look for help between bots, and accounts that may have one owner.

Nothing here is stored, and nothing follows from it by itself. Addresses are those that tokens and sessions have, of
IPv6 the first half.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import combinations
from operator import itemgetter
from typing import Any

from django.db.models.functions import TruncHour
from django.utils import timezone

from webui.accounts.models import User, UserSession
from webui.bots.models import Bot, BotToken
from webui.fairness.models import FairnessReport
from webui.fairness.values import Suspicion
from webui.matches.models import Participant

MOST_AT_ADDRESS = 5
"""An address of more accounts is that of a school or a provider, and says nothing."""
NEAR_SIGN_UP = timedelta(minutes=10)
DAYS = 14
HOURS_P = 1e-6
"""The hours in which two owners' bots played are alike by chance at most so often: there are many pairs of owners."""


def who_helps_whom() -> tuple[date, dict[str, Any]] | None:
    """What the tables of a month until that day say (`arena.fairness.kingmaking.Found`); None: nothing was measured."""
    row = FairnessReport.objects.filter(pairs__isnull=False).order_by("-date").first()
    return None if row is None or row.pairs is None else (row.date, with_names(row.pairs))


def with_names(found: dict[str, Any]) -> dict[str, Any]:
    """`FairnessReport.pairs`, which has ids of bots, with their present names."""
    sides = ("helper", "helped")
    keys = {key for pair in found["pairs"] for key in itemgetter(*sides)(pair) if key.isdecimal()}
    names = {str(bot): name for bot, name in Bot.objects.filter(pk__in=keys).values_list("pk", "name")}
    pairs = [{**pair, **{side: names.get(pair[side], pair[side]) for side in sides}} for pair in found["pairs"]]
    return {**found, "pairs": pairs}


def house_bot_keys() -> frozenset[str]:
    """Their ids, as `FairnessReport.pairs` has them."""
    return frozenset(str(bot) for bot in Bot.objects.filter(is_house=True).values_list("pk", flat=True))


def accounts_alike() -> list[Suspicion]:
    """Pairs of owners of bots who share an address, or of whom two other things are alike: when they signed up, and the
    hours in which their bots play. Those with the most reasons first."""
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
    found = [
        Suspicion((owners[pair[0]], owners[pair[1]]), tuple(why))
        for pair, why in reasons.items()
        if pair in shares_address or len(why) > 1
    ]
    return sorted(found, key=lambda one: (-len(one.reasons), one.accounts))


def _addresses() -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    tokens = BotToken.objects.exclude(last_address="").values_list("last_address", "bot__owner_id")
    sessions = UserSession.objects.exclude(address="").values_list("address", "user_id")
    for address, user_id in (*tokens, *sessions):
        found[address].add(user_id)
    return found


def _near(joined: list[tuple[int, datetime]]) -> Iterator[tuple[int, int, timedelta]]:
    for place, (user, at) in enumerate(joined):
        for other, later in joined[place + 1 :]:
            if later - at > NEAR_SIGN_UP:
                break
            yield min(user, other), max(user, other), later - at


def _hours_alike(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Of these pairs of owners those whose bots played in hours that are more alike than chance makes them, of those in
    which anybody did; and in how many. Not of all pairs: there may be millions, and alone it is not enough."""
    from scipy.stats import hypergeom  # which no other query needs

    since = timezone.now() - timedelta(days=DAYS)
    played = (
        Participant.objects.filter(match__started_at__gte=since, match__finished_at__gte=since)  # there is an index
        .filter(version__bot__is_house=False, match__challenge_match=None)
        .values_list("version__bot__owner_id", TruncHour("match__started_at"))
        .order_by()
        .distinct()
    )
    hours: dict[int, set[datetime]] = defaultdict(set)
    for owner, hour in played:
        hours[owner].add(hour)
    total = len(set().union(*hours.values())) if hours else 0
    found = []
    for one, other in pairs:
        both = len(hours[one] & hours[other])
        if both and hypergeom.sf(both - 1, total, len(hours[one]), len(hours[other])) <= HOURS_P:
            found.append((one, other, both))
    return found
