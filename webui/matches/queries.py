"""Matches: lists, one match, its record and its log."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db.models import Count, ExpressionWrapper, F, Min, Q, QuerySet, Sum, fields
from django.db.models.functions import Coalesce, Now

from arena.referee import Entry, Kind
from webui.accounts.personal_data import time_text
from webui.bots.models import Bot, BotVersion
from webui.bots.queries import VERSIONS
from webui.bots.refs import version_ref
from webui.core.dbtime import before_now
from webui.core.errors import NotFound, NotInList
from webui.core.subjects import Document
from webui.ladders.games import ladder_ref
from webui.ladders.models import Ladder
from webui.matches.hidden import is_hidden, is_waiting
from webui.matches.hooks import organises_match
from webui.matches.models import ENDED, Match, MatchRecord, MatchState, OfferEntry, Participant, SigningKey
from webui.matches.record_store import packed_of
from webui.matches.records import ended_log, unpack_record
from webui.matches.search import ANYTHING, Sought
from webui.matches.seats import LOOKED_AT, newest_seats
from webui.matches.values import HiddenResult, MatchLine, MatchPage, SeatLine, SeatRating, SignedOffer

SETTLED_S = 30
"""Seconds after which the end of a match is written, whoever wrote it."""


def matches(
    *,
    states: Iterable[str] = (),
    ladder: str | None = None,
    bot: str | None = None,
    rated: bool | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: str | None = None,
    sought: Sought = ANYTHING,
    limit: int = 50,
    offset: int = 0,
) -> list[MatchLine]:
    """Matches, newest first; optionally in one of these states, of a ladder, of a bot, rated or not, made between two
    times, older than the match `before`, with what is `sought`. Without those whose results are hidden, and those that
    have not begun. Of a bot those among its newest `LOOKED_AT` seats, or the newest before `before`; what is sought,
    among so many of the newest matches."""
    conditions = ~is_hidden() & ~is_waiting() & sought.condition()
    if rated is not None:
        conditions &= Q(rated=rated)
    if ladder is not None and rated is False:
        return []  # what counts for a ladder is rated
    # SQLite keeps three digits of a second and compares texts: `.123` comes before `.123000`, but after `.122999`.
    if since is not None:
        conditions &= Q(created_at__gt=since - timedelta(microseconds=1))
    if until is not None:
        conditions &= Q(created_at__lte=until - timedelta(microseconds=1))
    wanted = [str(state) for state in states]
    if wanted:
        conditions &= Q(state__in=wanted)
    if ladder is not None:
        ladder_id = Ladder.objects.filter(slug=ladder).values_list("pk", flat=True).first()
        if ladder_id is None:
            return []
        conditions &= Q(ladder_id=ladder_id)
    if bot is None:
        if before is not None:
            at = Match.objects.filter(pk=before).values("created_at")[:1]
            conditions &= Q(created_at__lt=at) | Q(created_at=at, pk__lt=before)
        if not sought.is_anything:
            conditions &= _among_the_newest(wanted, ladder)
        return _lines(Match.objects.filter(conditions).order_by("-created_at", "-pk")[offset : offset + limit])
    # From the seats of its versions: an index gives them newest first, while the matches would have to be gone through.
    versions = list(BotVersion.objects.filter(bot__slug=bot).order_by("-pk").values_list("pk", flat=True)[:VERSIONS])
    last = None
    if before is not None:
        own = Participant.objects.filter(match=before, version_id__in=versions).order_by("pk")
        last = own.values_list("pk", flat=True).first()
        if last is None:
            return []
    is_filtered = wanted or ladder is not None or since is not None or until is not None or rated is not None
    is_filtered = is_filtered or not sought.is_anything
    return matches_of_versions(versions, conditions if is_filtered else None, last, limit, offset)


def _among_the_newest(states: Sequence[str], ladder: str | None) -> Q:
    """That a match is among the newest `LOOKED_AT` in these states, or of this ladder: each by an index."""
    rows = Match.objects.order_by("-created_at", "-pk")
    if ladder is not None:
        rows = rows.filter(ladder__slug=ladder)
    elif len(states) == 1:
        rows = rows.filter(state=states[0])
    # Read for itself: a query that had it inside would be planned as if it were any time.
    oldest = rows.values_list("created_at", flat=True)[LOOKED_AT - 1 : LOOKED_AT].first()
    return Q() if oldest is None else Q(created_at__gte=oldest)


def matches_of_versions(
    versions: Sequence[int], conditions: Q | None, before: int | None = None, limit: int = 50, offset: int = 0
) -> list[MatchLine]:
    """Matches in which these versions sit, newest first, that satisfy the conditions (None: that may be seen), among
    their newest `LOOKED_AT` seats, or those older than the seat `before`."""
    found: list[str] = []
    # Most pages are full of the newest; only where they are not, more are looked at.
    for most in (min(2 * (offset + limit), LOOKED_AT), LOOKED_AT):
        seats = newest_seats(versions, most, before)
        if conditions is not None:
            seats = seats.filter(match__in=Match.objects.filter(conditions))
        else:
            seats = seats.exclude(is_hidden("match__")).exclude(is_waiting("match__"))
        # A bot may have several seats in a match, of which the first one counts. (A query that asked for no other
        # seat before would go through all seats of the bot.)
        first = dict(seats.order_by("-pk").values_list("match_id", "pk"))
        found = sorted(first, key=first.__getitem__, reverse=True)[offset : offset + limit]
        if len(found) == limit or most >= LOOKED_AT:
            break
    return matches_by_id(found)


def finished_matches(limit: int, *, after: str | None = None) -> list[MatchLine]:
    """Matches with a result in the order in which they ended, those after the match `after`, without hidden ones.
    `NotInList` if that has not ended, or nobody may know that it has.

    The last ones are left out for `SETTLED_S`: what is written at the same time could come to stand before them.
    """
    rows = Match.objects.filter(~is_hidden(), state=MatchState.FINISHED, finished_at__lt=before_now(SETTLED_S))
    if after is not None:
        last = Match.objects.filter(~is_hidden(), pk=after, finished_at__isnull=False)
        if not last.exists():
            raise NotInList(f"there is no match {after!r} that has ended")
        at = last.values("finished_at")[:1]
        rows = rows.filter(Q(finished_at__gt=at) | Q(pk__gt=after), finished_at__gte=at)
    return _lines(rows.order_by("finished_at", "pk")[:limit])


def matches_by_id(match_ids: Sequence[str]) -> list[MatchLine]:
    """These matches, in this order."""
    lines = {line.id: line for line in _lines(Match.objects.filter(pk__in=match_ids))}
    return [lines[match_id] for match_id in dict.fromkeys(match_ids)]


def _lines(rows: QuerySet[Match]) -> list[MatchLine]:
    """For any number of matches, two queries."""
    of_challenge = ExpressionWrapper(Q(challenge_match__isnull=False), output_field=fields.BooleanField())
    found = list(rows.select_related("ladder").annotate(is_challenge=of_challenge))
    ids = [row.id for row in found]
    seats: dict[str, list[SeatLine]] = {match_id: [] for match_id in ids}
    participants = Participant.objects.filter(match_id__in=ids).select_related("version__bot__owner")
    for row in participants.order_by("match_id", "seat"):
        seats[row.match_id].append(
            SeatLine(
                seat=row.seat,
                version=version_ref(row.version),
                placement=row.placement,
                rank=row.rank,
                score=row.score,
                forfeited_at=row.forfeited_at,
                forfeit_reason=row.forfeit_reason,
                rating=_rating(row),
            )
        )
    return [
        MatchLine(
            id=row.id,
            state=row.state,
            players=row.ruleset["players"],
            expansions=tuple(row.ruleset["expansions"]),
            rated=row.rated,
            is_challenge=bool(vars(row)["is_challenge"]),
            ladder=ladder_ref(row.ladder) if row.ladder else None,
            ladder_number=row.ladder_number,
            length=row.length,
            created_at=row.created_at,
            started_at=row.started_at,
            finished_at=row.finished_at,
            reason=row.reason,
            seats=seats[row.id],
        )
        for row in found
    ]


def _rating(row: Participant) -> SeatRating | None:
    if row.rating is None or row.rating_low is None or row.rating_high is None:
        return None
    return SeatRating(row.rating, row.rating_low, row.rating_high)


def match_page(match_id: str, *, hidden_too: bool = False) -> MatchPage:
    """Everything public about a match, but its moves; without its seats before it has begun. `HiddenResult` while its
    result is hidden. All of it, if the arena itself or an organiser asks (`hidden_too`)."""
    rows = Match.objects.filter(pk=match_id).select_related("ladder", "replaced_by", "offer")
    row = rows.annotate(waits=is_waiting()).first()
    if row is None:
        raise NotFound(f"there is no match {match_id!r}")
    if not hidden_too and rows.filter(is_hidden()).exists():
        raise HiddenResult("the results of this round are hidden until the organiser reveals them")
    (line,) = _lines(rows)
    if not hidden_too and vars(row)["waits"]:
        line = replace(line, seats=[])
    successor: Match | None = getattr(row, "replaced_by", None)
    # Either of two that replace each other names who plays in the other.
    is_named = hidden_too or not (vars(row)["waits"] or (successor and successor.state == MatchState.SCHEDULED))
    entry: OfferEntry | None = getattr(row, "offer", None)
    return MatchPage(
        line=line,
        rules=row.rules,
        clock=row.clock,
        policy=row.policy,
        commitment=row.commitment,
        server_seed=row.server_seed,
        verdict=row.verdict,
        replaces=row.replaces_id if is_named else None,
        replaced_by=successor.id if successor and is_named else None,
        offer=entry.number if entry else None,
    )


def seen_match(match_id: str, user_id: int | None) -> MatchPage:
    """A match as this user may see it, an organiser of its event while its result is hidden, too."""
    try:
        return match_page(match_id)
    except HiddenResult:
        if user_id is None or not any(organises_match(match_id, user_id)):
            raise
    return match_page(match_id, hidden_too=True)


def match_record(match_id: str) -> dict[str, Any] | None:
    """The replay document of a match that has ended; None while it runs, and where it ended without one."""
    row = MatchRecord.objects.filter(match_id=match_id).first()
    return unpack_record(packed_of(row)) if row else None


def signing_keys() -> list[bytes]:
    """The public keys with which offers and records were signed, the first one first."""
    rows = SigningKey.objects.order_by("created_at", "id").values_list("public_key", flat=True)
    return [bytes.fromhex(key) for key in rows]


@dataclass(frozen=True)
class OfferLine:
    """An entry of the log of offers as everybody may see it."""

    text: str
    """JSON, with the very bytes of the document that is signed; of a hidden match only with the hash of those."""
    is_hidden: bool


def offers(after: int, limit: int) -> list[OfferLine]:
    """At most so many entries of the log of offers, from the one after number `after` on. The log ends before the first
    match that has not begun: its bots are not told who plays before all have accepted, so it is shown to nobody."""
    rows = OfferEntry.objects.filter(number__gt=after).annotate(is_secret=is_hidden("match__")).order_by("number")
    found = list(rows.values_list("number", "document", "signature", "key", "is_secret")[:limit])
    # After they were read: a match that is made in between waits, and would be among them.
    waiting = OfferEntry.objects.filter(is_waiting("match__")).aggregate(first=Min("number"))["first"]
    lines = []
    for number, document, signature, key, is_secret in found:
        if waiting is not None and number >= waiting:
            break
        text = f'{{"document":{document},"signature":{{"ed25519":"{signature}","key":"{key}"}}}}'
        if is_secret:
            # The commitment, the hash of a random seed, is part of the document: nobody guesses that from its hash.
            text = f'{{"number":{number},"digest":"{sha256(document.encode()).hexdigest()}"}}'
        lines.append(OfferLine(text, bool(is_secret)))
    return lines


def match_log(match_id: str, *, notes_of: Sequence[int] = ()) -> list[Entry]:
    """The log of a match that has ended, without the notes of other seats than these. Empty before the end: it holds
    what the seats must not know of each other."""
    if not Match.objects.filter(pk=match_id, finished_at__isnull=False).exists():
        return []
    log = [entry.entry for entry in ended_log(match_id)]
    return [entry for entry in log if entry.kind != Kind.NOTE or entry.seat in notes_of]


def signed_offer(match_id: str) -> SignedOffer | None:
    """The offer of a match that has begun, as it was signed; None for one from before there were signed offers."""
    row = OfferEntry.objects.filter(match=match_id).exclude(is_waiting("match__"))
    found = row.values_list("document", "key", "signature").first()
    return None if found is None else SignedOffer(*found)


def oldest_wait() -> float:
    """Seconds that the longest waiting match has waited for a worker; 0 when none waits."""
    waiting = Match.objects.filter(state=MatchState.SCHEDULED).order_by("waits_since")
    waited = waiting.annotate(
        waited=ExpressionWrapper(Now() - F("waits_since"), output_field=fields.DurationField())
    ).values_list("waited", flat=True)
    first = waited.first()
    return max(0.0, first.total_seconds()) if first else 0.0


def ended_matches(match_ids: Sequence[str], *, for_s: float) -> dict[str, int]:
    """Of these matches those that ended so long ago at least, each with its last epoch."""
    ended = Match.objects.filter(pk__in=match_ids, finished_at__lt=before_now(for_s))
    return dict(ended.values_list("id", "epoch"))


def matches_of_bot(bot_id: int, match_ids: Collection[str]) -> dict[str, bool]:
    """Of these matches those in which the bot sits, and whether each runs or is to run."""
    found = Participant.objects.filter(version__bot_id=bot_id, match_id__in=match_ids)
    return {match: state not in ENDED for match, state in found.values_list("match_id", "match__state")}


@dataclass(frozen=True)
class ArenaCounts:
    """Counts for the front page."""

    running: int
    """Those of hidden rounds left out."""
    rated: int
    """Rated matches that have finished."""
    bots: int


@dataclass(frozen=True)
class MatchCounts:
    """How many matches are in each state."""

    scheduled: int
    running: int
    finished: int
    aborted: int
    void: int


def arena_counts() -> ArenaCounts:
    """The counts of the front page, from indexes and counters, without scanning a table."""
    running = Match.objects.filter(~is_hidden(), state=MatchState.RUNNING).count()
    finished = Ladder.objects.aggregate(finished=Coalesce(Sum("finished"), 0))["finished"]
    return ArenaCounts(running, finished, Bot.objects.count())


def match_counts() -> MatchCounts:
    """For status lines and metrics."""
    counts = dict(Match.objects.values_list("state").annotate(count=Count("pk")))
    return MatchCounts(*(counts.get(str(state), 0) for state in MatchState))


def personal_matches(user_id: int) -> Iterator[Document]:
    """The seats of a user's bots, the oldest first: there may be very many."""
    seats = Participant.objects.filter(version__bot__owner=user_id).exclude(is_hidden("match__")).order_by("pk")
    columns = ("match_id", "match__created_at", "match__state", "version__bot__name", "version__name", "seat",
               "placement", "score", "forfeit_reason")  # fmt: skip
    for match, at, state, bot, version, seat, placement, score, forfeit in seats.values_list(*columns).iterator(
        chunk_size=1000
    ):
        yield {
            "match": match, "made": time_text(at), "state": state, "bot": bot, "version": version, "seat": seat,
            "placement": placement, "score": score, "forfeit": forfeit or None,
        }  # fmt: skip
