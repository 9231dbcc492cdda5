"""Small drawings and phrases that templates share."""

from collections.abc import Mapping
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

from arena.rules import View
from webui.board import rows
from webui.core import scripts
from webui.core.identicon import star_path
from webui.core.static_files import edition, shown_in
from webui.core.times import time_element, zone_of
from webui.ladders.values import LadderRef
from webui.matches.values import MatchLine, SeatLine
from webui.ratings import charts
from webui.ratings.charts import Interval, RatingAxis
from webui.ratings.standings import half
from webui.ratings.values import Rated
from webui.words import badges, reasons, titles, vocabulary
from webui.words.titles import clock, ladder_name, margin, placed

register = template.Library()

SHEETS = ("fonts", "tokens", "base", "board", "match", "table", "proof", "docs", "pages", "lists", "events", "tv")
"""In their order."""
SHEETS_OF = {
    "front": {"board", "match", "table", "pages", "lists", "events", "tv"},
    "lists": {"board", "pages", "lists", "events"},
    "docs": {"board", "docs", "pages", "events"},
    "match": {"board", "match", "table", "proof", "tv"},
    "embed": {"board", "match", "table"},
    "": set(SHEETS),
}
"""What a kind of page has beside the first three; one of no kind has all."""
SCRIPT_OF = {"ru": "cyrillic"}
"""The part of a font that most of a language's texts need."""
MINUTE, HOUR, DAY = 60, 3600, 86400


@register.simple_tag
def styles(kind: str = "") -> SafeString:
    """The style sheets of a kind of page, and the fonts that are needed first."""
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
    """A script of the viewer with all that it imports."""
    return format_html('<script type="module" src="{}"></script>', script_address(name))


@register.simple_tag
def script_address(name: str) -> str:
    """Where a script of the viewer is, with all that it imports."""
    return static(scripts.sent(name))


@register.simple_block_tag
def drawings(content: str) -> SafeString:
    """A page's body, with the drawings that it shows."""
    return format_html(
        '<svg class="sprite" width="0" height="0" aria-hidden="true">{}</svg>{}',
        SafeString(shown_in(content)), SafeString(content),
    )  # fmt: skip


@register.simple_block_tag
def term(content: str, name: str) -> SafeString:
    """A term of the game, as a link to the glossary that explains itself: `{% term "camel" %}…{% endterm %}`."""
    return badges.term(content, name)


register.simple_tag(badges.icon)
register.simple_tag(badges.seat_badge)
register.filter(badges.ordinal)


@register.simple_tag(takes_context=True)
def part(context: Any, *words: object) -> SafeString:
    """A part of the table: `{% part "seat" 2 "hand" %}`; nothing where this table has no such part."""
    name = "-".join(map(str, words))
    found = context["parts"].get(name)
    return found.render(name) if found else SafeString()


@register.simple_tag
def identicon(name: str, css: str = "identicon") -> SafeString:
    """The identicon of a bot: a star in a circle."""
    return format_html(
        '<svg class="{}" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"/><circle cx="12" cy="12" r="10.9"/></svg>',
        css, star_path(name),
    )  # fmt: skip


@register.simple_tag
def interval(axis: RatingAxis, rated: Rated) -> SafeString:
    """A rating's interval on the axis; the number stands beside it, so readers skip this."""
    shown: Interval = axis.interval(rated)
    return format_html(
        '<svg class="iv{}" width="100%" height="20" aria-hidden="true"><line x1="0" x2="100%" y1="10" y2="10"/>'
        '<rect class="iv-b" x="{}%" y="6" width="{}%" height="8" rx="4"/>'
        '<svg x="{}%" y="0" width="1" height="20" overflow="visible">'
        '<rect class="iv-m" x="-1.5" y="2" width="3" height="16" rx="1.5"/></svg></svg>',
        "" if rated.is_settled else " prov", shown.left, shown.width, shown.middle,
    )  # fmt: skip


@register.simple_tag
def spark(trend: list[int]) -> SafeString:
    """A trend as a small line; the change stands beside it, so readers skip this."""
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
    """From the first to the last of a trend."""
    return trend[-1] - trend[0] if len(trend) > 1 else None


@register.filter
def grouped(number: int) -> str:
    """`1 000 000`, with narrow spaces that do not break."""
    return f"{number:,}".replace(",", "\u202f")


@register.filter
def against(line: MatchLine) -> str:
    """`Oud, Mirage and Greedy-2`: who plays, and nothing of how it ended."""
    return vocabulary.listed(titles.seat_names(line))


@register.filter
def lookup(mapping: Any, key: Any) -> Any:
    """The value of a key, or None."""
    return (mapping or {}).get(key)


@register.filter
def milliseconds(nanoseconds: int) -> str:
    """`0.4 ms`, `31 ms`."""
    ms = nanoseconds / 1e6
    return _("%(n)s ms") % {"n": f"{ms:.1f}" if ms < 10 else f"{ms:.0f}"}


