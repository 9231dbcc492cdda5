"""The declaration of the subject of matches."""

from typing import Final

from webui.core.subjects import READ, Check, Subject
from webui.matches import checks
from webui.matches.models import (
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

SUBJECT: Final = Subject(
    gateway_rights={Match: {"SELECT": ("id", "state")}, Participant: READ},
    site_rights=dict.fromkeys(
        (LogRow, Match, MatchRecord, OfferEntry, OfferHead, PackedLog, Participant, SigningKey, SpectatorRow), READ
    ),
    checks=(
        Check("logs", checks.logs),
        Check("secrets", checks.secrets),
        Check("results", checks.results),
        Check("offers", checks.offers),
        Check("leases", lambda since: checks.leases()),
        Check("spectators", lambda since: checks.spectators()),
    ),
)
