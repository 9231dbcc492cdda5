"""Queries for statistics: head to head, the game itself, records. They read sums, however many matches there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import Q

from arena.fairness.figures import wilson
from webui.bots.models import Bot
from webui.bots.queries import bot_ref, version_ids
from webui.bots.values import BotRef
from webui.core.errors import NotFound
from webui.game_statistics.models import (
    LOWER_IS_BETTER,
    ArenaRecord,
    BotPair,
    CountProgress,
    FigureKind,
    GameFigure,
    Meeting,
    RecordKind,
)
from webui.game_statistics.tally import ANY, BAND, is_better
from webui.game_statistics.values import (
    ArenaFacts,
    Effect,
    GameStatistics,
    HeadToHead,
    Mean,
    MeetingLine,
    Moments,
    PairBest,
    PairResult,
    PlaceLine,
    RecordLine,
    RivalLine,
    ScoreBand,
    filled,
)
from webui.matches.conditions import is_hidden
from webui.matches.models import MatchState
from webui.matches.queries import matches_by_id, newest_seats

RIVALS = 20
"""Maximum number of rivals listed."""
FEWEST = 10
"""Minimum number of times that bots have had a thing before its difference is listed."""
LATEST = 10
"""Maximum number of latest games listed."""
ENOUGH = 100
"""Minimum number of games with some number of players before a fact or a record of theirs is cited elsewhere."""
SEARCHED = 1000
"""Number of newest seats of each bot among which their latest games are searched."""


def counted_to() -> datetime | None:
    """Return the time of the end of the last match that was looked at. Return None before the first one."""
    return CountProgress.objects.values_list("last_at", flat=True).first()


def game_statistics(players: int | None = None) -> GameStatistics | None:
    """Return the statistics of games with this number of players; by default the number with the most games.

    Return None if there is no such game.
    """
    games: dict[int, int] = defaultdict(int)
    rows: dict[int, list[GameFigure]] = defaultdict(list)
    for row in GameFigure.objects.order_by("game", "kind", "key"):
        number = _ruleset(row.game)[0]
        rows[number].append(row)
        if row.kind == FigureKind.WINNING:
            games[number] += row.seats
    if not games or (players is not None and players not in games):
        return None
    chosen = players or max(sorted(games), key=lambda number: games[number])
    figures = rows[chosen]
    winning = [row for row in figures if row.kind == FigureKind.WINNING]
    bands: dict[int, int] = defaultdict(int)
    for row in winning:
        bands[int(row.key)] += row.seats
    return GameStatistics(
        players=chosen,
        counts=tuple(sorted(games)),
        games=games[chosen],
        places=tuple(_places(figures)),
        winning=_mean(winning),
        bands=filled((ScoreBand(*band) for band in bands.items()), BAND),
        djinns=_effects(figures, FigureKind.DJINN),
        tiles=_effects(figures, FigureKind.TILE),
        counted_to=counted_to(),
    )


def _ruleset(game: str) -> tuple[int, tuple[str, ...]]:
    """Return the number of players and the expansions of a game's name."""
    players, *expansions = game.split("-")
    return int(players), tuple(expansions)


def _mean(rows: Sequence[GameFigure]) -> Mean:
    return Mean.of(sum(row.seats for row in rows), sum(row.total for row in rows), sum(row.squares for row in rows))


def _by_key(rows: Iterable[GameFigure], kind: FigureKind) -> dict[str, list[GameFigure]]:
    by_key: dict[str, list[GameFigure]] = defaultdict(list)
    for row in rows:
        if row.kind == kind:
            by_key[row.key].append(row)
    return by_key


def _places(figures: Sequence[GameFigure]) -> Iterable[PlaceLine]:
    for place, rows in sorted(_by_key(figures, FigureKind.PLACE).items()):
        games = sum(row.seats for row in rows)
        yield PlaceLine(int(place), games, wilson(sum(row.won for row in rows), games), _mean(rows))


def _effects(figures: Sequence[GameFigure], kind: FigureKind) -> tuple[Effect, ...]:
    found = []
    for key, rows in _by_key(figures, kind).items():
        sums = [Moments(r.seats, r.held, r.held_squares, r.total, r.squares, r.product) for r in rows]
        effect = Effect.of(key, sums)
        if effect is not None and effect.held >= FEWEST:
            found.append(effect)
    return tuple(sorted(found, key=lambda effect: (-effect.points, effect.key)))


