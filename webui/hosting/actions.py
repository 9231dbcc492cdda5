"""Actions of owners and staff on submissions and hosted versions, and the registration of runners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from arena.hosting.bundle import WEIGHTS, Bundle, PackedWeights
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.hosting.manifest import BotManifest, manifest_json
from arena.hosting.messages import RunnerFacts
from arena.hosting.runtime import TOOLS
from arena.sandbox.limits import MIB
from arena.wire.versions import is_commit
from webui.accounts import names
from webui.accounts.models import User
from webui.accounts.values import TOKEN_START, Actor, new_token, token_digest
from webui.bots.actions import check_note
from webui.bots.models import Bot, BotState, BotVersion
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NameTaken, NotFound, TooMany
from webui.core.uploads import NoRoom
from webui.hosting.blobs import store_blob
from webui.hosting.models import OPEN, BotWeights, HostedVersion, HostingPause, Runner, Submission, SubmissionState
from webui.hosting.queries import runtimes, stored_sizes, submission, total_stored
from webui.hosting.values import SubmissionValue
from webui.matches.models import Participant
from webui.pairing.sessions import IN_FLIGHT_STATES

DAY_S: Final = 86400.0
RUNNER_TOKEN_START: Final = TOKEN_START + "runner_"
SEEN_S: Final = 15.0
"""Seconds after which the time of a runner's last call is stored again."""
LONGEST_RUNTIME: Final = 64 * 1024
"""Maximum number of characters stored of a runner's description."""


def check_submission(
    actor: Actor, bot_id: int, version: str, note: str = "", limits: HostingLimits = DEFAULT_LIMITS
) -> tuple[str, str]:
    """Return the version's name and note in their stored form, if the actor may hand in a version now.

    The name may be empty: `submit` then chooses one. Raise `NotFound` if the bot is not the actor's. Raise `TooMany`
    past the limit of a day. Raise `BadRequest` past that of hosted bots, if the bot has retired or is locked, or if a
    text is not allowed.
    """
    bot = Bot.objects.filter(pk=bot_id, owner=actor.user_id).first()
    if bot is None:
        raise NotFound(f"you have no bot {bot_id}")
    if bot.retired_at is not None:
        raise BadRequest(f"{bot.name} has retired: bring it back first")
    if bot.state == BotState.LOCKED:
        raise BadRequest(f"{bot.name} was locked by the people who run the arena: ask them")
    if version:
        version = names.check_name(version, "a version")
    if is_commit(version):
        raise BadRequest(f"{version!r} is the hash of a commit: name a release ('1.4')")
    made = Submission.objects.filter(bot__owner=actor.user_id, created_at__gt=before_now(DAY_S)).count()
    if made >= limits.submissions_a_day:
        raise TooMany(f"{made} versions were handed in within a day: wait a while")
    _check_hosted_bots(bot, limits)
    return version, check_note(note)


def _check_hosted_bots(bot: Bot, limits: HostingLimits) -> None:
    """Raise `BadRequest` if the owner may not have this bot hosted, beside the others. Those being built count, too."""
    others = Bot.objects.filter(owner=bot.owner_id, retired_at=None).exclude(pk=bot.pk)
    hosted = others.filter(Q(is_hosted=True) | Exists(Submission.objects.filter(bot=OuterRef("pk"), state__in=OPEN)))
    if not bot.is_house and hosted.count() >= limits.hosted_bots:
        raise BadRequest(
            f"an account has at most {limits.hosted_bots} bots that run in the arena: retire one of them first"
        )


@transaction.atomic
def submit(
    actor: Actor, bot_id: int, version: str, note: str, bundle: Bundle, limits: HostingLimits = DEFAULT_LIMITS
) -> SubmissionValue:
    """Store the files of a version that the bot's owner hands in. A runner builds and examines it next.

    An empty name becomes the next number. The same files under the same name are one submission, so that a request can
    be repeated. Raise as `check_submission` does, and `BadRequest` if the name is taken.
    """
    # The lock serialises the submissions of an account: simultaneous ones would each find the limit unreached.
    User.objects.select_for_update(of=("self",)).filter(bots=bot_id).first()
    version = names.check_name(version, "a version") if version else ""
    taken = Submission.objects.filter(bot=bot_id, version=version)
    taken = taken.exclude(state__in=(SubmissionState.FAILED, SubmissionState.WITHDRAWN))
    if same := taken.filter(source=bundle.sha256, bot__owner=actor.user_id).first():
        return submission(same.pk).line
    version, text = check_submission(actor, bot_id, version, note, limits)
    version = version or _next_name(bot_id)
    if taken.exists():
        raise BadRequest(f"version {version!r} was handed in already: choose another name")
    if BotVersion.objects.filter(bot=bot_id, name=version, is_ready=False).exists():
        raise BadRequest(f"version {version!r} has played already: choose another name")
    _check_programs(bundle.manifest)
    check_stored(actor, [bundle] if bundle.weights is None else [bundle, bundle.weights], limits)
    weights = _own_weights(actor, bundle, limits)
    store_blob(bundle.sha256, bundle.packed, limits)
    row = Submission.objects.create(
        bot_id=bot_id,
        version=version,
        note=text,
        source_id=bundle.sha256,
        weights=weights,
        files=bundle.files,
        unpacked_bytes=bundle.unpacked_bytes,
        manifest=manifest_json(bundle.manifest),
    )
    return submission(row.pk).line


