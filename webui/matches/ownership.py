"""Ownership of matches until their end: schedule, claim, append, release.

Ownership has five rules:

1. `claim_match` claims a match with one UPDATE: it requires SCHEDULED, and sets RUNNING and a new epoch. If two
   processes claim the same match, only one of them changes the row. Neither of them locks or waits.
2. Every later write names its epoch in the WHERE of its UPDATE; `append` also names the length that it continues. If
   no row changes, the match has another owner or has ended. The caller gets `LostOwnership` and writes nothing more.
3. The lease is measured by the database's clock. Only `sweep` ends the ownership of a silent owner. Until it is swept,
   an owner with an expired lease is still the owner.
4. `release` frees a match at once.
5. A call that is repeated because its answer was lost gets the same answer again.
"""

import secrets
from collections.abc import Sequence
from functools import partial

import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Coalesce, Now

from arena.host import tracing
from arena.referee import Clock, Entry, Policy
from arena.rules import RULES, Ruleset, commitment
from webui.bots.models import BotVersion
from webui.core.dbtime import after_now
from webui.core.errors import BadRequest, NotFound
from webui.ladders.games import ensure_ladder
from webui.matches.appending import write_appends
from webui.matches.dispatching import dispatch
from webui.matches.hooks import ratings_now
from webui.matches.models import LogRow, Match, MatchFailure, MatchSecret, MatchState, OfferEntry, Participant
from webui.matches.records import read_log
from webui.matches.signing import append_offer, lock_offers
from webui.matches.values import LogAppend, LostOwnership, MatchClaim, MatchSeat, SeenDecision, SignedOffer

log = structlog.get_logger(__name__)

ID_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Letters and digits that are not easily mistaken for one another."""


def new_match_id() -> str:
    """Return a random id of twelve letters (59 bits)."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))


@transaction.atomic
def schedule_match(
    ruleset: Ruleset,
    participants: Sequence[int],
    clock: Clock,
    policy: Policy,
    rated: bool,
    deal: bytes | None = None,
    *,
    match_id: str | None = None,
    server_seed: bytes | None = None,
    replaces: str | None = None,
) -> str:
    """Create a match with its signed offer, and return its id. Its task is sent to the workers after the commit.

    `participants` are version ids, seat 1 first. `deal` is the seed of the set-up, if several matches share one.
    `replaces` is the id of the match without a result that this one repeats.

    The id and the seed are random by default. `match_id` is for a match whose id was published before it is made, as
    for challenges. `server_seed` is for tests that need the same match twice.
    """
    began_ns = tracing.now()
    if len(participants) != ruleset.players:
        raise BadRequest(f"{ruleset.players} players need {ruleset.players} bot versions, not {len(participants)}")
    if len(set(participants)) != len(participants):
        raise BadRequest("a bot version cannot sit at two seats of one match")
    if BotVersion.objects.filter(pk__in=participants).count() != len(participants):
        raise NotFound(f"not all of the bot versions {list(participants)} exist")
    head = lock_offers()
    seed = secrets.token_bytes(32) if server_seed is None else server_seed
    match = Match.objects.create(
        id=match_id or new_match_id(),
        rules=RULES,
        ruleset=ruleset,
        clock=clock,
        policy=policy,
        commitment=commitment(seed, deal).hex(),
        rated=rated,
        ladder=ensure_ladder(ruleset, clock) if rated else None,
        replaces_id=replaces,
    )
    MatchSecret.objects.create(match=match, server_seed=seed.hex(), deal=deal.hex() if deal else "")
    ratings = _ratings_now(match.ladder_id, participants)
    Participant.objects.bulk_create(
        Participant(match=match, seat=seat, version_id=version, **ratings.get(version, {}))
        for seat, version in enumerate(participants, start=1)
    )
    append_offer(head, match, participants)
    dispatch(match.id)
    made = {"match": match.id, "players": ruleset.players, "rated": rated}
    transaction.on_commit(partial(log.info, "match_scheduled", **made), robust=True)
    if tracing.is_on:
        transaction.on_commit(partial(_trace, match.id, began_ns), robust=True)
    return match.id


