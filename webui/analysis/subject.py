"""The declaration of the subject of analysis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.urls import reverse

from webui.analysis.models import PositionGames
from webui.core.dbtime import before_now
from webui.core.subjects import ADD, Rule, Subject

KEPT_S: Final = 86400.0
"""Seconds for which the games of a position are kept."""


def _retention() -> Iterator[Rule]:
    yield Rule("games of positions", PositionGames.objects.filter(created_at__lt=before_now(KEPT_S)))


SUBJECT: Final = Subject(site_rights={PositionGames: ADD}, retention=_retention, pages=lambda: [reverse("analysis")])
