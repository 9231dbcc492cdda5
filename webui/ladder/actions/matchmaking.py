"""The matchmaker's act: see who is online, ask `arena.scheduling` who should meet, write the matches down."""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import structlog
from django.db import transaction
from django.db.models import Count, Q

from arena.referee import Clock, Policy
from arena.rules import Ruleset
from arena.scheduling import Format, Load, Player, next_matches
from webui.ladder.actions.matches import schedule_match
from webui.ladder.ladders import ensure_ladder
from webui.ladder.models import BotState, BotVersion, Ladder, Match, MatchState, Participant, Standing

FORMATS = (Format(2), Format(3), Format(4))
"""What is played on the ladders."""

IN_FLIGHT = Q(state__in=[str(MatchState.SCHEDULED), str(MatchState.RUNNING)])

log = structlog.get_logger(__name__)


class OnlineSession(Protocol):
    """What the matchmaker needs to know of a bot process that is online: a `Session` of `arena.bus`."""

    @property
    def bot_version(self) -> int: ...
    @property
    def capacity(self) -> int: ...
    @property
    def player_counts(self) -> Sequence[int]: ...
    @property
    def expansions(self) -> Sequence[str]: ...
    @property
    def connected(self) -> bool: ...
    @property
    def leaving(self) -> bool: ...


class _Dice:
    """Pairings need not be repeatable; the seeds of the matches are drawn elsewhere."""

    def below(self, n: int, /) -> int:
        return secrets.randbelow(n)


def matchmake(
    sessions: Iterable[OnlineSession],
    capacity: int,
    *,
    clock: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
) -> list[str]:
    """Schedule rated matches among the bots that are online, until `capacity` of them are in flight; the new ids.

    Two matchmakers at once may schedule more than `capacity` between them; that is set right as matches end.
    """
    clock = Clock().document() if clock is None else clock
    policy = Policy().document() if policy is None else policy
    online = [session for session in sessions if session.connected and not session.leaving]
    if not online or capacity <= Match.objects.filter(IN_FLIGHT, rated=True).count():
        return []
    ladders = {format: ensure_ladder(_ruleset(format), clock) for format in FORMATS}
    players = _players(online, ladders)
    pairings = next_matches(players, _load(players, ladders), FORMATS, capacity, _Dice())
    with transaction.atomic():
        scheduled = [
            schedule_match(_ruleset(pairing.format), pairing.versions, clock, policy, rated=True)
            for pairing in pairings
        ]
    if scheduled:
        log.info("matches scheduled", matches=len(scheduled), online=len(players))
    return scheduled


def _ruleset(format: Format) -> Ruleset:
    return Ruleset(format.players, format.expansions)


def _players(online: Sequence[OnlineSession], ladders: Mapping[Format, Ladder]) -> list[Player]:
    """The versions online that may play: of active bots, with all their processes taken together."""
    room: Counter[int] = Counter()
    formats: dict[int, set[Format]] = {}
    for session in online:
        room[session.bot_version] += session.capacity
        formats.setdefault(session.bot_version, set()).update(
            format
            for format in ladders
            if format.players in session.player_counts and set(format.expansions) <= set(session.expansions)
        )
    # Every match in flight takes room, also one that its bot has not been told of yet.
    busy = Participant.objects.filter(
        version_id__in=room, match__state__in=[str(MatchState.SCHEDULED), str(MatchState.RUNNING)]
    )
    room.subtract(dict(busy.values_list("version_id").annotate(matches=Count("pk"))))
    strengths: dict[int, dict[Format, float]] = {}
    by_ladder = {ladder.pk: format for format, ladder in ladders.items()}
    for standing in Standing.objects.filter(version_id__in=room, ladder_id__in=by_ladder):
        strengths.setdefault(standing.version_id, {})[by_ladder[standing.ladder_id]] = standing.mu
    versions = BotVersion.objects.filter(
        pk__in=room, bot__state=BotState.ACTIVE, bot__owner__is_active=True
    ).select_related("bot")
    return [
        Player(
            version=version.pk,
            owner=version.bot.owner_id,
            is_house=version.bot.is_house,
            room=room[version.pk],
            formats=frozenset(formats[version.pk]),
            strength=strengths.get(version.pk, {}),
        )
        for version in versions
    ]


def _load(players: Sequence[Player], ladders: Mapping[Format, Ladder]) -> Load:
    by_ladder = {ladder.pk: format for format, ladder in ladders.items()}
    matches = Match.objects.filter(ladder_id__in=by_ladder)
    games: Counter[tuple[Format, int]] = Counter()
    seats: dict[tuple[Format, int, int], int] = {}
    rows = (
        Participant.objects.filter(match__ladder_id__in=by_ladder, version_id__in=[p.version for p in players])
        .values_list("match__ladder_id", "version_id", "seat")
        .annotate(
            games=Count("pk"),
            # A seat in a match that was not played out is not a seat that one has had.
            sat=Count("pk", filter=~Q(match__state__in=[str(MatchState.ABORTED), str(MatchState.VOID)])),
        )
    )
    for ladder, version, seat, played, sat in rows:
        games[by_ladder[ladder], version] += played
        seats[by_ladder[ladder], version, seat] = sat
    return Load(
        in_flight=_by_format(matches.filter(IN_FLIGHT), by_ladder),
        matches=_by_format(matches, by_ladder),
        games=games,
        seats=seats,
    )


def _by_format(matches: Any, by_ladder: Mapping[int, Format]) -> dict[Format, int]:
    counts = matches.order_by().values_list("ladder_id").annotate(matches=Count("pk"))
    return {by_ladder[ladder]: count for ladder, count in counts}
