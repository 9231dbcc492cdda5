"""Ratings of people, by their games against bots of the house alone.

These ratings are apart from the ladders, and no bot's rating depends on them. The published ratings of the house bots
are known to within their intervals (`arena.ratings.anchored`). They are relative to bots that play under the clocks of
the ladders, while a person may have no clock.

Every finished game counts in which all others are bots of the house. A game that somebody gives up is lost. All games
of an account count together. Those of a guest count under the guest's name, until the day of the guest is over.

Each person is rated alone, so a step costs as much as the people who have just played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from arena.ratings.anchored import Known, rate_against
from arena.ratings.batch import RatedGame
from arena.ratings.standing import Z
from webui.core.dbtime import before_now
from webui.core.upkeep import UpkeepWorker
from webui.matches.hooks import is_overloaded
from webui.matches.models import MatchState, Participant
from webui.people.models import Person, PersonRating
from webui.people.queries import IS_THERE, of_visitor
from webui.people.values import Visitor
from webui.ratings.queries import bot_ratings

MOST_GAMES: Final = 400
"""Maximum number of games of one person that count: the newest."""
MOST_PEOPLE: Final = 50
"""Maximum number of people who are rated in one run."""
SEEN_S: Final = 2 * 86400.0
"""Seconds for which a person is looked at after the last visit. Every game has ended by then."""
PERSON: Final = 0
"""Number of the person in games, where the others are ids of bots."""


def rate_now(worker: UpkeepWorker) -> None:
    """Rate the people who have finished a game, unless the arena is overloaded."""
    if not is_overloaded():
        rate_people(worker.is_stopping)


def rate_people(is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Rate the people who have finished a game since they were rated. Return how many rows of people were looked at."""
    finished = Participant.objects.filter(version=OuterRef("pk"), match__state=MatchState.FINISHED)
    rows = Person.objects.filter(IS_THERE, seen_at__gt=before_now(SEEN_S))
    rows = rows.annotate(newest=Subquery(finished.order_by("-pk").values("pk")[:1])).exclude(newest=None)
    due = rows.filter(Q(rated_seat=None) | ~Q(rated_seat=F("newest"))).order_by("seen_at")
    looked_at = 0
    for row in due[:MOST_PEOPLE]:
        if is_stopping():
            break
        _rate(row, vars(row)["newest"])
        looked_at += 1
    return looked_at


@transaction.atomic
def _rate(row: Person, newest: int) -> None:
    people = list(of_visitor(Visitor(row.user_id, row.guest)).select_for_update())
    if row.pk not in {each.pk for each in people}:
        return  # an account has just taken over the guest, and is looked at in the next run
    games = _games(people)
    PersonRating.objects.filter(person__in=people[1:]).delete()
    if games:
        known = {
            bot: Known(rated.points, (rated.high - rated.low) / (2 * Z))
            for bot, (rated, _) in bot_ratings(sorted({bot for game in games for bot in game.bots})).items()
        }
        found = rate_against(PERSON, games, known)
        values = {**found._asdict(), "games": len(games)}
        PersonRating.objects.update_or_create(person=people[0], defaults=values)
    Person.objects.filter(pk=row.pk).update(rated_seat=newest)


def _games(people: Sequence[Person]) -> list[RatedGame]:
    """Return the newest games of these rows, which are one person, in which all others were bots of the house."""
    own = _seats(people).order_by("-pk").values_list("match", flat=True)[:MOST_GAMES]
    seats: dict[str, list[tuple[int, int]]] = defaultdict(list)
    versions = {each.pk for each in people}
    rows = Participant.objects.filter(match__in=list(own)).order_by("match", "seat")
    for match, version, bot, placement in rows.values_list("match", "version", "version__bot", "placement"):
        assert placement is not None  # the match has finished
        seats[match].append((PERSON if version in versions else bot, placement))
    return [
        RatedGame(tuple(bot for bot, _ in table), tuple(placement for _, placement in table))
        for table in seats.values()
    ]


def _seats(people: Sequence[Person]) -> QuerySet[Participant]:
    """Return the seats of these rows in the games that count."""
    others = Participant.objects.filter(match=OuterRef("match")).exclude(version=OuterRef("version"))
    strangers = others.exclude(version__bot__is_house=True)
    return Participant.objects.filter(
        ~Exists(strangers), version__in=[each.pk for each in people], match__state=MatchState.FINISHED
    )
