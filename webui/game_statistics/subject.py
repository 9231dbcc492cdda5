"""The declaration of the subject of statistics."""

from typing import Final

from django.urls import reverse

from webui.core.subjects import READ, Subject
from webui.game_statistics.models import ArenaRecord, BotPair, CountProgress, GameFigure, Meeting

SUBJECT: Final = Subject(
    site_rights=dict.fromkeys((ArenaRecord, BotPair, CountProgress, GameFigure, Meeting), READ),
    pages=lambda: [reverse("statistics"), reverse("records")],
)
