"""The declaration of the subject of people at tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.urls import reverse

from webui.accounts.personal_data import time_text
from webui.challenges.models import Challenge, ChallengeSeat
from webui.core.dbtime import before_now
from webui.core.subjects import ADD, CHANGE, READ, Document, Rule, Subject
from webui.matches.models import ENDED
from webui.people.models import Person, PersonAnswer, PersonRating
from webui.people.values import GUEST_DAY_S

ANSWERS_KEPT_S: Final = 86400.0
"""Seconds for which answers are kept after the match, whose record has them."""


def _retention() -> Iterator[Rule]:
    yield Rule(
        "guests", Person.objects.filter(guest__isnull=False, seen_at__lt=before_now(GUEST_DAY_S)), {"guest": None}
    )
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
