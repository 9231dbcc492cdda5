"""Acts of staff on matches, on games that the matchmaker plays, and on ladders."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from arena.events.fields import NumberRule, TermsTable, terms_of
from webui.accounts.values import Actor
from webui.ladders import terms as ladder_terms
from webui.ladders.values import GameSettings, LadderClock, LadderSettings
from webui.staff import ladder_queries, match_queries, orders, words
from webui.staff.act import LOGGED, ActSubject, Entered, StaffAct
from webui.staff.values import Right, StaffGame, StaffLadder, StaffMatch
from webui.words.titles import game_words

MATCH: Final = ActSubject(
    key="match",
    find=match_queries.staff_match,
    root="staff/matches/<slug:subject>/",
    section="matches",
    word=lambda match: match.page.line.id,
    name=lambda match: match.page.line.id,
    back=lambda match, entered: reverse("staff-match", args=[match.page.line.id]),
)
GAME: Final = ActSubject(
    key="game",
    find=ladder_queries.staff_game,
    root="staff/ladders/<slug:subject>/",
    section="ladders",
    word=lambda game: game.terms.game,
    name=lambda game: game_words(game.terms.ruleset.players, game.terms.ruleset.expansions),
    back=lambda game, entered: reverse("staff-ladders"),
)
LADDER: Final = ActSubject(
    key="ladder",
    find=ladder_queries.staff_ladder,
    root="staff/delays/<slug:subject>/",
    section="ladders",
    word=lambda ladder: ladder.ladder.slug,
    name=lambda ladder: ladder.ladder.slug,
    back=lambda ladder, entered: reverse("staff-ladders"),
)


TIMES: Final = {name.removesuffix("_ms"): name for name in terms_of(LadderClock)}
"""Times of a clock, by the names of their fields. The forms have them in seconds."""


def _number(table: type[TermsTable], name: str, label: Any, help_text: Any = "") -> forms.Field:
    """Return the field of a number, with its limits. Milliseconds are entered in seconds."""
    rule = terms_of(table)[name].rule
    assert isinstance(rule, NumberRule)
    if rule.unit != "ms":
        return forms.IntegerField(label=label, min_value=rule.least, max_value=rule.most, help_text=help_text)
    least, most = Decimal(rule.least) / 1000, Decimal(rule.most) / 1000
    return forms.DecimalField(label=label, min_value=least, max_value=most, decimal_places=3, help_text=help_text)


def _order(match: StaffMatch, kind: str, entered: Entered, by: Actor) -> bool:
    return orders.order_match(match.page.line.id, kind, entered["reason"], by=by)


def _terms(game: StaffGame) -> Entered:
    terms = game.terms
    times = {name: f"{getattr(terms.clock, key) / 1000:g}" for name, key in TIMES.items()}
    return {**terms.document(), "revision": terms.revision, **times}


def _set_terms(game: StaffGame, entered: Entered, by: Actor) -> bool:
    settings = {name: value for name, value in entered.items() if name not in TIMES}
    clock = {key: int(entered[name] * 1000) for name, key in TIMES.items()}
    return ladder_terms.set_ladder_terms(game.terms.game, clock=clock, by=by, **settings)


OF_MATCHES: Final[tuple[StaffAct[StaffMatch], ...]] = (
    StaffAct(
        key="void",
        on=MATCH,
        path="void/",
        right=Right.CHANGE_MATCH,
        do=lambda match, entered, by: _order(match, "void_again" if entered["again"] else "void", entered, by),
        help="End a match without a result. It counts for nobody, and its seed is revealed.",
        title=_("Void match %(name)s"),
        button=_("Void the match"),
        done=_("It is ordered. A worker carries it out within seconds."),
        consequences=words.of_void,
        reason=_("Everybody reads it on the page of the match."),
        fields={
            "again": forms.BooleanField(
                label=_("Play it again: a new match with the same bots in the same seats, and a new seed"),
                required=False,
            )
        },
        is_possible=lambda match: match.can_be_voided,
        is_dangerous=True,
    ),
    StaffAct(
        key="again",
        on=MATCH,
        path="again/",
        right=Right.CHANGE_MATCH,
        do=lambda match, entered, by: _order(match, "again", entered, by),
        help="Play a match again that ended without a result: a new match with a new seed takes its place.",
        title=_("Play match %(name)s again"),
        button=_("Play it again"),
        done=_("It is ordered. A worker carries it out within seconds."),
        consequences=words.of_again,
        reason=LOGGED,
        is_possible=lambda match: match.can_be_played_again,
    ),
)

OF_GAMES: Final[tuple[StaffAct[StaffGame], ...]] = (
    StaffAct(
        key="ladder",
        on=GAME,
        path="",
        right=Right.CHANGE_LADDER,
        do=_set_terms,
        help="Set how the matchmaker plays a game: whether it is open, its share and its clock.",
        title="%(name)s",
        button=_("Change it"),
        done=_("Changed. It holds for matches that are made from now on."),
        consequences=words.of_game,
        reason=LOGGED,
        fields={
            "is_open": forms.BooleanField(label=_("Open: new rated matches are made"), required=False),
            "share": _number(
                GameSettings,
                "share",
                _("Share"),
                _("The share of the matches in flight, relative to the shares of the other open games."),
            ),
            "bank": _number(LadderClock, "bank_ms", _("Thinking time, in seconds")),
            "increment": _number(LadderClock, "increment_ms", _("Increment for each bid and turn, in seconds")),
            "cap": _number(
                LadderClock,
                "cap_ms",
                _("The most that one request may take, in seconds"),
                _("With another clock new matches count for another ladder, whose ratings begin anew."),
            ),
            "revision": forms.IntegerField(widget=forms.HiddenInput, min_value=0),
        },
        initial=_terms,
        flags={"is_open": "--open/--close"},
    ),
)

OF_LADDERS: Final[tuple[StaffAct[StaffLadder], ...]] = (
    StaffAct(
        key="delay",
        on=LADDER,
        path="",
        right=Right.CHANGE_LADDER,
        do=lambda ladder, entered, by: ladder_terms.set_ladder(
            ladder.ladder.slug,
            seen={"delay": entered["seen"]},
            reason=entered["reason"],
            by=by,
            delay=entered["delay"],
        ),
        help="Set how many decisions spectators of a ladder are behind.",
        title=_("Spectators of %(name)s"),
        button=_("Change it"),
        done=_("Changed."),
        consequences=words.of_delay,
        reason=LOGGED,
        fields={
            "delay": _number(
                LadderSettings,
                "delay",
                _("Decisions that spectators are behind"),
                _("0: they see every decision at once. At the end of a match they see all of it."),
            ),
            "seen": forms.IntegerField(widget=forms.HiddenInput, min_value=0),
        },
        initial=lambda ladder: {"delay": ladder.ladder.delay, "seen": ladder.ladder.delay},
    ),
)
