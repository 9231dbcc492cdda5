"""Notices that follow from facts of events, from the time, and from what happens to bots outside events.

Notices of facts are written in the transaction of the facts. Hidden results are never disclosed. The draw of a round
would disclose the winners of the previous round, and an absence would disclose a result.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from arena.events import Course, Event, Fact, FactKind
from arena.events.facts import BotDisqualified, BotWithdrawn, EntrantAbsent, EventFinished, MessageSent, RoundDrawn
from webui.bots.models import Bot
from webui.comparisons.models import Comparison
from webui.core.dbtime import before_now
from webui.events.models import EventBot, EventRow, FactRow
from webui.hosting.values import SubmissionEnd
from webui.matches.models import Match, Participant
from webui.notices.models import BotNotice, BotNoticeKind, MailState, Notice, NoticeKind
from webui.pairing.models import Exclusion
from webui.webhooks.models import OffReason, Webhook

SOON: Final = timedelta(hours=1)
"""Time before the start at which owners are notified, if there is no check-in."""
MAILED: Final = frozenset(NoticeKind) - {NoticeKind.DRAWN, NoticeKind.INVITED, NoticeKind.ASKED}
"""Kinds that are also sent by email. The others are only shown on the site."""
A_DAY: Final = frozenset({NoticeKind.SOON, NoticeKind.CHECK_IN})
"""Kinds of which one email a day is enough. An organiser can move the start as often as they like."""
MOST_INVITED: Final = 5
"""Maximum number of invitations within a day that a user is notified of, for events of one creator."""
_OF_FACT: Final = {
    FactKind.WITHDRAWN: NoticeKind.WITHDRAWN,
    FactKind.DISQUALIFIED: NoticeKind.DISQUALIFIED,
    FactKind.ABSENT: NoticeKind.ABSENT,
    FactKind.DRAWN: NoticeKind.DRAWN,
    FactKind.TOLD: NoticeKind.TOLD,
    FactKind.FINISHED: NoticeKind.FINISHED,
}


def note_facts(row: EventRow, event: Event, facts: Sequence[tuple[Fact, int | None]], first: int) -> None:
    """Write the notices of facts that were just appended, from number `first` on. `event` is the event after them."""
    drawn = len(event.rounds) - sum(fact.kind is FactKind.DRAWN for fact, _ in facts)
    for number, (fact, by) in enumerate(facts, start=first):
        drawn += fact.kind is FactKind.DRAWN
        if fact.kind in (FactKind.PUBLISHED, FactKind.CHANGED):
            _note_invited(row, event)
        elif (kind := _OF_FACT.get(fact.kind)) and not _is_hidden(event, fact, drawn):
            note(row, kind, _round_of(fact) or number, _entrants(event, fact), _data(event, fact, drawn), by)


def _is_hidden(event: Event, fact: Fact, drawn: int) -> bool:
    tells = drawn - 1 if fact.kind is FactKind.DRAWN else _round_of(fact)
    return event.terms.hidden and tells > event.revealed


def _round_of(fact: Fact) -> int:
    """Return the round of an absence, else 0. There is one notice for each round, whatever the number of tables."""
    return fact.data.round if isinstance(fact.data, EntrantAbsent) else 0


def _entrants(event: Event, fact: Fact) -> Iterable[int]:
    if fact.kind is FactKind.DRAWN:
        draw = event.rounds[-1]
        return {seat for table in draw.tables for seat in table.seats} | set(draw.byes)
    if isinstance(fact.data, BotWithdrawn | BotDisqualified | EntrantAbsent):
        return [fact.data.entrant]
    return event.present


def _data(event: Event, fact: Fact, drawn: int) -> dict[str, Any]:
    match fact.data:
        case RoundDrawn():
            return {"round": drawn}
        case EntrantAbsent(round=round):
            return {"round": round}
        case MessageSent(text=text):
            return {"text": text}
        case EventFinished():
            return {"place_of": {line.entrant: line.place for line in event.standings(event.seed)}}
    return {"why": fact.why}


def note_start(row: EventRow, event: Event, opens: datetime | None, now: datetime) -> None:
    """Write the notices of the start, or of check-in. Each owner gets one notice for each start."""
    schedule: Course = event.terms.course
    if not schedule.starts_at:
        return
    start = datetime.fromisoformat(schedule.starts_at)
    if not (opens or start - SOON) <= now < start:
        return
    kind = NoticeKind.CHECK_IN if opens else NoticeKind.SOON
    notified = set(
        Notice.objects.filter(event=row, kind=kind, number=int(start.timestamp())).values_list("user_id", flat=True)
    )
    entries = EventBot.objects.filter(event=row, is_in=True).exclude(bot__owner__in=notified)
    numbers = set(entries.values_list("number", flat=True)) - event.checked_in
    note(row, kind, int(start.timestamp()), numbers, {"at": start.isoformat()}, None)


def note(
    row: EventRow, kind: NoticeKind, number: int, entrants: Iterable[int], data: dict[str, Any], by: int | None
) -> None:
    """Write a notice for each owner of these entrants, except for the user who caused it (`by`) and for the house."""
    places = data.pop("place_of", None)
    entries = EventBot.objects.filter(event=row, number__in=list(entrants), bot__is_house=False)
    bots: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for user, entrant, name in entries.order_by("number").values_list("bot__owner", "number", "bot__name"):
        if user != by:
            bots[user].append((entrant, name))
    rows = []
    for user, own in bots.items():
        details = {**data, "bots": [name for _, name in own]}
        if places is not None:
            details["places"] = [places[entrant] for entrant, _ in own]
        rows.append((user, number, details))
    _add(row, kind, rows)


def _note_invited(row: EventRow, event: Event) -> None:
    if not event.commitment:
        return  # nobody sees a draft
    invited = Bot.objects.filter(slug__in=event.terms.entry.invited, is_house=False).exclude(entries__event=row)
    ours = FactRow.objects.filter(number=0, by__in=FactRow.objects.filter(event=row, number=0).values("by"))
    recent = Notice.objects.filter(kind=NoticeKind.INVITED, at__gt=before_now(86400), event__in=ours.values("event"))
    invitations = Counter(recent.values_list("user_id", flat=True))
    known = set(Notice.objects.filter(event=row, kind=NoticeKind.INVITED).values_list("number", flat=True))
    notices = []
    for bot in invited.exclude(pk__in=known):
        invitations[bot.owner_id] += 1
        if invitations[bot.owner_id] <= MOST_INVITED:
            notices.append((bot.owner_id, bot.pk, {"bots": [bot.name]}))
    _add(row, NoticeKind.INVITED, notices)


def note_entry_request(row: EventRow, bot: Bot) -> None:
    """Notify the organiser that a bot's owner asks to enter it late."""
    _add(row, NoticeKind.ASKED, [(row.owner_id, bot.pk, {"bots": [bot.name]})])


