"""The sessions of bots that are online, as pairing sees them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from django.db.models import Count, Q

from webui.bots.models import BotVersion
from webui.matches.models import MatchState, Participant

SEAT_IN_FLIGHT = Q(match__state__in=[str(MatchState.SCHEDULED), str(MatchState.RUNNING)])


class OnlineSession(Protocol):
    """What the matchmaker needs to know of a bot process that is online: a `Presence` of `arena.bus`."""

    @property
    def bot_version(self) -> int:
        """The id of the version."""

    @property
    def capacity(self) -> int:
        """How many matches it can play at a time."""

    @property
    def running(self) -> int:
        """How many its gateway counts for it, by its own hello too: with no place left it is refused the next one."""

    @property
    def player_counts(self) -> Sequence[int]:
        """The numbers of players that it plays with."""

    @property
    def expansions(self) -> Sequence[str]:
        """The expansions that it knows."""

    @property
    def connected(self) -> bool:
        """Whether its gateway still reaches it."""

    @property
    def leaving(self) -> bool:
        """Whether it wants no new matches."""

    @property
    def connected_at_ns(self) -> int:
        """When it said hello, by the wall clock."""


def room_of(sessions: Iterable[OnlineSession]) -> Counter[int]:
    """How many more matches each version can take, all its processes together.

    Every match in flight takes room, also one that its bot has not been told of yet; and so does what a bot says it is
    in: its gateway would refuse the offer, for which nobody is to blame, and so on for as long as it says so.
    """
    room: Counter[int] = Counter()
    free: Counter[int] = Counter()
    for session in sessions:
        room[session.bot_version] += session.capacity
        free[session.bot_version] += max(0, session.capacity - session.running)
    busy = Participant.objects.filter(version_id__in=list(room)).filter(SEAT_IN_FLIGHT)
    room.subtract(dict(busy.values_list("version_id").annotate(matches=Count("pk"))))
    return Counter({version: min(places, free[version]) for version, places in room.items()})


IN_FLIGHT_STATES: Final = (str(MatchState.SCHEDULED), str(MatchState.RUNNING))


@dataclass
class Online:
    """Which versions are online, and how many more matches each can take."""

    room: Counter[int] = field(default_factory=Counter)
    capacity: Counter[int] = field(default_factory=Counter)
    """How many matches each can play at a time."""
    house: list[int] = field(default_factory=list)
    """Versions of the house, which sit in for who does not come."""

    @classmethod
    def of(cls, sessions: Iterable[OnlineSession], players: int, expansions: Sequence[str]) -> "Online":
        """Those that play this game."""
        playing = [
            session
            for session in sessions
            if session.connected and not session.leaving
            if players in session.player_counts and set(expansions) <= set(session.expansions)
        ]
        found = cls(room_of(playing))
        for session in playing:
            found.capacity[session.bot_version] += session.capacity
        house = BotVersion.objects.filter(pk__in=list(found.room), bot__is_house=True).order_by("bot__name", "-pk")
        found.house = list(house.values_list("pk", flat=True))
        return found
