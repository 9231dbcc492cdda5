"""Acts of staff on users and bots. A person decides on each of them and gives a reason."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.utils.text import slugify

from webui.accounts import names
from webui.accounts.actions import check_reason, record_act
from webui.accounts.models import AuditEntry, User
from webui.accounts.queries import has_verified_email
from webui.accounts.sessions import end_sessions
from webui.accounts.values import Act, Actor
from webui.bots.actions import check_description
from webui.bots.models import Bot, BotState
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NameTaken, NotFound, TooMany
from webui.hosting import publishing
from webui.notices.models import ABOUT_A_BOT, BotNotice, BotNoticeKind
from webui.notices.noting import note_from_staff

LONGEST_MESSAGE: Final = 2000
"""Maximum number of characters of a message to a user."""
MESSAGES_AN_HOUR: Final = 60
"""Maximum number of messages that a member of staff may send in an hour."""
LINKS_AN_HOUR: Final = 3
"""Maximum number of links for a new password that are sent to an account in an hour."""


@transaction.atomic
def lock_user(user_id: int, reason: str, *, by: Actor) -> bool:
    """Lock a user out: nobody can sign in, and no token of the account works. The user gets an email.

    Within seconds gateways end the streams of the user's bots. Running matches treat the bots as disconnected. Return
    False if the user was locked already.

    Raise `BadRequest` for oneself, for the house, and for staff (take their rights away first).
    """
    reason = check_reason(reason)
    user = _user(user_id)
    if user.is_staff or user_id == by.user_id:
        raise BadRequest("staff are not locked: take the rights of staff away first")
    if Bot.objects.filter(owner=user, is_house=True).exists():
        raise BadRequest("the house is not locked: lock its bots")
    if not User.objects.filter(pk=user_id, is_active=True).update(is_active=False):
        return False
    end_sessions(user_id)
    entry = record_act(
        Act.USER_LOCKED, user_id, by=by, subject=user.username, reason=reason, changes={"is_active": (True, False)}
    )
    note_from_staff(user_id, BotNoticeKind.ACCOUNT_LOCKED, entry, why=reason)
    return True


@transaction.atomic
def unlock_user(user_id: int, reason: str, *, by: Actor) -> bool:
    """Unlock a user, and send an email. Return False if the user was not locked.

    Raise `BadRequest` for an erased account.
    """
    reason = check_reason(reason)
    user = _user(user_id)
    if AuditEntry.objects.filter(account=user, act=Act.ACCOUNT_ERASED).exists():
        raise BadRequest(f"{user.username} was erased: there is nobody to let in")
    if not User.objects.filter(pk=user_id, is_active=False).update(is_active=True):
        return False
    entry = record_act(
        Act.USER_UNLOCKED, user_id, by=by, subject=user.username, reason=reason, changes={"is_active": (False, True)}
    )
    note_from_staff(user_id, BotNoticeKind.ACCOUNT_UNLOCKED, entry, why=reason)
    return True


@transaction.atomic
def lock_bot(bot_id: int, reason: str, *, by: Actor) -> bool:
    """Stop a bot from getting new matches, whatever its owner sets, and notify the owner. Running matches go on.

    Return False if it was locked already.
    """
    reason = check_reason(reason)
    bot = _bot(bot_id)
    if not Bot.objects.filter(pk=bot_id).exclude(state=BotState.LOCKED).update(state=BotState.LOCKED):
        return False
    entry = record_act(
        Act.BOT_LOCKED,
        bot.owner_id,
        by=by,
        subject=bot.name,
        reason=reason,
        changes={"state": (bot.state, str(BotState.LOCKED))},
    )
    note_from_staff(bot.owner_id, BotNoticeKind.LOCKED, entry, about=bot.slug, bots=[bot.name], why=reason)
    return True


def take_down_sources(bot_id: int, reason: str, *, by: Actor) -> bool:
    """Take the published sources of a bot down. Return False if it has none."""
    return publishing.take_down_sources(bot_id, check_reason(reason), by=by)


@transaction.atomic
def unlock_bot(bot_id: int, reason: str, *, by: Actor) -> bool:
    """Let a bot play again, unless it has retired or its owner has paused it. Return False if it was not locked."""
    reason = check_reason(reason)
    bot = _bot(bot_id)
    locks = AuditEntry.objects.filter(act=Act.BOT_LOCKED, account=bot.owner_id, subject=bot.name).order_by("-pk")
    lock = locks.first()
    was_paused = lock is not None and (lock.changes or {}).get("state", [""])[0] == BotState.PAUSED
    state = BotState.PAUSED if was_paused or bot.retired_at is not None else BotState.ACTIVE
    if not Bot.objects.filter(pk=bot_id, state=BotState.LOCKED).update(state=state):
        return False
    entry = record_act(
        Act.BOT_UNLOCKED,
        bot.owner_id,
        by=by,
        subject=bot.name,
        reason=reason,
        changes={"state": (str(BotState.LOCKED), str(state))},
    )
    note_from_staff(bot.owner_id, BotNoticeKind.UNLOCKED, entry, about=bot.slug, bots=[bot.name], why=reason)
    return True


@transaction.atomic
def message_user(user_id: int, text: str, number: int, *, by: Actor) -> bool:
    """Send a user a notice on the site, and an email if the address is confirmed.

    `number` is drawn by the sender and identifies the message. Return False if a message with this number was sent
    already.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > LONGEST_MESSAGE:
        raise BadRequest(f"a message has 1 to {LONGEST_MESSAGE} characters")
    names.check_characters(text, "a message", is_prose=True)
    user = _user(user_id)
    if not user.is_active:
        raise BadRequest(f"{user.username} is locked, and could not read it")
    sent = AuditEntry.objects.filter(actor=by.user_id, act=Act.USER_MESSAGED, at__gt=before_now(3600))
    if sent.count() >= MESSAGES_AN_HOUR:
        raise TooMany(f"you may write at most {MESSAGES_AN_HOUR} messages an hour: wait")
    if not note_from_staff(user_id, BotNoticeKind.MESSAGE, number, text=text):
        return False
    record_act(Act.USER_MESSAGED, user_id, by=by, subject=user.username, reason=" ".join(text.split()))
    return True


