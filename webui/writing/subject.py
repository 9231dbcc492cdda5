"""The declaration of the subject of bots written in the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.urls import reverse

from arena.lessons import LESSONS
from webui.accounts.personal_data import time_text
from webui.core.dbtime import before_now
from webui.core.subjects import ADD, READ, Document, Rule, Subject
from webui.writing.models import PassedLesson, Trial

KEPT_S: Final = 86400.0
"""Seconds for which a trial is kept."""
_OF_RUNNERS: Final = (
    *("state", "epoch", "leased_by_id", "lease_expires_at", "claim_key", "failures", "decisions"),
    *("ended_at", "replay", "outcome"),
)
"""Columns of trials that runners change, through a gateway (`webui.writing.jobs`)."""


def _retention() -> Iterator[Rule]:
    yield Rule("trials of bots", Trial.objects.filter(created_at__lt=before_now(KEPT_S)))


def _pages() -> list[str]:
    lessons = [reverse("lesson", args=[lesson.number]) for lesson in LESSONS]
    return [reverse("write"), reverse("lessons"), *lessons]


def _of_user(user_id: int) -> Document:
    rows = Trial.objects.filter(author=user_id).order_by("pk")
    return {
        "trials": [
            {"at": time_text(row.created_at), "opponent": row.opponent, "state": row.state, "source": row.source}
            for row in rows
        ],
        "lessons": [
            {"at": time_text(row.passed_at), "lesson": row.lesson}
            for row in PassedLesson.objects.filter(user=user_id).order_by("lesson")
        ],
    }


def _erase(user_id: int) -> None:
    """Delete the user's trials and progress."""
    Trial.objects.filter(author=user_id).delete()
    PassedLesson.objects.filter(user=user_id).delete()


SUBJECT: Final = Subject(
    gateway_rights={Trial: {**READ, "UPDATE": _OF_RUNNERS}, PassedLesson: ADD},
    site_rights={Trial: {**ADD, "DELETE": ()}, PassedLesson: {**READ, "DELETE": ()}},
    pages=_pages,
    retention=_retention,
    personal_data=_of_user,
    erase=_erase,
)