def arena_records(players: int = ANY) -> list[RecordLine]:
    """Return the records of games with this number of players, in the order of their kinds.

    By default return the best over all games.
    """
    best: dict[str, ArenaRecord] = {}
    for row in ArenaRecord.objects.select_related("bot__owner").order_by("players"):
        former = best.get(row.kind)
        if players not in (ANY, row.players):
            continue
        if former is None or is_better(row.value, former.value, is_lower=row.kind in LOWER_IS_BETTER):
            best[row.kind] = row
    matches = {line.id: line for line in matches_by_id([row.match_id for row in best.values()])}
    return [
        RecordLine(row.kind, row.players, row.value, bot_ref(row.bot) if row.bot else None, matches[row.match_id])
        for row in sorted(best.values(), key=lambda row: RecordKind.values.index(row.kind))
    ]


def record_counts() -> list[int]:
    """Return the numbers of players for which there are records."""
    return sorted(set(ArenaRecord.objects.exclude(players=ANY).values_list("players", flat=True)))


def _games_by_players() -> dict[int, list[GameFigure]]:
    """Return the rows of winning scores, by number of players, for the numbers with enough games to be cited."""
    rows: dict[int, list[GameFigure]] = defaultdict(list)
    for row in GameFigure.objects.filter(kind=FigureKind.WINNING):
        rows[_ruleset(row.game)[0]].append(row)
    return {number: rows[number] for number in sorted(rows) if sum(row.seats for row in rows[number]) >= ENOUGH}


def arena_facts() -> ArenaFacts | None:
    """Return figures of the games of this arena, in three queries. Return None before there are enough games."""
    cited = _games_by_players()
    if not cited:
        return None
    games = {number: sum(row.seats for row in rows) for number, rows in cited.items()}
    most = max(cited, key=lambda number: games[number])
    first = [row for row in GameFigure.objects.filter(kind=FigureKind.PLACE, key="1") if _ruleset(row.game)[0] == most]
    seats = sum(row.seats for row in first)
    highest = ArenaRecord.objects.filter(kind=RecordKind.HIGHEST, players__in=cited).order_by("-value").first()
    return ArenaFacts(
        winning=tuple((number, games[number], _mean(rows)) for number, rows in cited.items()),
        players=most,
        first=wilson(sum(row.won for row in first), seats) if seats else None,
        highest=(highest.value, highest.players, highest.match_id) if highest else None,
    )


def records_of_match(match_id: str) -> list[tuple[str, int, int]]:
    """Return kind, number of players and value of each record that a match holds by itself, in the order of kinds.

    Records over too few games are left out: nearly every match would hold one.
    """
    rows = ArenaRecord.objects.filter(match=match_id).exclude(players=ANY)
    found = [(row.kind, row.players, row.value) for row in rows]
    cited = _games_by_players() if found else {}
    return sorted((one for one in found if one[1] in cited), key=lambda one: RecordKind.values.index(one[0]))


def rivals(slug: str, limit: int = RIVALS) -> tuple[BotRef, list[RivalLine]]:
    """Return a bot, and the bots that it has met most often. Raise `NotFound` if there is no such bot."""
    (bot,) = _bots([slug])
    as_first = BotPair.objects.filter(first=bot.id).select_related("second__owner").order_by("-games", "second")
    as_second = BotPair.objects.filter(second=bot.id).select_related("first__owner").order_by("-games", "first")
    lines = [RivalLine(bot_ref(pair.second), _result(pair, is_first=True)) for pair in as_first[:limit]]
    lines += [RivalLine(bot_ref(pair.first), _result(pair, is_first=False)) for pair in as_second[:limit]]
    return bot, sorted(lines, key=lambda line: (-line.result.games, line.bot.name))[:limit]


