"""Small drawings and phrases that templates share."""

from datetime import UTC, datetime
from typing import Any

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from arena.rules import Ruleset, View
from webui.board import rows
from webui.core import static_files
from webui.core.static_files import edition, shown_in, star_path
from webui.core.times import time_element, zone_of
from webui.ladders.values import LadderRef
from webui.matches.values import MatchLine, SeatLine
from webui.notices import queries as notice_queries
from webui.ratings import charts
from webui.ratings.charts import Interval, RatingAxis
from webui.ratings.standings import half
from webui.ratings.values import Rated
from webui.words import badges, titles, vocabulary
from webui.words.titles import clock, ladder_name, margin, placed

register = template.Library()

SHEETS = (
    "fonts", "tokens", "base", "board", "match", "table", "proof", "docs", "pages", "lists", "events", "tv", "write",
    "statistics", "choosing",
)  # fmt: skip
"""Style sheets in the order in which pages load them."""
SHEETS_OF = {
    "front": {"board", "match", "table", "pages", "lists", "events", "tv"},
    "lists": {"board", "pages", "lists", "events"},
    "statistics": {"board", "pages", "lists", "events", "statistics"},
    "docs": {"board", "docs", "pages", "events"},
    "match": {"board", "match", "table", "proof", "tv"},
    "write": {"board", "match", "write"},
    "analysis": {"board", "match", "table", "choosing"},
    "analysis-start": {"board", "match", "pages", "choosing"},
    "embed": {"board", "match", "table"},
    "": set(SHEETS) - {"choosing", "write", "statistics"},
}
"""Style sheets of each kind of page, besides the first three. A page without a kind loads all that many pages need."""
SCRIPT_OF = {"ru": "cyrillic"}
"""Part of a font that most texts of a language need."""
MINUTE, HOUR, DAY = 60, 3600, 86400


@register.simple_tag
def styles(kind: str = "") -> SafeString:
    """Return links to the style sheets of a kind of page, and to the fonts that are needed first."""
    letters = SCRIPT_OF.get(get_language() or "", "latin")
    fonts = format_html_join(
        "\n",
        '<link rel="preload" href="{}" as="font" type="font/woff2" crossorigin>',
        ((static(f"site/fonts/{family}-{letters}.woff2"),) for family in ("inter", "vollkorn")),
    )
    wanted = [sheet for sheet in SHEETS if sheet in SHEETS[:3] or sheet in SHEETS_OF[kind]]
    sheets = format_html_join(
        "\n", '<link rel="stylesheet" href="{}">', ((static(f"site/{sheet}.css"),) for sheet in wanted)
    )
    return format_html("{}\n{}", fonts, sheets)


@register.simple_tag
def script(name: str) -> SafeString:
    """Return the tag of a viewer's script with everything that it imports."""
    return format_html('<script type="module" src="{}"></script>', script_address(name))


@register.simple_tag
def script_address(name: str) -> str:
    """Return the address of a viewer's script with everything that it imports."""
    return static(static_files.sent(name))


@register.simple_block_tag
def drawings(content: str) -> SafeString:
    """Return a page's body, preceded by the drawings that it shows."""
    return format_html(
        '<svg class="sprite" width="0" height="0" aria-hidden="true">{}</svg>{}',
        SafeString(shown_in(content)), SafeString(content),
    )  # fmt: skip


@register.simple_block_tag
def term(content: str, name: str) -> SafeString:
    """Return a term of the game as a link to the glossary: `{% term "camel" %}…{% endterm %}`."""
    return badges.term(content, name)


register.simple_tag(badges.icon)
register.simple_tag(badges.seat_badge)
register.simple_tag(badges.hosted_mark)
register.filter(badges.ordinal)


@register.simple_tag(takes_context=True)
def part(context: Any, *words: object) -> SafeString:
    """Return a part of the table: `{% part "seat" 2 "hand" %}`. Empty if this table has no such part."""
    name = "-".join(map(str, words))
    drawing = context["table"].parts.get(name)
    return drawing.render(name) if drawing else SafeString()


@register.simple_tag
def identicon(name: str, css: str = "identicon") -> SafeString:
    """Return the identicon of a bot: a star in a circle."""
    return format_html(
        '<svg class="{}" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"/><circle cx="12" cy="12" r="10.9"/></svg>',
        css, star_path(name),
    )  # fmt: skip


