"""Acts of staff, one row each. The pages under `/staff/` and the commands of `arena admin` are made from `ACTS`.

A page needs the right of its act, a password that was entered recently, and a reason. A command needs a reason alone,
because the operator has every right.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Generic, TypeVar

from django import forms
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from arena.events.fields import NumberRule, TermsTable, terms_of
from webui.accounts import names
from webui.accounts.actions import LONGEST_DESCRIPTION, LONGEST_REASON
from webui.accounts.values import Actor
from webui.ladders import terms as ladder_terms
from webui.ladders.values import GameSettings, LadderClock, LadderSettings
from webui.staff import (
    hosting_acts,
    hosting_queries,
    ladder_queries,
    locks,
    match_queries,
    orders,
    people_queries,
    roles,
    words,
)
from webui.staff.locks import LONGEST_MESSAGE
from webui.staff.values import (
    Right,
    Role,
    StaffBot,
    StaffGame,
    StaffHosting,
    StaffLadder,
    StaffMatch,
    StaffRunner,
    StaffSubmission,
    StaffUser,
)
from webui.words.titles import game_words

Page = TypeVar("Page")
"""Values that the page for staff shows of the subject of an act."""
Words = str | Promise
Entered = Mapping[str, Any]
"""Valid values of a form, by the names of its fields."""

LARGEST_NUMBER: Final = 2**53


@dataclass(frozen=True)
class ActSubject(Generic[Page]):
    """Kind of thing that acts are done to."""

    key: str
    find: Callable[[str], Page]
    """Return the page for staff. The argument is the word that names the subject in addresses, or the name that a
    command was given. Raise `NotFound`."""
    root: str
    """Address of a subject among the pages of staff, with its converter."""
    section: str
    """Section of the pages of staff."""
    word: Callable[[Page], str]
    """Return the word that names the subject in addresses."""
    name: Callable[[Page], str]
    """Return the name of the subject for titles."""
    back: Callable[[Page, Entered], str]
    """Return the address to go to after an act, from what was entered."""


MATCH: Final = ActSubject(
    key="match",
    find=match_queries.staff_match,
    root="staff/matches/<slug:subject>/",
    section="matches",
    word=lambda match: match.page.line.id,
    name=lambda match: match.page.line.id,
    back=lambda match, entered: reverse("staff-match", args=[match.page.line.id]),
)
GAME: Final = ActSubject(
    key="game",
    find=ladder_queries.staff_game,
    root="staff/ladders/<slug:subject>/",
    section="ladders",
    word=lambda game: game.terms.game,
    name=lambda game: game_words(game.terms.ruleset.players, game.terms.ruleset.expansions),
    back=lambda game, entered: reverse("staff-ladders"),
)
LADDER: Final = ActSubject(
    key="ladder",
    find=ladder_queries.staff_ladder,
    root="staff/delays/<slug:subject>/",
    section="ladders",
    word=lambda ladder: ladder.ladder.slug,
    name=lambda ladder: ladder.ladder.slug,
    back=lambda ladder, entered: reverse("staff-ladders"),
)
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
SUBMISSION: Final = ActSubject(
    key="submission",
    find=hosting_queries.staff_submission,
    root="staff/submissions/<slug:subject>/",
    section="hosting",
    word=lambda line: str(line.id),
    name=lambda line: f"{line.bot} {line.version}",
    back=lambda line, entered: reverse("staff-submission", args=[line.id]),
)
RUNNER: Final = ActSubject(
    key="runner",
    find=hosting_queries.staff_runner,
    root="staff/runners/<str:subject>/",
    section="hosting",
    word=lambda runner: runner.name,
    name=lambda runner: runner.name,
    back=lambda runner, entered: reverse("staff-hosting"),  # a runner that was revoked has no page
)
HOSTING: Final = ActSubject(
    key="hosting",
    find=hosting_queries.staff_hosting,
    root="staff/hosting/<slug:subject>/",
    section="hosting",
    word=lambda hosting: hosting_queries.HOSTING,
    name=lambda hosting: hosting_queries.HOSTING,
    back=lambda hosting, entered: reverse("staff-hosting"),
)


def _nothing(page: Any) -> Entered:
    return {}


def _always(page: Any) -> bool:
    return True


@dataclass(frozen=True)
class StaffAct(Generic[Page]):
    """One act of staff."""

    key: str
    """Name of the command. The name of the page is `staff-` and this key."""
    on: ActSubject[Page]
    path: str
    """Address of the page, below the address of the subject."""
    right: Right
    do: Callable[[Page, Entered, Actor], bool]
    """Do the act. Return False if nothing had to be changed."""
    help: str
    """Sentence for the list of commands."""
    title: Words
    button: Words
    done: Words
    """Sentence that the page shows when the act is done."""
    consequences: Callable[[Page], list[str]]
    """Return the sentences that the page shows before the act is done."""
    reason: Words | None
    """Sentence that says who reads the reason. None: the act needs no reason."""
    fields: Mapping[str, forms.Field] = field(default_factory=dict)
    """Fields of the form beside the reason. A command has an option for each visible one."""
    initial: Callable[[Page], Entered] = _nothing
    """Return the values that the form shows first. A command uses them for options that are not given."""
    arguments: tuple[str, ...] = ()
    """Fields that are arguments of the command instead of options."""
    flags: Mapping[str, str] = field(default_factory=dict)
    """Options of the command that are not named like their fields."""
    is_possible: Callable[[Page], bool] = _always
    """Tell whether the page of the subject offers the act now."""
    is_dangerous: bool = False


class ActForm(forms.Form):
    """Form of an act."""

    def __init__(self, act: StaffAct[Page], page: Page, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial=dict(act.initial(page)))
        self.fields.update(deepcopy(dict(act.fields)))
        if act.reason is not None:
            self.fields["reason"] = forms.CharField(
                label=_("Reason"),
                max_length=LONGEST_REASON,
                help_text=str(act.reason),
                widget=forms.TextInput(attrs={"autocomplete": "off"}),
            )


LOGGED: Final = _("The audit log keeps it.")


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

TIMES: Final = {name.removesuffix("_ms"): name for name in terms_of(LadderClock)}
"""Times of a clock, by the names of their fields. The forms have them in seconds."""


def _number(table: type[TermsTable], name: str, label: Any, help_text: Any = "") -> forms.Field:
    """Return the field of a number, with its limits. Milliseconds are entered in seconds."""
    rule = terms_of(table)[name].rule
    assert isinstance(rule, NumberRule)
    if rule.unit != "ms":
        return forms.IntegerField(label=label, min_value=rule.least, max_value=rule.most, help_text=help_text)
    least, most = Decimal(rule.least) / 1000, Decimal(rule.most) / 1000
    return forms.DecimalField(label=label, min_value=least, max_value=most, decimal_places=3, help_text=help_text)


def _order(match: StaffMatch, kind: str, entered: Entered, by: Actor) -> bool:
    return orders.order_match(match.page.line.id, kind, entered["reason"], by=by)


def _terms(game: StaffGame) -> Entered:
    terms = game.terms
    times = {name: f"{getattr(terms.clock, key) / 1000:g}" for name, key in TIMES.items()}
    return {**terms.document(), "revision": terms.revision, **times}


def _set_terms(game: StaffGame, entered: Entered, by: Actor) -> bool:
    settings = {name: value for name, value in entered.items() if name not in TIMES}
    clock = {key: int(entered[name] * 1000) for name, key in TIMES.items()}
    return ladder_terms.set_ladder_terms(game.terms.game, clock=clock, by=by, **settings)


_OF_MATCHES: Final[tuple[StaffAct[StaffMatch], ...]] = (
    StaffAct(
        key="void",
        on=MATCH,
        path="void/",
        right=Right.CHANGE_MATCH,
        do=lambda match, entered, by: _order(match, "void_again" if entered["again"] else "void", entered, by),
        help="End a match without a result. It counts for nobody, and its seed is revealed.",
        title=_("Void match %(name)s"),
        button=_("Void the match"),
        done=_("It is ordered. A worker carries it out within seconds."),
        consequences=words.of_void,
        reason=_("Everybody reads it on the page of the match."),
        fields={
            "again": forms.BooleanField(
                label=_("Play it again: a new match with the same bots in the same seats, and a new seed"),
                required=False,
            )
        },
        is_possible=lambda match: match.can_be_voided,
        is_dangerous=True,
    ),
    StaffAct(
        key="again",
        on=MATCH,
        path="again/",
        right=Right.CHANGE_MATCH,
        do=lambda match, entered, by: _order(match, "again", entered, by),
        help="Play a match again that ended without a result: a new match with a new seed takes its place.",
        title=_("Play match %(name)s again"),
        button=_("Play it again"),
        done=_("It is ordered. A worker carries it out within seconds."),
        consequences=words.of_again,
        reason=LOGGED,
        is_possible=lambda match: match.can_be_played_again,
    ),
)

_OF_GAMES: Final[tuple[StaffAct[StaffGame], ...]] = (
    StaffAct(
        key="ladder",
        on=GAME,
        path="",
        right=Right.CHANGE_LADDER,
        do=_set_terms,
        help="Set how the matchmaker plays a game: whether it is open, its share and its clock.",
        title="%(name)s",
        button=_("Change it"),
        done=_("Changed. It holds for matches that are made from now on."),
        consequences=words.of_game,
        reason=LOGGED,
        fields={
            "is_open": forms.BooleanField(label=_("Open: new rated matches are made"), required=False),
            "share": _number(
                GameSettings,
                "share",
                _("Share"),
                _("The share of the matches in flight, relative to the shares of the other open games."),
            ),
            "bank": _number(LadderClock, "bank_ms", _("Thinking time, in seconds")),
            "increment": _number(LadderClock, "increment_ms", _("Increment for each bid and turn, in seconds")),
            "cap": _number(
                LadderClock,
                "cap_ms",
                _("The most that one request may take, in seconds"),
                _("With another clock new matches count for another ladder, whose ratings begin anew."),
            ),
            "revision": forms.IntegerField(widget=forms.HiddenInput, min_value=0),
        },
        initial=_terms,
        flags={"is_open": "--open/--close"},
    ),
)

_OF_LADDERS: Final[tuple[StaffAct[StaffLadder], ...]] = (
    StaffAct(
        key="delay",
        on=LADDER,
        path="",
        right=Right.CHANGE_LADDER,
        do=lambda ladder, entered, by: ladder_terms.set_ladder(
            ladder.ladder.slug,
            seen={"delay": entered["seen"]},
            reason=entered["reason"],
            by=by,
            delay=entered["delay"],
        ),
        help="Set how many decisions spectators of a ladder are behind.",
        title=_("Spectators of %(name)s"),
        button=_("Change it"),
        done=_("Changed."),
        consequences=words.of_delay,
        reason=LOGGED,
        fields={
            "delay": _number(
                LadderSettings,
                "delay",
                _("Decisions that spectators are behind"),
                _("0: they see every decision at once. At the end of a match they see all of it."),
            ),
            "seen": forms.IntegerField(widget=forms.HiddenInput, min_value=0),
        },
        initial=lambda ladder: {"delay": ladder.ladder.delay, "seen": ladder.ladder.delay},
    ),
)

_OF_USERS: Final[tuple[StaffAct[StaffUser], ...]] = (
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

_OF_BOTS: Final[tuple[StaffAct[StaffBot], ...]] = (
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

_OF_SUBMISSIONS: Final[tuple[StaffAct[StaffSubmission], ...]] = (
    StaffAct(
        key="withdraw-submission",
        on=SUBMISSION,
        path="withdraw/",
        right=Right.CHANGE_HOSTING,
        do=lambda line, entered, by: hosting_acts.withdraw_submission(line.id, entered["reason"], by=by),
        help="End a submission that is not ready.",
        title=_("Withdraw %(name)s"),
        button=_("Withdraw it"),
        done=_("It is withdrawn."),
        consequences=words.of_withdraw,
        reason=_("Its owner reads it."),
        is_possible=lambda line: line.ended_at is None,
        is_dangerous=True,
    ),
    StaffAct(
        key="lock-submission",
        on=SUBMISSION,
        path="lock/",
        right=Right.CHANGE_HOSTING,
        do=lambda line, entered, by: hosting_acts.lock_submission(line.id, entered["reason"], by=by),
        help="Give a hosted version no new matches, and do not build it. Its owner is told.",
        title=_("Lock %(name)s"),
        button=_("Lock the version"),
        done=_("The version is locked."),
        consequences=words.of_lock_submission,
        reason=_("Its owner reads it."),
        is_possible=lambda line: not line.lock_reason,
        is_dangerous=True,
    ),
    StaffAct(
        key="unlock-submission",
        on=SUBMISSION,
        path="unlock/",
        right=Right.CHANGE_HOSTING,
        do=lambda line, entered, by: hosting_acts.unlock_submission(line.id, entered["reason"], by=by),
        help="Let a hosted version play again, or let it be built.",
        title=_("Unlock %(name)s"),
        button=_("Unlock the version"),
        done=_("The version is unlocked."),
        consequences=words.of_unlock_submission,
        reason=_("Its owner reads it."),
        is_possible=lambda line: bool(line.lock_reason),
    ),
)

_OF_RUNNERS: Final[tuple[StaffAct[StaffRunner], ...]] = (
    StaffAct(
        key="pause-runner",
        on=RUNNER,
        path="pause/",
        right=Right.CHANGE_HOSTING,
        do=lambda runner, entered, by: hosting_acts.pause_runner(runner.id, entered["reason"], is_paused=True, by=by),
        help="Let a runner take no new matches and jobs. It finishes what it has.",
        title=_("Pause runner %(name)s"),
        button=_("Pause the runner"),
        done=_("The runner is paused."),
        consequences=words.of_pause_runner,
        reason=LOGGED,
        is_possible=lambda runner: runner.paused_at is None,
    ),
    StaffAct(
        key="resume-runner",
        on=RUNNER,
        path="resume/",
        right=Right.CHANGE_HOSTING,
        do=lambda runner, entered, by: hosting_acts.pause_runner(runner.id, entered["reason"], is_paused=False, by=by),
        help="Let a paused runner take matches and jobs again.",
        title=_("Resume runner %(name)s"),
        button=_("Resume the runner"),
        done=_("The runner goes on."),
        consequences=words.of_resume,
        reason=LOGGED,
        is_possible=lambda runner: runner.paused_at is not None,
    ),
    StaffAct(
        key="revoke-runner",
        on=RUNNER,
        path="revoke/",
        right=Right.CHANGE_HOSTING,
        do=lambda runner, entered, by: hosting_acts.revoke_runner(runner.name, entered["reason"], by=by),
        help="Revoke the token of a runner permanently. Other runners take over its matches and jobs.",
        title=_("Revoke runner %(name)s"),
        button=_("Revoke the runner"),
        done=_("The runner is revoked."),
        consequences=words.of_revoke_runner,
        reason=LOGGED,
        is_dangerous=True,
    ),
)

_OF_HOSTING: Final[tuple[StaffAct[StaffHosting], ...]] = (
    StaffAct(
        key="pause-hosting",
        on=HOSTING,
        path="pause/",
        right=Right.CHANGE_HOSTING,
        do=lambda hosting, entered, by: hosting_acts.pause_hosting(entered["reason"], is_paused=True, by=by),
        help="Let no runner take new matches and jobs. They finish what they have.",
        title=_("Pause hosting"),
        button=_("Pause hosting"),
        done=_("Hosting is paused."),
        consequences=words.of_pause_hosting,
        reason=LOGGED,
        is_possible=lambda hosting: hosting.paused_at is None,
        is_dangerous=True,
    ),
    StaffAct(
        key="resume-hosting",
        on=HOSTING,
        path="resume/",
        right=Right.CHANGE_HOSTING,
        do=lambda hosting, entered, by: hosting_acts.pause_hosting(entered["reason"], is_paused=False, by=by),
        help="Let the runners take matches and jobs again.",
        title=_("Resume hosting"),
        button=_("Resume hosting"),
        done=_("Hosting goes on."),
        consequences=words.of_resume,
        reason=LOGGED,
        is_possible=lambda hosting: hosting.paused_at is not None,
    ),
)

ACTS: Final[tuple[StaffAct[Any], ...]] = (
    *_OF_MATCHES,
    *_OF_GAMES,
    *_OF_LADDERS,
    *_OF_USERS,
    *_OF_BOTS,
    *_OF_SUBMISSIONS,
    *_OF_RUNNERS,
    *_OF_HOSTING,
)
