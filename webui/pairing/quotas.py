"""Quotas of hosted bots: places of runners, and seats of each bot and owner.

Each match of a hosted bot takes a place (a sandbox) of some runner. All hosted bots share these places:

- `HostingLimits` says how many seats a bot and an owner may have. An owner has at most three quarters of all places.
  A house bot may have all places: the ladders fill no more than they may, and people who play wait for nobody.
- Among owners, the matchmaker's policy decides (`arena.scheduling`): whoever has waited longest comes first.
- Some places are kept for people, who wait before the screen (`kept_for_people`). Only tables with people take them.
- Events, examinations and rated matches come first, challenges and comparisons last. These take places while a quarter
  of all places stays free. If fewer are free, each of these two kinds has its turn while it has had less than an eighth
  of the seats of hosted bots within an hour. In its turn the ladders leave it the places that it waits for. Nobody is
  thus kept waiting for ever.

No match is made before all its hosted bots have places: it would keep its other bots waiting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from django.db.models import Count, Q

from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.scheduling import OWNER_SHARE
from webui.bots.models import BotVersion
from webui.core.dbtime import before_now
from webui.matches.models import MatchState, Participant

SEAT_IN_FLIGHT: Final = Q(match__state__in=[str(MatchState.SCHEDULED), str(MatchState.RUNNING)])
CHALLENGES: Final = Q(match__challenge_match__isnull=False)
COMPARISONS: Final = Q(match__comparison_match__isnull=False)
"""Conditions for seats of matches that take places of runners behind all others."""
RUNNERS: Final = "runners"
"""Name of the quota of all places of runners."""
SHARE_OF_LAST: Final = 8
"""Challenges have one in this many seats of hosted bots while places are scarce, and so have comparisons."""
SPARE: Final = 4
"""Places are scarce if fewer than one in this many are free."""
LATELY_S: Final = 3600.0
"""Seconds for which seats count for this share."""
LARGEST_TABLE: Final = 5
"""Maximum number of seats at a table, and of places of runners that a match can need."""
KEPT_SHARE: Final = 8
"""One in this many places is kept for people, up to what one table needs."""


def kept_for_people(places: int) -> int:
    """Return how many of these places are kept for tables with people: 0 if a full table of bots needs them all."""
    return min(LARGEST_TABLE - 1, ceil(places / KEPT_SHARE)) if places > LARGEST_TABLE else 0


@dataclass(frozen=True, slots=True)
class HostedQuotas:
    """The quotas of hosted versions, and what is left of them."""

    places: int = 0
    """Number of places of all runners."""
    of: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Names of the quotas of each hosted version, by its id."""
    left: Mapping[str, int] = field(default_factory=dict)
    """Number of seats that may still be taken, by the name of the quota, without the places that are kept."""

    @property
    def kept(self) -> int:
        """Number of places that only tables with people take."""
        return kept_for_people(self.places)

    def room(self, version: int) -> int:
        """Return how many more matches a version may play by the quotas of its bot and its owner alone."""
        return min(self.left[name] for name in self.of[version] if name != RUNNERS)

    def lacking(self, versions: Collection[int], *, with_person: bool = False) -> set[str]:
        """Return the names of the quotas that have not enough left for a match of these versions.

        `with_person`: whether a person sits at the table, who may have the places that are kept.
        """
        left = {**self.left, RUNNERS: self.left[RUNNERS] + self.kept * with_person} if self.left else {}
        return {name for name, seats in self._needed(versions).items() if left[name] < seats}

    def is_scarce(self, versions: Collection[int]) -> bool:
        """Return whether a match of these versions would leave few places free."""
        seats = self._needed(versions)[RUNNERS]
        return seats > 0 and self.left[RUNNERS] + self.kept - seats < self.places / SPARE

    def _needed(self, versions: Collection[int]) -> Counter[str]:
        return Counter(name for version in versions for name in self.of.get(version, ()))


def hosted_quotas(
    places: Mapping[str, int], versions: Collection[int], limits: HostingLimits = DEFAULT_LIMITS
) -> HostedQuotas:
    """Return the quotas of these hosted versions. `places` is the number of places of each runner, by its id.

    Every seat in flight counts, even if no runner has received its offer yet.
    """
    if not versions:
        return HostedQuotas()
    total = sum(places.values())
    most_of_owner = min(limits.matches_of_owner, ceil(OWNER_SHARE * total))
    of: dict[int, tuple[str, ...]] = {}
    left = {RUNNERS: total - kept_for_people(total)}
    hosted = BotVersion.objects.filter(pk__in=versions).values_list("pk", "bot_id", "bot__owner_id", "bot__is_house")
    for version, bot, owner, is_house in hosted:
        of[version] = _names(bot, owner, is_house=is_house)
        left |= {of[version][1]: total if is_house else limits.matches_of_bot}
        left |= dict.fromkeys(of[version][2:], most_of_owner)
    flying = Participant.objects.filter(SEAT_IN_FLIGHT, version__is_hosted=True)
    flying = flying.exclude(version__hosted__submission__state="WITHDRAWN").order_by()
    for bot, owner, is_house in flying.values_list("version__bot", "version__bot__owner", "version__bot__is_house"):
        for name in _names(bot, owner, is_house=is_house):
            if name in left:
                left[name] -= 1
    return HostedQuotas(total, of, left)


def _names(bot: int, owner: int, *, is_house: bool) -> tuple[str, ...]:
    """Return the names of the quotas of a bot. Each house bot is a party of its own."""
    own = (RUNNERS, f"bot {bot}")
    return own if is_house else (*own, f"owner {owner}")


def is_turn_of(kind: Q) -> bool:
    """Return whether matches of this kind have had less than their share of the seats of hosted bots lately.

    `kind` is `CHALLENGES` or `COMPARISONS`.
    """
    seats = Participant.objects.filter(match__created_at__gt=before_now(LATELY_S), version__is_hosted=True)
    counts = seats.aggregate(all=Count("pk"), of_kind=Count("pk", filter=kind))
    return bool(counts["of_kind"] * SHARE_OF_LAST < max(1, counts["all"]))
