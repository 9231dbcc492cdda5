"""Pages of statistics: the game itself, records of the arena, and two bots head to head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from webui.bots import queries as bot_queries
from webui.bots.values import BotRef
from webui.core.pages import PageContext, get_or_404, render_page
from webui.game_statistics import queries
from webui.game_statistics.tally import ANY, BAND
from webui.game_statistics.values import (
    Effect,
    GameStatistics,
    HeadToHead,
    MeetingLine,
    PairResult,
    PlaceLine,
    RivalLine,
)
from webui.game_statistics.words import BEST, RECORDS, record_unit, record_value
from webui.matches.values import MatchLine
from webui.replays import summary
from webui.words.cards import djinn_name
from webui.words.tiles import TILE_KINDS
from webui.words.titles import game_words

LONGEST_NAME = 40
"""Maximum length of the name of a bot."""


@dataclass(frozen=True)
class DifferenceBar:
    """An interval on an axis whose middle stands for "no difference". All in percent of the axis."""

    left: float
    width: float
    middle: float

    @classmethod
    def of(cls, low: float, middle: float, high: float, end: float) -> DifferenceBar:
        """Return the bar of an interval on an axis from `-end` to `end`."""

        def on_axis(value: float) -> float:
            return round(min(100.0, max(0.0, 50 + 50 * value / end)), 2)

        return cls(on_axis(low), round(on_axis(high) - on_axis(low), 2), on_axis(middle))


@dataclass(frozen=True)
class PlaceRow:
    """A place in the first bidding, with its bar around the equal share."""

    line: PlaceLine
    bar: DifferenceBar


@dataclass(frozen=True)
class EffectRow:
    """A Djinn or a kind of tile, with the bar of its difference."""

    name: str
    effect: Effect
    bar: DifferenceBar | None
    """None if there is no interval."""


@dataclass(frozen=True)
class BandBar:
    """A bar of the histogram of winning scores, in units of the drawing."""

    lowest: int
    highest: int
    games: int
    x: float
    y: float
    width: float
    height: float
    is_labelled: bool


@dataclass(frozen=True)
class Histogram:
    """The histogram of winning scores."""

    bars: list[BandBar]
    width: int = 640
    height: int = 190
    base: int = 160


@dataclass(frozen=True, kw_only=True)
class StatisticsContext(PageContext):
    """Statistics of the game. None before the first counted match."""

    template: str = "game_statistics/statistics.html"
    here: str = "ladder"
    statistics: GameStatistics | None
    places: list[PlaceRow]
    djinns: list[EffectRow]
    tiles: list[EffectRow]
    histogram: Histogram | None


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    """Show statistics of games with one number of players: `?players=`. The default has the most games."""
    players = _players(request)
    found = queries.game_statistics(players)
    if found is None and players is not None:
        raise Http404("no such game is counted")
    context = StatisticsContext(
        statistics=found,
        places=[_place(line, found.players) for line in found.places] if found else [],
        djinns=_effects(found.djinns, {effect.key: djinn_name(effect.key) for effect in found.djinns}) if found else [],
        tiles=_effects(found.tiles, {kind: str(name) for kind, name in TILE_KINDS.items()}) if found else [],
        histogram=_histogram(found) if found else None,
    )
    return render_page(request, context)


def _players(request: HttpRequest) -> int | None:
    """Return the number of players that the address asks for, or None. Raise `Http404` if it is no such number."""
    text = request.GET.get("players", "")
    if not text:
        return None
    if text not in ("2", "3", "4", "5"):
        raise Http404("a game has 2 to 5 players")
    return int(text)


def _place(line: PlaceLine, players: int) -> PlaceRow:
    equal = 1 / players
    share = line.share
    return PlaceRow(line, DifferenceBar.of(share.low - equal, share.share - equal, share.high - equal, equal))


def _effects(effects: Sequence[Effect], names: dict[str, str]) -> list[EffectRow]:
    ends = [abs(effect.points) + (effect.half or 0) for effect in effects if effect.half is not None]
    end = max(ends, default=0) or 1
    return [EffectRow(names[effect.key], effect, _effect_bar(effect, end)) for effect in effects]


def _effect_bar(effect: Effect, end: float) -> DifferenceBar | None:
    if effect.half is None:
        return None
    return DifferenceBar.of(effect.points - effect.half, effect.points, effect.points + effect.half, end)


def _histogram(found: GameStatistics) -> Histogram:
    empty = Histogram([])
    most = max(band.games for band in found.bands)
    step = empty.width / len(found.bands)
    each = max(1, -(-len(found.bands) // 12))  # at most twelve labels
    bars = []
    for number, band in enumerate(found.bands):
        height = round((empty.base - 12) * band.games / most, 1)
        bars.append(
            BandBar(
                lowest=band.lowest,
                highest=band.lowest + BAND - 1,
                games=band.games,
                x=round(number * step + step * 0.08, 1),
                y=round(empty.base - height, 1),
                width=round(step * 0.84, 1),
                height=height,
                is_labelled=number % each == 0,
            )
        )
    return Histogram(bars)


@dataclass(frozen=True)
class Trophy:
    """A record or a best game as a card."""

    title: str
    value: str
    unit: str
    bot: BotRef | None
    game: str
    match: MatchLine


@dataclass(frozen=True, kw_only=True)
class RecordsContext(PageContext):
    """Records of the arena."""

    template: str = "game_statistics/records.html"
    here: str = "matches"
    players: int
    """Chosen number of players. 0 for all games."""
    counts: list[int]
    trophies: list[Trophy]
    counted_to: datetime | None


@require_safe
def records(request: HttpRequest) -> HttpResponse:
    """Show the records of all games, or of those with one number of players: `?players=`."""
    players = _players(request) or ANY
    lines = queries.arena_records(players)
    trophies = [
        Trophy(
            str(RECORDS[line.kind]),
            record_value(line.kind, line.value),
            record_unit(line.kind, line.value),
            line.bot,
            game_words(line.match.players, line.match.expansions),
            line.match,
        )
        for line in lines
    ]
    context = RecordsContext(
        players=players, counts=queries.record_counts(), trophies=trophies, counted_to=queries.counted_to()
    )
    return render_page(request, context)


@dataclass(frozen=True)
class ResultRow:
    """Games against the other bot of one kind, with the bar of the share of points."""

    name: str
    line: MeetingLine
    bar: DifferenceBar


@dataclass(frozen=True, kw_only=True)
class RivalsContext(PageContext):
    """The bots that a bot has met most often, and a form to find another one."""

    template: str = "game_statistics/rivals.html"
    here: str = "bots"
    bot: BotRef
    rivals: list[tuple[RivalLine, DifferenceBar]]
    asked: str
    error: str


@require_safe
def rivals(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the bots that a bot has met most often. `?bot=` names another one: its page head to head follows."""
    bot, lines = get_or_404(queries.rivals, slug)
    asked = " ".join(request.GET.get("bot", "").split())
    error = ""
    if asked:
        other = bot_queries.find_bot(asked) if len(asked) <= LONGEST_NAME else None
        if other is not None and other.id != bot.id:
            return redirect("against", slug=bot.slug, other=other.slug)
        error = _("There is no other bot with this name. Write the whole name.")
    context = RivalsContext(
        bot=bot,
        rivals=[(line, _share_bar(line.result)) for line in lines],
        asked=asked[:LONGEST_NAME],
        error=error,
    )
    return render_page(request, context)


