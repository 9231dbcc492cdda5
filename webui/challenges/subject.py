"""The declaration of the subject of challenges."""

from dataclasses import asdict
from typing import Final

from django.db.models.functions import Now

from webui.accounts.personal_data import time_text
from webui.challenges.models import Challenge, ChallengeMatch, ChallengeSeat, ChallengeState, ChallengeTerms
from webui.challenges.pairing import advance_challenges, chosen_versions
from webui.challenges.queries import accepted_challenges, can_have_rematch, challenges_by
from webui.core.subjects import ADD, ALL, READ, Document, Subject
from webui.hosting.values import versions_kept
from webui.matches.ending import replaced_in
from webui.matches.hooks import match_replaced
from webui.pairing.hooks import places_wanted
from webui.replays.onward import offers_rematch


def _personal_data(user_id: int) -> Document:
    lines = [
        {
            "made": time_text(line.created_at),
            "state": line.state,
            "bots": [seat.bot.name for seat in line.seats],
            "match": line.match,
        }
        for line in challenges_by(user_id)
    ]
    return {"challenges": {"challenges": lines}}


def _of_bot(bot_id: int) -> Document:
    return {"challenges": asdict(accepted_challenges(bot_id))}


def _erase(user_id: int) -> None:
    ChallengeTerms.objects.filter(bot__owner=user_id).delete()
    ChallengeTerms.friends.through.objects.filter(user=user_id).delete()
    waiting = Challenge.objects.filter(owner=user_id, state=ChallengeState.WAITING)
    waiting.update(state=ChallengeState.WITHDRAWN, ended_at=Now())


SUBJECT: Final = Subject(
    gateway_rights={ChallengeMatch: {"SELECT": ("id", "match_id")}},  # challenges cause no rests
    site_rights={
        ChallengeMatch: READ,
        Challenge: {**ADD, "UPDATE": ("state", "ended_at")},
        ChallengeSeat: ADD,
        **dict.fromkeys((ChallengeTerms, ChallengeTerms.friends.through), ALL),
    },
    personal_data=_personal_data,
    personal_data_of_bot=_of_bot,
    erase=_erase,
    receives=(
        match_replaced.received_by(replaced_in(ChallengeMatch)),
        places_wanted.received_by(advance_challenges),
        versions_kept.received_by(chosen_versions),
        offers_rematch.received_by(can_have_rematch),
    ),
)
