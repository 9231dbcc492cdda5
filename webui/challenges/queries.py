"""Queries of challenges, and of the bots that accept them."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from webui.bots.models import Bot, BotState, BotVersion
from webui.bots.queries import bot_ref, version_ref
from webui.bots.values import BotRef, VersionRef
from webui.challenges.models import Accepts, Challenge, ChallengeMatch, ChallengeSeat, ChallengeTerms
from webui.challenges.values import AcceptedChallenges, ChallengeLine, ChallengeRefusal, ChallengeSeatLine, WantedSeat
from webui.core.errors import NotFound
from webui.core.paging import older_than
from webui.matches.models import ENDED, Participant
from webui.pairing.models import Exclusion

WAIT_S: Final = 600
"""Seconds after which a challenge without a match expires."""
VERSIONS_OFFERED: Final = 50
BOTS_OFFERED: Final = 200


def accepts(owner_id: int) -> Q:
    """Return the condition that a bot accepts challenges of this owner. Whether it may play at all is checked
    elsewhere."""
    terms = ChallengeTerms.objects.filter(bot=OuterRef("pk"))
    friends = terms.filter(accepts=Accepts.FRIENDS, friends=owner_id)
    return Q(owner=owner_id) | Q(is_house=True) | Q(Exists(terms.filter(accepts=Accepts.ALL))) | Q(Exists(friends))


def check_seats(owner_id: int, seats: Sequence[WantedSeat]) -> None:
    """Raise `ChallengeRefusal` or `NotFound` if this owner may not make a match between these bots."""
    wanted = {seat.bot_id for seat in seats}
    bots = {
        bot.pk: bot
        for bot in Bot.objects.filter(pk__in=wanted)
        .select_related("owner")
        .annotate(is_accepting=Exists(Bot.objects.filter(accepts(owner_id), pk=OuterRef("pk"))))
    }
    if len(bots) < len(wanted):
        raise NotFound("there is no such bot")
    if not any(bot.owner_id == owner_id for bot in bots.values()):
        raise ChallengeRefusal("NO_OWN", "a bot of yours must have a seat")
    for bot in bots.values():
        if not vars(bot)["is_accepting"]:
            raise ChallengeRefusal("NOT_ACCEPTED", "{bot} does not accept your challenges", bot=bot.name)
        if bot.state != BotState.ACTIVE or not bot.owner.is_active:
            raise ChallengeRefusal("PAUSED", "{bot} is paused and plays no matches", bot=bot.name)
    if len(set(seats)) < len(seats):
        raise ChallengeRefusal("TWICE", "a version can have only one seat: choose different bots or versions")
    pinned = {seat.version_id: seat.bot_id for seat in seats if seat.version_id is not None}
    versions = BotVersion.objects.filter(pk__in=pinned, is_ready=False, retired_at=None).annotate(
        is_off=Exists(Exclusion.objects.filter(version=OuterRef("pk"), ended_at=None).exclude(matches=[]))
    )
    by_id = {version.pk: version for version in versions}
    if any(pk not in by_id or by_id[pk].bot_id != bot for pk, bot in pinned.items()):
        raise NotFound("there is no such version of this bot")
    for version in by_id.values():
        bot = bots[version.bot_id]
        if bot.owner_id != owner_id:
            raise ChallengeRefusal("NOT_YOURS", "{bot} plays with its newest version", bot=bot.name)
        if vars(version)["is_off"]:
            raise ChallengeRefusal(
                "TAKEN_OFF",
                "version {version} of {bot} was taken off, because it forfeited several matches in a row",
                version=version.name,
                bot=bot.name,
            )


def accepted_challenges(bot_id: int) -> AcceptedChallenges:
    """Return the challenges that a bot accepts. Without settings of its owner, it accepts nobody's."""
    row = ChallengeTerms.objects.filter(bot=bot_id).first() or ChallengeTerms(bot_id=bot_id)
    friends = row.friends.order_by("username").values_list("username", flat=True)
    return AcceptedChallenges(str(row.accepts), row.at_once, tuple(friends))


def opponents(owner_id: int) -> tuple[list[VersionRef], list[BotRef]]:
    """Return the possible players of an owner's challenge: versions of own bots, newest first, and others' bots, house
    bots first."""
    own = BotVersion.objects.filter(
        bot__owner=owner_id, bot__state=BotState.ACTIVE, is_ready=False, retired_at=None
    ).select_related("bot__owner")
    others = Bot.objects.filter(accepts(owner_id), state=BotState.ACTIVE, owner__is_active=True)
    others = others.exclude(owner=owner_id).select_related("owner").order_by("-is_house", "name")
    return [version_ref(row) for row in own.order_by("-pk")[:VERSIONS_OFFERED]], [
        bot_ref(row) for row in others[:BOTS_OFFERED]
    ]


def is_challengeable(bot_id: int, owner_id: int) -> bool:
    """Return whether an owner may challenge this bot."""
    playing = Bot.objects.filter(pk=bot_id, state=BotState.ACTIVE, owner__is_active=True)
    return playing.filter(accepts(owner_id)).exists()


