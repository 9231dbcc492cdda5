"""The reason why a bot plays no match, in plain words for its owner."""

from math import ceil

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webui.bots.presence import Online
from webui.bots.values import OwnBot
from webui.pairing.rests import Rest
from webui.words.vocabulary import listed


def idle_reason(own: OwnBot, online: Online, rest: Rest | None = None, seats_a_minute: float = 0) -> str:
    """Return one or two sentences for the bot's owner. The text is empty while the bot plays.

    `online`: the processes of each connected bot, by bot id. None if the connections are not known.
    `seats_a_minute`: the recent rate at which seats of ladder matches were filled.
    """
    if own.state == "LOCKED":
        return _("It is locked by the people who run the arena: it gets no new matches.")
    if own.retired_at is not None:
        return _("It has retired: it plays no more until you bring it back.")
    if own.state == "PAUSED":
        return _("It is paused: it gets no new matches until you let it play again.")
    if not any(token.is_valid for token in own.tokens):
        return _("It has no valid token. Create one, and start the bot with it.")
    if online is None:
        return _("Which bots are connected is not known at the moment. Look again in a minute.")
    sessions = online.get(own.bot.id, [])
    if not sessions:
        return _("It is not connected. Start it with its token; it dials in by itself.")
    if any(session.running for session in sessions):
        return ""
    if all(session.leaving for session in sessions):
        return _("It asked for no further matches: it is about to leave.")
    if all(session.bot_version in own.retired_versions for session in sessions):
        return _("The version that is connected has retired. Bring it back, or start another version.")
    excluded = {exclusion.version_id: exclusion.version for exclusion in own.exclusions}
    running = {session.bot_version for session in sessions}
    if excluded.keys() >= running:
        names = listed(sorted(set(excluded.values())))
        held = [exclusion for exclusion in own.exclusions if exclusion.version_id in running]
        if not all(exclusion.is_asked for exclusion in held):
            if all(exclusion.is_new for exclusion in held):
                return _(
                    "It made a fault in its examination: %(versions)s. Look at its log below, and start it again when"
                    " it is repaired."
                ) % {"versions": names}
            return _(
                "Taken off rated matches: %(versions)s."
                " Have it examined below once it is repaired, or start another version."
            ) % {"versions": names}
        if rest is None:  # a resting bot's examination waits, too
            return _("It plays rated matches after its examination: %(versions)s.") % {"versions": names}
    if rest is not None:
        minutes, seconds = divmod(int(rest.seconds), 60)
        return ngettext(
            "It is left out for another %(time)s: an offer was declined, missed or not answered today.",
            "It is left out for another %(time)s: %(n)s offers were declined, missed or not answered today.",
            rest.failures,
        ) % {"n": rest.failures, "time": f"{minutes}:{seconds:02d}"}
    others = [
        session
        for bot, of_bot in online.items()
        if bot != own.bot.id
        for session in of_bot
        if session.is_available and (session.owner != own.bot.owner_id or (session.is_house and own.bot.is_house))
    ]
    if not others:
        return _("Nobody else is free: a match needs bots of other owners. The next one begins when one comes.")
    counts = {count for session in sessions for count in session.player_counts}
    if not counts & {count for session in others for count in session.player_counts}:
        return _("The free bots play with other numbers of players than yours.")
    if not seats_a_minute:
        return _("It is in the queue. Matches begin every few seconds, as slots become free.")
    # Every owner and every house bot has the same number of turns; the bots of one owner share theirs.
    parties = {-session.bot if session.is_house else session.owner for session in [*sessions, *others]}
    own_bots = {session.bot for of_bot in online.values() for session in of_bot if session.owner == own.bot.owner_id}
    wait_s: float = 60 * len(parties) * (1 if own.bot.is_house else len(own_bots)) / seats_a_minute
    if wait_s < 50:
        about = 10 * ceil(wait_s / 10)
        return ngettext(
            "It is in the queue: its next match begins in about %(n)s second.",
            "It is in the queue: its next match begins in about %(n)s seconds.",
            about,
        ) % {"n": about}
    about = round(wait_s / 60) or 1
    return ngettext(
        "It is in the queue: its next match begins in about %(n)s minute.",
        "It is in the queue: its next match begins in about %(n)s minutes.",
        about,
    ) % {"n": about}
