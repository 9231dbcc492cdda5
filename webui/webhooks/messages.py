"""Messages to webhooks, written in the transaction of the facts that they report.

Hidden results are never sent, not even to organisers. They are sent when the round is revealed. A fault is sent when
its match has ended, just as the match's log is shown only then.
"""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.http.request import validate_host

from arena.events import Event, Fact, FactKind
from arena.referee import Entry, Verdict
from webui.bots.models import Bot
from webui.core.dbtime import after_now
from webui.core.subjects import Hook
from webui.core.upkeep import UpkeepWorker
from webui.events.models import EventBot, EventMatch, EventRow
from webui.hosting.models import Submission
from webui.hosting.values import SubmissionEnd
from webui.matches.models import Match, MatchState, Participant
from webui.matches.records import faults_in
from webui.pairing.models import Exclusion
from webui.replays.transcript import data_of
from webui.webhooks.models import BotPresence, Delivery, OffReason, Webhook, WebhookKind

# Hooks of webhooks.


webhook_switched_off: Final = Hook[[Webhook, OffReason], None]()
"""The arena switched a webhook off. Called in the transaction that does it."""


# Changes of bots' presence, for owners who are notified of them.


OFFLINE_AFTER: Final = 6
"""Number of consecutive misses after which a bot is offline.

Misses are counted, not time. While the bus is unavailable nothing is counted, so no bot goes offline.
"""


def note_now(worker: UpkeepWorker) -> None:
    """Record which bots are connected now."""
    note_presence({presence.bot for presence in worker.presences() if presence.connected})


def note_presence(online: Collection[int]) -> None:
    """Record which bots are connected now, by id, and notify owners of changes.

    It is called every few seconds, by one process at a time.
    """
    counted = list(BotPresence.objects.filter(Q(is_online=True) | Q(bot__in=online)))
    away = [row.pk for row in counted if row.is_online and row.pk not in online]
    short = [row.pk for row in counted if row.is_online and row.misses and row.pk in online]
    back = [row.pk for row in counted if not row.is_online]
    new = set(online) - {row.pk for row in counted}
    new &= set(Bot.objects.filter(pk__in=new, is_house=False).values_list("pk", flat=True))
    if not (away or short or back or new):
        return
    with transaction.atomic():
        rows = BotPresence.objects.filter(is_online=True)
        rows.filter(pk__in=short).update(misses=0)
        rows.filter(pk__in=away).update(misses=F("misses") + 1)
        gone = list(rows.filter(pk__in=away, misses__gte=OFFLINE_AFTER).values_list("pk", flat=True))
        BotPresence.objects.bulk_create(
            [BotPresence(bot_id=bot, is_online=False) for bot in new], ignore_conflicts=True
        )
        _change(gone, is_online=False)
        _change([*back, *new], is_online=True)


def _change(bots: Collection[int], *, is_online: bool) -> None:
    for row in BotPresence.objects.filter(pk__in=bots).select_related("bot").order_by("pk"):
        same = BotPresence.objects.filter(pk=row.pk, is_online=not is_online, changes=row.changes)
        if same.update(is_online=is_online, misses=0, changes=row.changes + 1):
            tell_presence(row.bot, row.changes + 1, is_online=is_online)


TRIED_FOR: Final = timedelta(days=1)
"""Maximum time to keep retrying a delivery (`tried_for`)."""
MOST_FAULTS: Final = 20
"""Maximum number of faults listed for one bot in one match."""

Document = dict[str, Any]


class Message(NamedTuple):
    """A message to send."""

    kind: WebhookKind
    about: str
    """Key of the message within its kind, so that it is sent only once."""
    bots: Collection[int]
    """Ids of the bots whose owners receive the message."""
    data: Callable[[Collection[int]], Document]
    """Function that builds the payload for a receiver, from the ids of their bots among `bots`."""
    is_for_organisers: bool = True
    """Whether the organisers of the event receive it, too."""


def _same(document: Document) -> Callable[[Collection[int]], Document]:
    return lambda own: document


