"""The declaration of the subject of pairing."""

from typing import Final

from webui.accounts.personal_data import time_text
from webui.bots.hooks import examination_passed, exclusions_of, version_made
from webui.core.subjects import ADD, READ, Document, Subject
from webui.matches.hooks import match_finished, match_replaced, plays_again_by_itself
from webui.pairing.exclusions import (
    examine_again,
    exclude_after,
    hold_new,
    is_examination,
    open_exclusions,
    passed_examination,
)
from webui.pairing.models import Exclusion


def _of_bot(bot_id: int) -> Document:
    rows = Exclusion.objects.filter(version__bot_id=bot_id).select_related("version").order_by("pk")
    return {
        "exclusions": [
            {
                "version": row.version.name,
                "at": time_text(row.at),
                "forfeited_matches": row.matches,
                "examination_asked": time_text(row.asked_at),
                "examination": row.examination_id,
                "ended": time_text(row.ended_at),
            }
            for row in rows
        ]
    }


SUBJECT: Final = Subject(
    gateway_rights={Exclusion: ADD},  # a new version is held until its examination
    site_rights={Exclusion: {**READ, "UPDATE": ("asked_at", "examination_id")}},
    personal_data_of_bot=_of_bot,
    receives=(
        version_made.received_by(hold_new),
        exclusions_of.received_by(open_exclusions),
        examination_passed.received_by(passed_examination),
        match_finished.received_by(exclude_after),
        match_replaced.received_by(examine_again),
        plays_again_by_itself.received_by(is_examination),
    ),
)
