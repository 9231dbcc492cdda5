"""The doctor: checks the invariants of a deployment's tables on live data, without stopping or locking anything.

Each check is a few SELECTs of which none compares what two of them saw, so that matches which go on meanwhile are no
findings. What is slow, proving records once more by the rules, is done for a sample or for all.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, TextField, Window
from django.db.models.functions import Cast, Coalesce, Lag
from django.utils import timezone

from arena.host.signing import SignatureError, check_signature
from arena.referee import HiddenOffer, OfferError, canonical_bytes, check_chain, offer_digest
from arena.rules import RULES
from webui.ladder.actions.matches import new_match_id
from webui.ladder.actions.ratings import rebuild_ratings
from webui.ladder.actions.status import note_examination
from webui.ladder.dbtime import before_now
from webui.ladder.event_checks import events
from webui.ladder.models import (
    ENDED,
    Delivery,
    DeliveryState,
    Ladder,
    LogForm,
    LogRow,
    Match,
    MatchRecord,
    MatchState,
    OfferEntry,
    OfferHead,
    SpectatorRow,
)
from webui.ladder.open_data_checks import open_data
from webui.ladder.record_checks import record_findings
from webui.ladder.signing import public_keys
from webui.ladder.values import RecordAway

SAMPLE = 100
"""Default number of records that are verified."""

LATE_S = 60.0
"""A lease that has been over for this long was not swept: every worker looks at least every few seconds."""

NIGHTS = timedelta(days=3)
"""The nightly run looks back for so long: a night or two may have been missed."""

MOST_FINISHES = 50_000
"""A ladder with more has its ratings folded again by `arena admin doctor` alone."""

WAITING_S = 600.0
"""A match that has waited for this long has no worker that could take it."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Finding:
    """An invariant that does not hold."""

    check: str
    """Name of the check that found it."""
    subject: str
    """Id of the match, or name of the ladder."""
    message: str

    def __str__(self) -> str:
        return f"{self.check}: {self.subject}: {self.message}"


@dataclass(frozen=True)
class Examination:
    """What was checked, and what was found."""

    looked_at: dict[str, int]
    """How many subjects each check had."""
    findings: list[Finding]
    skipped: int
    """Records of the sample that only a process with other rules can verify."""

    @property
    def is_healthy(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "healthy": self.is_healthy}


Progress = Callable[[str, int, int], None]
"""Called with a check's name, how many subjects are done, and how many there are."""


def examine(
    sample: int | None = SAMPLE,
    progress: Progress = lambda check, done, total: None,
    *,
    since: datetime | None = None,
) -> Examination:
    """All checks. `sample`: how many records, drawn anew each time, are proved by the rules; None: all of them.

    With `since` only matches are looked at that go on, or ended since then; and of ladders those that have no more than
    `MOST_FINISHES` finishes, for their ratings are folded from the first one on.
    """
    looked_at: dict[str, int] = {}
    findings: list[Finding] = []
    scope = _Scope(since)
    matches = scope.matches().count()
    checks: dict[str, Callable[[], Found]] = {
        **{check.__name__: partial(check, scope) for check in (_logs, _secrets, _results, _entries, _offers)},
        **{check.__name__: check for check in (_leases, _spectators, _webhooks, events)},
        open_data.__name__: partial(open_data, since),
    }
    for function, check in checks.items():
        name = function.removeprefix("_")
        progress(name, 0, matches)
        findings += [Finding(name, subject, message) for subject, message in check()]
        looked_at[name] = matches
        progress(name, matches, matches)

    listed = Ladder.objects.order_by("slug")
    if since is not None:
        listed = listed.filter(finished__lte=MOST_FINISHES)
    ladders = list(listed.values_list("slug", flat=True))
    looked_at["ratings"] = len(ladders)
    for done, slug in enumerate(ladders, start=1):
        findings += [Finding("ratings", slug, message) for message in _ratings(slug)]
        progress("ratings", done, len(ladders))

    chosen = list(MatchRecord.objects.values_list("pk", flat=True)) if sample is None else _drawn(sample)
    looked_at["records"] = len(chosen)
    skipped = 0
    for done, match_id in enumerate(chosen, start=1):
        match = Match.objects.select_related("secret").get(pk=match_id)
        if match.rules == RULES:
            try:
                findings += [Finding("records", match_id, message) for message in record_findings(match)]
            except RecordAway as error:
                findings.append(Finding("records", match_id, str(error)))
        else:
            skipped += 1
        progress("records", done, len(chosen))
    return Examination(looked_at, findings, skipped)