def send(messages: Sequence[Message], event: EventRow | None = None) -> None:
    """Write the messages for all webhooks that want them. `event` is the event in which they happened."""
    bots = {bot for message in messages for bot in message.bots}
    owners: dict[int, int] = dict(Bot.objects.filter(pk__in=bots, is_house=False).values_list("pk", "owner"))
    organisers = set[int]()
    if event is not None and any(message.is_for_organisers for message in messages):
        organisers = {event.owner_id, *event.helpers.values_list("pk", flat=True)}
    hooks = Webhook.objects.filter(off="", user__in={*owners.values(), *organisers})
    at = datetime.now(UTC)
    rows = []
    for hook in hooks.filter(Q(event=None) | Q(event=event)).order_by("pk"):
        for message in messages:
            own = [bot for bot in message.bots if owners.get(bot) == hook.user_id]
            is_theirs = bool(own) or (message.is_for_organisers and hook.user_id in organisers)
            is_asked_for = message.kind in hook.kinds and hook.bot_id in (None, *own)
            if is_theirs and is_asked_for:
                rows.append(delivery(hook.pk, message.kind, message.about, message.data(own), at))
    Delivery.objects.bulk_create(rows, ignore_conflicts=True)


def delivery(webhook: int, kind: WebhookKind, about: str, data: Document, at: datetime) -> Delivery:
    """Return a message to be sent now."""
    body = {"type": str(kind), "timestamp": at.isoformat(timespec="seconds").replace("+00:00", "Z"), "data": data}
    return Delivery(
        webhook_id=webhook,
        message=f"msg_{secrets.token_hex(12)}",
        kind=kind,
        about=about,
        body=json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        next_at=Now(),
        until=after_now(tried_for(kind).total_seconds()),
    )


def tried_for(kind: str) -> timedelta:
    """Return the maximum time to keep retrying a message of this kind. A test is not retried: it shows the current
    state."""
    return timedelta(0) if kind == WebhookKind.TEST else TRIED_FOR


def is_own_host(host: str) -> bool:
    """Return whether the site may be served under this name, by the patterns of `ALLOWED_HOSTS`.

    The pattern `*` is ignored. It is meant for sites whose proxy checks the names.
    """
    name = host.removesuffix(".")  # a final dot stands for the root of all names
    patterns = [pattern for pattern in settings.ALLOWED_HOSTS if pattern != "*"]
    return validate_host(f"[{name}]" if ":" in name else name, patterns)


def _is_anybody_there() -> bool:
    return Webhook.objects.filter(off="").exists()


def bot_document(bot: Bot) -> Document:
    """Return a bot as it is named in messages."""
    return {"slug": bot.slug, "name": bot.name, "url": f"{settings.SITE_URL}/bots/{bot.slug}/"}


def _match_document(match_id: str) -> Document:
    return {"id": match_id, "url": f"{settings.SITE_URL}/matches/{match_id}/"}


def _event_document(event: EventRow) -> Document:
    return {"slug": event.slug, "name": event.name, "url": f"{settings.SITE_URL}/events/{event.slug}/"}


def tell_finished(match: Match, verdict: Verdict, number: int | None) -> None:
    """Write the messages of a match that has ended with a verdict, and of its faults, in the transaction that ends
    it."""
    if not _is_anybody_there():
        return
    event = EventRow.objects.filter(matches__match=match).first()
    if event is not None and event.hidden:
        # A transaction that reveals the round waits for this one and then sees the match, or this one waits for it.
        event = EventRow.objects.select_for_update(no_key=True).get(pk=event.pk)
        if EventMatch.objects.get(match=match).round > event.revealed:
            return
    _tell_matches([match.pk], event)


