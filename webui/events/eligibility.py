"""Eligibility of bots for an event, the reasons for refusals, and the version with which a bot plays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import chain

from django.db.models import Exists, F, OuterRef, Subquery

from arena.events import EventState, Terms
from arena.referee import Clock
from arena.rules import Ruleset
from webui.bots import presence
from webui.bots.models import Bot, BotState, BotVersion
from webui.bots.queries import bot_ref
from webui.bots.values import BotRef
from webui.core.errors import BadRequest
from webui.events import eligibility, queries
from webui.events.facts import find_event, fold_event
from webui.events.hooks import asking_bot_ids
from webui.events.models import EventBot, EventRow
from webui.events.values import EventMark, EventPage, EventRefusal, OwnEntry
from webui.hosting.models import HostedVersion
from webui.ladders.games import ladder_key
from webui.pairing.models import Exclusion
from webui.pairing.sessions import Online
from webui.ratings.models import PublishedRating, Standing

# Versions that play in an event. Before its field is frozen, these are the versions that would play if it were frozen
# now.


def online_versions(ruleset: Ruleset) -> frozenset[int]:
    """Return the ids of the versions that are online and play this game. The set is empty while that is not known."""
    sessions = chain.from_iterable((presence.online() or {}).values())
    return frozenset(Online.of(sessions, ruleset.players, ruleset.expansions).room)


def is_fixed(page: EventPage) -> bool:
    """Return whether the versions are fixed, permanently or until the next round is drawn."""
    return page.event.state not in (EventState.DRAFT, EventState.OPEN)


def event_mark(slug: str, *, sees_all: bool) -> EventMark:
    """Return the mark of the event, which also depends on the versions that would play."""
    mark = queries.event_mark(slug, sees_all=sees_all)
    if mark.open_for is None:
        return mark
    online = online_versions(mark.open_for.ruleset)
    hosted_only = mark.open_for.entry.hosted_bots_only
    versions = sorted(eligibility.versions_to_play(slug, online, hosted_only=hosted_only).items())
    return replace(mark, mark=sha256(f"{mark.mark} {versions}".encode()).hexdigest()[:16])


def playing(page: EventPage) -> Mapping[int, str]:
    """Return the name of the version of each entrant in the event, by number."""
    if is_fixed(page):
        return {entrant.number: entrant.version for entrant in page.event.entrants if entrant.version}
    terms = page.event.terms
    online = online_versions(terms.ruleset)
    return eligibility.versions_to_play(page.line.slug, online, hosted_only=terms.entry.hosted_bots_only)


LATE_STATES = (EventState.FROZEN, EventState.RUNNING, EventState.PAUSED)
"""States in which an owner can ask the organiser to let a bot in."""


def asking_bots(slug: str) -> list[BotRef]:
    """Return the bots whose owners ask to let them in and that have not entered."""
    row = find_event(slug)
    asking = asking_bot_ids(row)
    bots = Bot.objects.filter(pk__in=asking).exclude(entries__event=row, entries__is_in=True)
    return [bot_ref(bot) for bot in bots.select_related("owner").order_by("name")]


def own_entries(slug: str, user_id: int) -> list[OwnEntry]:
    """Return the bots of a user, each with its number in the event or the reason why it cannot enter."""
    row = find_event(slug)
    event = fold_event(row)
    numbers = dict(EventBot.objects.filter(event=row, bot__owner=user_id, is_in=True).values_list("bot", "number"))
    asking = asking_bot_ids(row)
    entries = []
    for bot in Bot.objects.filter(owner=user_id).select_related("owner").order_by("name"):
        refusal: BadRequest | None = None
        can_ask = False
        if bot.pk not in numbers:
            try:
                if event.state in LATE_STATES:
                    check_eligible(row, event.terms, bot)
                    can_ask = bot.pk not in asking
                if event.state is not EventState.OPEN:
                    raise EventRefusal("CLOSED", "the event takes no more bots")
                if len(event.present) >= event.terms.entry.entrants:
                    raise EventRefusal("FULL", "the event is full: {n} bots have entered", n=event.terms.entry.entrants)
                check_eligible(row, event.terms, bot)
            except BadRequest as error:
                refusal = error
        entries.append(OwnEntry(bot_ref(bot), numbers.get(bot.pk), refusal, can_ask, bot.pk in asking))
    return entries


def check_eligible(row: EventRow, terms: Terms, bot: Bot) -> None:
    """Raise `BadRequest` with the requirement that a bot does not meet."""
    entry = terms.entry
    if bot.state != BotState.ACTIVE or not bot.owner.is_active:
        raise EventRefusal("PAUSED", "{bot} is paused: let it play first", bot=bot.name)
    version_to_play(bot, hosted_only=entry.hosted_bots_only)
    if EventBot.objects.filter(event=row, bot=bot, is_in=True).exists():
        raise EventRefusal("ENTERED", "{bot} has entered", bot=bot.name)
    if bot.is_house:
        if not entry.house_bots:
            raise EventRefusal("NO_HOUSE", "bots of the arena cannot enter this event")
        return
    if entry.by_invitation and bot.slug not in entry.invited:
        raise EventRefusal("NOT_INVITED", "only bots that the organiser has invited can enter this event")
    own = EventBot.objects.filter(event=row, bot__owner=bot.owner, is_in=True).count()
    if own >= entry.bots_an_owner:
        raise EventRefusal(
            "TOO_MANY_OWN",
            "an owner may enter at most {n}, and {owner} has entered that many",
            n=entry.bots_an_owner,
            owner=bot.owner.username,
        )
    games = sum(Standing.objects.filter(version__bot=bot).values_list("games", flat=True))
    if games < entry.least_games:
        raise EventRefusal(
            "GAMES",
            "{bot} has played {n} rated games; the event requires {wanted}",
            bot=bot.name,
            n=games,
            wanted=entry.least_games,
        )
    points = _points(bot, terms)
    if entry.least_rating is not None and (points is None or points < entry.least_rating):
        raise EventRefusal(
            "RATING_LOW",
            "{bot} has a rating of {n}; the event requires at least {wanted}",
            bot=bot.name,
            n="–" if points is None else points,
            wanted=entry.least_rating,
        )
    if entry.most_rating is not None and points is not None and points > entry.most_rating:
        raise EventRefusal(
            "RATING_HIGH",
            "{bot} has a rating of {n}; the event requires at most {wanted}",
            bot=bot.name,
            n=points,
            wanted=entry.most_rating,
        )


def version_to_play(bot: Bot, online: Collection[int] = (), *, hosted_only: bool = False) -> str:
    """Return the name of the version with which a bot plays if the field is frozen or the round drawn now.

    A version must have said hello and must not have retired. Versions that may play rated matches (`Exclusion`) come
    first, then those in `online`, then the newest. `online` holds ids of versions; it is empty if they are not known.
    `hosted_only` allows only the version that runners play.
    """
    version = _versions_to_play([bot.pk], online, hosted_only=hosted_only).get(bot.pk)
    if version is None and hosted_only:
        raise EventRefusal("NOT_HOSTED", "the arena runs no version of {bot}: hand one in first", bot=bot.name)
    if version is None:
        raise EventRefusal("NO_VERSION", "{bot} has never been online: it has no version that could play", bot=bot.name)
    return version


def versions_to_play(slug: str, online: Collection[int] = (), *, hosted_only: bool = False) -> dict[int, str]:
    """Return the version to play for each entrant of an event, by number."""
    bots = dict(EventBot.objects.filter(event__slug=slug, is_in=True).values_list("number", "bot_id"))
    versions = _versions_to_play(bots.values(), online, hosted_only=hosted_only)
    return {number: versions[bot] for number, bot in bots.items() if bot in versions}


def _versions_to_play(bots: Iterable[int], online: Collection[int], *, hosted_only: bool) -> dict[int, str]:
    is_excluded = Exists(Exclusion.objects.filter(version=OuterRef("pk"), ended_at=None))
    rows = BotVersion.objects.filter(bot=OuterRef("pk"), is_ready=False, retired_at=None)
    if hosted_only:
        rows = rows.filter(pk__in=HostedVersion.objects.filter(is_current=True).values("pk"))
    order = [is_excluded.asc(), F("pk").desc()]
    if online:
        order.insert(1, Exists(BotVersion.objects.filter(pk=OuterRef("pk"), pk__in=list(online))).desc())
    first = rows.order_by(*order).values("name")[:1]
    playable = Bot.objects.filter(pk__in=list(bots)).annotate(version=Subquery(first)).exclude(version=None)
    return dict(playable.values_list("pk", "version"))


def strength_of(bot: Bot, terms: Terms) -> int:
    """Return the strength of a bot, or 0 if it has none.

    It is the published rating of the bot's newest rated version on the ladder of the event's game and clock.
    """
    return _points(bot, terms) or 0


def _points(bot: Bot, terms: Terms) -> int | None:
    key = ladder_key(terms.ruleset, Clock.parse(terms.clock))
    rows = PublishedRating.objects.filter(version__bot=bot, fit__ladder__key=key, is_current=True)
    newest = rows.order_by("-version_id").first()
    return round(newest.points) if newest else None