def asks_of(row: EventRow) -> set[int]:
    """Return the ids of the bots whose owners ask the organiser to let them in late."""
    return set(Notice.objects.filter(event=row, kind=NoticeKind.ASKED).values_list("number", flat=True))


def forget_ask(row: EventRow, bot: Bot) -> None:
    """Delete the request for a bot, which was granted or withdrawn."""
    Notice.objects.filter(event=row, kind=NoticeKind.ASKED, number=bot.pk).delete()


def note_compared(row: Comparison) -> None:
    """Notify the owner that a comparison has ended, in the transaction that ends it."""
    data = {"bots": [row.new.bot.name], "new": row.new.name, "old": row.old.name, "state": row.state}
    if row.old.bot_id != row.new.bot_id:
        data["old"] = f"{row.old.bot.name} {row.old.name}"
    _tell(BotNotice(user_id=row.owner_id, about=row.pk, kind=BotNoticeKind.COMPARED, number=0, data=data))


def note_taken_off(row: Exclusion) -> None:
    """Notify the owner that a version was taken off rated matches, in the transaction that does it."""
    bot = row.version.bot
    seat = _seat(row.matches[0], row.version_id)
    data = {"bots": [bot.name], "version": row.version.name, "match": row.matches[0], "reason": seat.forfeit_reason}
    _tell(BotNotice(user_id=bot.owner_id, about=bot.slug, kind=BotNoticeKind.TAKEN_OFF, number=row.pk, data=data))


