"""The sweeper: frees matches whose owner no longer renews its lease. Nothing else ends an ownership from outside."""

import structlog
from django.db import transaction
from django.db.models.functions import Now

from webui.matches.dispatching import dispatch
from webui.matches.ending import void_match
from webui.matches.models import Match, MatchState

MAX_ATTEMPTS = 3
"""This many owners may fail at one length of the log; then the match is at fault, is voided and played anew."""

log = structlog.get_logger(__name__)


def sweep() -> list[str]:
    """Make every match SCHEDULED again whose lease has expired by the database's clock; their ids.

    A match that nobody could continue is voided, and scheduled again as a new match with a new seed.
    """
    expired = Match.objects.filter(state=MatchState.RUNNING, lease_expires_at__lt=Now())
    swept = []
    for match_id, epoch, owner, length, attempts in expired.values_list("id", "epoch", "owner", "length", "attempts"):
        if attempts >= MAX_ATTEMPTS:
            reason = f"{attempts} workers failed to continue it at log entry {length}"
            if void_match(match_id, reason, again=True, epoch=epoch, only_expired=True):
                log.error("match voided", match=match_id, length=length, attempts=attempts)
            continue
        with transaction.atomic():
            # The owner may have renewed since the SELECT, and another sweeper may be at it: ask again.
            if not expired.filter(pk=match_id, epoch=epoch).update(
                state=MatchState.SCHEDULED, owner="", lease_expires_at=None, waits_since=Now()
            ):
                continue
            dispatch(match_id)
        log.warning("lease expired", match=match_id, owner=owner, epoch=epoch, length=length, attempts=attempts)
        swept.append(match_id)
    return swept