def check_stored(
    actor: Actor, new: Sequence[Bundle | PackedWeights] = (), limits: HostingLimits = DEFAULT_LIMITS
) -> None:
    """Raise `BadRequest` if this account may not keep these files, too.

    Raise `NoRoom` if the arena keeps as many bytes as it may.
    """
    assert actor.user_id is not None
    check_account(actor.user_id, {packed.sha256: packed.tar_bytes for packed in new}, limits)
    if sum(packed.size for packed in new) + total_stored() > limits.total_bytes:
        raise NoRoom("the arena keeps as many files of bots as it may: ask the people who run it for more room")


def check_account(owner_id: int, new: Mapping[str, int], limits: HostingLimits = DEFAULT_LIMITS) -> None:
    """Raise `BadRequest` if an account may not keep these blobs, too: their unpacked bytes by their hashes."""
    kept = stored_sizes(owner_id)
    if sum({**new, **kept}.values()) > limits.stored_bytes:
        raise BadRequest(
            f"your bots keep {sum(kept.values()) / MIB:.0f} MB of files unpacked, and an account has"
            f" {limits.stored_bytes / MIB:.0f} MB: delete the files of old versions first, on the page where you hand"
            " in a bot"
        )


def _check_programs(manifest: BotManifest) -> None:
    """Raise `BadRequest` if the bot needs an interpreter or compiler that no connected runner has.

    Other programs are looked for when the bot is built and examined.
    """
    found = {name for runtime in runtimes() for name in runtime.tools}
    for command in (manifest.command, manifest.build):
        if found and command and command[0] in TOOLS and command[0] not in found:
            there = ", ".join(name for name in TOOLS if name in found)
            raise BadRequest(f"the arena has no {command[0]}, with which a command of bot.toml begins: it has {there}")


def _own_weights(actor: Actor, bundle: Bundle, limits: HostingLimits) -> BotWeights | None:
    """Return the weights that a bundle brings with it or names, and note that they are used."""
    if bundle.weights is not None:
        store_weights(actor, bundle.weights, limits)
    if not bundle.weights_sha256:
        return None
    row = BotWeights.objects.filter(owner=actor.user_id, blob=bundle.weights_sha256).first()
    if row is None or not BotWeights.objects.filter(pk=row.pk).update(used_at=Now()):
        digest = bundle.weights_sha256[:12]
        raise BadRequest(f"the arena has no weights {digest} of yours: hand the bot in with its folder {WEIGHTS}")
    return row


@transaction.atomic
def store_weights(actor: Actor, weights: PackedWeights, limits: HostingLimits = DEFAULT_LIMITS) -> None:
    """Store weights of this user's bots, which versions then name by their hash.

    Nothing happens if they are stored already. Weights that no version uses are deleted after a day.
    """
    assert actor.user_id is not None
    User.objects.select_for_update().get(pk=actor.user_id)  # two uploads at a time could both find the limit unreached
    check_stored(actor, [weights], limits)
    store_blob(weights.sha256, weights.packed, limits)
    BotWeights.objects.update_or_create(
        owner_id=actor.user_id,
        blob_id=weights.sha256,
        defaults={"used_at": Now()},
        create_defaults={"files": weights.files, "unpacked_bytes": weights.unpacked_bytes},
    )


def _next_name(bot_id: int) -> str:
    """Return `v1`, `v2` … : the first that no version and no submission of the bot has had."""
    used = {
        *Submission.objects.filter(bot=bot_id).values_list("version", flat=True),
        *BotVersion.objects.filter(bot=bot_id).values_list("name", flat=True),
    }
    return next(name for number in count(1) if (name := f"v{number}") not in used)


def withdraw_submission(bot_id: int, submission_id: int, reason: str = "") -> bool:
    """Take a submission of this bot back. Return False if it has ended already. `reason` is that of staff."""
    rows = Submission.objects.filter(pk=submission_id, bot=bot_id, state__in=OPEN)
    return bool(
        rows.update(
            state=SubmissionState.WITHDRAWN,
            withdraw_reason=reason,
            ended_at=Now(),
            leased_by=None,
            lease_expires_at=None,
            image=None,
        )
    )


