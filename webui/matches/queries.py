"""Queries for lists of matches, and for the page, record, log and offer of a match."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db import connection
from django.db.models import Count, ExpressionWrapper, F, Min, Q, QuerySet, Sum, fields
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce, Now

from arena.referee import Entry, Kind
from webui.accounts.personal_data import time_text
from webui.accounts.queries import renamings
from webui.bots.models import Bot, BotVersion
from webui.bots.queries import VERSIONS, version_ref
from webui.core.dbtime import before_now
from webui.core.errors import NotFound, NotInList
from webui.core.subjects import Document
from webui.ladders.games import ladder_ref
from webui.ladders.models import Ladder
from webui.matches.conditions import ANYTHING, MatchFilters, is_hidden, is_waiting
from webui.matches.hooks import organises_match
from webui.matches.models import ENDED, Match, MatchRecord, MatchState, OfferEntry, Participant, SigningKey
from webui.matches.record_store import packed_of
from webui.matches.records import ended_log, unpack_record
from webui.matches.values import HiddenResult, MatchLine, MatchPage, PageVersion, SeatLine, SeatRating, SignedOffer

# The newest seats of a bot, found quickly however many seats it has.
#
# An index has the seats of each version, newest first. A bot has several versions. The query makes PostgreSQL take
# the newest seats of each version, and then the newest of these. Otherwise it would read and sort all seats of all
# versions.


LOOKED_AT = 10_000
"""Number of newest seats that are searched when the condition is not only the bot."""

_ONE = "(SELECT id FROM matches_participant WHERE version_id = %s AND id < %s ORDER BY id DESC LIMIT %s)"
_EACH = """
SELECT seats.id FROM unnest(%s::bigint[]) AS versions(id) CROSS JOIN LATERAL (
    SELECT id FROM matches_participant WHERE version_id = versions.id AND id < %s ORDER BY id DESC LIMIT %s
) seats"""
_END = 2**63 - 1
FEW = 30
"""Maximum number of versions that are named one by one. The planner then knows which of them have very many seats."""


def newest_seats(versions: Sequence[int], most: int, before: int | None = None) -> QuerySet[Participant]:
    """Return at most `most` of the newest seats of these versions, unordered.

    `before` is a seat's id: only older seats are returned.
    """
    if not versions:
        return Participant.objects.none()
    if connection.vendor != "postgresql":
        seats = Participant.objects.filter(version_id__in=versions)
        return seats if before is None else seats.filter(pk__lt=before)
    last = _END if before is None else before
    values: list[Any]
    if len(versions) <= FEW:
        of_all, values = (
            " UNION ALL ".join([_ONE] * len(versions)),
            [value for version in versions for value in (version, last, most)],
        )
    else:
        of_all, values = _EACH, [list(versions), last, most]
    newest = f"SELECT id FROM ({of_all}) newest ORDER BY id DESC LIMIT %s"  # noqa: S608
    return Participant.objects.filter(pk__in=RawSQL(newest, [*values, most]))  # noqa: S611


SETTLED_S = 30
"""Seconds after which the end of a match is surely committed, whichever process wrote it."""


def matches(
    *,
    states: Iterable[str] = (),
    ladder: str | None = None,
    bot: str | None = None,
    rated: bool | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: str | None = None,
    filters: MatchFilters = ANYTHING,
    limit: int = 50,
    offset: int = 0,
) -> list[MatchLine]:
    """Return matches, newest first, without those that are hidden or have not begun.

    `states`, `ladder`, `bot`, `rated` and `filters` restrict the matches. `since` and `until` restrict the time when
    they were made. Only matches older than the one with the id `before` are returned.

    Not all matches are searched. With `bot` only its newest `LOOKED_AT` seats are searched, or the newest ones older
    than `before`. With `filters` and no bot only the newest `LOOKED_AT` matches are searched.
    """
    conditions = ~is_hidden() & ~is_waiting() & filters.condition()
    if rated is not None:
        conditions &= Q(rated=rated)
    if ladder is not None and rated is False:
        return []  # matches that count for a ladder are rated
    # SQLite stores three digits of a second and compares texts. `.123` sorts before `.123000`, but after `.122999`.
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
        if not filters.is_anything:
            conditions &= _among_the_newest(wanted, ladder)
        return _lines(Match.objects.filter(conditions).order_by("-created_at", "-pk")[offset : offset + limit])
    # Start from the seats of the bot's versions: an index returns them newest first, while matches would be scanned.
    versions = list(BotVersion.objects.filter(bot__slug=bot).order_by("-pk").values_list("pk", flat=True)[:VERSIONS])
    last = None
    if before is not None:
        own = Participant.objects.filter(match=before, version_id__in=versions).order_by("pk")
        last = own.values_list("pk", flat=True).first()
        if last is None:
            return []
    is_filtered = wanted or ladder is not None or since is not None or until is not None or rated is not None
    is_filtered = is_filtered or not filters.is_anything
    return matches_of_versions(versions, conditions if is_filtered else None, last, limit, offset)


def _among_the_newest(states: Sequence[str], ladder: str | None) -> Q:
    """Return the condition that a match is among the newest `LOOKED_AT`, found through an index.

    Only matches of the ladder are counted, or those of the state if there is only one.
    """
    rows = Match.objects.order_by("-created_at", "-pk")
    if ladder is not None:
        rows = rows.filter(ladder__slug=ladder)
    elif len(states) == 1:
        rows = rows.filter(state=states[0])
    # This is a query of its own: as a subquery, PostgreSQL would plan for an unknown time.
    oldest = rows.values_list("created_at", flat=True)[LOOKED_AT - 1 : LOOKED_AT].first()
    return Q() if oldest is None else Q(created_at__gte=oldest)


def matches_of_versions(
    versions: Sequence[int], conditions: Q | None, before: int | None = None, limit: int = 50, offset: int = 0
) -> list[MatchLine]:
    """Return matches in which these versions sit, newest first.

    - `conditions`: the conditions on a match. None stands for "not hidden, and begun".
    - `before`: only seats older than this one.

    Only the newest `LOOKED_AT` of these seats are searched.
    """
    ids: list[str] = []
    # The newest seats fill most pages. Search further only when they do not.
    for most in (min(2 * (offset + limit), LOOKED_AT), LOOKED_AT):
        seats = newest_seats(versions, most, before)
        if conditions is not None:
            seats = seats.filter(match__in=Match.objects.filter(conditions))
        else:
            seats = seats.exclude(is_hidden("match__")).exclude(is_waiting("match__"))
        # A bot may have several seats in a match, and the first one counts. (A query that excludes matches with an
        # earlier seat would scan all seats of the bot.)
        first = dict(seats.order_by("-pk").values_list("match_id", "pk"))
        ids = sorted(first, key=first.__getitem__, reverse=True)[offset : offset + limit]
        if len(ids) == limit or most >= LOOKED_AT:
            break
    return matches_by_id(ids)


def finished_matches(limit: int, *, after: str | None = None) -> list[MatchLine]:
    """Return matches with a result in the order in which they ended, without hidden ones.

    `after` is the id of the match after which they begin. Raise `NotInList` if it has not ended, or its end is hidden.

    Matches that ended less than `SETTLED_S` ago are left out. A transaction that is still open could add a match that
    ended before them.
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
    """Return these matches, in this order."""
    lines = {line.id: line for line in _lines(Match.objects.filter(pk__in=match_ids))}
    return [lines[match_id] for match_id in dict.fromkeys(match_ids)]


