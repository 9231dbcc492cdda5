"""Cards of pages for other sites and search engines: title, one sentence, canonical address and picture."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webui.core.pages import LinkCard, card_address
from webui.profiles.values import BotLine, UserPage
from webui.ratings.standings import half
from webui.words.titles import ladder_name


def bot_card(request: HttpRequest, bot: BotLine, description: str) -> LinkCard:
    """Return the card of a bot. `description` is its author's text."""
    words = [_("A bot by %(author)s.") % {"author": bot.bot.owner}]
    if bot.standing and bot.standing.rated:
        rated = bot.standing.rated
        said = _("Retired; last rated %(points)s ± %(half)s: %(ladder)s.") if bot.retired_at else None
        words.append(
            (said or _("Rated %(points)s ± %(half)s: %(ladder)s."))
            % {"points": rated.points, "half": half(rated), "ladder": ladder_name(bot.standing.ladder)}
        )
    told = " ".join([*words, " ".join(description.split())]).strip()
    return LinkCard(
        bot.bot.name,
        told,
        card_address(request, "bot", bot.bot.slug),
        card_address(request, "bot-preview", bot.bot.slug),
    )


def user_card(request: HttpRequest, page: UserPage) -> LinkCard:
    """Return the card of an author, with the author's first bots."""
    n = page.bot_count
    told = ngettext("%(n)s bot", "%(n)s bots", n) % {"n": n}
    names = ", ".join(line.bot.name for line in page.bots[:5])
    return LinkCard(
        page.name,
        f"{told}: {names}" if names else told,
        card_address(request, "user", page.name),
        card_address(request, "user-preview", page.name),
    )
