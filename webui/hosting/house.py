"""Versions of house bots that runners play. The arena wrote their files, so nobody builds or examines them."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from arena.hosting.bundle import Bundle
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.hosting.manifest import manifest_json
from arena.hosting.messages import HelloFacts
from webui.bots.actions import register_version
from webui.bots.models import Bot, BotVersion
from webui.core.errors import NotFound
from webui.hosting.blobs import store_blob
from webui.hosting.models import HostedVersion, Submission, SubmissionState


@transaction.atomic
def host_house_version(
    bot_id: int, version: str, bundle: Bundle, facts: HelloFacts, limits: HostingLimits = DEFAULT_LIMITS
) -> None:
    """Let runners play a house bot as this version, with these files, from now on.

    It may be repeated. New files replace the earlier ones, and the version keeps its ratings. Raise `NotFound` if there
    is no such house bot.
    """
    if not Bot.objects.select_for_update().filter(pk=bot_id, is_house=True).exists():
        raise NotFound(f"there is no house bot {bot_id}")
    version_id = register_version(bot_id, version)
    store_blob(bundle.sha256, bundle.packed, limits)
    values = {
        "state": SubmissionState.READY,
        "source_id": bundle.sha256,
        "files": bundle.files,
        "unpacked_bytes": bundle.unpacked_bytes,
        "manifest": manifest_json(bundle.manifest),
        "ended_at": Now(),
        "is_announced": True,
    }
    submission, _ = Submission.objects.update_or_create(
        hosted__pk=version_id, defaults=values, create_defaults={**values, "bot_id": bot_id, "version": version}
    )
    HostedVersion.objects.filter(bot=bot_id, is_current=True).exclude(pk=version_id).update(is_current=False)
    BotVersion.objects.filter(pk=version_id).update(is_hosted=True)
    Bot.objects.filter(pk=bot_id).update(is_hosted=True)
    HostedVersion.objects.update_or_create(
        version_id=version_id,
        defaults={
            "bot_id": bot_id,
            "submission": submission,
            "image_id": bundle.sha256,
            "command": list(bundle.manifest.command),
            "memory_bytes": bundle.manifest.memory_bytes,
            "player_counts": list(facts.player_counts),
            "expansions": list(facts.expansions),
            "wants_legal": facts.wants_legal,
            "sdk": facts.sdk[:100],
            "is_current": True,
        },
    )


@transaction.atomic
def withdraw_house_versions(owner_id: int) -> None:
    """Let runners play the house bots of this owner no more, so that these can dial in.

    Their running matches go on as they are.
    """
    hosted = HostedVersion.objects.filter(bot__owner=owner_id, bot__is_house=True, is_current=True)
    ready = Submission.objects.filter(pk__in=hosted.values("submission"), state=SubmissionState.READY)
    ready.update(state=SubmissionState.WITHDRAWN)
    Bot.objects.filter(owner=owner_id, is_house=True).update(is_hosted=False)
    hosted.update(is_current=False)
