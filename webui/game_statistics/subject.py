"""The declaration of the subject of statistics."""

from typing import Final

from django.urls import reverse

from webui.core.subjects import READ, Subject
from webui.game_statistics.models import ArenaRecord, BotPair, CountProgress, GameFigure, Meeting
from webui.game_statistics.words import held_records
from webui.stories import hooks as stories

SUBJECT: Final = Subject(
    site_rights=dict.fromkeys((ArenaRecord, BotPair, CountProgress, GameFigure, Meeting), READ),
    receives=(stories.records_of_match.received_by(held_records),),
    pages=lambda: [reverse("statistics"), reverse("records")],
)