def note_not_passed(row: Exclusion, match: Match) -> None:
    """Notify the owner that a version made a fault in its examination, in the transaction that ends the examination.

    At most one email a day is sent: a bot that crashes and restarts by itself is examined again and again.
    """
    bot = row.version.bot
    seat = _seat(match.pk, row.version_id)
    data: dict[str, Any] = {
        "bots": [bot.name],
        "version": row.version.name,
        "match": match.pk,
        "reason": seat.forfeit_reason,
        "is_examination": True,
    }
    # one for each examination; negative, to differ from the numbers of exclusions
    kind, number = BotNoticeKind.TAKEN_OFF, -seat.pk
    earlier = BotNotice.objects.filter(user_id=bot.owner_id, about=bot.slug, kind=kind, at__gt=before_now(86400))
    same = earlier.filter(data__is_examination=True, data__version=row.version.name)
    notice = BotNotice(user_id=bot.owner_id, about=bot.slug, kind=kind, number=number, data=data)
    _tell(notice, is_mailed=not same.exclude(mail=MailState.NONE).exists())


def note_hosted(end: SubmissionEnd) -> None:
    """Notify the owner that a version that was handed in is ready, or has failed."""
    bot = Bot.objects.get(pk=end.bot_id)
    data = {
        "bots": [bot.name],
        "version": end.version,
        "state": "FAILED" if end.fault else "READY",
        "text": end.fault_text,
    }
    kind, number = BotNoticeKind.HOSTED, end.submission_id
    _tell(BotNotice(user_id=end.owner_id, about=bot.slug, kind=kind, number=number, data=data))


def _seat(match_id: str, version_id: int) -> Participant:
    return Participant.objects.select_related("version__bot").get(match=match_id, version=version_id)


def note_webhook_off(hook: Webhook, reason: OffReason) -> None:
    """Notify the owner that a webhook was switched off, in the transaction that does it."""
    kind, number = BotNoticeKind.WEBHOOK_OFF, time.time_ns()
    data = {"bots": [], "url": hook.url, "off": str(reason)}
    _tell(BotNotice(user_id=hook.user_id, about=str(hook.pk), kind=kind, number=number, data=data))


def note_from_staff(user_id: int, kind: BotNoticeKind, number: int, *, about: str = "", **data: Any) -> bool:
    """Notify a user of what staff wrote or did, in the same transaction. Return False if the notice exists already."""
    data = {"bots": [], **data}
    notice = BotNotice(user_id=user_id, about=about, kind=kind, number=number, data=data)
    same = BotNotice.objects.filter(user_id=user_id, about=about, kind=kind, number=number)
    if same.exists():  # safe: the caller has locked the user's row
        return False
    _tell(notice)
    return True


def _tell(notice: BotNotice, *, is_mailed: bool = True) -> None:
    """Write a notice for the site and by email, unless it exists already."""
    notice.mail = MailState.DUE if is_mailed else MailState.NONE
    BotNotice.objects.bulk_create([notice], ignore_conflicts=True)


def _add(row: EventRow, kind: NoticeKind, notices: Iterable[tuple[int, int, dict[str, Any]]]) -> None:
    """Write notices for users, given their numbers and data. Existing notices stay as they are."""
    emailed = set[int]()
    if kind == NoticeKind.ABSENT:  # one email for each event is enough
        emailed |= set(Notice.objects.filter(event=row, kind=kind).values_list("user_id", flat=True))
    elif kind in A_DAY:
        mailed = Notice.objects.filter(event=row, kind__in=A_DAY, at__gt=before_now(86400))
        emailed |= set(mailed.exclude(mail=MailState.NONE).values_list("user_id", flat=True))
    rows = [
        Notice(
            user_id=user,
            event=row,
            kind=kind,
            number=number,
            data=data,
            mail=MailState.DUE if kind in MAILED and user not in emailed else MailState.NONE,
        )
        for user, number, data in notices
    ]
    Notice.objects.bulk_create(rows, ignore_conflicts=True)
