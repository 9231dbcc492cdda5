"""Matches until their end: schedule, claim, append, release.

Ownership, in five rules:

1. A match is claimed by `claim_match`: one UPDATE that asks for SCHEDULED and makes it RUNNING with a new epoch.
   Of two claimers one changes a row and one does not; nothing is locked, nothing is waited for.
2. Every later write names its epoch (and `append` the length it continues) in the WHERE of its UPDATE. No row changed
   means that the match belongs to somebody else or has ended: `LostOwnership`, and the caller writes nothing more.
3. The lease runs by the database's clock. Only `sweep` ends the ownership of a silent owner; an owner whose lease has
   run out but who was not swept is still the owner.
4. `release` hands a match back at once.
5. A call that is repeated because its answer was lost gets the same answer again.
"""

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Greatest, Now

from arena.host import tracing
from arena.referee import Entry
from arena.rules import RULES, Ruleset, commitment, parse_ruleset
from arena.wire.codec import pack_view
from webui.bots.models import BotVersion
from webui.core.dbtime import after_now
from webui.core.errors import BadRequest, NotFound
from webui.ladders.games import ensure_ladder
from webui.matches.appending import write_appends
from webui.matches.dispatching import dispatch
from webui.matches.hooks import ratings_now
from webui.matches.models import LogRow, Match, MatchSecret, MatchState, OfferEntry, Participant, SpectatorRow
from webui.matches.offers import append_offer, lock_offers
from webui.matches.records import read_log
from webui.matches.values import Claim, LogAppend, LostOwnership, MatchSeat, SeenDecision, SignedOffer

log = structlog.get_logger(__name__)

log = structlog.get_logger(__name__)

ID_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""None of them looks like another."""


def new_match_id() -> str:
    """A random id of twelve letters (59 bits)."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))