def _ratings_now(ladder_id: int | None, versions: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the published ratings of these versions on a ladder, by version id, as columns of `Participant`."""
    if ladder_id is None:
        return {}
    return {version: seat for answer in ratings_now(ladder_id, versions) for version, seat in answer.items()}


def _trace(match_id: str, began_ns: int) -> None:
    tracing.record("schedule", began_ns, tracing.now(), match=match_id)


def shorten_leases(longest_s: float) -> int:
    """Let no lease end later than in `longest_s` seconds, and return how many did.

    Such a lease was written before the database's clock was set back. Its owner renews it if it lives.
    """
    end = after_now(longest_s)
    return Match.objects.filter(state=MatchState.RUNNING, lease_expires_at__gt=end).update(lease_expires_at=end)


@transaction.atomic
def claim_match(match_id: str, owner: str, lease_s: float) -> MatchClaim | None:
    """Claim a scheduled match.

    Return None if it has another owner or has ended, or if this process does not have its rules. `owner` is a fresh id
    for each run of a task, `PROCESS/RUN`. Claiming again with the same id returns the same claim.

    A match that has failed at the present length of its log is a suspect (`failures`). A process plays at most one
    suspect at a time, so that its death says which of them is at fault. None is returned for any other suspect. A
    process must therefore not claim two matches at the same time.
    """
    if not owner:
        raise BadRequest("an owner needs an id")
    suspects = Exists(MatchFailure.objects.filter(match=OuterRef("pk"), length=OuterRef("length")))
    of_process = Match.objects.filter(suspects, state=MatchState.RUNNING, owner__startswith=owner.partition("/")[0])
    free = Match.objects.filter(pk=match_id, state=MatchState.SCHEDULED, rules=RULES)
    free.filter(~suspects | ~Exists(of_process)).update(
        state=MatchState.RUNNING,
        owner=owner,
        epoch=F("epoch") + 1,
        lease_expires_at=after_now(lease_s),
        started_at=Coalesce("started_at", Now()),
    )
    running = Match.objects.filter(pk=match_id, state=MatchState.RUNNING, owner=owner)
    match = running.select_related("secret", "offer").first()
    if match is None:
        return None
    offer: OfferEntry = match.offer
    seats = Participant.objects.filter(match=match).select_related("version__bot").order_by("seat")
    return MatchClaim(
        match_id=match.id,
        epoch=match.epoch,
        ruleset=match.ruleset,
        seats=tuple(
            MatchSeat(
                seat=row.seat,
                version_id=row.version_id,
                version=row.version.name,
                bot_id=row.version.bot_id,
                bot=row.version.bot.name,
                owner_id=row.version.bot.owner_id,
                is_house=row.version.bot.is_house,
                is_person=row.version.bot.is_person,
            )
            for row in seats
        ),
        clock=match.clock,
        policy=match.policy,
        commitment=match.commitment,
        server_seed=bytes.fromhex(match.secret.server_seed),
        deal=bytes.fromhex(match.secret.deal) if match.secret.deal else None,
        log=read_log(match.id),
        offer=SignedOffer(offer.document, offer.key, offer.signature),
    )


def append(
    match_id: str,
    epoch: int,
    length: int,
    entries: Sequence[Entry],
    lease_s: float,
    seen: Sequence[SeenDecision] = (),
) -> None:
    """Add `entries` to a log of `length` entries, and renew the lease, in one transaction.

    Without entries only the lease is renewed. `seen` is what spectators see of the decisions among the entries. Raise
    `LostOwnership`, and write nothing, if the match is not at this epoch and length.
    """
    if write_appends([LogAppend(match_id, epoch, length, lease_s, entries, seen)]):
        return
    if not entries:
        raise LostOwnership(f"match {match_id} is not running at epoch {epoch}")
    if not _has_appended(match_id, epoch, length, entries):
        raise LostOwnership(f"match {match_id} is not at epoch {epoch} and length {length}")


def append_all(appends: Sequence[LogAppend]) -> list[Exception | None]:
    """Append to several matches at once, and return the error of each, or None.

    One transaction writes everything. If any match fails, each match gets a transaction of its own. Errors of the
    database connection are raised.
    """
    if len(appends) > 1:
        try:
            if write_appends(appends):
                return [None] * len(appends)
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # noqa: BLE001 - one of them is at fault; the loop below finds it
            log.warning("not_appended_together", matches=len(appends), error=repr(error))
    return [_append_alone(item) for item in appends]


def _append_alone(item: LogAppend) -> Exception | None:
    try:
        append(item.match_id, item.epoch, item.length, item.entries, item.lease_s, item.seen)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:  # noqa: BLE001 - raised where that match is played
        return error
    return None


def _has_appended(match_id: str, epoch: int, length: int, entries: Sequence[Entry]) -> bool:
    """Return whether exactly this append was committed earlier, and only its confirmation was lost."""
    written = LogRow.objects.filter(match_id=match_id, epoch=epoch, number__gte=length).order_by("number")
    stored = [Entry(row.number, row.kind, row.seat, row.text, row.data) for row in written[: len(entries)]]
    return (
        stored == [Entry(e.number, e.kind, e.seat, e.text, None if e.data is None else dict(e.data)) for e in entries]
        and Match.objects.filter(pk=match_id, state=MatchState.RUNNING, epoch=epoch).exists()
    )


def renew(match_id: str, epoch: int, lease_s: float) -> None:
    """Renew the lease of a match: it expires in `lease_s` seconds."""
    append(match_id, epoch, 0, (), lease_s)


@transaction.atomic
def release(match_id: str, epoch: int) -> bool:
    """Release a match, so that another worker can continue it. Return False if it already had another owner."""
    released = Match.objects.filter(pk=match_id, state=MatchState.RUNNING, epoch=epoch).update(
        state=MatchState.SCHEDULED,
        owner="",
        lease_expires_at=None,
        waits_since=Now(),
    )
    if released:
        dispatch(match_id)
    return bool(released)