@register.simple_tag
def interval(axis: RatingAxis, rated: Rated) -> SafeString:
    """Draw a rating's interval on the axis. Screen readers skip it, because the number stands beside it."""
    shown: Interval = axis.interval(rated)
    return format_html(
        '<svg class="interval{}" width="100%" height="20" aria-hidden="true"><line x1="0" x2="100%" y1="10" y2="10"/>'
        '<rect class="interval-band" x="{}%" y="6" width="{}%" height="8" rx="4"/>'
        '<svg x="{}%" y="0" width="1" height="20" overflow="visible">'
        '<rect class="interval-middle" x="-1.5" y="2" width="3" height="16" rx="1.5"/></svg></svg>',
        "" if rated.is_settled else " provisional", shown.left, shown.width, shown.middle,
    )  # fmt: skip


@register.simple_tag
def spark(trend: list[int]) -> SafeString:
    """Draw a trend as a small line. Screen readers skip it, because the change stands beside it."""
    drawn = charts.sparkline(trend)
    if drawn is None:
        return SafeString('<svg class="spark" width="76" height="22" aria-hidden="true"></svg>')
    return format_html(
        '<svg class="spark" width="76" height="22" viewBox="0 0 76 22" aria-hidden="true"><path d="{}"/>'
        '<circle cx="{}" cy="{}" r="2.4"/></svg>',
        *drawn,
    )


@register.filter
def change_over(trend: list[int]) -> int | None:
    """Return the change from the first to the last value of a trend."""
    return trend[-1] - trend[0] if len(trend) > 1 else None


@register.filter
def grouped(number: int) -> str:
    """Group the digits of a number: `1 000 000`, with narrow spaces that do not break."""
    return f"{number:,}".replace(",", "\u202f")


@register.filter
def against(line: MatchLine) -> str:
    """Return the players without the result: `Oud, Mirage and Greedy-2`."""
    return vocabulary.listed(titles.seat_names(line))


@register.filter
def lookup(mapping: Any, key: Any) -> Any:
    """Return the value of a key, or None."""
    return (mapping or {}).get(key)


@register.filter
def milliseconds(nanoseconds: int) -> str:
    """Format a duration as `0.4 ms` or `31 ms`."""
    ms = nanoseconds / 1e6
    return _("%(n)s ms") % {"n": f"{ms:.1f}" if ms < 10 else f"{ms:.0f}"}


@register.filter
def think(ms: int) -> str:
    """Format a think time as `12 ms` or `1.8 s`."""
    return _("%(n)s ms") % {"n": ms} if ms < 1000 else _("%(n)s s") % {"n": f"{ms / 1000:.1f}"}


@register.filter
def since(nanoseconds: int) -> str:
    """Format a wall clock in nanoseconds as `6 min ago`."""
    return ago(datetime.fromtimestamp(nanoseconds / 1e9, tz=UTC)) if nanoseconds else ""


