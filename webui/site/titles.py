"""What a match and its seats are called."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webui.ladder.values import MatchLine
from webui.site.words import listed


def game_words(players: int, expansions: Sequence[str]) -> str:
    """`3 players · Whims`."""
    names = {"artisans": _("Artisans"), "whims": _("Whims")}
    words = ngettext("%(n)s player", "%(n)s players", players) % {"n": players}
    return " · ".join([words, *(names[name] for name in expansions)])


def seat_names(line: MatchLine) -> list[str]:
    """The bots of a match, seat 1 first."""
    return [seat.version.bot.name for seat in line.seats]


def match_title(line: MatchLine) -> str:
    """`Oud wins over Mirage and Greedy-2`; before the end `Oud, Mirage and Greedy-2`, titles tell nothing early; before
    the match has begun no names."""
    names = seat_names(line)
    if not names:
        return game_words(line.players, line.expansions)
    if line.state != "FINISHED":
        return listed(names)
    placed = sorted(line.seats, key=lambda seat: (seat.placement or 9, seat.seat))
    first = [seat.version.bot.name for seat in placed if seat.placement == 1]
    others = [seat.version.bot.name for seat in placed if seat.placement != 1]
    if not others:
        return _("%(bots)s draw") % {"bots": listed(first)}
    words = ngettext("%(first)s wins over %(others)s", "%(first)s share the win over %(others)s", len(first))
    return words % {"first": listed(first), "others": listed(others)}