@transaction.atomic
def delete_files(bot_id: int, submission_id: int) -> None:
    """Delete what the arena stores of an old version of this bot: its source, its image, and weights of it alone.

    Raise `NotFound` if there is no such submission, and `BadRequest` if its files are still needed.
    """
    row = Submission.objects.select_for_update(of=("self",)).filter(pk=submission_id, bot=bot_id).first()
    if row is None:
        raise NotFound(f"there is no submission {submission_id} of this bot")
    if row.state in OPEN:
        raise BadRequest(f"version {row.version!r} is not ready: withdraw it first")
    if row.licence:
        raise BadRequest(f"the source of version {row.version!r} is published: take it back first")
    hosted = HostedVersion.objects.filter(submission=row.pk)
    if hosted.filter(is_current=True).exists():
        raise BadRequest(f"the bot plays as version {row.version!r}: choose another version first")
    if hosted.filter(kept_until__gt=Now()).exists():
        raise BadRequest(
            f"version {row.version!r} plays in an event, a comparison or a challenge: delete its files after that"
        )
    if Participant.objects.filter(version__in=hosted.values("pk"), match__state__in=IN_FLIGHT_STATES).exists():
        raise BadRequest(f"version {row.version!r} still plays a match: wait for its end")
    hosted.update(image=None)
    Submission.objects.filter(pk=row.pk).update(source=None, weights=None)
    if row.weights_id is not None and not Submission.objects.filter(weights=row.weights_id).exists():
        BotWeights.objects.filter(pk=row.weights_id).delete()


@transaction.atomic
def use_version(bot_id: int, version_id: int | None, limits: HostingLimits = DEFAULT_LIMITS) -> None:
    """Make the bot play new matches as this hosted version, or as none. Its running matches go on as they are.

    Raise `NotFound` if the version is not hosted. Raise `BadRequest` if it cannot be played any more, or past the limit
    of hosted bots.
    """
    bot = Bot.objects.select_for_update().filter(pk=bot_id).first()
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    row = None
    if version_id is not None:
        row = HostedVersion.objects.select_related("version", "submission").filter(bot=bot_id, pk=version_id).first()
        if row is None:
            raise NotFound(f"there is no hosted version {version_id} of this bot")
        if row.image_id is None:
            raise BadRequest(f"the files of version {row.version.name!r} are not kept any more: hand it in again")
        if row.version.retired_at is not None:
            raise BadRequest(f"version {row.version.name!r} has retired: bring it back first")
        if row.submission.lock_reason:
            raise BadRequest(
                f"version {row.version.name!r} was locked by the people who run the arena: {row.submission.lock_reason}"
            )
        _check_hosted_bots(bot, limits)
    HostedVersion.objects.filter(bot=bot_id, is_current=True).exclude(pk=version_id).update(is_current=False)
    if row is not None:
        HostedVersion.objects.filter(pk=version_id, is_current=False).update(is_current=True)
    Bot.objects.filter(pk=bot_id).update(is_hosted=row is not None)


def register_runner(name: str) -> str:
    """Register a runner, and return its token in clear text for the only time.

    Raise `NameTaken` if a runner has this name.
    """
    name = names.check_name(name, "a runner's name")
    token = new_token(RUNNER_TOKEN_START)
    with transaction.atomic():
        if Runner.objects.filter(name=name, revoked_at=None).exists():
            raise NameTaken(f"there is a runner {name!r} already: choose another name, or revoke it first")
        Runner.objects.create(name=name, digest=token_digest(token))
    return token


def revoke_runner(name: str) -> None:
    """Revoke the token of a runner permanently. Its jobs go to others when their leases expire.

    Raise `NotFound` if there is no such runner.
    """
    if not Runner.objects.filter(name=name, revoked_at=None).update(revoked_at=Now()):
        raise NotFound(f"there is no runner {name!r}")


def lock_submission(submission_id: int, reason: str) -> bool:
    """Lock a submission: it is neither built nor played, and its bot cannot be made to play as it.

    Running matches go on. A runner that builds it loses the job. Return False if it was locked already.
    """
    rows = Submission.objects.filter(pk=submission_id, lock_reason="")
    return bool(rows.update(lock_reason=reason, leased_by=None, lease_expires_at=None))


def unlock_submission(submission_id: int) -> bool:
    """Unlock a submission: it is built, and played if it is current. Return False if it was not locked."""
    return bool(Submission.objects.filter(pk=submission_id).exclude(lock_reason="").update(lock_reason=""))


def pause_runner(runner_id: int, *, is_paused: bool) -> bool:
    """Let a runner take no new seats and jobs, or let it take them again. Return False if nothing had to be changed."""
    rows = Runner.objects.filter(pk=runner_id, revoked_at=None, paused_at__isnull=is_paused)
    return bool(rows.update(paused_at=Now() if is_paused else None))


def pause_hosting(*, is_paused: bool) -> bool:
    """Let all runners take no new seats and jobs, or let them take them again. Return False if nothing was changed."""
    if is_paused:
        return HostingPause.objects.get_or_create(only=True)[1]
    return bool(HostingPause.objects.filter(only=True).delete()[0])


def note_runner(runner_id: int, facts: RunnerFacts) -> None:
    """Store that a runner has called just now, and its description."""
    changed = {
        "cores": facts.cores,
        "places": facts.places,
        "process": facts.process[:40],
        "runtime": facts.runtime[:LONGEST_RUNTIME],
    }
    row = Runner.objects.filter(pk=runner_id)
    is_known = row.filter(seen_at__gt=before_now(SEEN_S), **changed).exists()
    if not is_known:  # ask first: in SQLite even an update without rows locks the database
        row.update(seen_at=Now(), **changed)
