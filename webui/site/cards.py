"""What other sites and search engines are told of a page: its title, a sentence, its one address and its picture."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webui.ladder.values import BotLine, LadderRef, LadderRow, MatchLine, UserPage
from webui.ladder.values.events import EventLine
from webui.site.templatetags.arena import clock, half, ladder_name
from webui.site.titles import game_words, match_title


@dataclass(frozen=True)
class Card:
    """A page as others show it (Open Graph)."""

    title: str
    description: str
    address: str
    """Of the page, without its query."""
    picture: str
    """Empty: there is none."""


def match_card(request: HttpRequest, line: MatchLine, description: str, *, hides: bool) -> Card:
    """Of a match, with its description (`titles.match_description`); with `hides` nothing of how it ended."""
    return Card(
        match_title(line, hides_result=hides),
        description,
        _address(request, "match", line.id),
        _address(request, "match-preview", line.id) + ("?spoilers=0" if hides else ""),
    )


def bot_card(request: HttpRequest, bot: BotLine, description: str) -> Card:
    """Of a bot, with what its author says of it."""
    words = [_("A bot by %(author)s.") % {"author": bot.bot.owner}]
    if bot.standing and bot.standing.rated:
        rated = bot.standing.rated
        said = _("Retired; last rated %(points)s ± %(half)s: %(ladder)s.") if bot.is_retired else None
        words.append(
            (said or _("Rated %(points)s ± %(half)s: %(ladder)s."))
            % {"points": rated.points, "half": half(rated), "ladder": ladder_name(bot.standing.ladder)}
        )
    told = " ".join([*words, " ".join(description.split())]).strip()
    return Card(
        bot.bot.name, told, _address(request, "bot", bot.bot.slug), _address(request, "bot-preview", bot.bot.slug)
    )


def ladder_card(request: HttpRequest, ladder: LadderRef, rows: list[LadderRow]) -> Card:
    """Of a ladder, with the first of it."""
    first = [f"{row.rated.rank}. {row.version.bot.name} {row.rated.points}" for row in rows if row.rated]
    told = ", ".join(first) or _("Nobody is rated here yet.")
    return Card(
        _("Ladder, %(name)s") % {"name": game_words(ladder.players, ladder.expansions)},
        f"{clock(ladder.clock)} · {told}",
        _address(request, "ladder", ladder.slug),
        _address(request, "ladder-preview", ladder.slug),
    )


def event_card(request: HttpRequest, line: EventLine, in_short: str) -> Card:
    """Of an event; a draft has no picture."""
    picture = "" if line.state == "draft" else _address(request, "event-preview", line.slug)
    return Card(line.name, in_short, _address(request, "event", line.slug), picture)


def user_card(request: HttpRequest, page: UserPage) -> Card:
    """Of an author, with the first of the bots."""
    n = page.bot_count
    told = ngettext("%(n)s bot", "%(n)s bots", n) % {"n": n}
    names = ", ".join(line.bot.name for line in page.bots[:5])
    return Card(
        page.name,
        f"{told}: {names}" if names else told,
        _address(request, "user", page.name),
        _address(request, "user-preview", page.name),
    )


def _address(request: HttpRequest, name: str, key: str) -> str:
    return request.build_absolute_uri(reverse(name, args=[key]))