def _lines(rows: QuerySet[Match]) -> list[MatchLine]:
    """Return the lines of any number of matches, with two queries."""
    of_challenge = ExpressionWrapper(Q(challenge_match__isnull=False), output_field=fields.BooleanField())
    matches = list(rows.select_related("ladder").annotate(is_challenge=of_challenge))
    ids = [row.id for row in matches]
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
            players=row.ruleset.players,
            expansions=row.ruleset.expansions,
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
        for row in matches
    ]


def _rating(row: Participant) -> SeatRating | None:
    if row.rating is None or row.rating_low is None or row.rating_high is None:
        return None
    return SeatRating(row.rating, row.rating_low, row.rating_high)


def match_page(match_id: str, *, hidden_too: bool = False) -> MatchPage:
    """Return everything public about a match except its moves. The seats are left out until it has begun.

    Raise `HiddenResult` while its result is hidden. With `hidden_too` everything is returned: for the arena itself and
    for organisers.
    """
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
    # Each of two matches that replace each other reveals the bots of the other.
    is_named = hidden_too or not (vars(row)["waits"] or (successor and successor.state == MatchState.SCHEDULED))
    offer: OfferEntry = row.offer
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
        offer=offer.number,
    )


def seen_match(match_id: str, user_id: int | None) -> MatchPage:
    """Return a match as this user may see it. Organisers of its event also see a hidden result."""
    try:
        return match_page(match_id)
    except HiddenResult:
        if user_id is None or not any(organises_match(match_id, user_id)):
            raise
    return match_page(match_id, hidden_too=True)


def page_version(match_id: str) -> PageVersion:
    """Return a version of the match's page, with two queries.

    It does not change with the current ratings of the bots, or with what is suggested to watch next.
    """
    rows = Match.objects.filter(pk=match_id).annotate(hides=is_hidden())
    row = rows.values_list(
        *("finished_at", "hides", "state", "length", "story_version", "replaced_by", "replaced_by__state")
    ).first()
    return PageVersion(repr((row, renamings())), row[0] if row else None)


def match_record(match_id: str) -> dict[str, Any] | None:
    """Return the replay document of a match that has ended. Return None while it runs, or if it ended without one."""
    row = MatchRecord.objects.filter(match_id=match_id).first()
    return unpack_record(packed_of(row)) if row else None


