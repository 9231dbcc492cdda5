"""Summarize in one sentence how a match ended and what it was like."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.story import DecidedBy
from webui.matches.values import MatchLine
from webui.stories.values import StorySummary
from webui.words.cards import djinn_name
from webui.words.vocabulary import listed

_BY_SOURCE: dict[str, Promise] = {
    "gold": gettext_lazy("%(first)s wins by %(margin)s, decided by its gold"),
    "viziers": gettext_lazy("%(first)s wins by %(margin)s, decided by its viziers"),
    "elders": gettext_lazy("%(first)s wins by %(margin)s, decided by its elders"),
    "djinns": gettext_lazy("%(first)s wins by %(margin)s, decided by its Djinns"),
    "tiles": gettext_lazy("%(first)s wins by %(margin)s, decided by its tiles"),
    "palms": gettext_lazy("%(first)s wins by %(margin)s, decided by its palms"),
    "palaces": gettext_lazy("%(first)s wins by %(margin)s, decided by its palaces"),
    "goods": gettext_lazy("%(first)s wins by %(margin)s, decided by its goods"),
    "artisans": gettext_lazy("%(first)s wins by %(margin)s, decided by its artisans"),
    "items": gettext_lazy("%(first)s wins by %(margin)s, decided by its items"),
}


Scores = Sequence[Mapping[str, int]]
"""Final points of every seat, by source and in total."""


def verdict_sentence(line: MatchLine, story: StorySummary, scores: Scores | None = None) -> str:
    """Summarize a match: `Vizier wins by 12, decided by one Djinn, Jafaar; the lead changed 9 times.`

    The sentence reveals the result. With `scores` it also names the points: `decided by its gold: 24 to 11`.
    """
    names = {seat.seat: seat.version.bot.name for seat in line.seats}
    return verdict_of(names, story, [seat.seat for seat in line.seats if seat.forfeit_reason], scores)


def verdict_of(
    names: Mapping[int, str], story: StorySummary, forfeited: Collection[int] = (), scores: Scores | None = None
) -> str:
    """Return the sentence of `verdict_sentence`, given the bots' names by seat (from 1) and the forfeited seats."""
    clauses = list(_clauses(names, story, forfeited, scores))
    sentence = clauses[0]
    for clause in clauses[1:]:
        sentence = _("%(told)s; %(more)s") % {"told": sentence, "more": clause}
    return _("%(sentence)s.") % {"sentence": sentence}


def _clauses(
    names: Mapping[int, str], story: StorySummary, forfeited: Collection[int], scores: Scores | None
) -> Iterator[str]:
    others = [seat for seat in names if seat not in story.winners]
    values = {
        "first": listed(names[seat] for seat in story.winners),
        "others": listed(names[seat] for seat in others),
        "gone": listed(names[seat] for seat in names if seat in forfeited),
        "margin": story.margin,
    }
    if others and set(forfeited).issuperset(others):
        yield (
            ngettext("%(first)s wins: %(gone)s forfeited", "%(first)s win: %(gone)s forfeited", len(story.winners))
            % values
        )
        return
    result = _result(story, values, is_shared=bool(others))
    rivals = [scores[seat - 1] for seat in others if seat not in forfeited] if scores else []
    if scores and rivals and story.decided_by == DecidedBy.SOURCE:
        rival, source = max(rivals, key=lambda points: points["total"]), story.decided_what
        numbers = {"mine": scores[story.winners[0] - 1][source], "theirs": rival[source]}
        result = _("%(result)s: %(mine)s to %(theirs)s") % {"result": result, **numbers}
    yield result
    if forfeited:
        yield _("%(gone)s forfeited") % values
    if story.lead_changes:
        n = story.lead_changes
        yield ngettext("the lead changed once", "the lead changed %(n)d times", n) % {"n": n}
    else:
        yield _("the lead never changed")


def _result(story: StorySummary, values: dict[str, object], *, is_shared: bool) -> str:
    match story.decided_by:
        case DecidedBy.TIE if is_shared:
            return _("%(first)s share the win over %(others)s") % values
        case DecidedBy.TIE:
            return _("%(first)s draw") % values
        case DecidedBy.FORFEIT:
            return _("%(first)s wins by a forfeit") % values
        case DecidedBy.DJINN:
            djinn = djinn_name(story.decided_what)
            return _("%(first)s wins by %(margin)s, decided by one Djinn, %(djinn)s") % {**values, "djinn": djinn}
        case DecidedBy.TILE:
            tile = story.decided_what
            return _("%(first)s wins by %(margin)s, decided by one tile, %(tile)s") % {**values, "tile": tile}
        case DecidedBy.SOURCE:
            return str(_BY_SOURCE[story.decided_what]) % values
    return _("%(first)s wins by %(margin)s") % values