def _drawn(sample: int) -> list[str]:
    """Ids of `sample` records, or of all if there are fewer, drawn at random: ids are random themselves, so each is
    the next one after a random text among those that were not drawn yet."""
    chosen: set[str] = set()
    for _ in range(sample):
        left = MatchRecord.objects.exclude(pk__in=chosen).order_by("pk").values_list("pk", flat=True)
        if (found := left.filter(pk__gte=new_match_id()).first() or left.first()) is None:
            break
        chosen.add(found)
    return sorted(chosen)


@dataclass(frozen=True)
class _Scope:
    """Which matches are looked at."""

    since: datetime | None

    def matches(self) -> QuerySet[Match]:
        """Those, in no order."""
        return Match.objects.filter(self.condition())

    def condition(self, prefix: str = "") -> Q:
        """On a match, which stands under `prefix`."""
        if self.since is None:
            return Q()
        finished_at = f"{prefix}finished_at"
        return Q(**{f"{finished_at}__isnull": True}) | Q(**{f"{finished_at}__gte": self.since})


class _Stopped(Exception):
    """The process that asked is stopping."""


def examine_nightly(is_stopping: Callable[[], bool] = lambda: False) -> Examination | None:
    """All checks of what is new since the nights before, with every finding as a line in the log, and noted for the
    pages of staff; None if the process
    was stopping meanwhile. For beat: what is older was looked at then, and `arena admin doctor` looks at it again."""

    def look_up(check: str, done: int, total: int) -> None:
        if is_stopping():
            raise _Stopped

    try:
        examination = examine(progress=look_up, since=timezone.now() - NIGHTS)
    except _Stopped:
        log.info("doctor_stopped")
        return None
    findings = [asdict(finding) for finding in examination.findings]
    note_examination(examination.looked_at, findings, examination.skipped)
    for finding in examination.findings:
        log.error("doctor_found", **asdict(finding))
    log.info(
        "doctor_done", findings=len(examination.findings), skipped=examination.skipped, looked_at=examination.looked_at
    )
    return examination


Found = Iterator[tuple[str, str]]
"""Subject and message."""


def _offers(scope: _Scope) -> Found:
    """The log of offers is one chain to its head, each document signed, and with the commitment of its match."""
    # The head first: meanwhile the log may grow beyond it.
    head, keys = OfferHead.objects.first(), public_keys()
    rows = OfferEntry.objects.select_related("match").order_by("number")
    seen: list[OfferEntry] = []
    before: list[HiddenOffer] = []
    if scope.since is not None:
        # From the latest offer before: of a match that goes on since then only the start of a chain is missed.
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


def _logs(scope: _Scope) -> Found:
    """A log has as many entries as its match says, numbered from 0, and no former owner wrote after a later one."""
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


def _secrets(scope: _Scope) -> Found:
    """The seed of a match is nowhere to be read before its end, and is the same everywhere after it."""
    for match_id in scope.matches().filter(secret__isnull=True).values_list("id", flat=True):
        yield match_id, "it has no secret"
    is_ended = Q(state__in=[str(state) for state in ENDED])
    running = Match.objects.filter(state__in=[str(state) for state in MatchState if state not in ENDED])
    for match_id in running.exclude(server_seed="").values_list("id", flat=True):
        yield match_id, "its seed is revealed and it has not ended"
    for match_id in MatchRecord.objects.filter(match__in=running).values_list("match_id", flat=True):
        yield match_id, "its record is there and it has not ended"
    told = LogRow.objects.filter(match__in=running).annotate(written=Cast("data", TextField()))
    seed = F("match__secret__server_seed")
    told = told.filter(Q(text__contains=seed) | Q(written__contains=seed))
    for match_id, number in told.order_by().values_list("match_id", "number"):
        yield match_id, f"log entry {number} holds its seed, and it has not ended"
    unlike = scope.matches().filter(is_ended).exclude(server_seed=F("secret__server_seed"))
    for match_id in unlike.filter(secret__isnull=False).values_list("id", flat=True):
        yield match_id, "the seed that was revealed is not the one that it was played with"


