"""Actions of owners on their bots and versions."""

from django.db import IntegrityError, connection, transaction
from django.utils.text import slugify

from arena.wire.versions import is_commit
from webui.accounts import names
from webui.accounts.actions import CHANGES_AN_HOUR, HOUR, LONGEST_DESCRIPTION, record_act
from webui.accounts.models import AuditEntry, User
from webui.accounts.values import OPERATOR, Act, Actor
from webui.bots.hooks import version_made
from webui.bots.models import Bot, BotState, BotVersion
from webui.bots.values import Release
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NameTaken, NotFound, TooMany

NEW_BOTS_AN_HOUR = 10
"""Maximum number of new bots of one owner, registered on the site."""
NEW_VERSIONS_AN_HOUR = 20
"""Maximum number of new versions of one bot."""
LONGEST_NOTE = 500
"""Maximum length of an author's note on a version, in characters."""


def register_bot(
    owner_id: int,
    name: str,
    *,
    description: str = "",
    is_house: bool = False,
    is_person: bool = False,
    most_an_hour: int | None = None,
    by: Actor = OPERATOR,
) -> int:
    """Make a new bot of this owner, and return its id.

    A bot of the house may have a reserved name. A person's bot is no entry of the audit log. `most_an_hour` is the
    maximum number of new bots of the owner within an hour. Raise `TooMany` beyond that.
    """
    name = names.check_name(name, "a bot's name")
    slug = slugify(name)
    if not slug:
        raise BadRequest("a bot's name has 1 to 40 characters, at least one of them a letter or digit")
    check_description(description)
    if not is_house and names.is_reserved(name, is_bot=True):
        raise NameTaken(f"the name {name!r} is the arena's own: choose another name")
    try:
        with transaction.atomic():
            # Lock the owner: simultaneous registrations would each find the limit unreached. SQLite has only one writer
            # anyway.
            if not User.objects.select_for_update().filter(pk=owner_id).exists():
                raise NotFound(f"there is no user {owner_id}")
            if most_an_hour is not None:
                new = Bot.objects.filter(owner_id=owner_id, created_at__gt=before_now(HOUR)).count()
                if new >= most_an_hour:
                    raise TooMany(f"{new} bots were registered within an hour: wait a while")
            bot = Bot.objects.create(
                owner_id=owner_id,
                name=name,
                slug=slug,
                skeleton=names.skeleton_of(name),
                description=description,
                is_house=is_house,
                is_person=is_person,
            )
            if not is_person:
                record_act(Act.BOT_REGISTERED, owner_id, by=by, subject=name)
    except IntegrityError as error:
        raise NameTaken(f"there is a bot named {name!r}, or nearly so, already: choose another name") from error
    return bot.pk


def check_description(description: str) -> None:
    """Raise `BadRequest` if no bot may have this description."""
    if len(description) > LONGEST_DESCRIPTION:
        raise BadRequest(f"a bot's description has at most {LONGEST_DESCRIPTION} characters")
    names.check_characters(description, "a description", is_prose=True)


@transaction.atomic
def set_bot_state(bot_id: int, state: str, *, by: Actor = OPERATOR) -> None:
    """Pause a bot, or make it active again. Its running matches continue.

    Raise `BadRequest` if staff have locked the bot, or if it has retired.
    """
    if state not in (BotState.ACTIVE, BotState.PAUSED):
        raise BadRequest(f"state {state!r}: use one of {BotState.ACTIVE}, {BotState.PAUSED}")
    bot = Bot.objects.filter(pk=bot_id).first()
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    if Bot.objects.filter(pk=bot_id, retired_at=None).exclude(state__in=(state, BotState.LOCKED)).update(state=state):
        act = Act.BOT_PAUSED if state == BotState.PAUSED else Act.BOT_RESUMED
        record_act(act, bot.owner_id, by=by, subject=bot.name)
    elif Bot.objects.filter(pk=bot_id, state=BotState.LOCKED).exists():
        raise BadRequest(f"{bot.name} was locked by the people who run the arena: ask them")
    elif state == BotState.ACTIVE and Bot.objects.filter(pk=bot_id, retired_at__isnull=False).exists():
        raise BadRequest(f"{bot.name} has retired: bring it back first")


@transaction.atomic
def describe_bot(bot_id: int, description: str, *, by: Actor = OPERATOR) -> None:
    """Change the public description of a bot.

    Raise `BadRequest` for a description that no bot may have, and `TooMany` after too many changes within an hour.
    """
    description = description.replace("\r\n", "\n").strip()
    check_description(description)
    bot = Bot.objects.filter(pk=bot_id).first()
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    if Bot.objects.filter(pk=bot_id).exclude(description=description).update(description=description):
        made = AuditEntry.objects.filter(account=bot.owner_id, act=Act.BOT_CHANGED, at__gt=before_now(HOUR))
        if made.count() >= CHANGES_AN_HOUR:
            raise TooMany(f"{CHANGES_AN_HOUR} descriptions were changed within an hour: wait a while")
        record_act(Act.BOT_CHANGED, bot.owner_id, by=by, subject=bot.name)


