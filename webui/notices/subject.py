"""The declaration of the subject of notices."""

import sys
from collections.abc import Iterator
from typing import Final

from webui.accounts.personal_data import time_text
from webui.comparisons.values import comparison_ended
from webui.core.subjects import ALL, Document, Rule, Subject
from webui.events.hooks import entries_asked, entry_answered, entry_asked, event_open, facts_appended
from webui.hosting.values import submission_ended
from webui.notices.actions import old_notices
from webui.notices.models import BotNotice, MailChoice, Notice
from webui.notices.noting import (
    asks_of,
    forget_ask,
    note_compared,
    note_entry_request,
    note_facts,
    note_hosted,
    note_not_passed,
    note_start,
    note_taken_off,
    note_webhook_off,
)
from webui.notices.queries import notices, wants_mail
from webui.pairing.hooks import examination_failed, version_taken_off
from webui.webhooks.messages import webhook_switched_off


def _retention() -> Iterator[Rule]:
    return (Rule("notices", rows) for rows in old_notices())


def _personal_data(user_id: int) -> Document:
    return {
        "account": {"wants_emails": wants_mail(user_id)},
        "notices": [
            {"at": time_text(line.at), "event": line.event, "about": line.about, "what": line.kind, **line.document}
            for line in notices(user_id, sys.maxsize)
        ],
    }


def _erase(user_id: int) -> None:
    for model in (Notice, BotNotice, MailChoice):
        model._default_manager.filter(user=user_id).delete()


SUBJECT: Final = Subject(
    site_rights=dict.fromkeys((Notice, BotNotice, MailChoice), ALL),
    retention=_retention,
    personal_data=_personal_data,
    erase=_erase,
    receives=(
        facts_appended.received_by(note_facts),
        event_open.received_by(note_start),
        entry_asked.received_by(note_entry_request),
        entry_answered.received_by(forget_ask),
        entries_asked.received_by(asks_of),
        comparison_ended.received_by(note_compared),
        version_taken_off.received_by(note_taken_off),
        examination_failed.received_by(note_not_passed),
        submission_ended.received_by(note_hosted),
        webhook_switched_off.received_by(note_webhook_off),
    ),
)