def _results(scope: _Scope) -> Found:
    """A finished match has one result: a record, and a placement for each of its seats."""
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
        players = ruleset["players"]
        if (seats, first, last) != (players, 1, players):
            yield match_id, f"it is for {players} players and its {seats} seats are {first} to {last}"
        elif placed != (players if state == MatchState.FINISHED else 0):
            yield match_id, f"it is {state} and {placed} of its {players} seats have a placement"


def _entries(scope: _Scope) -> Found:
    """A rated finish has one rating entry a seat, at its own number; nothing else has any."""
    counted = scope.matches().annotate(
        entries=Count("rating_entries"), least=Min("rating_entries__number"), most=Max("rating_entries__number")
    )
    rows = counted.values_list("id", "state", "rated", "ruleset", "ladder_number", "entries", "least", "most")
    for match_id, state, rated, ruleset, number, entries, least, most in rows.iterator():
        expected = ruleset["players"] if rated and state == MatchState.FINISHED else 0
        if entries != expected:
            yield match_id, f"it has {entries} rating entries and should have {expected}"
        elif entries and not (least == most == number):
            yield match_id, f"it is finish {number} and its rating entries are of finish {least} to {most}"


def _leases() -> Found:
    """No match has an owner that does not renew its lease, and none waits forever."""
    running = Match.objects.filter(state=MatchState.RUNNING, lease_expires_at__lt=before_now(LATE_S))
    for match_id, owner in running.values_list("id", "owner"):
        yield match_id, f"the lease of {owner} is over and nobody sweeps: is any worker running? Each of them sweeps"
    waiting = Match.objects.filter(state=MatchState.SCHEDULED, waits_since__lt=before_now(WAITING_S))
    for match_id, rules in waiting.values_list("id", "rules"):
        yield match_id, f"it waits for a worker with {rules}: is one running, on the queue `matches`?"


def _spectators() -> Found:
    """What spectators see of a match is there without a gap while it runs, and gone when it has ended."""
    is_ended = Q(match__state__in=[str(state) for state in ENDED])
    for match_id in SpectatorRow.objects.filter(is_ended).order_by().values_list("match_id", flat=True).distinct():
        yield match_id, "it has ended, and what spectators saw before is still there: the nightly task removes it"
    counted = SpectatorRow.objects.order_by().values("match_id").annotate(rows=Count("pk"), last=Max("ply"))
    for match_id, rows, last in counted.exclude(rows=F("last") + 1).values_list("match_id", "rows", "last"):
        yield match_id, f"spectators see {rows} steps of it, numbered up to {last}: there is a gap"


def _webhooks() -> Found:
    """No message waits for long after its time."""
    late = Delivery.objects.filter(state=DeliveryState.DUE, webhook__off="", webhook__user__is_active=True)
    for message in late.filter(next_at__lt=before_now(WAITING_S)).values_list("message", flat=True):
        yield message, "nobody sends it: is a worker running on the queue `upkeep`?"


def _ratings(slug: str) -> Iterator[str]:
    """The finishes of a ladder are numbered without a gap, and its ratings follow from them."""
    ladder = Ladder.objects.annotate(
        numbers=Count("matches__ladder_number"), last=Coalesce(Max("matches__ladder_number"), 0)
    ).get(slug=slug)
    if not ladder.numbers == ladder.last == ladder.finished:
        yield (
            f"it counts {ladder.finished} finishes, and {ladder.numbers} matches have the numbers up to {ladder.last}"
        )
    else:  # a fold over a gap tells nothing more
        yield from rebuild_ratings(slug, write=False).differences