def _tell_matches(match_ids: Sequence[str], event: EventRow | None) -> None:
    """Write the messages of matches that have ended. All belong to this event, or all to none."""
    seats: dict[str, list[Participant]] = defaultdict(list)
    for seat in Participant.objects.filter(match__in=match_ids).select_related("version__bot").order_by("seat"):
        seats[seat.match_id].append(seat)
    places = {place.match_id: place for place in EventMatch.objects.filter(match__in=match_ids)}
    faults: dict[tuple[str, int], list[Entry]] = defaultdict(list)
    for match_id, entry in faults_in(match_ids):
        faults[match_id, entry.seat].append(entry)
    messages = []
    for match in Match.objects.filter(pk__in=match_ids).select_related("ladder").order_by("finished_at", "pk"):
        document = _finished(match, seats[match.pk], event, places.get(match.pk))
        bots = {seat.version.bot_id for seat in seats[match.pk]}
        messages.append(Message(WebhookKind.MATCH_FINISHED, match.pk, bots, _same(document)))
        messages += [
            _faulted(match.pk, seat, fault) for seat in seats[match.pk] if (fault := faults.get((match.pk, seat.seat)))
        ]
    send(messages, event)


def _finished(match: Match, seats: Iterable[Participant], event: EventRow | None, place: EventMatch | None) -> Document:
    return {
        "match": _match_document(match.pk),
        "state": match.state,
        "players": match.ruleset.players,
        "expansions": list(match.ruleset.expansions),
        "rated": match.rated,
        "ladder": match.ladder.slug if match.ladder else None,
        "event": _event_document(event) if event else None,
        "round": place.round if place else None,
        "seats": [
            {
                "seat": seat.seat,
                "bot": bot_document(seat.version.bot),
                "version": seat.version.name,
                "placement": seat.placement,
                "score": seat.score,
                "forfeit": seat.forfeit_reason or None,
            }
            for seat in seats
        ],
    }


def _faulted(match_id: str, seat: Participant, faults: Sequence[Entry]) -> Message:
    shown = [(data_of(row), row.text) for row in faults[:MOST_FAULTS]]
    listed = [{"index": data.index, "reason": reason, "strikes": data.strikes} for data, reason in shown]
    document = {
        "bot": bot_document(seat.version.bot),
        "version": seat.version.name,
        "match": _match_document(match_id),
        "seat": seat.seat,
        "faults": listed,
        "count": len(faults),
        "forfeit": seat.forfeit_reason or None,
    }
    about, bots = f"{match_id} {seat.seat}", {seat.version.bot_id}
    return Message(WebhookKind.BOT_FAULT, about, bots, _same(document), is_for_organisers=False)


def tell_facts(row: EventRow, event: Event, facts: Iterable[tuple[Fact, int | None]], first: int) -> None:
    """Write the messages of facts that were just appended. `row` is the event before them, `event` the event after
    them."""
    drawn = _drawn(event.terms.hidden, event.revealed, len(event.rounds)) - _drawn(row.hidden, row.revealed, row.rounds)
    shown = event.revealed if event.terms.hidden else len(event.rounds)
    revealed = range(row.revealed + 1, shown + 1) if row.hidden else range(0)
    is_over = any(fact.kind is FactKind.FINISHED for fact, _ in facts)
    if not (drawn or revealed or is_over) or not _is_anybody_there():
        return
    entries = {entry.number: entry.bot for entry in EventBot.objects.filter(event=row).select_related("bot")}
    of_bot = {bot.pk: number for number, bot in entries.items()}
    about_it = {"event": _event_document(row)}
    messages = [_round_drawn(row, event, number, entries) for number in sorted(drawn)]
    if revealed:
        data = {**about_it, "rounds": list(revealed)}
        about = f"{row.pk} {revealed[-1]}"
        messages.append(Message(WebhookKind.RESULTS_REVEALED, about, of_bot, _same(data)))
    if is_over:
        place_of = {line.entrant: line.place for line in event.standings(event.seed)}

        def places(own: Collection[int]) -> Document:
            placed = sorted((place_of[of_bot[bot]], of_bot[bot]) for bot in own if of_bot[bot] in place_of)
            listed = [{"bot": bot_document(entries[number]), "place": place} for place, number in placed]
            return {**about_it, "places": listed}

        messages.append(Message(WebhookKind.EVENT_FINISHED, str(row.pk), of_bot, places))
    send(messages, row)
    if revealed:
        ended = EventMatch.objects.filter(event=row, round__in=revealed)
        matches = ended.filter(match__state__in=(MatchState.FINISHED, MatchState.VOID), match__record__isnull=False)
        _tell_matches(list(matches.values_list("match_id", flat=True)), row)


