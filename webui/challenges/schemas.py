"""Schemas for challenges: what the API returns and accepts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from operator import attrgetter
from typing import Annotated, Literal

from django.urls import reverse
from pydantic import Field

from webui.api.callers import Request
from webui.api.lists import Page
from webui.api.schemas import LOWER, Expansion, GameDocument, Input, Joined, Name, ValueView, converted, source
from webui.bots.presence import Online
from webui.challenges.actions import MOST_FRIENDS
from webui.challenges.values import MOST_AT_ONCE, ChallengeLine
from webui.challenges.words import waiting_seats
from webui.matches.values import SeatLine
from webui.replays.schemas import MatchState

State = Literal["waiting", "matched", "expired", "withdrawn", "refused"]
Account = Annotated[str, Field(min_length=1, max_length=150, pattern=r"^[\w.@+-]+$")]


class SeatOrder(Input):
    """A bot for a seat."""

    bot: Name | None = Field(None, description="Name or slug of the bot. Null: the bot of the token.")
    version: Name | None = Field(None, description="Version, only for a bot of yours. Null: the newest one online.")


class ChallengeOrder(Input):
    """A challenge to make."""

    seats: list[SeatOrder] = Field(
        min_length=2, max_length=5, description="Seat 1 first. At least one is a bot of yours."
    )
    expansions: list[Expansion] = Field([], max_length=2, description="Five seats need at least one expansion.")


class ChallengeSeatDocument(ValueView):
    """A seat of a challenge."""

    bot: str = source("seat.bot.slug", "Its slug.")
    name: str = source("seat.bot.name")
    version: Annotated[str, converted(attrgetter("name"))] | None = Field(
        description="Null: the newest one online. It is known when the match has ended."
    )
    state: Literal["online", "offline", "other game", "unknown"] = Field(
        description="`other game`: the bot is online, but does not play this game."
    )


class ChallengeSummary(ValueView):
    """A challenge in a list."""

    id: str
    state: Annotated[State, LOWER] = Field(
        description="`refused`: a bot does not accept the challenge any more, or may not play."
    )
    game: GameDocument = source("ruleset")
    created_at: datetime
    expires_at: datetime = Field(description="Time at which it expires if it still waits.")
    seats: list[ChallengeSeatDocument] = Field(description="Seat 1 first.")
    match: str | None
    match_state: Annotated[MatchState | None, converted(lambda state: state.lower() or None)]
    placements: list[int] = Field(description="Placements, seat 1 first. Empty while the match has no result.")
    url: str = Field(description="Page of its match, or of the challenge.")


class Challenges(Page[ChallengeSummary]):
    """Challenges, newest first."""


class ChallengeDocument(ChallengeSummary):
    """A challenge."""

    scores: list[int | None] = Field(description="Scores, seat 1 first. Empty while the match has no result.")


def shown_challenge(request: Request, line: ChallengeLine, online: Online, played: Sequence[SeatLine] = ()) -> Joined:
    """Return a challenge with the states of its bots. `played` are the seats of its match, if that has a result."""
    seats = [
        Joined(waiting, version=(seat or waiting.seat).version)
        for waiting, seat in zip_longest(waiting_seats(line, online), played)
    ]
    page = reverse("match", args=[line.match]) if line.match else reverse("challenge", args=[line.id])
    return Joined(line, seats=seats, url=request.build_absolute_uri(page), scores=[seat.score for seat in played])


class ChallengeTermsInput(Input):
    """The owners whose challenges a bot accepts, besides its own owner."""

    accepts: Literal["never", "friends", "all"]
    at_once: int = Field(
        1,
        ge=1,
        le=MOST_AT_ONCE,
        description="Maximum number of others' challenges that the bot plays at the same time.",
    )
    friends: list[Account] = Field(
        [], max_length=MOST_FRIENDS, description="Names of accounts. Only the bot's owner sees them."
    )
