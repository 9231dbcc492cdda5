"""Checks of the doctor on hosted bots."""

from django.db.models import Count, F, Max, Q, Sum
from django.db.models.functions import Coalesce, Length

from webui.core.dbtime import before_now
from webui.core.subjects import Problems
from webui.hosting.models import Blob, HostedVersion, Submission

LATE_S = 3600.0
"""Seconds after which an expired lease, or a submission that nobody takes, is a finding."""


def hosting() -> Problems:
    """Yield blobs that are not whole, hosted versions of another bot, and submissions that nobody builds."""
    blobs = Blob.objects.annotate(
        found=Coalesce(Sum(Length("parts__content")), 0), parts_found=Count("parts"), last=Max("parts__number")
    )
    for digest in blobs.filter(~Q(found=F("size")) | ~Q(parts_found=F("last") + 1)).values_list("pk", flat=True):
        yield digest[:12], "the parts of this blob are not all there"
    others = HostedVersion.objects.exclude(version__bot=F("bot"), submission__bot=F("bot"))
    for version_id in others.values_list("pk", flat=True):
        yield f"version {version_id}", "it is hosted for another bot than its own"
    waiting = Submission.objects.filter(ended_at=None, leased_by=None, due_at__lt=before_now(LATE_S))
    for submission_id in waiting.values_list("pk", flat=True):
        yield f"submission {submission_id}", "no runner takes it: is one running?"