@transaction.atomic
def send_password_link(user_id: int, reason: str, *, by: Actor) -> bool:
    """Send a user a link that sets a new password, to the confirmed email address of the account.

    A worker makes the link when it sends the email, so no table and no page has it. Raise `NotFound` or `TooMany`.
    Raise `BadRequest` for a locked account, and for one without a confirmed address.
    """
    reason = check_reason(reason)
    user = _user(user_id)
    if not user.is_active:
        raise BadRequest(f"{user.username} is locked: unlock the account first")
    if not has_verified_email(user_id):
        raise BadRequest(f"{user.username} has no confirmed email address")
    sent = AuditEntry.objects.filter(account=user, act=Act.PASSWORD_LINK_SENT, at__gt=before_now(3600))
    if sent.count() >= LINKS_AN_HOUR:
        raise TooMany(f"{user.username} was sent {LINKS_AN_HOUR} links within an hour: wait")
    entry = record_act(Act.PASSWORD_LINK_SENT, user_id, by=by, subject=user.username, reason=reason)
    return note_from_staff(user_id, BotNoticeKind.PASSWORD_LINK, entry, why=reason)


@transaction.atomic
def correct_bot(bot_id: int, *, name: str, description: str, reason: str, by: Actor) -> bool:
    """Correct a bot's name and description, if nobody should read the present ones. Its address follows its name.

    Published replays keep the former name. Return False if nothing is new. Raise `NotFound`, `BadRequest` or
    `NameTaken`.
    """
    reason = check_reason(reason)
    bot = _bot(bot_id)
    description = description.replace("\r\n", "\n").strip()
    name = _check_correction(bot_id, name, description)
    pairs = {"name": (bot.name, name), "description": (bot.description, description)}
    changes = {field: pair for field, pair in pairs.items() if pair[0] != pair[1]}
    if not changes:
        return False
    slug = slugify(name)
    Bot.objects.filter(pk=bot_id).update(
        name=name, slug=slug, skeleton=names.skeleton_of(name), description=description
    )
    BotNotice.objects.filter(user=bot.owner_id, kind__in=ABOUT_A_BOT, about=bot.slug).update(about=slug)
    record_act(Act.BOT_CORRECTED, bot.owner_id, by=by, subject=name, reason=reason, changes=changes)
    return True


def _check_correction(bot_id: int, name: str, description: str) -> str:
    """Return the name as it is stored. Raise `BadRequest` or `NameTaken`."""
    name = names.check_name(name, "a bot's name")
    slug = slugify(name)
    if not slug:
        raise BadRequest("a bot's name has 1 to 40 characters, at least one of them a letter or digit")
    check_description(description)
    if not Bot.objects.filter(pk=bot_id, is_house=True).exists() and names.is_reserved(name, is_bot=True):
        raise NameTaken(f"the name {name!r} is the arena's own: choose another name")
    others = Bot.objects.exclude(pk=bot_id)
    if any(
        others.filter(**same).exists()
        for same in ({"slug": slug}, {"skeleton": names.skeleton_of(name)}, {"name": name})
    ):
        raise NameTaken(f"there is a bot named {name!r}, or nearly so, already: choose another name")
    return name


def _user(user_id: int) -> User:
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound(f"there is no user {user_id}")
    return user


def _bot(bot_id: int) -> Bot:
    bot = Bot.objects.select_for_update().filter(pk=bot_id).first()
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    return bot
