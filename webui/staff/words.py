"""Consequences of the acts of staff, in sentences. A page shows them before the act is done."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webui.staff.values import (
    InFlight,
    StaffBot,
    StaffGame,
    StaffHosting,
    StaffLadder,
    StaffMatch,
    StaffRunner,
    StaffSubmission,
    StaffUser,
)


def of_void(match: StaffMatch) -> list[str]:
    """Return the consequences of voiding a match that waits or runs."""
    line = match.page.line
    sentences = []
    if line.state == "RUNNING":
        sentences.append(_("The match ends at once, without a result. Its bots are notified within seconds."))
    else:
        sentences.append(_("The match has no referee yet, and gets none."))
    sentences.append(_("Its seed is revealed, and its page shows your reason to everybody."))
    if line.rated:
        sentences.append(_("No rating changes: the match has no result, and gets no number on its ladder."))
    else:
        sentences.append(_("It is not rated: no rating changes."))
    return sentences + _of_belonging(match)


def _of_belonging(match: StaffMatch) -> list[str]:
    of = match.belonging
    if of.event:
        return [
            _(
                "It is game %(game)s at table %(table)s in round %(round)s of %(event)s. The standings do"
                " not change: the event has the game played again as soon as its bots are there, whether "
                "or not you ask for it."
            )
            % {"game": of.game, "table": of.table, "round": of.round, "event": of.event_name}
        ]
    if of.comparison:
        return [_("It belongs to a comparison of versions, which has the game played again.")]
    if of.challenge:
        return [_("It belongs to a challenge, which ends without a match unless you have it played again.")]
    if of.is_examination:
        return [_("It is the examination of a version, which is examined again.")]
    return [_("It belongs to no event, comparison or challenge.")]


def of_message(user: StaffUser) -> list[str]:
    """Return the consequences of writing to a user."""
    return [
        _("They find it among their notices, as a message of the people who run the arena."),
        _("It is sent by email, too, unless they want none.")
        if user.has_verified_email
        else _("There is no confirmed email address: the message is only on the site."),
    ]


def of_password_link(user: StaffUser) -> list[str]:
    """Return the consequences of sending a link for a new password."""
    return [
        _("The link goes to %(email)s, the confirmed address of the account. Nobody else sees it.")
        % {"email": user.line.email},
        _("Whoever opens it within three days sets a new password. That ends every session of the account."),
        _("The present password works until then, and a second factor stays as it is."),
    ]


def of_role(user: StaffUser) -> list[str]:
    """Return the consequences of changing the role of a user."""
    return [
        _("It holds at once, in every browser in which %(name)s is signed in.") % {"name": user.line.name},
        _("Staff see the pages of staff. Their rights decide what else they see and do there."),
        _("An administrator may do everything, and decides who is staff."),
    ]


def of_correction(bot: StaffBot) -> list[str]:
    """Return the consequences of changing the name and the description of a bot."""
    return [
        _("A new name gives the page of the bot a new address. The present address stops working."),
        _("Published replays keep the present name, because they could not be proved otherwise."),
        _("Somebody else may take the present name."),
    ]


def of_again(match: StaffMatch) -> list[str]:
    """Return the consequences of playing again a match that ended without a result."""
    line = match.page.line
    sentences = [
        _(
            "A new match of the same versions in the same seats, under the same clock and with a new seed, waits "
            "for a referee."
        ),
        _("This one stays as it is, and its page links to the new one."),
        _("It is refused unless all of its bots may play: none is locked, paused, retired or taken off."),
    ]
    if line.rated:
        sentences.append(
            _("When the new one has finished it counts for its ladder, and the ratings of its bots change.")
        )
    else:
        sentences.append(_("It is not rated: no rating changes."))
    if match.belonging.challenge:
        sentences.append(_("It takes the place of this one in its challenge."))
    return sentences


def of_lock_user(user: StaffUser) -> list[str]:
    """Return the consequences of locking a user."""
    sentences = [
        ngettext(
            "Nobody can sign in as %(name)s. %(n)s session ends at once.",
            "Nobody can sign in as %(name)s. %(n)s sessions end at once.",
            user.sessions,
        )
        % {"name": user.line.name, "n": user.sessions},
        _("None of their tokens works any more: within seconds the gateways end the streams of their bots."),
    ]
    flying = user.in_flight
    if flying.running_count:
        sentences.append(
            ngettext(
                "%(n)s running match loses a bot, which forfeits when its grace is over; the match is rated as it "
                "ends. "
                "To spare its opponents, void it first.",
                "%(n)s running matches lose a bot, which forfeits when its grace is over; they are rated as they "
                "end. To "
                "spare its opponents, void them first.",
                flying.running_count,
            )
            % {"n": flying.running_count}
        )
    if flying.waiting_count:
        sentences.append(
            ngettext(
                "%(n)s match that has not begun is aborted, since a bot does not answer.",
                "%(n)s matches that have not begun are aborted, since a bot does not answer.",
                flying.waiting_count,
            )
            % {"n": flying.waiting_count}
        )
    if not (flying.running_count or flying.waiting_count):
        sentences.append(_("None of their bots is in a match now."))
    sentences += _of_events(flying)
    sentences.append(
        _("No notice and no email reaches a locked account: write to them first. Pages and ratings of the bots stay.")
    )
    return sentences


def of_unlock_user(user: StaffUser) -> list[str]:
    """Return the consequences of unlocking a user."""
    return [
        _("%(name)s can sign in again, with the same password.") % {"name": user.line.name},
        _("Tokens that are not revoked work again. Bots that dial in get matches again."),
    ]


def of_lock_bot(bot: StaffBot) -> list[str]:
    """Return the consequences of locking a bot."""
    flying = bot.in_flight
    sentences = [
        _(
            "It gets no new matches: not from the ladders, nor for challenges, comparisons or "
            "examinations. It enters no event."
        ),
        _("It stays connected. Its owner cannot undo this, gets a notice and an email, and can read your reason."),
    ]
    if flying.running_count:
        sentences.append(
            ngettext(
                "%(n)s running match goes on, and is rated as it ends.",
                "%(n)s running matches go on, and are rated as they end.",
                flying.running_count,
            )
            % {"n": flying.running_count}
        )
    if flying.waiting_count:
        sentences.append(
            ngettext(
                "%(n)s match that has not begun is played.",
                "%(n)s matches that have not begun are played.",
                flying.waiting_count,
            )
            % {"n": flying.waiting_count}
        )
    if not (flying.running_count or flying.waiting_count):
        sentences.append(_("It is in no match now."))
    if flying.challenges:
        sentences.append(
            ngettext(
                "%(n)s challenge that waits for it is refused.",
                "%(n)s challenges that wait for it are refused.",
                flying.challenges,
            )
            % {"n": flying.challenges}
        )
    return sentences + _of_events(flying)


def of_take_down(bot: StaffBot) -> list[str]:
    """Return the consequences of taking the published sources of a bot down."""
    return [
        ngettext(
            "The source of %(n)s version can be read and downloaded no more.",
            "The sources of %(n)s versions can be read and downloaded no more.",
            bot.sources,
        )
        % {"n": bot.sources},
        _("Its owner cannot publish them again. The bot plays on."),
    ]


def of_unlock_bot(bot: StaffBot) -> list[str]:
    """Return the consequences of unlocking a bot."""
    return [
        _("It has retired: it plays when its owner brings it back.")
        if bot.is_retired
        else _("It is active again: as soon as it is online it gets matches."),
        _("Its owner gets a notice and an email, and can read your reason."),
    ]


def _of_events(flying: InFlight) -> list[str]:
    if not flying.events:
        return []
    names = ", ".join(name for _slug, name in flying.events)
    return [
        _("Entered in events that go on: %(events)s. It stays entered there; an organiser can disqualify it.")
        % {"events": names}
    ]


def of_game(game: StaffGame) -> list[str]:
    """Return the consequences of changing how a game is played."""
    running, waiting = (sum(getattr(ladder, name) for ladder in game.ladders) for name in ("running", "scheduled"))
    sentences = [
        ngettext(
            "%(n)s match of this game is in flight: it goes on as it was agreed, and counts.",
            "%(n)s matches of this game are in flight: they go on as they were agreed, and count.",
            running + waiting,
        )
        % {"n": running + waiting},
        _("Open or closed, share and clock apply to matches that are made from then on, within seconds."),
        _(
            "Closed: no new rated matches are made. Its ladder stays on the site; bots that play nothing else get "
            "no matches."
        ),
        _(
            "Another clock: new matches count for the ladder of that clock, which begins without ratings. The "
            "present one stays on the site, and nothing is added to it."
        ),
    ]
    return sentences


def of_delay(ladder: StaffLadder) -> list[str]:
    """Return the consequences of changing how far spectators are behind."""
    return [
        ngettext(
            "It takes effect at once, for %(n)s running match, too.",
            "It takes effect at once, for %(n)s running matches, too.",
            ladder.running,
        )
        % {"n": ladder.running},
        _(
            "With a larger delay, people who are already watching have seen more than others, and see nothing"
            " new for a while."
        ),
        _("No result and no rating changes."),
    ]


def of_withdraw(line: StaffSubmission) -> list[str]:
    """Return the consequences of withdrawing a submission that is not ready."""
    return [_("It is not built any more. The version that plays now goes on.")]


def of_lock_submission(line: StaffSubmission) -> list[str]:
    """Return the consequences of locking a submission."""
    sentences = [_("The version gets no new matches, and is not built. Its running matches go on: void them first.")]
    if line.is_kept:
        sentences.append(_("An event, a comparison or a challenge plays with it, and waits for it."))
    return sentences


def of_unlock_submission(line: StaffSubmission) -> list[str]:
    """Return the consequences of unlocking a submission."""
    return [_("It goes on where it was: it is built, or plays if it is the version with which its bot plays.")]


def of_pause_runner(runner: StaffRunner) -> list[str]:
    """Return the consequences of pausing a runner."""
    return [_("Within seconds it takes no new matches and builds nothing new. It finishes what it has.")]


def of_revoke_runner(runner: StaffRunner) -> list[str]:
    """Return the consequences of revoking a runner."""
    return [
        _("Its process ends within seconds, for ever. Other runners take over its matches and what it builds."),
        _("To end it without haste, pause it first."),
    ]


def of_pause_hosting(hosting: StaffHosting) -> list[str]:
    """Return the consequences of pausing all runners."""
    return [
        _("Within seconds no runner takes new matches or builds anything new. They finish what they have."),
        _("Hosted bots stay online and wait. Bots that dial in play on."),
    ]


def of_resume(page: StaffRunner | StaffHosting) -> list[str]:
    """Return the consequences of resuming a runner, or all of them."""
    return [_("Within seconds new matches are made, and versions that wait are built.")]
