"""Checks of stored matches: their records, logs, offers, secrets, results and leases."""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, TextField, Window
from django.db.models.functions import Cast, Coalesce, Lag

from arena.host.signing import SignatureError, check_signature
from arena.referee import HiddenOffer, OfferError, canonical_bytes, check_chain, offer_digest, seat_results
from webui.core.dbtime import before_now
from webui.core.subjects import Problems
from webui.matches.models import (
    ENDED,
    LogForm,
    LogRow,
    Match,
    MatchRecord,
    MatchSecret,
    MatchState,
    OfferEntry,
    OfferHead,
    Participant,
    SpectatorRow,
)
from webui.matches.record_store import packed_of
from webui.matches.records import check_record, ended_log, unpack_record
from webui.matches.signing import check_record_signature, public_keys
from webui.matches.values import RecordRefused

UNREADABLE = (OSError, EOFError, zlib.error, ValueError, LookupError, TypeError, AttributeError)
"""Exceptions that reading a damaged or missing record can raise."""


def record_findings(match: Match) -> Iterator[str]:
    """Yield a sentence for each fault of this match's record.

    The record must follow from the log, the seed and the rules. The result in the tables must be that of the record.
    The rules of this process must be those by which the match was played.
    """
    try:
        document = unpack_record(packed_of(match.record))
        log = [entry.entry for entry in ended_log(match.id, document)]
        if len(log) != match.length:
            yield f"its length is {match.length} and its log has {len(log)} entries"
        check_record(match, match.secret, log, document)
        check_record_signature(document)
    except (MatchSecret.DoesNotExist, RecordRefused, SignatureError) as error:
        yield str(error)
        return
    except UNREADABLE as error:
        yield f"its record cannot be read: {error!r}"
        return
    if match.verdict != document["verdict"]:
        yield "its verdict differs from its record"
    results = {result.seat: result for result in seat_results(document)}
    for row in Participant.objects.filter(match=match):
        result = results[row.seat]
        if (row.placement, row.rank, row.score) != (result.placement, result.rank, result.score):
            yield f"the result of seat {row.seat} differs from its record"
        if row.first_bid != (None if result.placement is None else result.first_bid):
            yield f"the place of seat {row.seat} in the first bidding differs from its record"


LATE_S = 60.0
"""Seconds after which an expired lease counts as not swept. Every worker sweeps every few seconds."""

WAITING_S = 600.0
"""Seconds after which a waiting match counts as one that no worker can take."""


@dataclass(frozen=True)
class Scope:
    """The matches that are checked: all of them, or those that run or ended at `since` or later."""

    since: datetime | None

    def matches(self) -> QuerySet[Match]:
        """Return these matches, unordered."""
        return Match.objects.filter(self.condition())

    def condition(self, prefix: str = "") -> Q:
        """Return the condition on a match. `prefix` is the path to the match from the queried table."""
        if self.since is None:
            return Q()
        finished_at = f"{prefix}finished_at"
        return Q(**{f"{finished_at}__isnull": True}) | Q(**{f"{finished_at}__gte": self.since})


def offers(since: datetime | None = None) -> Problems:
    """Check that the log of offers is one chain up to its head.

    Each document must be signed, and must have the commitment of its match.
    """
    scope = Scope(since)
    # Read the head first: the log may grow beyond it meanwhile.
    head, keys = OfferHead.objects.first(), public_keys()
    rows = OfferEntry.objects.select_related("match").order_by("number")
    seen: list[OfferEntry] = []
    before: list[HiddenOffer] = []
    if scope.since is not None:
        # Start at the latest offer made before `since`. The chain before it is not checked again, even for matches that
        # still run.
        first = Match.objects.filter(created_at__lt=scope.since, offer__isnull=False).order_by("-created_at", "-pk")
        if (last := first.values_list("offer", flat=True).first()) is not None:
            start = OfferEntry.objects.get(pk=last)
            digest = offer_digest(json.loads(start.document))
            before, rows = [HiddenOffer(start.number, digest)], rows.filter(number__gt=last)
            seen[:] = [start]

    def documents() -> Iterator[Any]:
        yield from before
        for entry in rows.iterator(chunk_size=1000):
            seen[:] = [entry]
            yield json.loads(entry.document)

    try:
        for document in check_chain(documents(), before[0].number if before else 1):
            (entry,) = seen
            bytes_of_it = canonical_bytes(document)
            if bytes_of_it.decode() != entry.document or document["number"] != entry.number:
                yield entry.match_id, f"offer {entry.number} is not written as its number and canonical JSON"
            if (document["match"], document["commitment"]) != (entry.match_id, entry.match.commitment):
                yield entry.match_id, f"offer {entry.number} is of another match or commitment"
            try:
                check_signature(bytes_of_it, {"key": entry.key, "ed25519": entry.signature}, keys)
            except SignatureError as error:
                yield entry.match_id, f"offer {entry.number}: {error}"
            if head and document["number"] == head.length and offer_digest(document) != head.digest:
                yield entry.match_id, f"the head of the log of offers has another hash than offer {entry.number}"
    except (OfferError, ValueError) as error:
        yield seen[0].match_id, f"the log of offers is broken: {error}"
    if head and (not seen or seen[0].number < head.length):
        yield "offers", f"the log of offers ends before its head, {head.length}"


