"""Acts of staff on users and their bots."""

from __future__ import annotations

import secrets
from typing import Final

from django import forms
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from webui.accounts import names
from webui.accounts.actions import LONGEST_DESCRIPTION
from webui.staff import locks, people_queries, roles, words
from webui.staff.act import ActSubject, StaffAct
from webui.staff.locks import LONGEST_MESSAGE
from webui.staff.values import Right, Role, StaffBot, StaffUser

LARGEST_NUMBER: Final = 2**53


USER: Final = ActSubject(
    key="user",
    find=people_queries.staff_user,
    root="staff/users/<str:subject>/",
    section="users",
    word=lambda user: user.line.name,
    name=lambda user: user.line.name,
    back=lambda user, entered: reverse("staff-user", args=[user.line.name]),
)


def _named_bot(name: str) -> StaffBot:
    return people_queries.staff_bot(slugify(name))


BOT: Final = ActSubject(
    key="bot",
    find=_named_bot,
    root="staff/bots/<slug:subject>/",
    section="bots",
    word=lambda bot: bot.bot.slug,
    name=lambda bot: bot.bot.name,
    back=lambda bot, entered: reverse("staff-bot", args=[slugify(entered.get("name", bot.bot.name))]),
)


ROLES: Final = (
    (Role.PLAYER.value, _("Player")),
    (Role.STAFF.value, _("Staff")),
    (Role.ADMIN.value, _("Administrator")),
)

RIGHTS: Final = (
    (Right.VIEW_MATCH.value, _("See matches")),
    (Right.CHANGE_MATCH.value, _("Void matches, and have them played again")),
    (Right.VIEW_LADDER.value, _("See ladders")),
    (Right.CHANGE_LADDER.value, _("Change ladders")),
    (Right.VIEW_BOT.value, _("See bots")),
    (Right.CHANGE_BOT.value, _("Lock and rename bots")),
    (Right.VIEW_HOSTING.value, _("See runners and what authors hand in")),
    (Right.CHANGE_HOSTING.value, _("Pause runners, and lock what authors hand in")),
    (Right.VIEW_USER.value, _("See users and their email addresses")),
    (Right.CHANGE_USER.value, _("Lock users, write to them, and send password links")),
    (Right.VIEW_SUSPICIONS.value, _("See suspicions")),
    (Right.VIEW_AUDIT.value, _("See the audit log")),
)
"""Rights of staff in words."""

OF_USERS: Final[tuple[StaffAct[StaffUser], ...]] = (
    StaffAct(
        key="message",
        on=USER,
        path="message/",
        right=Right.CHANGE_USER,
        do=lambda user, entered, by: locks.message_user(user.line.id, entered["text"], entered["number"], by=by),
        help="Write to a user: a notice on the site and an email to a confirmed address.",
        title=_("Write to %(name)s"),
        button=_("Send the message"),
        done=_("The message is sent."),
        consequences=words.of_message,
        reason=None,
        fields={
            "text": forms.CharField(
                label=_("Message"),
                max_length=LONGEST_MESSAGE,
                help_text=_("Write in a language that they read. The audit log keeps its first words."),
                widget=forms.Textarea(attrs={"rows": 8}),
            ),
            "number": forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=LARGEST_NUMBER),
        },
        initial=lambda user: {"number": secrets.randbelow(LARGEST_NUMBER)},
        arguments=("text",),
        is_possible=lambda user: user.line.is_active,
    ),
    StaffAct(
        key="lock-user",
        on=USER,
        path="lock/",
        right=Right.CHANGE_USER,
        do=lambda user, entered, by: locks.lock_user(user.line.id, entered["reason"], by=by),
        help="Shut a user out: nobody signs in, no token works, and the streams of the bots end within seconds.",
        title=_("Lock %(name)s"),
        button=_("Lock the account"),
        done=_("The account is locked."),
        consequences=words.of_lock_user,
        reason=_("The user reads it in the email and in the history of the account."),
        is_possible=lambda user: user.line.is_active and not user.line.is_staff and not user.is_house,
        is_dangerous=True,
    ),
    StaffAct(
        key="unlock-user",
        on=USER,
        path="unlock/",
        right=Right.CHANGE_USER,
        do=lambda user, entered, by: locks.unlock_user(user.line.id, entered["reason"], by=by),
        help="Let a user in again.",
        title=_("Unlock %(name)s"),
        button=_("Unlock the account"),
        done=_("The account is unlocked."),
        consequences=words.of_unlock_user,
        reason=_("The user reads it in the email and in the history of the account."),
        is_possible=lambda user: not user.line.is_active and not user.is_erased,
    ),
    StaffAct(
        key="send-password-link",
        on=USER,
        path="password/",
        right=Right.CHANGE_USER,
        do=lambda user, entered, by: locks.send_password_link(user.line.id, entered["reason"], by=by),
        help="Send a user a link that sets a new password, to the confirmed address of the account.",
        title=_("Send %(name)s a link for a new password"),
        button=_("Send a password link"),
        done=_("The link is sent."),
        consequences=words.of_password_link,
        reason=_("The user reads it in the email and in the history of the account."),
        is_possible=lambda user: user.line.is_active and user.has_verified_email,
    ),
    StaffAct(
        key="set-role",
        on=USER,
        path="role/",
        right=Right.GRANT,
        do=lambda user, entered, by: roles.set_role(
            user.line.id, Role(entered["role"]), [Right(each) for each in entered["rights"]], entered["reason"], by=by
        ),
        help="Set whether a user is staff, and the rights of staff.",
        title=_("Role of %(name)s"),
        button=_("Change the role"),
        done=_("Changed."),
        consequences=words.of_role,
        reason=_("The user reads it in the email and in the history of the account."),
        fields={
            "role": forms.ChoiceField(label=_("Role"), choices=ROLES),
            "rights": forms.MultipleChoiceField(
                label=_("Rights of staff"),
                choices=RIGHTS,
                required=False,
                help_text=_("An administrator has all of them, and a player has none."),
                widget=forms.CheckboxSelectMultiple,
            ),
        },
        initial=lambda user: {"role": str(user.role), "rights": [str(right) for right in user.rights]},
        flags={"rights": "--right"},
        is_possible=lambda user: user.line.is_active and not user.is_house,
        is_dangerous=True,
    ),
)

