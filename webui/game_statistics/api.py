"""Routes of statistics: the game itself, records of the arena, two bots head to head."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from ninja import Query, Router, Schema
from pydantic import Field

from webui.api.callers import Request
from webui.api.lists import Listed
from webui.api.schemas import LOWER, OR_NULL, Joined, SlugOf, ValueView, converted, source
from webui.core.errors import NotFound
from webui.game_statistics import queries
from webui.game_statistics.tally import ANY
from webui.game_statistics.values import HeadToHead, MeetingLine, RecordLine, RivalLine

router = Router(tags=["statistics"])
Rounded = Annotated[float, converted(lambda value: round(value, 4))]
RoundedOrNull = Annotated[float | None, converted(lambda value: None if value is None else round(value, 4))]


class PlayersQuery(Schema):
    """The games to look at."""

    players: int | None = Field(None, ge=2, le=5, description="Number of players.")


class MeanDocument(ValueView):
    """A mean of scores."""

    points: Rounded
    half: RoundedOrNull = Field(description="Half the width of its 95 % interval. Null for fewer than two scores.")


class PlaceDocument(ValueView):
    """A place in the first bidding."""

    place: int
    games: int
    won: Rounded = source("share.share", "Share of the games that were won from it. A shared win counts in parts.")
    low: Rounded = source("share.low", "Lower bound of the 95 % interval of the share.")
    high: Rounded = source("share.high")
    score: MeanDocument


class EffectDocument(ValueView):
    """A difference in score that goes with a Djinn, or with one more tile of a kind."""

    key: str = Field(description="Id of the Djinn, or name of the kind of tile.")
    held: int = Field(description="Number of these that seats had at the end.")
    points: Rounded
    half: RoundedOrNull = Field(description="Half the width of the 95 % interval. Null: too few seats.")


class BandDocument(ValueView):
    """A range of ten winning scores."""

    lowest: int
    games: int


class GameStatisticsDocument(ValueView):
    """Statistics of all public games with one number of players that were played to their end."""

    players: int
    games: int
    winning: MeanDocument = Field(description="Mean of the winning scores.")
    bands: list[BandDocument] = Field(description="Winning scores, lowest first.")
    places: list[PlaceDocument]
    djinns: list[EffectDocument] = Field(description="Mean score with each Djinn, less that without it.")
    tiles: list[EffectDocument] = Field(description="Difference that goes with each further tile of a kind.")
    counted_to: datetime | None = Field(description="End of the last match that was looked at.")


class RecordDocument(ValueView):
    """A record of the arena."""

    kind: Annotated[str, LOWER] = Field(description="`highest`, `lowest_win`, `closest`, `largest`, `comeback`, …")
    players: Annotated[int | None, OR_NULL] = Field(description="Number of players. Null: games with any number.")
    value: int = Field(description="Points, or a number of things. A comeback is a chance in thousandths.")
    bot: SlugOf | None = Field(description="Bot that holds it. Null: a record of the whole match.")
    match: str = source("match.id")


class Records(ValueView):
    """Records of the arena."""

    items: list[RecordDocument]


class ResultDocument(ValueView):
    """Games of a bot against another one."""

    games: int = source("result.games")
    above: int = source("result.above", "Number of games in which it placed above the other.")
    level: int = source("result.level", "Number of games in which both had the same place.")
    below: int = source("result.below")
    share: Rounded = source("result.share.share", "Its share of the points. The same place counts half.")
    low: Rounded = source("result.share.low", "Lower bound of the 95 % interval of the share.")
    high: Rounded = source("result.share.high")


class MeetingDocument(ResultDocument):
    """Games of a bot against another one of one kind."""

    won: int = Field(description="Number of games that it won, alone or shared.")
    lost: int = Field(description="Number of games that the other bot won, alone or shared.")


class GameMeetingDocument(MeetingDocument):
    """Games with one ruleset."""

    players: int
    expansions: list[str]


class PlaceMeetingDocument(MeetingDocument):
    """Games with one number of players and one place of the bot in the first bidding."""

    players: int
    place: int


class PairBestDocument(ValueView):
    """The best game of a pair in one respect."""

    kind: str = Field(description="`closest`, `highest` or `comeback`.")
    value: int = Field(description="Difference in score, score, or lowest chance of the winner in thousandths.")
    match: str = source("match.id")


class HeadToHeadDocument(ValueView):
    """All counted games of two bots, from the point of view of the first one."""

    bot: SlugOf
    other: SlugOf
    total: MeetingDocument | None = Field(description="Null: no game is counted.")
    by_game: list[GameMeetingDocument]
    by_place: list[PlaceMeetingDocument]
    best: list[PairBestDocument]
    latest: list[str] = Field(description="Their latest matches, newest first, at most ten.")
    counted_to: datetime | None = Field(description="End of the last match that was looked at.")


class MetRivalDocument(ResultDocument):
    """A bot that another one has met."""

    bot: SlugOf


class MetRivals(ValueView):
    """Bots that a bot has met most often, at most twenty."""

    items: list[MetRivalDocument]


@router.get("/statistics", response=GameStatisticsDocument)
def get_game_statistics(request: Request, query: Query[PlayersQuery]) -> object:
    """Statistics of the game: winning scores, places in the first bidding, Djinns and tiles.

    Without `players`, they are about the number of players with the most games.
    """
    found = queries.game_statistics(query.players)
    if found is None:
        raise NotFound("no such game is counted yet")
    return found


@router.get("/records", response=Records)
def list_records(request: Request, query: Query[PlayersQuery]) -> Listed[RecordLine]:
    """Records of the arena, each with its match."""
    return Listed(queries.arena_records(query.players or ANY))


@router.get("/bots/{slug}/against", response=MetRivals)
def list_rivals(request: Request, slug: str) -> Listed[RivalLine]:
    """The bots that a bot has met most often."""
    return Listed(queries.rivals(slug)[1])


@router.get("/bots/{slug}/against/{other}", response=HeadToHeadDocument)
def get_head_to_head(request: Request, slug: str, other: str) -> Joined:
    """All counted games of two bots."""
    pair: HeadToHead = queries.head_to_head(slug, other)
    places: list[MeetingLine] = [line for _, lines in pair.by_place for line in lines]
    return Joined(pair, by_place=places, latest=[line.id for line in pair.latest])
