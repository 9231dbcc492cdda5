"""What is counted, for Prometheus, by whichever process does it."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter

EMAILS: Final = Counter("arena_emails_total", "Emails of notices, by what came of them", ["outcome"])
"""`sent` or `failed`."""
# A series that is there from the beginning shows its first event as an increase.
for _outcome in ("sent", "failed"):
    EMAILS.labels(_outcome)
