"""The declaration of the subject of matches."""

from collections.abc import Iterator
from typing import Final

from webui.core.subjects import READ, Check, Rule, Subject
from webui.matches import checks
from webui.matches.models import (
    ENDED,
    LogRow,
    Match,
    MatchRecord,
    OfferEntry,
    OfferHead,
    PackedLog,
    Participant,
    SigningKey,
    SpectatorRow,
)


def _retention() -> Iterator[Rule]:
    # A worker of another version may not know this table, and leave its rows behind.
    ended = [str(state) for state in ENDED]
    yield Rule("what spectators saw", SpectatorRow.objects.filter(match__state__in=ended))


SUBJECT: Final = Subject(
    gateway_rights={Match: {"SELECT": ("id", "state")}, Participant: READ},
    site_rights=dict.fromkeys(
        (LogRow, Match, MatchRecord, OfferEntry, OfferHead, PackedLog, Participant, SigningKey, SpectatorRow), READ
    ),
    retention=_retention,
    checks=(
        Check("logs", checks.logs),
        Check("secrets", checks.secrets),
        Check("results", checks.results),
        Check("offers", checks.offers),
        Check("leases", lambda since: checks.leases()),
        Check("spectators", lambda since: checks.spectators()),
    ),
)