def signing_keys() -> list[bytes]:
    """Return the public keys with which offers and records were signed, oldest first."""
    rows = SigningKey.objects.order_by("created_at", "id").values_list("public_key", flat=True)
    return [bytes.fromhex(key) for key in rows]


@dataclass(frozen=True)
class OfferLine:
    """An entry of the log of offers as everybody may see it."""

    text: str
    """JSON that contains the exact bytes of the signed document. For a hidden match it contains only their hash."""
    is_hidden: bool


def offers(after: int, limit: int) -> list[OfferLine]:
    """Return at most `limit` entries of the log of offers, beginning after the number `after`.

    The log ends before the first match that has not begun. Nobody sees that offer, because bots may not know who plays
    before all of them have accepted.
    """
    rows = OfferEntry.objects.filter(number__gt=after).annotate(is_secret=is_hidden("match__")).order_by("number")
    pending = list(rows.values_list("number", "document", "signature", "key", "is_secret")[:limit])
    # Ask this after the entries are read: a match that was made in between is then among the waiting ones.
    waiting = OfferEntry.objects.filter(is_waiting("match__")).aggregate(first=Min("number"))["first"]
    lines = []
    for number, document, signature, key, is_secret in pending:
        if waiting is not None and number >= waiting:
            break
        text = f'{{"document":{document},"signature":{{"ed25519":"{signature}","key":"{key}"}}}}'
        if is_secret:
            # The document contains the commitment, a hash of a random seed, so nobody can guess it from its hash.
            text = f'{{"number":{number},"digest":"{sha256(document.encode()).hexdigest()}"}}'
        lines.append(OfferLine(text, bool(is_secret)))
    return lines


def match_log(match_id: str, *, notes_of: Sequence[int] = ()) -> list[Entry]:
    """Return the log of a match that has ended, with notes only of the seats in `notes_of`.

    Return an empty list before the end: the log contains what the seats must not know about each other.
    """
    if not Match.objects.filter(pk=match_id, finished_at__isnull=False).exists():
        return []
    log = [entry.entry for entry in ended_log(match_id)]
    return [entry for entry in log if entry.kind != Kind.NOTE or entry.seat in notes_of]


def signed_offer(match_id: str) -> SignedOffer:
    """Return the signed offer of a match that has begun."""
    row = OfferEntry.objects.filter(match=match_id).exclude(is_waiting("match__"))
    return SignedOffer(*row.values_list("document", "key", "signature").get())


def oldest_wait() -> float:
    """Return how many seconds the longest waiting match has waited for a worker, or 0 if none waits."""
    waiting = Match.objects.filter(state=MatchState.SCHEDULED).order_by("waits_since")
    waited = waiting.annotate(
        waited=ExpressionWrapper(Now() - F("waits_since"), output_field=fields.DurationField())
    ).values_list("waited", flat=True)
    first = waited.first()
    return max(0.0, first.total_seconds()) if first else 0.0


def ended_matches(match_ids: Sequence[str], *, for_s: float) -> dict[str, int]:
    """Return the last epoch of each of these matches that ended at least `for_s` seconds ago."""
    ended = Match.objects.filter(pk__in=match_ids, finished_at__lt=before_now(for_s))
    return dict(ended.values_list("id", "epoch"))


def matches_of_bot(bot_id: int, match_ids: Collection[str]) -> dict[str, bool]:
    """Return the matches among these in which the bot sits, and whether each still runs or will run."""
    seats = Participant.objects.filter(version__bot_id=bot_id, match_id__in=match_ids)
    return {match: state not in ENDED for match, state in seats.values_list("match_id", "match__state")}


@dataclass(frozen=True)
class ArenaCounts:
    """Counts for the front page."""

    running: int
    """Number of running matches, without those of hidden rounds."""
    rated: int
    """Number of rated matches that have finished."""
    bots: int


@dataclass(frozen=True)
class MatchCounts:
    """Number of matches in each state."""

    scheduled: int
    running: int
    finished: int
    aborted: int
    void: int


def arena_counts() -> ArenaCounts:
    """Return the counts of the front page from indexes and counters, without scanning a table."""
    running = Match.objects.filter(~is_hidden(), state=MatchState.RUNNING).count()
    finished = Ladder.objects.aggregate(finished=Coalesce(Sum("finished"), 0))["finished"]
    return ArenaCounts(running, finished, Bot.objects.filter(is_person=False).count())


def match_counts() -> MatchCounts:
    """Return the counts for status lines and metrics."""
    counts = dict(Match.objects.values_list("state").annotate(count=Count("pk")))
    return MatchCounts(*(counts.get(str(state), 0) for state in MatchState))


def personal_matches(user_id: int) -> Iterator[Document]:
    """Yield the seats of a user's bots, oldest first. There can be very many."""
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