OF_BOTS: Final[tuple[StaffAct[StaffBot], ...]] = (
    StaffAct(
        key="lock-bot",
        on=BOT,
        path="lock/",
        right=Right.CHANGE_BOT,
        do=lambda bot, entered, by: locks.lock_bot(bot.bot.id, entered["reason"], by=by),
        help="Give a bot no new matches. Its running matches go on, and its owner is told.",
        title=_("Lock %(name)s"),
        button=_("Lock the bot"),
        done=_("The bot is locked."),
        consequences=words.of_lock_bot,
        reason=_("Its owner reads it."),
        is_possible=lambda bot: bot.state != "LOCKED",
        is_dangerous=True,
    ),
    StaffAct(
        key="unlock-bot",
        on=BOT,
        path="unlock/",
        right=Right.CHANGE_BOT,
        do=lambda bot, entered, by: locks.unlock_bot(bot.bot.id, entered["reason"], by=by),
        help="Let a bot play again.",
        title=_("Unlock %(name)s"),
        button=_("Unlock the bot"),
        done=_("The bot is unlocked."),
        consequences=words.of_unlock_bot,
        reason=_("Its owner reads it."),
        is_possible=lambda bot: bot.state == "LOCKED",
    ),
    StaffAct(
        key="take-down-sources",
        on=BOT,
        path="take-down-sources/",
        right=Right.CHANGE_BOT,
        do=lambda bot, entered, by: locks.take_down_sources(bot.bot.id, entered["reason"], by=by),
        help="Take the published sources of a bot down. Its owner cannot publish these versions again.",
        title=_("Published sources of %(name)s"),
        button=_("Take the sources down"),
        done=_("They are taken down."),
        consequences=words.of_take_down,
        reason=_("Its owner reads it in the history of the account."),
        is_possible=lambda bot: bot.sources > 0,
        is_dangerous=True,
    ),
    StaffAct(
        key="correct-bot",
        on=BOT,
        path="correct/",
        right=Right.CHANGE_BOT,
        do=lambda bot, entered, by: locks.correct_bot(
            bot.bot.id, name=entered["name"], description=entered["description"], reason=entered["reason"], by=by
        ),
        help="Change the name or the description of a bot, if nobody should read the present one.",
        title=_("Name and description of %(name)s"),
        button=_("Change name and description"),
        done=_("Changed."),
        consequences=words.of_correction,
        reason=_("Its owner reads it."),
        fields={
            "name": forms.CharField(label=_("Name"), max_length=names.LONGEST),
            "description": forms.CharField(
                label=_("Description"),
                max_length=LONGEST_DESCRIPTION,
                required=False,
                widget=forms.Textarea(attrs={"rows": 4}),
            ),
        },
        initial=lambda bot: {"name": bot.bot.name, "description": bot.description},
    ),
)
