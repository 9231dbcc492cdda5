"""The declaration of the subject of following."""

from typing import Final

from django.db.models import Q

from webui.accounts.personal_data import time_text
from webui.core.subjects import ALL, Document, Subject
from webui.following.actions import note_digests
from webui.following.digests import digest_message
from webui.following.models import Follow
from webui.following.queries import digest_choice, follows
from webui.notices.values import digest_of, emails_due


def _personal_data(user_id: int) -> Document:
    return {
        "account": {"wants_digest": digest_choice(user_id).is_wanted},
        "following": [
            {"bot": line.bot.name if line.bot else None, "author": line.author or None, "since": time_text(line.since)}
            for line in follows(user_id)
        ],
    }


def _erase(user_id: int) -> None:
    Follow.objects.filter(Q(user=user_id) | Q(author=user_id) | Q(bot__owner=user_id)).delete()


def _note_digests() -> None:
    note_digests()


SUBJECT: Final = Subject(
    site_rights={Follow: ALL},
    personal_data=_personal_data,
    erase=_erase,
    receives=(
        emails_due.received_by(_note_digests),
        digest_of.received_by(digest_message),
    ),
)