def _drawn(hidden: bool, revealed: int, rounds: int) -> set[int]:
    """Return the rounds whose draw is public. A draw discloses the results of the previous round."""
    return {number for number in range(1, rounds + 1) if not hidden or number - 1 <= revealed}


def _round_drawn(row: EventRow, event: Event, number: int, entries: Mapping[int, Bot]) -> Message:
    draw = event.rounds[number - 1]
    seated = {seat for table in draw.tables for seat in table.seats} | set(draw.byes)
    bots = {entries[entrant].pk: entries[entrant] for entrant in sorted(seated) if entrant in entries}

    def data(own: Collection[int]) -> Document:
        listed = [bot_document(bots[bot]) for bot in sorted(own)]
        return {"event": _event_document(row), "round": number, "tables": len(draw.tables), "bots": listed}

    return Message(WebhookKind.ROUND_DRAWN, f"{row.pk} {number}", bots, data)


def tell_taken_off(row: Exclusion) -> None:
    """Write the message that a version plays no rated matches any more, because of its forfeits."""
    _tell_excluded(f"exclusion {row.pk}", _seat(row.matches[0], row.version_id), is_examination=False)


def tell_not_passed(row: Exclusion, match: Match) -> None:
    """Write the message that a version plays no rated matches yet, because of a fault in its examination."""
    seat = _seat(match.pk, row.version_id)
    _tell_excluded(f"examination {seat.pk}", seat, is_examination=True)


def _seat(match_id: str, version_id: int) -> Participant:
    return Participant.objects.select_related("version__bot").get(match=match_id, version=version_id)


def _tell_excluded(about: str, seat: Participant, *, is_examination: bool) -> None:
    """Write the message that a version plays no rated matches, because of its forfeit or fault in this seat."""
    data = {
        "bot": bot_document(seat.version.bot),
        "version": seat.version.name,
        "match": _match_document(seat.match_id),
        "reason": seat.forfeit_reason or None,
        "is_examination": is_examination,
    }
    send([Message(WebhookKind.VERSION_TAKEN_OFF, about, {seat.version.bot_id}, _same(data))])


def tell_built(submission_id: int) -> None:
    """Write the message that a version that was handed in is built."""
    _tell_submission(WebhookKind.SUBMISSION_BUILT, submission_id)


def tell_ended(end: SubmissionEnd) -> None:
    """Write the message that a version that was handed in is ready, or has failed."""
    _tell_submission(WebhookKind.SUBMISSION_FAILED if end.fault else WebhookKind.SUBMISSION_READY, end.submission_id)


def _tell_submission(kind: WebhookKind, submission_id: int) -> None:
    row = Submission.objects.select_related("bot").get(pk=submission_id)
    is_failed = kind == WebhookKind.SUBMISSION_FAILED
    bot = bot_document(row.bot)
    data = {
        "submission": {"id": row.pk, "url": f"{bot['url']}submissions/{row.pk}/"},
        "bot": bot,
        "version": row.version,
        "fault": row.fault if is_failed else None,
        "text": row.fault_text if is_failed else None,
    }
    send([Message(kind, str(row.pk), {row.bot_id}, _same(data))])


def tell_presence(bot: Bot, number: int, *, is_online: bool) -> None:
    """Write the message that a bot has come online or gone offline. `number` counts such changes of the bot."""
    kind = WebhookKind.BOT_ONLINE if is_online else WebhookKind.BOT_OFFLINE
    send([Message(kind, f"{bot.pk} {number}", {bot.pk}, _same({"bot": bot_document(bot)}))])