@transaction.atomic
def schedule_match(
    ruleset: Ruleset,
    participants: Sequence[int],
    clock: Mapping[str, Any],
    policy: Mapping[str, Any],
    rated: bool,
    deal: bytes | None = None,
    *,
    match_id: str | None = None,
    server_seed: bytes | None = None,
    replaces: str | None = None,
) -> str:
    """Create a match with its signed offer, and announce it to the workers after the commit. `participants`: version
    ids, seat 1 first.

    `match_id` is for a match that has a name before it is made, as a challenge gives it one; `server_seed` for tests
    that need the same match twice. Otherwise they are random.
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
        ruleset=ruleset.document(),
        clock=dict(clock),
        policy=dict(policy),
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
    append_offer(head, match, participants, ruleset.document())
    dispatch(match.id)
    made = {"match": match.id, "players": ruleset.players, "rated": rated}
    transaction.on_commit(partial(log.info, "match_scheduled", **made), robust=True)
    if tracing.is_on:
        transaction.on_commit(partial(_trace, match.id, began_ns), robust=True)
    return match.id


def _ratings_now(ladder_id: int | None, versions: Sequence[int]) -> dict[int, dict[str, int]]:
    """What is published of these versions on a ladder, as columns of their seats."""
    if ladder_id is None:
        return {}
    return {version: seat for answer in ratings_now(ladder_id, versions) for version, seat in answer.items()}


def _trace(match_id: str, began_ns: int) -> None:
    tracing.record("schedule", began_ns, tracing.now(), match=match_id)


@transaction.atomic
def claim_match(match_id: str, owner: str, lease_s: float) -> Claim | None:
    """Claim a scheduled match. None if it has another owner or has ended, or if this process lacks its rules.

    `owner` is a fresh id for each run of a task; claiming again with the same one gives the same claim.
    """
    if not owner:
        raise BadRequest("an owner needs an id")
    Match.objects.filter(pk=match_id, state=MatchState.SCHEDULED, rules=RULES).update(
        state=MatchState.RUNNING,
        owner=owner,
        epoch=F("epoch") + 1,
        attempts=F("attempts") + 1,
        lease_expires_at=after_now(lease_s),
        started_at=Coalesce("started_at", Now()),
    )
    running = Match.objects.filter(pk=match_id, state=MatchState.RUNNING, owner=owner)
    match = running.select_related("secret", "offer").first()
    if match is None:
        return None
    entry: OfferEntry | None = getattr(match, "offer", None)  # none if it was made before there were signed offers
    seats = Participant.objects.filter(match=match).select_related("version__bot").order_by("seat")
    return Claim(
        match_id=match.id,
        epoch=match.epoch,
        ruleset=parse_ruleset(match.ruleset),
        seats=tuple(
            MatchSeat(
                seat=row.seat,
                version_id=row.version_id,
                version=row.version.name,
                bot_id=row.version.bot_id,
                bot=row.version.bot.name,
                owner_id=row.version.bot.owner_id,
                is_house=row.version.bot.is_house,
            )
            for row in seats
        ),
        clock=match.clock,
        policy=match.policy,
        commitment=match.commitment,
        server_seed=bytes.fromhex(match.secret.server_seed),
        deal=bytes.fromhex(match.secret.deal) if match.secret.deal else None,
        log=read_log(match.id),
        offer=SignedOffer(entry.document, entry.key, entry.signature) if entry else None,
        seen=SpectatorRow.objects.filter(match=match).count(),
    )


def append(
    match_id: str,
    epoch: int,
    length: int,
    entries: Sequence[Entry],
    lease_s: float,
    seen: Sequence[SeenDecision] = (),
) -> None:
    """Add entries to a log that has `length` of them, and renew the lease: all in one transaction or not at all.
    Without entries the lease alone is renewed.

    `seen` is what spectators see of the decisions among them.
    """
    if write_appends([LogAppend(match_id, epoch, length, lease_s, entries, seen)]):
        return
    if not entries:
        raise LostOwnership(f"match {match_id} is not running at epoch {epoch}")
    if not _has_appended(match_id, epoch, length, entries):
        raise LostOwnership(f"match {match_id} is not at epoch {epoch} and length {length}")


def append_all(appends: Sequence[LogAppend]) -> list[Exception | None]:
    """`append` for several matches, in one transaction if nothing is wrong with any of them; otherwise each in its own.
    What each has come to; a database that is away is raised."""
    if len(appends) > 1:
        try:
            if write_appends(appends):
                return [None] * len(appends)
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # noqa: BLE001 - one of them is at fault, and found out below
            log.warning("not_appended_together", matches=len(appends), error=repr(error))
    return [_append_alone(one) for one in appends]


def _append_alone(one: LogAppend) -> Exception | None:
    try:
        append(one.match_id, one.epoch, one.length, one.entries, one.lease_s, one.seen)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:  # noqa: BLE001 - raised where that match is played
        return error
    return None


def _has_appended(match_id: str, epoch: int, length: int, entries: Sequence[Entry]) -> bool:
    """Whether exactly this append was committed before, and only its confirmation was lost."""
    written = LogRow.objects.filter(match_id=match_id, epoch=epoch, number__gte=length).order_by("number")
    found = [Entry(row.number, row.kind, row.seat, row.text, row.data) for row in written[: len(entries)]]
    return (
        found == [Entry(e.number, e.kind, e.seat, e.text, None if e.data is None else dict(e.data)) for e in entries]
        and Match.objects.filter(pk=match_id, state=MatchState.RUNNING, epoch=epoch).exists()
    )


@transaction.atomic
def show(match_id: str, epoch: int, seen: Sequence[SeenDecision]) -> None:
    """Store steps for spectators that are missing: the former owner's program did not know of them."""
    if not Match.objects.select_for_update().filter(pk=match_id, state=MatchState.RUNNING, epoch=epoch).exists():
        raise LostOwnership(f"match {match_id} is not running at epoch {epoch}")
    rows = [
        SpectatorRow(
            match_id=match_id,
            ply=step.ply,
            index=step.index,
            seat=step.seat,
            text=step.text,
            chance=step.chance,
            view=pack_view(step.view),
        )
        for step in seen
    ]
    SpectatorRow.objects.bulk_create(rows, ignore_conflicts=True)


def renew(match_id: str, epoch: int, lease_s: float) -> None:
    """Renew the lease of a match: `lease_s` seconds from now."""
    append(match_id, epoch, 0, (), lease_s)


@transaction.atomic
def release(match_id: str, epoch: int) -> bool:
    """Release a match, so that another worker can continue it. False if it had another owner by then."""
    released = Match.objects.filter(pk=match_id, state=MatchState.RUNNING, epoch=epoch).update(
        state=MatchState.SCHEDULED,
        owner="",
        lease_expires_at=None,
        waits_since=Now(),
        attempts=Greatest(F("attempts") - 1, 0),
    )
    if released:
        dispatch(match_id)
    return bool(released)
