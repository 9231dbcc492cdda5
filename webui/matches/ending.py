"""The endings of a match: finished with a verified record, aborted before it began, or void. Each match ends once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from django.db import models, transaction
from django.db.models import Q
from django.db.models.functions import Now

from arena.host.steps import encode_step, steps
from arena.referee import AbortReason, Verdict, seat_results
from webui.accounts.actions import check_reason, record_act
from webui.accounts.values import Act, Actor
from webui.bots.models import BotVersion
from webui.bots.queries import MAY_PLAY
from webui.core.errors import BadRequest, NotFound
from webui.ladders.models import Ladder
from webui.matches.dispatching import dispatch
from webui.matches.hooks import match_finished, match_replaced, plays_again_by_itself
from webui.matches.models import ENDED, Match, MatchRecord, MatchSecret, MatchState, Participant, SeatRow, SpectatorRow
from webui.matches.ownership import schedule_match
from webui.matches.records import check_record, pack_record, read_log
from webui.matches.signing import lock_offers, sign_record
from webui.matches.values import LostOwnership, MatchEnding

# The sweeper, which frees matches whose owner no longer renews its lease.
#
# Nothing else can end an ownership from outside.


log = structlog.get_logger(__name__)


def sweep() -> list[str]:
    """Make every match SCHEDULED again whose lease has expired by the database's clock, and return their ids.

    A lost lease says nothing about the match, however often it happens: `failures` says when a match is at fault.
    """
    expired = Match.objects.filter(state=MatchState.RUNNING, lease_expires_at__lt=Now())
    swept = []
    for match_id, epoch, owner, length in expired.values_list("id", "epoch", "owner", "length"):
        with transaction.atomic():
            # Repeat the condition: the owner may have renewed the lease since the SELECT, or another sweeper was
            # faster.
            if not expired.filter(pk=match_id, epoch=epoch).update(
                state=MatchState.SCHEDULED, owner="", lease_expires_at=None, waits_since=Now()
            ):
                continue
            dispatch(match_id)
        log.warning("lease expired", match=match_id, owner=owner, epoch=epoch, length=length)
        swept.append(match_id)
    return swept


class NumberTaken(Exception):
    """Another match of the ladder took the number. Try again with the next one."""


class _NotOurs(Exception):
    """The match has ended, has another owner, or its log has grown. Nothing of this finish may be written."""


def finish_match(match_id: str, epoch: int, verdict: Mapping[str, Any], document: Mapping[str, Any]) -> MatchEnding:
    """End a match with its record: `document` is the replay, and `verdict` becomes part of it.

    Nothing in the document is trusted. Its events and forfeits must be those of the log, and its seed that of the
    match. Everything must follow from the rules.

    One transaction writes the result, the ladder number, the rating entries, the record and the revealed seed. A
    repeated call returns the first answer.
    """
    match = _get(match_id)
    if match.state in ENDED:
        return _answer(match)
    if not (match.state == MatchState.RUNNING and match.epoch == epoch):
        raise LostOwnership(f"match {match_id} is not running at epoch {epoch}")
    document = {**document, "verdict": dict(verdict)}
    # This is the slow part, so it runs outside the transaction. `_write_finish` compares the length, which proves that
    # the log has not changed since this check.
    with steps.doing(encode_step(match_id, epoch)):
        check_record(match, match.secret, read_log(match_id), document)
    while True:
        try:
            _write_finish(match, epoch, document)
        except NumberTaken:
            continue  # another match of the ladder has finished; each retry means that one did
        except _NotOurs:
            pass
        break
    match = _get(match_id)
    if match.state not in ENDED:
        raise LostOwnership(f"match {match_id} is not as it was at epoch {epoch}")
    return _answer(match)


@transaction.atomic
def _write_finish(match: Match, epoch: int, document: Mapping[str, Any]) -> None:
    verdict = Verdict.parse(document["verdict"])
    is_void = verdict.kind == "void"
    number = None
    if match.ladder_id is not None and not is_void:
        number = next_number(match.ladder_id)
    if not _end(
        match,
        Q(state=MatchState.RUNNING, epoch=epoch, length=match.length),
        state=MatchState.VOID if is_void else MatchState.FINISHED,
        verdict=document["verdict"],
        ladder_number=number,
    ):
        raise _NotOurs  # rolls the number back
    _write_result(match, document)
    MatchRecord.objects.create(match=match, packed=pack_record(sign_record(document)))
    match_finished(match, verdict, number)


def next_number(ladder_id: int) -> int:
    """Return the ladder's next number, taken in the caller's transaction. Raise `NumberTaken` on a conflict."""
    number = Ladder.objects.values_list("finished", flat=True).get(pk=ladder_id) + 1
    if not Ladder.objects.filter(pk=ladder_id, finished=number - 1).update(finished=number):
        raise NumberTaken
    return number


def _write_result(match: Match, document: Mapping[str, Any]) -> None:
    seats = list(Participant.objects.filter(match=match).order_by("seat"))
    for row, result in zip(seats, seat_results(document), strict=True):
        row.placement, row.rank, row.score = result.placement, result.rank, result.score
        row.first_bid = None if result.placement is None else result.first_bid
        if result.forfeit is not None:
            row.forfeited_at, row.forfeit_reason = result.forfeit.at, result.forfeit.reason
    columns = ["placement", "first_bid", "rank", "score", "forfeited_at", "forfeit_reason"]
    Participant.objects.bulk_update(seats, columns)


def abort_match(match_id: str, epoch: int, reason: str, declined: Sequence[int] = ()) -> MatchEnding:
    """End a match that never began.

    `declined` are the seats that are the cause. It counts against them that they declined the offer or did not answer
    it. If the reason is NO_PLACE, the offer did not reach them: their turn passes, and they rest if it happens often.
    """
    match = _get(match_id)
    with transaction.atomic():
        if _end(
            match,
            Q(state=MatchState.RUNNING, epoch=epoch),
            state=MatchState.ABORTED,
            verdict={"kind": "aborted"},
            reason=reason[:200],
        ):
            was_absent = reason == AbortReason.NO_PLACE
            Participant.objects.filter(match=match, seat__in=declined).update(
                has_declined=not was_absent, was_absent=was_absent
            )
    match = _get(match_id)
    if match.state not in ENDED:
        raise LostOwnership(f"match {match_id} is not running at epoch {epoch}")
    return _answer(match)


@transaction.atomic
def void_match(
    match_id: str,
    reason: str,
    *,
    again: bool,
    epoch: int | None = None,
    length: int | None = None,
    by: Actor | None = None,
) -> bool:
    """Void a match that the arena cannot continue, whoever owns it. Return False if it was not voided.

    The seed is revealed. With `again`, a new match with another seed is scheduled in its place. With `epoch` or
    `length`, the match is voided only if it is still at this epoch, or its log still has this length.

    `by` is who asked for it. The act is then written to the audit log, and `BadRequest` is raised if a new match is
    wanted and not all bots may play.
    """
    match = _get(match_id)
    if again and by is not None:
        _check_may_play(match)
    condition = Q(state__in=[MatchState.SCHEDULED, MatchState.RUNNING])
    if epoch is not None:
        condition &= Q(epoch=epoch)
    if length is not None:
        condition &= Q(length=length)
    if not _end(match, condition, state=MatchState.VOID, verdict={"kind": "void"}, reason=reason[:200]):
        return False
    another = _schedule_again(match) if again else None
    if by is not None:
        changes = {"state": (match.state, str(MatchState.VOID)), "played_again": (None, another)}
        record_act(Act.MATCH_VOIDED, None, by=by, subject=match.id, reason=reason, changes=changes)
    return True


@transaction.atomic
def play_again(match_id: str, reason: str, *, by: Actor) -> str:
    """Schedule a new match with a new seed in place of one without a result. Return the id of the new match.

    A repeated call returns the first answer. `BadRequest` is raised in these cases:

    - The match has a result or is not over.
    - It belongs to an event, a comparison or an examination. These repeat their matches themselves.
    - Not all of its bots may play.
    """
    reason = check_reason(reason)
    lock_offers()  # one at a time
    match = _get(match_id)
    if (successor := getattr(match, "replaced_by", None)) is not None:
        return str(successor.pk)
    if match.state not in (MatchState.VOID, MatchState.ABORTED):
        raise BadRequest(f"match {match_id} is {match.state}: only one without a result is played again")
    if any(plays_again_by_itself(match)):
        raise BadRequest(f"match {match_id} is part of something that repeats it as soon as its bots are connected")
    _check_may_play(match)
    another = _schedule_again(match)
    record_act(Act.MATCH_AGAIN, None, by=by, subject=match.id, reason=reason, changes={"played_again": (None, another)})
    return another


def _check_may_play(match: Match) -> None:
    """Raise `BadRequest` unless all bots of the match may be given new matches."""
    seated = BotVersion.objects.filter(participations__match=match)
    banned = seated.exclude(pk__in=BotVersion.objects.filter(MAY_PLAY))
    if match.rated:
        banned |= seated.filter(exclusions__ended_at=None, exclusions__isnull=False)
    if names := sorted(set(banned.values_list("bot__name", flat=True))):
        raise BadRequest(f"match {match.id} is not played again: {', '.join(names)} may not play")


def _schedule_again(match: Match) -> str:
    """Schedule a match that replaces one without a result, and return its id.

    The subjects that the old match belongs to are notified.
    """
    another = schedule_match(
        ruleset=match.ruleset,
        participants=list(match.participants.order_by("seat").values_list("version_id", flat=True)),
        clock=match.clock,
        policy=match.policy,
        rated=match.rated,
        deal=bytes.fromhex(match.secret.deal) if match.secret.deal else None,
        replaces=match.id,
    )
    match_replaced(match, another)
    return another


def replaced_in(lines: type[models.Model]) -> Callable[[Match, str], None]:
    """Return the receiver of `match_replaced` for a table with one row for each try of a match. It adds the next
    try.
    """

    def replace(match: Match, another: str) -> None:
        line: Any = lines._default_manager.filter(match=match).first()
        if line is not None:
            line.pk, line.match_id, line.tries = None, another, line.tries + 1
            line.save(force_insert=True)

    return replace


def _end(match: Match, condition: Q, *, state: MatchState, verdict: Mapping[str, Any], **values: Any) -> bool:
    """End the match with a single UPDATE if the condition holds, and reveal its seed.

    From then on everybody sees the record, so the rows for spectators are deleted.
    """
    secret = MatchSecret.objects.get(match=match)
    has_ended = bool(
        Match.objects.filter(condition, pk=match.pk).update(
            state=state,
            verdict=dict(verdict),
            owner="",
            lease_expires_at=None,
            finished_at=Now(),
            server_seed=secret.server_seed,
            **values,
        )
    )
    if has_ended:
        SpectatorRow.objects.filter(match=match).delete()
        SeatRow.objects.filter(match=match).delete()
    return has_ended


def _get(match_id: str) -> Match:
    try:
        return Match.objects.select_related("secret", "ladder").get(pk=match_id)
    except Match.DoesNotExist as error:
        raise NotFound(f"there is no match {match_id!r}") from error


def _answer(match: Match) -> MatchEnding:
    placements = Participant.objects.filter(match=match).order_by("seat").values_list("placement", flat=True)
    return MatchEnding(
        match_id=match.id,
        state=match.state,
        placements=tuple(place for place in placements if place is not None),
        ladder=match.ladder.slug if match.ladder else None,
        ladder_number=match.ladder_number,
    )
