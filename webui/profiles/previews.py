"""Preview pictures of matches, bots, ladders and authors for links on other sites: PNG, 1200 by 630 pixels.

They show what the pages show everybody. The picture of a running match shows only its players. The same holds for a
match for a visitor who does not want to see the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webui.core.canvas import HEIGHT, LEFT, TEXTS, WIDTH, Draw, colour, cut, panel, png, right_of, title, width, write
from webui.ladders.values import LadderRef
from webui.matches.values import MatchLine, SeatLine
from webui.profiles.values import BotLine, UserPage
from webui.ratings.standings import half
from webui.ratings.values import LadderRow
from webui.words.titles import game_words, ladder_name, margin, match_title, placed

ROWS = 5
"""Number of rows that fit."""


def match_picture(line: MatchLine, sentence: str, *, tells: bool) -> bytes:
    """Draw the players of a match. With `tells`, also draw the result and `sentence`, its verdict (may be empty)."""
    is_told = tells and line.state == "FINISHED"

    def paint(draw: Draw) -> None:
        y = title(draw, match_title(line, hides_result=not is_told))
        words = [game_words(line.players, line.expansions)]
        words.append(sentence or margin(line) if is_told else _("Live") if line.state == "RUNNING" else "")
        _second(draw, y, " · ".join(filter(None, words)))
        seats: Sequence[SeatLine] = placed(line) if is_told else line.seats
        most = max([seat.score or 0 for seat in seats] + [1])
        top = max(y + 66, 300)
        panel(draw, top)
        height = (HEIGHT - 36 - top) / max(len(seats), 1)
        for k, seat in enumerate(seats):
            middle = top + height * (k + 0.5)
            _seat(draw, seat.seat, middle)
            rated = f"{seat.rating.points} ± {round((seat.rating.high - seat.rating.low) / 2)}" if seat.rating else ""
            available = 400 if is_told else 700
            name = cut(seat.version.bot.name, 28, available - width(rated, TEXTS, 22, 400) - 16)
            write(draw, (LEFT + 62, middle - 17), name, TEXTS, 28, "ink", weight=650)
            at = LEFT + 62 + width(name, TEXTS, 28, 650) + 16
            write(draw, (at, middle - 13), rated, TEXTS, 22, "ink-2")
            if is_told and seat.score is not None:
                draw.rounded_rectangle(
                    (LEFT + 480, middle - 9, LEFT + 480 + 460 * max(seat.score, 0) / most + 4, middle + 9),
                    4,
                    fill=colour(f"seat-{seat.seat}"),
                )
                right_of(draw, str(seat.score), middle, 32)

    return png(paint)


def bot_picture(bot: BotLine) -> bytes:
    """Draw a bot, its author and its standing."""

    def paint(draw: Draw) -> None:
        y = title(draw, bot.bot.name)
        _second(draw, y, _("by %(author)s") % {"author": bot.bot.owner})
        standing = bot.standing
        if standing is None or standing.rated is None:
            write(draw, (LEFT, HEIGHT - 110), _("not rated yet"), TEXTS, 38, "accent", weight=650)
            return
        rated = standing.rated
        write(draw, (LEFT, 400), f"{rated.points} ± {half(rated)}", TEXTS, 84, "accent", weight=650)
        words = [ladder_name(standing.ladder)]
        if rated.rank:
            words.append(_("rank %(rank)s") % {"rank": rated.rank})
        words.append(ngettext("%(n)s game", "%(n)s games", standing.games) % {"n": standing.games})
        write(draw, (LEFT, HEIGHT - 100), cut(" · ".join(words), 30, WIDTH - 2 * LEFT), TEXTS, 30, "ink-2", weight=500)

    return png(paint)


def ladder_picture(ladder: LadderRef, rows: Sequence[LadderRow], matches: int) -> bytes:
    """Draw a ladder with its first rows."""

    def paint(draw: Draw) -> None:
        y = title(draw, game_words(ladder.players, ladder.expansions))
        counted = ngettext("%(n)s rated match", "%(n)s rated matches", matches) % {"n": matches}
        _second(draw, y, " · ".join([_("Ladder"), counted]))
        lines = [
            (str(row.rated.rank), row.version.bot.name, f"{row.rated.points} ± {half(row.rated)}")
            for row in rows[:ROWS]
            if row.rated
        ]
        _rows(draw, max(y + 66, 300), lines)

    return png(paint)


def user_picture(page: UserPage) -> bytes:
    """Draw an author with the author's bots."""

    def paint(draw: Draw) -> None:
        y = title(draw, page.name)
        _second(draw, y, ngettext("%(n)s bot", "%(n)s bots", page.bot_count) % {"n": page.bot_count})
        lines = [
            ("", line.bot.name, f"{line.standing.rated.points} ± {half(line.standing.rated)}")
            if line.standing and line.standing.rated
            else ("", line.bot.name, "")
            for line in page.bots[:ROWS]
        ]
        _rows(draw, max(y + 66, 300), lines)

    return png(paint)


def _second(draw: Draw, y: float, words: str) -> None:
    """Draw the line below the title."""
    write(draw, (LEFT, y), cut(words, 30, WIDTH - 2 * LEFT), TEXTS, 30, "ink-2", weight=500)


def _seat(draw: Draw, seat: int, middle: float) -> None:
    """Draw the badge of a seat: its number on its colour."""
    draw.polygon(
        [(LEFT, middle - 20), (LEFT + 38, middle - 20), (LEFT + 38, middle + 20), (LEFT + 19, middle + 11),
         (LEFT, middle + 20)],
        fill=colour(f"seat-{seat}"),
    )  # fmt: skip
    at = LEFT + 19 - width(str(seat), TEXTS, 22, 700) / 2
    write(draw, (at, middle - 20), str(seat), TEXTS, 22, f"on-seat-{seat}", weight=700)


def _rows(draw: Draw, top: float, lines: Sequence[tuple[str, str, str]]) -> None:
    """Draw a panel at the bottom whose rows are rank, name and number."""
    if not lines:
        return
    panel(draw, top)
    height = (HEIGHT - 36 - top) / len(lines)
    for k, (rank, name, number) in enumerate(lines):
        middle = top + height * (k + 0.5)
        write(draw, (LEFT, middle - 18), rank, TEXTS, 30, "ink-2", weight=500)
        write(draw, (LEFT + (56 if rank else 0), middle - 18), cut(name, 30, 680), TEXTS, 30, "ink", weight=650)
        right_of(draw, number, middle, 30)
