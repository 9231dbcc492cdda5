"""Titles of matches, and names of their games, clocks and seats."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.referee import Clock
from webui.ladders.values import LadderRef
from webui.matches.values import MatchLine, SeatLine
from webui.stories.values import StorySummary
from webui.words.verdicts import Scores, verdict_sentence
from webui.words.vocabulary import listed


def game_words(players: int, expansions: Sequence[str]) -> str:
    """Return the game in words: `3 players · Whims`."""
    names = {"artisans": _("Artisans"), "whims": _("Whims")}
    words = ngettext("%(n)s player", "%(n)s players", players) % {"n": players}
    return " · ".join([words, *(names[name] for name in expansions)])


def rules_words(expansions: Sequence[str]) -> str:
    """Return `Base game`, or the expansions in play."""
    names = {"artisans": _("Artisans"), "whims": _("Whims")}
    return listed([names[name] for name in expansions]) or _("Base game")


def tab_words(ladders: Sequence[LadderRef]) -> list[str]:
    """Return the labels of tabs for these ladders: `3`, `3 · Whims`.

    A label includes the clock if another ladder differs only in its clock.
    """
    games = [(ladder.players, ladder.expansions) for ladder in ladders]
    titles = []
    for ladder, game in zip(ladders, games, strict=True):
        parts = [str(ladder.players), *([rules_words(ladder.expansions)] if ladder.expansions else [])]
        if games.count(game) > 1:
            parts.append(clock_words(ladder.clock))
        titles.append(" · ".join(parts))
    return titles


UNTIMED_MS: Final = 180 * 60_000
"""Bank, in milliseconds, of a game without a clock. It only ends the games of people who have gone away."""
LONG_MS: Final = 300_000
"""Bank, in milliseconds, from which a clock is written in minutes and seconds."""


def is_untimed(clock: Clock) -> bool:
    """Return whether a game with this clock counts as one without a clock."""
    return clock.bank_ms >= UNTIMED_MS


def clock_words(clock: Clock) -> str:
    """Return a clock in words: `60 s + 1 s`, `10:00`, or that there is none."""
    if is_untimed(clock):
        return _("no clock")
    if clock.bank_ms >= LONG_MS and not clock.increment_ms:
        minutes, seconds = divmod(clock.bank_ms // 1000, 60)
        return f"{minutes}:{seconds:02}"
    bank, increment = clock.bank_ms / 1000, clock.increment_ms / 1000
    return _("%(bank)s s + %(increment)s s") % {"bank": f"{bank:g}", "increment": f"{increment:g}"}


def seat_names(line: MatchLine) -> list[str]:
    """Return the bots of a match, seat 1 first."""
    return [seat.version.bot.name for seat in line.seats]


def match_title(line: MatchLine, *, hides_result: bool = False) -> str:
    """Return the title of a match: `Oud wins over Mirage and Greedy-2`.

    Before the end, or with `hides_result`, it is `Oud, Mirage and Greedy-2`. Before the match has begun, it has no
    names.
    """
    names = seat_names(line)
    if not names:
        return game_words(line.players, line.expansions)
    return result_words(line.seats) if line.state == "FINISHED" and not hides_result else listed(names)


def match_description(line: MatchLine, story: StorySummary | None, scores: Scores | None = None) -> str:
    """Describe a match for a preview: how it ended, and what it was like if it has a story."""
    values = {"rules": game_words(line.players, line.expansions), "names": listed(seat_names(line))}
    if story is None:
        return _("%(names)s at Five Tribes: %(rules)s") % values
    return f"{verdict_sentence(line, story, scores)} {values['rules']}."


def result_words(seats: Sequence[SeatLine]) -> str:
    """Describe how a match ended: `Oud wins over Mirage; Greedy-2 forfeited`."""
    placed = sorted(seats, key=lambda seat: (seat.placement or 9, seat.seat))
    first = [seat.version.bot.name for seat in placed if seat.placement == 1]
    gone = [seat.version.bot.name for seat in placed if seat.placement != 1 and seat.forfeit_reason]
    others = [seat.version.bot.name for seat in placed if seat.placement != 1 and not seat.forfeit_reason]
    values = {"first": listed(first), "others": listed(others), "gone": listed(gone)}
    if not others and not gone:
        return _("%(first)s draw") % values
    if not others:
        return ngettext("%(first)s wins: %(gone)s forfeited", "%(first)s win: %(gone)s forfeited", len(first)) % values
    words = ngettext("%(first)s wins over %(others)s", "%(first)s share the win over %(others)s", len(first)) % values
    return _("%(result)s; %(gone)s forfeited") % {**values, "result": words} if gone else words


def clock(clock: Clock | Mapping[str, Any]) -> str:
    """Return a clock, or its document, in words: `60 s + 1 s`."""
    return clock_words(clock if isinstance(clock, Clock) else Clock.parse(clock))


def ladder_name(ladder: LadderRef) -> str:
    """Return the name of a ladder in the visitor's language: `3 players · Whims · 60 s + 1 s`."""
    return f"{game_words(ladder.players, ladder.expansions)} · {clock(ladder.clock)}"


def placed(match: MatchLine) -> list[Any]:
    """Return the seats of a match, best first if the result is known."""
    return sorted(match.seats, key=lambda seat: (seat.placement or 9, seat.seat))


def margin(match: MatchLine) -> str:
    """Describe in a word or two how a finished match was decided."""
    if any(seat.forfeited_at is not None for seat in match.seats):
        return _("with a forfeit")
    scores = sorted((seat.score for seat in match.seats if seat.score is not None), reverse=True)
    if len(scores) < 2:
        return ""
    return _("won by %(n)d") % {"n": scores[0] - scores[1]} if scores[0] > scores[1] else _("shared win")