def head_to_head(slug: str, other_slug: str) -> HeadToHead:
    """Return all counted games of two bots, from the point of view of the first one.

    Raise `NotFound` if there is no such bot, or if both are the same one.
    """
    if slug == other_slug:
        raise NotFound("a bot does not play against itself")
    bot, other = _bots([slug, other_slug])
    is_first = bot.id < other.id
    pair = BotPair.objects.filter(first=min(bot.id, other.id), second=max(bot.id, other.id)).first()
    meetings = [] if pair is None else [_Line(row, is_first=is_first) for row in Meeting.objects.filter(pair=pair)]
    latest = _latest(slug, other_slug)
    best = [] if pair is None else _best(pair)
    lines = {line.id: line for line in matches_by_id([*latest, *(match_id for _, _, match_id in best)])}
    return HeadToHead(
        bot=bot,
        other=other,
        total=_sum(meetings) if meetings else None,
        by_game=tuple(_by_game(meetings)),
        by_place=tuple(_by_place(meetings)),
        best=tuple(PairBest(kind, value, lines[match_id]) for kind, value, match_id in best),
        latest=[lines[match_id] for match_id in latest],
        counted_to=counted_to(),
    )


def _bots(slugs: Sequence[str]) -> list[BotRef]:
    rows = {row.slug: bot_ref(row) for row in Bot.objects.filter(slug__in=slugs).select_related("owner")}
    for slug in slugs:
        if slug not in rows:
            raise NotFound(f"there is no bot {slug!r}")
    return [rows[slug] for slug in slugs]


class _Line:
    """A row of meetings, from the point of view of one of the two bots."""

    def __init__(self, row: Meeting, *, is_first: bool) -> None:
        self.players, self.expansions = _ruleset(row.game)
        self.place = row.first_place if is_first else row.second_place
        self.result = _result(row, is_first=is_first)
        self.won, self.lost = (row.first_won, row.second_won) if is_first else (row.second_won, row.first_won)


def _result(row: BotPair | Meeting, *, is_first: bool) -> PairResult:
    below = row.games - row.above - row.level
    above, below = (row.above, below) if is_first else (below, row.above)
    return PairResult(row.games, above, row.level, below)


def _sum(lines: Sequence[_Line], place: int = 0, players: int = 0, expansions: tuple[str, ...] = ()) -> MeetingLine:
    results = [line.result for line in lines]
    result = PairResult(*(sum(getattr(one, name) for one in results) for name in ("games", "above", "level", "below")))
    won, lost = sum(line.won for line in lines), sum(line.lost for line in lines)
    return MeetingLine(result, won, lost, place, players, expansions)


def _by_game(lines: Sequence[_Line]) -> Iterable[MeetingLine]:
    by_game: dict[tuple[int, tuple[str, ...]], list[_Line]] = defaultdict(list)
    for line in lines:
        by_game[line.players, line.expansions].append(line)
    for (players, expansions), own in sorted(by_game.items()):
        yield _sum(own, players=players, expansions=expansions)


def _by_place(lines: Sequence[_Line]) -> Iterable[tuple[int, tuple[MeetingLine, ...]]]:
    by_place: dict[int, dict[int, list[_Line]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        by_place[line.players][line.place].append(line)
    for players, places in sorted(by_place.items()):
        yield players, tuple(_sum(own, place=place, players=players) for place, own in sorted(places.items()))


def _best(pair: BotPair) -> list[tuple[str, int, str]]:
    """Return kind, value and match of each best game."""
    bests = [
        ("closest", pair.closest, pair.closest_match_id),
        ("highest", pair.highest, pair.highest_match_id),
        ("comeback", pair.comeback, pair.comeback_match_id),
    ]
    return [(kind, value, match) for kind, value, match in bests if value is not None and match is not None]


def _latest(slug: str, other_slug: str) -> list[str]:
    """Return the latest matches of both that everybody may see, newest first, in one query."""
    own, others = version_ids(slug), version_ids(other_slug)
    if not own or not others:
        return []
    met = newest_seats(own, SEARCHED).filter(match__in=newest_seats(others, SEARCHED).values("match"))
    counted = met.filter(Q(match__rated=True) | Q(match__event_match__isnull=False), match__state=MatchState.FINISHED)
    public = counted.exclude(is_hidden("match__")).order_by("-pk")
    return list(dict.fromkeys(public.values_list("match_id", flat=True)[: 2 * LATEST]))[:LATEST]