def logs(since: datetime | None = None) -> Problems:
    """Check that each log has the length that its match states, and is numbered from 0.

    No owner may have written after a later owner did.
    """
    scope = Scope(since)
    counted = scope.matches().annotate(
        entries=Count("log"), last=Coalesce(Max("log__number"), -1), epoch_of_last=Coalesce(Max("log__epoch"), 0)
    )
    wrong = counted.exclude(log_form=LogForm.PACKED).exclude(
        entries=F("length"), last=F("length") - 1, epoch_of_last__lte=F("epoch")
    )
    for match_id, length, entries, last in wrong.values_list("id", "length", "entries", "last"):
        if entries != length:
            yield match_id, f"its length is {length} and its log has {entries} entries"
        elif last != length - 1:
            yield match_id, f"its log of {length} entries is numbered up to {last}: there is a gap"
        else:
            yield match_id, "its log has entries of an epoch that it never had"
    before = Window(Lag("epoch"), partition_by=F("match_id"), order_by=F("number").asc())
    late = LogRow.objects.annotate(epoch_before=before).filter(epoch__lt=F("epoch_before"))
    for match_id, number, epoch in late.order_by("match_id", "number").values_list("match_id", "number", "epoch"):
        yield match_id, f"log entry {number} was written at epoch {epoch}, after an entry of a later owner"
    packed = scope.matches().filter(log_form=LogForm.PACKED)
    for match_id in packed.filter(packed_log=None).values_list("id", flat=True):
        yield match_id, "its log was packed and is not there"
    for match_id in packed.filter(Exists(LogRow.objects.filter(match=OuterRef("pk")))).values_list("id", flat=True):
        yield match_id, "its log was packed, and rows of it are still there"


def secrets(since: datetime | None = None) -> Problems:
    """Check that no seed can be read before its match ends, and that all copies are equal afterwards."""
    scope = Scope(since)
    for match_id in scope.matches().filter(secret__isnull=True).values_list("id", flat=True):
        yield match_id, "it has no secret"
    is_ended = Q(state__in=[str(state) for state in ENDED])
    running = Match.objects.filter(state__in=[str(state) for state in MatchState if state not in ENDED])
    for match_id in running.exclude(server_seed="").values_list("id", flat=True):
        yield match_id, "its seed is revealed and it has not ended"
    for match_id in MatchRecord.objects.filter(match__in=running).values_list("match_id", flat=True):
        yield match_id, "its record is there and it has not ended"
    leaks = LogRow.objects.filter(match__in=running).annotate(written=Cast("data", TextField()))
    seed = F("match__secret__server_seed")
    leaks = leaks.filter(Q(text__contains=seed) | Q(written__contains=seed))
    for match_id, number in leaks.order_by().values_list("match_id", "number"):
        yield match_id, f"log entry {number} holds its seed, and it has not ended"
    unlike = scope.matches().filter(is_ended).exclude(server_seed=F("secret__server_seed"))
    for match_id in unlike.filter(secret__isnull=False).values_list("id", flat=True):
        yield match_id, "the seed that was revealed is not the one that it was played with"


def results(since: datetime | None = None) -> Problems:
    """Check that each finished match has one result: a record, and a placement for each seat."""
    scope = Scope(since)
    finished = scope.matches().filter(state=MatchState.FINISHED)
    for match_id in finished.filter(record__isnull=True).values_list("id", flat=True):
        yield match_id, "it is finished and has no record"
    counted = scope.matches().annotate(
        seats=Count("participants"),
        placed=Count("participants", filter=Q(participants__placement__isnull=False)),
        first=Min("participants__seat"),
        last=Max("participants__seat"),
    )
    rows = counted.values_list("id", "state", "ruleset", "seats", "placed", "first", "last").iterator()
    for match_id, state, ruleset, seats, placed, first, last in rows:
        players = ruleset.players
        if (seats, first, last) != (players, 1, players):
            yield match_id, f"it is for {players} players and its {seats} seats are {first} to {last}"
        elif placed != (players if state == MatchState.FINISHED else 0):
            yield match_id, f"it is {state} and {placed} of its {players} seats have a placement"


def leases() -> Problems:
    """Check that every owner renews its lease, and that no match waits forever."""
    running = Match.objects.filter(state=MatchState.RUNNING, lease_expires_at__lt=before_now(LATE_S))
    for match_id, owner in running.values_list("id", "owner"):
        yield match_id, f"the lease of {owner} has expired and no worker sweeps it: is any worker running?"
    waiting = Match.objects.filter(state=MatchState.SCHEDULED, waits_since__lt=before_now(WAITING_S))
    for match_id, rules in waiting.values_list("id", "rules"):
        yield match_id, f"it waits for a worker with {rules}: is one running on the queue `matches`?"


def spectators() -> Problems:
    """Check that the spectators' rows have no gap while a match runs, and are deleted when it has ended."""
    is_ended = Q(match__state__in=[str(state) for state in ENDED])
    for match_id in SpectatorRow.objects.filter(is_ended).order_by().values_list("match_id", flat=True).distinct():
        yield match_id, "it has ended, and its rows for spectators are still there"
    counted = SpectatorRow.objects.order_by().values("match_id").annotate(rows=Count("pk"), last=Max("ply"))
    for match_id, rows, last in counted.exclude(rows=F("last") + 1).values_list("match_id", "rows", "last"):
        yield match_id, f"spectators see {rows} steps of it, numbered up to {last}: there is a gap"