@register.filter
def think(ms: int) -> str:
    """`12 ms`, `1.8 s`."""
    return _("%(n)s ms") % {"n": ms} if ms < 1000 else _("%(n)s s") % {"n": f"{ms / 1000:.1f}"}


@register.filter
def since(nanoseconds: int) -> str:
    """`6 min ago`, from a wall clock in nanoseconds."""
    return ago(datetime.fromtimestamp(nanoseconds / 1e9, tz=UTC)) if nanoseconds else ""


@register.filter
def ago(when: datetime | None) -> str:
    """`6 min ago`."""
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
    """How long ago a time was, which its title says in full."""
    return SafeString("") if when is None else time_element(when, ago(when), zone_of(context.get("request")))


@register.simple_tag(takes_context=True)
def when_full(context: Any, when: datetime | None, form: str = "DATETIME_FORMAT") -> SafeString:
    """A time with its zone, or (`DATE_FORMAT`) the day alone, in the visitor's zone."""
    return SafeString("") if when is None else time_element(when, None, zone_of(context.get("request")), form)


@register.simple_tag(takes_context=True)
def page_zone(context: Any) -> str:
    """The zone in which this page is written, for who is signed in; see `times.py`."""
    return zone_of(context.get("request"))


@register.simple_tag
def board_image(match: MatchLine) -> SafeString:
    """The board of a match, small, beside a link to it: readers skip it. Loaded when it comes into sight."""
    mark = f"?e={edition()}" if match.state == "FINISHED" else ""  # it stays as it is until it is drawn otherwise
    return format_html(
        '<img class="rs-b" src="{}{}" alt="" width="112" height="96" loading="lazy" decoding="async">',
        reverse("board", args=[match.id]), mark,
    )  # fmt: skip


@register.simple_tag
def score_bar(match: MatchLine, seat: SeatLine) -> SafeString:
    """The score of a seat beside the best of its match; the number stands beside it, so readers skip this."""
    best = max((other.score or 0 for other in match.seats), default=0)
    share = max(0, round(100 * (seat.score or 0) / best)) if best > 0 else 0
    return format_html(
        '<svg class="sb" width="100%" height="8" aria-hidden="true"><rect class="sb-g" width="100%" height="8" rx="4"/>'
        '<rect class="sb-f" width="{}%" height="8" rx="4"/></svg>',
        share,
    )


register.filter(half)


@register.filter
def percent(share: float) -> str:
    """`93 %`; never 0 or 100 % for what is not certain."""
    return f"{min(99, max(1, round(100 * share)))} %"


@register.filter
def signed(number: int | None) -> str:
    """`+7`, `−6`, `±0`, with a true minus."""
    if number is None:
        return ""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "±0"


@register.filter
def trend(number: int | None) -> str:
    """The class that colours a change."""
    return "" if not number else "up" if number > 0 else "down"


register.filter(clock)


@register.filter
def rules(match: MatchLine | LadderRef) -> str:
    """`Base game`, or the expansions in play."""
    return titles.rules_words(match.expansions)


register.filter(ladder_name)


@register.filter
def game(ruleset: Mapping[str, Any]) -> str:
    """`3 players · Whims` from a ruleset's document."""
    return titles.game_words(ruleset["players"], ruleset["expansions"])


@register.filter
def reason(code: str) -> str:
    """A reason code in words."""
    return reasons.reason_words(code)


@register.filter
def item_drawing(item: str) -> str:
    """The symbol of an item, for `icon`."""
    return f"x-{item}"


@register.inclusion_tag("site/table/item_kinds.html")
def item_kinds() -> dict[str, Any]:
    """The effects of the items, for a fold-out."""
    return {"kinds": rows.item_kinds()}


@register.inclusion_tag("site/table/tile_cards.html")
def tile_cards(position: View) -> dict[str, Any]:
    """A card for each kind of tile and each other thing on the table, with what it does."""
    return {"cards": rows.tile_cards(position), "things": rows.thing_cards(position)}


register.filter(placed)


@register.simple_tag(takes_context=True)
def seats_shown(context: Any, match: MatchLine) -> list[Any]:
    """The seats of a match in a list: best first, or in their order where `hides` says that results are not told."""
    return sorted(match.seats, key=lambda seat: seat.seat) if context.get("hides") else placed(match)


@register.filter
def names_title(match: MatchLine) -> str:
    """Who plays."""
    return titles.match_title(match, hides_result=True)


@register.filter
def match_title(match: MatchLine) -> str:
    """Who has won over whom."""
    return titles.match_title(match)


@register.filter
def game_of(match: MatchLine | LadderRef) -> str:
    """`3 players · Whims`."""
    return titles.game_words(match.players, match.expansions)


register.filter(margin)
