"""The sessions of bots that are online, and their free places."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from django.db.models import Q

from arena.hosting.limits import DEFAULT_LIMITS
from arena.rules import Ruleset
from webui.bots.models import BotVersion
from webui.bots.queries import MAY_PLAY
from webui.matches.models import MatchState, Participant
from webui.matches.signing import lock_offers
from webui.pairing.quotas import RUNNERS, SEAT_IN_FLIGHT, HostedQuotas, hosted_quotas, is_turn_of


class OnlineSession(Protocol):
    """An online bot process, as the matchmaker needs it. Implemented by `Presence` of `arena.bus`."""

    @property
    def bot_version(self) -> int:
        """The id of the version."""

    @property
    def capacity(self) -> int:
        """Maximum number of matches that it plays at a time."""

    @property
    def running(self) -> int:
        """Number of matches that its gateway counts, including those named in its hello. At capacity, offers fail."""

    @property
    def matches(self) -> Sequence[str]:
        """Ids of these matches, and of others whose end it may lack."""

    @property
    def player_counts(self) -> Sequence[int]:
        """The table sizes that it plays."""

    @property
    def expansions(self) -> Sequence[str]:
        """The expansions that it knows."""

    @property
    def connected(self) -> bool:
        """Whether its gateway still reaches it."""

    @property
    def gateway(self) -> str:
        """The id of the gateway or runner that holds it."""

    @property
    def places(self) -> int:
        """Number of places of its runner, which all versions there share; 0 if no runner plays it."""

    @property
    def leaving(self) -> bool:
        """Whether it wants no new matches."""

    @property
    def connected_at_ns(self) -> int:
        """Time of its hello, in nanoseconds of the wall clock."""


def free_slots(sessions: Iterable[OnlineSession]) -> Counter[int]:
    """Return how many more matches each version can take, over all its processes, by version id.

    Every match in flight takes a place, even if the bot has not received the offer yet. So does every match that a
    gateway still counts: one that only the bot itself reports, and one that has just ended while its end is on the way.
    Otherwise the gateway would reject an offer, which is nobody's fault.

    Hosted versions have as many places as their bots and owners may have seats (`webui.pairing.quotas`). `claim_places`
    also checks that the runners have places for them.
    """
    sessions = list(sessions)
    hosted = quotas_of(sessions)
    slots: Counter[int] = Counter()
    free: Counter[int] = Counter()
    taken: dict[int, set[str]] = {}
    for session in sessions:
        if session.bot_version in hosted.of:
            continue
        slots[session.bot_version] += session.capacity
        free[session.bot_version] += max(0, session.capacity - session.running)
        taken.setdefault(session.bot_version, set()).update(session.matches[: session.running])
    busy = Participant.objects.filter(version_id__in=list(slots)).filter(SEAT_IN_FLIGHT)
    for version, match in busy.order_by().values_list("version_id", "match_id"):
        taken[version].add(match)
    own = {version: min(places - len(taken[version]), free[version]) for version, places in slots.items()}
    return Counter(own | {version: hosted.room(version) for version in hosted.of})


def quotas_of(sessions: Iterable[OnlineSession]) -> HostedQuotas:
    """Return the quotas of the hosted versions among these sessions."""
    hosted = [session for session in sessions if session.places]
    places = {session.gateway: session.places for session in hosted}
    return hosted_quotas(places, {session.bot_version for session in hosted})


def _playing(sessions: Iterable[OnlineSession], players: int, expansions: Iterable[str]) -> tuple[OnlineSession, ...]:
    """Return the sessions that may be offered matches of this game."""
    known = set(expansions)
    return tuple(
        session
        for session in sessions
        if session.connected and not session.leaving
        if players in session.player_counts and known <= set(session.expansions)
    )


class PlaceTaken(Exception):
    """Another maker of matches has just taken the last free place of a bot. Try again later."""


class RunnersFull(PlaceTaken):
    """The bots have free places, but the runners do not have enough for those that are hosted. Try again later."""


def claim_places(
    sessions: Iterable[OnlineSession],
    ruleset: Ruleset,
    versions: Sequence[int],
    *,
    last: Q | None = None,
    with_person: bool = False,
) -> None:
    """Claim a free place of each version for a match that this transaction is about to make.

    Several threads and processes make matches, and each has chosen versions by places that it counted earlier. This
    counts them again. Nobody else can make a match until the transaction ends, so no place is given away twice.

    `last`: the kind of the match (`CHALLENGES` or `COMPARISONS`), if it takes places of runners behind all others.
    `with_person`: whether a person sits at the table, who may have the places that are kept for people.

    Raise `PlaceTaken` if a version has no free place any more, and `RunnersFull` if only the runners lack places.
    Nothing is written then.
    """
    lock_offers()
    of_versions = [session for session in sessions if session.bot_version in versions]
    playing = _playing(of_versions, ruleset.players, ruleset.expansions)
    free, hosted = free_slots(playing), quotas_of(playing)
    lacking = hosted.lacking(versions, with_person=with_person)
    if lacking - {RUNNERS} or any(free[version] <= 0 for version in versions):
        raise PlaceTaken
    if lacking or (last is not None and hosted.is_scarce(versions) and not is_turn_of(last)):
        raise RunnersFull


IN_FLIGHT_STATES: Final = (str(MatchState.SCHEDULED), str(MatchState.RUNNING))


@dataclass
class Online:
    """The versions that are online, and how many more matches each can take."""

    room: Counter[int] = field(default_factory=Counter)
    capacity: Counter[int] = field(default_factory=Counter)
    """Maximum number of matches that each version plays at a time."""
    sessions: Sequence[OnlineSession] = ()
    """Their processes, for `claim_places`."""
    hosted: frozenset[int] = frozenset()
    """Versions that runners play."""
    house: list[int] = field(default_factory=list)
    """House versions that may be given a match. They replace players that do not come."""

    @classmethod
    def of(cls, sessions: Iterable[OnlineSession], players: int, expansions: Sequence[str]) -> "Online":
        """Select the sessions that play this game."""
        playing = _playing(sessions, players, expansions)
        result = cls(free_slots(playing), sessions=playing)
        for session in playing:
            result.capacity[session.bot_version] += session.capacity
        result.hosted = frozenset(session.bot_version for session in playing if session.places)
        house = BotVersion.objects.filter(MAY_PLAY, pk__in=list(result.room), bot__is_house=True)
        result.house = list(house.order_by("bot__name", "-pk").values_list("pk", flat=True))
        for version in result.hosted.difference(result.house):
            result.capacity[version] = min(result.capacity[version], DEFAULT_LIMITS.matches_of_bot)
        return result