def challenge(challenge_id: str) -> ChallengeLine:
    """Return a challenge. Raise `NotFound` if there is none."""
    lines = _lines(Challenge.objects.filter(pk=challenge_id))
    if not lines:
        raise NotFound(f"there is no challenge {challenge_id!r}")
    return lines[0]


def challenges_of(owner_id: int, bot_id: int, most: int, *, before: str | None = None) -> list[ChallengeLine]:
    """Return the newest challenges in which a bot sits: those of this owner, and those of others that have a match.

    If `before` is the id of one of them, only older ones are returned.
    """
    sits = ChallengeSeat.objects.filter(bot=bot_id).values("challenge")
    rows = Challenge.objects.filter(pk__in=sits).filter(Q(owner=owner_id) | Q(matches__isnull=False)).distinct()
    if before is not None:
        rows = rows.filter(older_than(rows, before))
    return _lines(rows.order_by("-created_at", "-pk")[:most])


def own_challenges(owner_id: int, most: int, *, before: str | None = None) -> list[ChallengeLine]:
    """Return the newest challenges that an owner has made. If `before` is the id of one of them, only older ones are
    returned."""
    rows = Challenge.objects.filter(owner=owner_id)
    if before is not None:
        rows = rows.filter(older_than(rows, before))
    return _lines(rows.order_by("-created_at", "-pk")[:most])


def challenges_by(owner_id: int) -> list[ChallengeLine]:
    """Return all challenges of an owner, oldest first."""
    return _lines(Challenge.objects.filter(owner=owner_id).order_by("created_at", "pk"))


def rematch_seats(match_id: str, owner_id: int) -> list[WantedSeat] | None:
    """Return the seats for a rematch of a challenge's match that has ended.

    Each bot moves one seat further, and the last one moves to seat 1. If the match was not played, the seats stay the
    same. Return None if there is no such match, if it has not ended, or if no bot of this owner played in it.
    """
    line = ChallengeMatch.objects.filter(match=match_id, match__state__in=ENDED).select_related("match").first()
    if line is None:
        return None
    sat = Participant.objects.filter(match=match_id).order_by("seat")
    seats = list(sat.values_list("version__bot", "version", "version__bot__owner"))
    if owner_id not in {owner for _, _, owner in seats}:
        return None
    bots = [bot for bot, _, _ in seats]
    pinned = [WantedSeat(bot, version if bots.count(bot) > 1 else None) for bot, version, _ in seats]
    return pinned if line.match.state != "FINISHED" else [pinned[-1], *pinned[:-1]]


def can_have_rematch(match_id: str, owner_id: int) -> bool:
    """Return whether an owner may ask for a rematch of this match."""
    seats = rematch_seats(match_id, owner_id)
    if seats is None:
        return False
    try:
        check_seats(owner_id, seats)
    except (ChallengeRefusal, NotFound):
        return False
    return True


def _lines(rows: QuerySet[Challenge]) -> list[ChallengeLine]:
    """Return the lines of any number of challenges, with four queries."""
    challenges = list(rows.select_related("owner"))
    ids = [row.pk for row in challenges]
    seats: dict[str, list[ChallengeSeatLine]] = {pk: [] for pk in ids}
    for seat in (
        ChallengeSeat.objects.filter(challenge__in=ids)
        .select_related("bot__owner", "version__bot__owner")
        .order_by("seat")
    ):
        version = version_ref(seat.version) if seat.version else None
        seats[seat.challenge_id].append(ChallengeSeatLine(seat.seat, bot_ref(seat.bot), version))
    matches: dict[str, tuple[str, str]] = {}
    lines = ChallengeMatch.objects.filter(challenge__in=ids).order_by("tries")
    for pk, match, state in lines.values_list("challenge_id", "match_id", "match__state"):
        matches[pk] = (match, state)
    places = _places([match for match, _ in matches.values()])
    return [
        ChallengeLine(
            id=row.pk,
            owner_id=row.owner_id,
            owner=row.owner.username,
            ruleset=row.ruleset,
            state=row.state,
            created_at=row.created_at,
            expires_at=row.created_at + timedelta(seconds=WAIT_S),
            seats=tuple(seats[row.pk]),
            match=matches[row.pk][0] if row.pk in matches else None,
            match_state=matches[row.pk][1] if row.pk in matches else "",
            placements=tuple(places.get(matches[row.pk][0], ())) if row.pk in matches else (),
        )
        for row in challenges
    ]


def _places(matches: Collection[str]) -> dict[str, list[int]]:
    """Return the placements of matches that have a result, seat 1 first."""
    places: dict[str, list[int]] = {}
    seats = Participant.objects.filter(match__in=matches, placement__isnull=False).order_by("match", "seat")
    for match, place in seats.values_list("match_id", "placement"):
        assert place is not None  # the query excludes None
        places.setdefault(match, []).append(place)
    return places
