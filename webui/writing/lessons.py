"""Lessons as their pages show them: texts, and the verdict of a check in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.lessons import LESSONS, LessonFinding, LessonVerdict


@dataclass(frozen=True)
class LessonText:
    """The texts of a lesson."""

    title: Promise
    about: Promise
    """What one learns, and why it wins points."""
    task: Promise
    """What to change in the program."""
    hints: tuple[Promise, ...]
    check: Promise
    """What the check expects."""


TEXTS: Final = (
    LessonText(
        gettext_lazy("Take points"),
        gettext_lazy(
            "A bot is a class with one method: “choose” gets what your seat sees and the legal actions, and returns one"
            " of them. “determinize” makes a whole position of what you see, “play” plays an action in it, and “score”"
            " counts the points. So a bot can try each action before it chooses."
        ),
        gettext_lazy("Return the action after which your seat has most points, not simply the first one."),
        (
            gettext_lazy("“points_after” counts the points after an action. Call it for each text in “legal”."),
            gettext_lazy("Python’s “max(legal, key=…)” returns the element for which the key is largest."),
        ),
        gettext_lazy(
            "The bot plays against “random”. Wherever the drop of a meeple, a tribe or a tile brings different points,"
            " it must take the most."
        ),
    ),
    LessonText(
        gettext_lazy("Look at the market"),
        gettext_lazy(
            "A card costs more than it scores at once, so your bot buys nothing. But sets of different goods grow: the"
            " fifth kind adds 8 points, the eighth 10. Buy early what you do not have yet."
        ),
        gettext_lazy("On a market, buy the most kinds of goods that you do not hold. Leave the rest."),
        (
            gettext_lazy(
                "“view.market[0]” is the first card of the row, “view.me.hand” are your cards by their names."
            ),
            gettext_lazy("“buy 1 4” takes the first and the fourth card. Fakirs are no goods."),
        ),
        gettext_lazy("Wherever a new kind can be bought, the bot must buy as many new kinds as the market sells it."),
    ),
    LessonText(
        gettext_lazy("Count viziers"),
        gettext_lazy(
            "Each vizier is 1 point, and whoever has more of them than another player gets 10 points more. Which"
            " meeples you can take is decided by the whole sowing, so look at whole sowings: “results” lists them."
        ),
        gettext_lazy(
            "Until you are three viziers ahead, choose the sowing that brings most viziers. Then choose by points."
        ),
        (
            gettext_lazy("“viziers_after” says how many viziers a sowing leaves you with."),
            gettext_lazy("A key may be a pair: “(viziers, points)” compares the viziers first, then the points."),
        ),
        gettext_lazy(
            "At each sowing while the bot is less than three viziers ahead, it must take as many viziers as any sowing"
            " can bring."
        ),
    ),
    LessonText(
        gettext_lazy("Bid"),
        gettext_lazy(
            "A coin is a point. So a place in the order is worth what the best sowing there brings more than the one"
            " that is left for a later place. “promises” lists what the best sowing to each tile brings, best first."
        ),
        gettext_lazy(
            "Bid so that the sowing that is still there at your turn, less the price, is as much as possible."
        ),
        (
            gettext_lazy("Count the markers on earlier places: so many of the best sowings are gone."),
            gettext_lazy(
                "Expect that the markers that are bid later spread evenly: of three, 3 × place ÷ 9, rounded down, go"
                " before you."
            ),
        ),
        gettext_lazy("No bid may leave 3 points less than the best bid by this rule."),
    ),
    LessonText(
        gettext_lazy("Search one turn"),
        gettext_lazy(
            "After the sowing, builders, assassins and the tile still bring points. A sowing that looks poor may make"
            " the best turn. So play each sowing on to the end of the turn, and compare the positions there."
        ),
        gettext_lazy("Let “rest_of_turn” play the tribe’s and the tile’s action, each time the one with most points."),
        (
            gettext_lazy("Repeat while “state.phase” is “tribe”, “tile” or “choose” and your seat is to act."),
            gettext_lazy("At most 20 actions a decision are enough: “list(state.legal)[:-21:-1]” are the last twenty."),
        ),
        gettext_lazy("All turns of a game together must bring at least 85 % of the points of the best turns."),
    ),
    LessonText(
        gettext_lazy("Determinise and play out"),
        gettext_lazy(
            "The best turn for you may leave a better one for your opponent. Deal what is hidden at random"
            " (“determinize”), play the rest of the round, and judge the position at its end. Do it for the few best"
            " turns only: time is limited."
        ),
        gettext_lazy(
            "Judge a position by your lead and by what cards and Djinns promise, and choose the turn after which the"
            " round ends best."
        ),
        (
            gettext_lazy("Let “end_of_round” play the best turn of each seat until “state.phase” is “bid” again."),
            gettext_lazy("A coin spent is lost, a missed turn only in part: count two thirds of what a turn promises."),
        ),
        gettext_lazy(
            "The bot must win three of five games against “greedy”, with 20 seconds of processor time for all of them."
        ),
    ),
)
"""Texts of the lessons, in their order."""


@dataclass(frozen=True)
class ShownVerdict:
    """The verdict of a check in words."""

    number: int
    """Number of the lesson."""
    is_passed: bool
    summary: str
    details: list[str]
    """Sentences on games."""
    of_index: dict[int, str]
    """Sentences on decisions, by their index in the record."""
    next: int
    """Number of the next lesson. 0 after the last one."""


def shown_verdict(number: int, verdict: LessonVerdict) -> ShownVerdict:
    """Return the verdict on a lesson in words."""
    games = [each for each in verdict.findings if each.index < 0]
    return ShownVerdict(
        number=number,
        is_passed=verdict.is_passed,
        summary=_summary(number, verdict),
        details=[
            _("Game %(number)d: %(own)d to %(other)d.") % {"number": place, "own": game.got, "other": game.most}
            for place, game in enumerate(games, start=1)
        ],
        of_index={each.index: _finding(number, each) for each in verdict.findings if each.index >= 0},
        next=number + 1 if number < len(LESSONS) else 0,
    )


def _summary(number: int, verdict: LessonVerdict) -> str:
    if verdict.faults:
        return ngettext(
            "Your bot made %(n)d fault. A lesson is passed without any.",
            "Your bot made %(n)d faults. A lesson is passed without any.",
            verdict.faults,
        ) % {"n": verdict.faults}
    if number == len(LESSONS):
        return _("Your bot won %(won)d of %(games)d games. It needs %(least)d.") % {
            "won": verdict.right, "games": verdict.judged, "least": verdict.least,
        }  # fmt: skip
    if number == len(LESSONS) - 1:
        return _("The turns of your bot brought %(share)d %% of the points of the best turns.") % {
            "share": verdict.share
        }
    if verdict.judged < verdict.least:
        return _("Decisions of this kind: %(judged)d. The check needs %(least)d, so check it again.") % {
            "judged": verdict.judged, "least": verdict.least,
        }  # fmt: skip
    return _("%(right)d of %(judged)d decisions were as expected.") % {"right": verdict.right, "judged": verdict.judged}


SENTENCES: Final = (
    gettext_lazy("“%(played)s” brought %(got)d points. “%(best)s” brings %(most)d."),
    gettext_lazy("“%(played)s” bought %(got)d new kinds of goods. “%(best)s” buys %(most)d."),
    gettext_lazy("The sowing brought %(got)d viziers. “%(best)s” brings %(most)d."),
    gettext_lazy("“%(played)s” leaves %(got)d points of the sowing that is expected. “%(best)s” leaves %(most)d."),
    gettext_lazy("This turn brought %(got)d points. A turn with “%(best)s” brings %(most)d."),
)
"""What was seen at a decision and what was expected, by lesson."""


def _finding(number: int, finding: LessonFinding) -> str:
    return str(SENTENCES[number - 1]) % {
        "played": finding.played, "best": finding.best, "got": finding.got, "most": finding.most,
    }  # fmt: skip