@register.filter
def ago(when: datetime | None) -> str:
    """Format a time as `6 min ago`."""
    if when is None:
        return ""
    seconds = max(0, int((timezone.now() - when).total_seconds()))
    if seconds < MINUTE:
        return _("just now")
    if seconds < HOUR:
        return ngettext("%(n)d min ago", "%(n)d min ago", seconds // MINUTE) % {"n": seconds // MINUTE}
    if seconds < DAY:
        return ngettext("%(n)d h ago", "%(n)d h ago", seconds // HOUR) % {"n": seconds // HOUR}
    return ngettext("%(n)d day ago", "%(n)d days ago", seconds // DAY) % {"n": seconds // DAY}


@register.simple_tag(takes_context=True)
def when_ago(context: Any, when: datetime | None) -> SafeString:
    """Return an element that says how long ago a time was. Its title gives the full time."""
    return SafeString("") if when is None else time_element(when, ago(when), zone_of(context.get("request")))


@register.simple_tag(takes_context=True)
def when_full(context: Any, when: datetime | None, form: str = "DATETIME_FORMAT") -> SafeString:
    """Return a time with its zone, or only the day (`DATE_FORMAT`), in the visitor's zone."""
    return SafeString("") if when is None else time_element(when, None, zone_of(context.get("request")), form)


@register.simple_tag(takes_context=True)
def page_zone(context: Any) -> str:
    """Return the zone in which this page is written, for a signed-in visitor. See `webui.core.times`."""
    return zone_of(context.get("request"))


@register.simple_tag
def board_image(match: MatchLine) -> SafeString:
    """Return a small board of a match for the side of a link. Screen readers skip it, and browsers load it when
    visible.
    """
    mark = f"?e={edition()}" if match.state == "FINISHED" else ""  # a finished board changes only when drawing changes
    return format_html(
        '<img class="result-board" src="{}{}" alt="" width="112" height="96" loading="lazy" decoding="async">',
        reverse("board", args=[match.id]), mark,
    )  # fmt: skip


@register.simple_tag
def score_bar(match: MatchLine, seat: SeatLine) -> SafeString:
    """Draw a seat's score relative to the best of its match. Screen readers skip it: the number stands beside it."""
    best = max((other.score or 0 for other in match.seats), default=0)
    share = max(0, round(100 * (seat.score or 0) / best)) if best > 0 else 0
    return format_html(
        '<svg class="score-bar" width="100%" height="8" aria-hidden="true">'
        '<rect class="score-bar-ground" width="100%" height="8" rx="4"/>'
        '<rect class="score-bar-fill" width="{}%" height="8" rx="4"/></svg>',
        share,
    )


register.filter(half)


@register.filter
def percent(share: float) -> str:
    """Format a share as `93 %`. It is never 0 or 100 %, because nothing is certain."""
    return f"{min(99, max(1, round(100 * share)))} %"


@register.filter
def signed(number: int | None) -> str:
    """Format a number as `+7`, `−6` or `±0`, with a true minus sign."""
    if number is None:
        return ""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "±0"


@register.filter
def trend(number: int | None) -> str:
    """Return the CSS class that colours a change."""
    return "" if not number else "up" if number > 0 else "down"


register.filter(clock)


@register.filter
def rules(match: MatchLine | LadderRef) -> str:
    """Return `Base game`, or the expansions in play."""
    return titles.rules_words(match.expansions)


register.filter(ladder_name)


@register.filter
def game(ruleset: Ruleset) -> str:
    """Return a ruleset in words: `3 players · Whims`."""
    return titles.game_words(ruleset.players, ruleset.expansions)


@register.filter
def reason(code: str) -> str:
    """Return a reason code in words."""
    return badges.reason_words(code)


@register.filter
def void_reason(text: str) -> str:
    """Return the reason why a match is void: the arena's own in the reader's language, any other as it was written."""
    return str(badges.VOID_REASONS.get(text, text))


@register.filter
def item_drawing(item: str) -> str:
    """Return the symbol of an item, for `icon`."""
    return f"x-{item}"


@register.inclusion_tag("board/item_kinds.html")
def item_kinds() -> dict[str, Any]:
    """Return the effects of the items, for a fold-out."""
    return {"kinds": rows.item_kinds()}


@register.inclusion_tag("board/tile_cards.html")
def tile_cards(position: View) -> dict[str, Any]:
    """Return a card for each kind of tile and each other thing on the table, with its effect."""
    return {"cards": rows.tile_cards(position), "things": rows.thing_cards(position)}


register.filter(placed)


@register.simple_tag(takes_context=True)
def seats_shown(context: Any, match: MatchLine) -> list[Any]:
    """Return the seats of a match in a list: best first, or in their order if `hides` hides results."""
    return sorted(match.seats, key=lambda seat: seat.seat) if context.get("hides") else placed(match)


@register.filter
def names_title(match: MatchLine) -> str:
    """Return the title of a match without its result."""
    return titles.match_title(match, hides_result=True)


@register.filter
def match_title(match: MatchLine) -> str:
    """Return the title of a match with its result."""
    return titles.match_title(match)


@register.filter
def game_of(match: MatchLine | LadderRef) -> str:
    """Return the game of a match or ladder: `3 players · Whims`."""
    return titles.game_words(match.players, match.expansions)


register.filter(margin)


@register.simple_tag(takes_context=True)
def unread(context: Any) -> int:
    """Return the number of the visitor's unread notices. It is read once for each page, which shows it twice."""
    request = context["request"]
    if not hasattr(request, "unread_notices"):
        request.unread_notices = notice_queries.unread_notices(request.user.pk)
    return int(request.unread_notices)
