"""Which bots may enter an event, and what those that may not lack."""

from arena.events import EventState, Terms
from webui.ladder.events import find_event, fold_event
from webui.ladder.ladders import ladder_key
from webui.ladder.models import Bot, BotState, EventBot, EventRow, Notice, NoticeKind, Standing
from webui.ladder.queries.refs import bot_ref, rated
from webui.ladder.values import BadRequest
from webui.ladder.values.events import OwnEntry
from webui.ladder.values.refs import BotRef

LATE_STATES = (EventState.FROZEN, EventState.RUNNING, EventState.PAUSED)
"""In these an owner can ask the organiser to let a bot in."""


def asked_late(slug: str) -> list[BotRef]:
    """The bots whose owners ask to let them in, and that are not in."""
    row = find_event(slug)
    asked = Notice.objects.filter(event=row, kind=NoticeKind.ASKED).values("number")
    bots = Bot.objects.filter(pk__in=asked).exclude(entries__event=row, entries__is_in=True)
    return [bot_ref(bot) for bot in bots.select_related("owner").order_by("name")]


def own_entries(slug: str, user_id: int) -> list[OwnEntry]:
    """The bots of a user, each with its number in the event or with the reason why it cannot enter."""
    row = find_event(slug)
    event = fold_event(row)
    numbers = dict(EventBot.objects.filter(event=row, bot__owner=user_id, is_in=True).values_list("bot", "number"))
    asked = set(Notice.objects.filter(event=row, kind=NoticeKind.ASKED).values_list("number", flat=True))
    found = []
    for bot in Bot.objects.filter(owner=user_id).select_related("owner").order_by("name"):
        refusal, can_ask = "", False
        if bot.pk not in numbers:
            try:
                if event.state in LATE_STATES:
                    check_eligible(row, event.terms, bot)
                    can_ask = bot.pk not in asked
                if event.state is not EventState.OPEN:
                    raise BadRequest("the event takes no more bots")
                if len(event.present) >= event.terms.entry.entrants:
                    raise BadRequest(f"the event is full: {event.terms.entry.entrants} bots have entered")
                check_eligible(row, event.terms, bot)
            except BadRequest as error:
                refusal = str(error)
        found.append(OwnEntry(bot_ref(bot), numbers.get(bot.pk), refusal, can_ask))
    return found


def check_eligible(row: EventRow, terms: Terms, bot: Bot) -> None:
    """`BadRequest` if a bot may not enter, with what it lacks."""
    entry = terms.entry
    if bot.state != BotState.ACTIVE or not bot.owner.is_active:
        raise BadRequest(f"{bot.name} is paused: let it play first")
    newest_version(bot)
    if EventBot.objects.filter(event=row, bot=bot, is_in=True).exists():
        raise BadRequest(f"{bot.name} has entered")
    if bot.is_house:
        if not entry.house_bots:
            raise BadRequest("bots of the arena cannot enter this event")
        return
    if entry.by_invitation and bot.slug not in entry.invited:
        raise BadRequest("bots enter this event by invitation of its organiser alone")
    own = EventBot.objects.filter(event=row, bot__owner=bot.owner, is_in=True).count()
    if own >= entry.bots_an_owner:
        raise BadRequest(f"an owner may enter {entry.bots_an_owner} at most, and {bot.owner.username} has done so")
    standing = _standing(bot, terms)
    games = sum(Standing.objects.filter(version__bot=bot).values_list("games", flat=True))
    if games < entry.least_games:
        raise BadRequest(f"{bot.name} has played {games} rated games; the event wants {entry.least_games}")
    points = rated(standing.mu, standing.sigma, standing.games).points if standing else None
    if entry.least_rating is not None and (points is None or points < entry.least_rating):
        raise BadRequest(f"{bot.name} has a rating of {points}; the event wants {entry.least_rating} at least")
    if entry.most_rating is not None and points is not None and points > entry.most_rating:
        raise BadRequest(f"{bot.name} has a rating of {points}; the event wants {entry.most_rating} at most")


def newest_version(bot: Bot) -> str:
    """The name of the version with which a bot last dialled in first."""
    version = bot.versions.order_by("-pk").first()
    if version is None:
        raise BadRequest(f"{bot.name} has never been online: it has no version that could play")
    return version.name


def strength_of(bot: Bot, terms: Terms) -> int:
    """The rating of a bot's newest version on the ladder of an event's game and clock, as shown; 0 without."""
    standing = _standing(bot, terms)
    return rated(standing.mu, standing.sigma, standing.games).points if standing else 0


def _standing(bot: Bot, terms: Terms) -> Standing | None:
    key = ladder_key(terms.ruleset, terms.clock)
    return Standing.objects.filter(version__bot=bot, ladder__key=key).order_by("-version_id").first()
