"""The declaration of the subject of people at tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from webui.accounts.personal_data import time_text
from webui.bots.models import Bot, BotVersion
from webui.challenges.models import Challenge, ChallengeSeat, ChallengeState
from webui.core.dbtime import before_now
from webui.core.subjects import ADD, CHANGE, READ, Document, Rule, Subject
from webui.matches.models import ENDED, Participant
from webui.pairing.sessions import IN_FLIGHT_STATES
from webui.people.models import Person, PersonAnswer, PersonRating
from webui.people.values import GUEST_DAY_S

ANSWERS_KEPT_S: Final = 86400.0
"""Seconds for which answers are kept after the match, whose record has them."""


def _retention() -> Iterator[Rule]:
    day = before_now(GUEST_DAY_S)
    seats = Participant.objects.filter(version=OuterRef("pk"))
    lately = seats.filter(Q(match__state__in=IN_FLIGHT_STATES) | Q(match__finished_at__gt=day))
    waits = ChallengeSeat.objects.filter(version=OuterRef("pk"), challenge__state=ChallengeState.WAITING)
    yield Rule("guests", Person.objects.filter(~Exists(lately), ~Exists(waits), user=None, seen_at__lt=day))
    # The bots that stood for these people keep the arena's name for them in matches. Without a match they go as well.
    unseated = BotVersion.objects.filter(bot__is_person=True, person=None, participations=None)
    at_table = ChallengeSeat.objects.filter(challenge=OuterRef("pk"), version__in=unseated.values("pk"))
    yield Rule("tables of guests", Challenge.objects.filter(Exists(at_table), created_at__lt=day))
    own = ChallengeSeat.objects.filter(version=OuterRef("pk"))
    yield Rule("versions of guests", unseated.filter(~Exists(own), created_at__lt=day))
    yield Rule("bots of guests", Bot.objects.filter(is_person=True, versions=None, created_at__lt=day))
    old = PersonAnswer.objects.filter(match__state__in=ENDED, match__finished_at__lt=before_now(ANSWERS_KEPT_S))
    yield Rule("answers of people", old)


def _personal_data(user_id: int) -> Document:
    rows = Person.objects.filter(user=user_id).select_related("version__bot")
    people = [{"name": row.version.bot.name, "seen": time_text(row.seen_at)} for row in rows]
    ratings = PersonRating.objects.filter(person__user=user_id).values("points", "low", "high", "games")
    return {"person": {"people": people, "ratings": list(ratings)}}


def _erase(user_id: int) -> None:
    for person in Person.objects.filter(user=user_id).select_related("version__bot"):
        bot = person.version.bot
        name = f"Person {bot.pk}"
        type(bot).objects.filter(pk=bot.pk).update(name=name, slug=f"person-{bot.pk}", skeleton=name)
        Person.objects.filter(pk=person.pk).update(user=None)
        PersonRating.objects.filter(person=person).delete()


SUBJECT: Final = Subject(
    gateway_rights={
        Person: {**READ, "UPDATE": ("held_by", "held_until", "left")},
        PersonAnswer: READ,
        ChallengeSeat: READ,
        Challenge: {"SELECT": ("id", "state")},
    },
    site_rights={Person: CHANGE, PersonAnswer: ADD, PersonRating: {"SELECT": (), "DELETE": ()}},
    pages=lambda: [reverse("people")],
    retention=_retention,
    personal_data=_personal_data,
    erase=_erase,
)
