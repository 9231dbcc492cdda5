"""Describe turning points. Each branch has a complete sentence, for the sake of translations."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.story import TurningKind, TurningPoint
from webui.words.cards import djinn_name


def turning_words(turn: TurningPoint, bot: str) -> str:
    """Describe a turning point: `Vizier gains 12 points and takes the lead`. `bot` is the name of the acting bot."""
    n = turn.gain
    told = {"bot": bot, "n": n}
    if n <= 0 and turn.kind in (TurningKind.LEAD, TurningKind.TILE, TurningKind.GAIN):
        return _("%(bot)s improves its chances") % told
    match turn.kind:
        case TurningKind.LEAD:
            return (
                ngettext(
                    "%(bot)s gains %(n)d point and takes the lead", "%(bot)s gains %(n)d points and takes the lead", n
                )
                % told
            )
        case TurningKind.DJINN:
            return _("%(bot)s gains the Djinn %(djinn)s") % {**told, "djinn": djinn_name(turn.what)}
        case TurningKind.TILE:
            return ngettext(
                "%(bot)s takes %(tile)s and gains %(n)d point", "%(bot)s takes %(tile)s and gains %(n)d points", n
            ) % {**told, "tile": turn.what}
        case TurningKind.OUTBID:
            return _("%(bot)s outbids the others and acts first") % told
        case TurningKind.BID:
            return _("The bids raise the chance of %(bot)s to win") % told
        case TurningKind.SLIP if n > 0:
            return (
                ngettext(
                    "%(bot)s gains %(n)d point, but its chance to win falls",
                    "%(bot)s gains %(n)d points, but its chance to win falls",
                    n,
                )
                % told
            )
        case TurningKind.SLIP:
            return _("%(bot)s gains no points, and its chance to win falls") % told
    return ngettext("%(bot)s gains %(n)d point", "%(bot)s gains %(n)d points", n) % told