def register_version(bot_id: int, version: str) -> int:
    """Return the id of this version of the bot, which is made if it is new. A bot names its version whenever it
    connects.

    Raise `BadRequest` if a new version's name is a commit hash. Raise `TooMany` if the bot has too many new versions
    within an hour.
    """
    version = names.check_name(version, "a version")
    known = BotVersion.objects.filter(bot_id=bot_id, name=version).values_list("pk", "is_ready").first()
    if known is None:
        with transaction.atomic():
            version_id = _new_version(bot_id, version).pk
            version_made(version_id)
        return version_id
    version_id, is_ready = known
    return _begin(bot_id, version) if is_ready else version_id


@transaction.atomic
def release_version(bot_id: int, version: str, note: str) -> Release:
    """Set the note of a version, replacing its former note.

    An unknown version is made. It begins with its first hello. Raise `BadRequest` and `TooMany` as `register_version`
    does, and `BadRequest` for a note that is not allowed.
    """
    version = names.check_name(version, "a version")
    text = check_note(note) or None
    _lock(bot_id)  # the first hello may replace the row, and the note would be lost with it
    versions = BotVersion.objects.filter(bot_id=bot_id, name=version)
    if not versions.exists():
        _new_version(bot_id, version, is_ready=True)
    versions.update(note=text)
    return Release(version, versions.values_list("is_ready", flat=True).get())


@transaction.atomic
def withdraw_release(bot_id: int, version: str) -> None:
    """Withdraw the release of a version that has not said hello, and so has played nothing.

    Raise `NotFound` if there is no such version, and `BadRequest` if it has said hello.
    """
    _lock(bot_id)
    row = BotVersion.objects.filter(bot_id=bot_id, name=version).first()
    if row is None:
        raise NotFound(f"there is no version {version!r} of this bot")
    if not row.is_ready:
        raise BadRequest(f"version {version!r} has said hello: it stays, but another one can be released")
    row.delete()


def check_note(note: str) -> str:
    """Return the note in its stored form. Raise `BadRequest` if no version may have it."""
    note = note.replace("\r\n", "\n").strip()
    if len(note) > LONGEST_NOTE:
        raise BadRequest(f"a version's note has at most {LONGEST_NOTE} characters")
    names.check_characters(note, "a note", is_prose=True)
    return note


def _new_version(bot_id: int, version: str, *, is_ready: bool = False) -> BotVersion:
    if is_commit(version):
        raise BadRequest(
            f"{version!r} is the hash of a commit: name a release ('1.4'), and keep it until the bot plays otherwise,"
            " for every new version is less certain again"
        )
    with transaction.atomic():
        _lock(bot_id)
        new = BotVersion.objects.filter(bot_id=bot_id, created_at__gt=before_now(HOUR)).count()
        if new >= NEW_VERSIONS_AN_HOUR:
            raise TooMany(f"{new} versions of this bot are new within an hour: use a known one, or wait a while")
        return BotVersion.objects.get_or_create(bot_id=bot_id, name=version, defaults={"is_ready": is_ready})[0]


@transaction.atomic
def _begin(bot_id: int, version: str) -> int:
    """Return the id of a released version that says hello for the first time.

    The newest version of a bot must have the highest id. If it does not, its row is replaced by a new one. Nothing
    refers to the old row yet.
    """
    _lock(bot_id)
    versions = BotVersion.objects.filter(bot_id=bot_id)
    row = versions.get(name=version)
    if not row.is_ready:
        return row.pk  # another process of the bot was faster
    if not versions.filter(pk__gt=row.pk).exists():
        versions.filter(pk=row.pk).update(is_ready=False)
        version_made(row.pk)
        return row.pk
    with connection.cursor() as cursor:  # Django would search for referring rows, which a gateway may not read
        cursor.execute("DELETE FROM bots_botversion WHERE id = %s", [row.pk])
    version_id = BotVersion.objects.create(bot_id=bot_id, name=version, note=row.note).pk
    version_made(version_id)
    return version_id


def _lock(bot_id: int) -> None:
    """Lock the bot, so that its versions change one at a time. Raise `NotFound` if there is no such bot."""
    if not Bot.objects.select_for_update().filter(pk=bot_id).exists():
        raise NotFound(f"there is no bot {bot_id}")