def _share_bar(result: PairResult) -> DifferenceBar:
    share = result.share
    return DifferenceBar.of(share.low - 0.5, share.share - 0.5, share.high - 0.5, 0.5)


@dataclass(frozen=True, kw_only=True)
class AgainstContext(PageContext):
    """All games of two bots."""

    template: str = "game_statistics/against.html"
    here: str = "bots"
    pair: HeadToHead
    total: MeetingLine | None
    bar: DifferenceBar | None
    """DifferenceBar of the share of all points. None without a game."""
    verdict: str
    games: list[ResultRow]
    places: list[tuple[str, list[ResultRow]]]
    """A caption for each number of players, and a row for each place of the bot in the first bidding."""
    trophies: list[Trophy]
    verdicts: dict[str, str]
    """Sentences about the latest matches."""


@require_safe
def against(request: HttpRequest, slug: str, other: str) -> HttpResponse:
    """Show all games of two bots, from the point of view of the first one."""
    pair = get_or_404(queries.head_to_head, slug, other)
    total = pair.total
    context = AgainstContext(
        pair=pair,
        total=total,
        bar=_share_bar(total.result) if total else None,
        verdict=_verdict(pair),
        games=[
            ResultRow(game_words(line.players, line.expansions), line, _share_bar(line.result)) for line in pair.by_game
        ],
        places=[
            (
                f"{_('Place in the first bidding')}, {game_words(players, ())}",
                [ResultRow("", line, _share_bar(line.result)) for line in lines],
            )
            for players, lines in pair.by_place
        ],
        trophies=[
            Trophy(
                str(BEST[best.kind]),
                record_value(best.kind, best.value),
                record_unit(best.kind, best.value),
                None,
                game_words(best.match.players, best.match.expansions),
                best.match,
            )
            for best in pair.best
        ],
        verdicts=summary.sentences(pair.latest),
    )
    return render_page(request, context)


def _verdict(pair: HeadToHead) -> str:
    """Say whether the games tell the two bots apart."""
    if pair.total is None:
        return ""
    share = pair.total.result.share
    if share.low > 0.5:
        return _("%(bot)s is ahead: the interval excludes equal strength.") % {"bot": pair.bot.name}
    if share.high < 0.5:
        return _("%(bot)s is ahead: the interval excludes equal strength.") % {"bot": pair.other.name}
    return _("Their games do not tell them apart yet: equal strength lies within the interval.")
