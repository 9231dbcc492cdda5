"""Schemas for challenges: what the API returns and accepts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Annotated, Any, Literal, cast

from django.urls import reverse
from ninja import Schema
from pydantic import Field

from webui.api.callers import Request
from webui.api.lists import Page
from webui.api.schemas import Expansion, GameDocument, Input, Name
from webui.challenges.actions import MOST_FRIENDS
from webui.challenges.values import MOST_AT_ONCE, AcceptedChallenges, ChallengeLine
from webui.challenges.words import WaitingSeat
from webui.matches.values import SeatLine


def challenge_url(request: Request, line: ChallengeLine) -> str:
    """Return the address of the page of a challenge, or of its match."""
    where = reverse("match", args=[line.match]) if line.match else reverse("challenge", args=[line.id])
    return request.build_absolute_uri(where)


State = Literal["waiting", "matched", "expired", "withdrawn", "refused"]
MatchState = Literal["scheduled", "running", "finished", "aborted", "void"]
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


class ChallengeSeatDocument(Schema):
    """A seat of a challenge."""

    bot: str = Field(description="Its slug.")
    name: str
    version: str | None = Field(description="Null: the newest one online. It is known when the match has ended.")
    state: Literal["online", "offline", "other game", "unknown"] = Field(
        description="`other game`: the bot is online, but does not play this game."
    )

    @classmethod
    def of(cls, waiting: WaitingSeat, played: SeatLine | None) -> ChallengeSeatDocument:
        """Return the seat as it is shown. `played` is the seat in the match, if that has a result."""
        seat, state = waiting.seat, cast(Any, waiting.state)
        version = played.version if played else seat.version
        return cls(bot=seat.bot.slug, name=seat.bot.name, version=version.name if version else None, state=state)


class ChallengeSummary(Schema):
    """A challenge in a list."""

    id: str
    state: State = Field(description="`refused`: a bot does not accept the challenge any more, or may not play.")
    game: GameDocument
    created_at: datetime
    expires_at: datetime = Field(description="Time at which it expires if it still waits.")
    seats: list[ChallengeSeatDocument] = Field(description="Seat 1 first.")
    match: str | None
    match_state: MatchState | None
    placements: list[int] = Field(description="Placements, seat 1 first. Empty while the match has no result.")
    url: str = Field(description="Page of its match, or of the challenge.")

    @classmethod
    def of(cls, line: ChallengeLine, seats: Sequence[WaitingSeat], url: str) -> ChallengeSummary:
        """Return the challenge as it is shown in a list."""
        return cls(**_common(line, seats, url))


class Challenges(Page[ChallengeSummary]):
    """Challenges, newest first."""


class ChallengeDocument(ChallengeSummary):
    """A challenge."""

    scores: list[int | None] = Field(description="Scores, seat 1 first. Empty while the match has no result.")

    @classmethod
    def with_result(
        cls, line: ChallengeLine, seats: Sequence[WaitingSeat], url: str, played: Sequence[SeatLine]
    ) -> ChallengeDocument:
        """Return the challenge with its result. `played` are the seats of its match, if that has a result."""
        return cls(**_common(line, seats, url, played), scores=[one.score for one in played])


def _common(
    line: ChallengeLine, seats: Sequence[WaitingSeat], url: str, played: Sequence[SeatLine] = ()
) -> dict[str, Any]:
    return {
        "id": line.id,
        "state": line.state.lower(),
        "game": GameDocument.of(line.ruleset),
        "created_at": line.created_at,
        "expires_at": line.expires_at,
        "seats": [ChallengeSeatDocument.of(*one) for one in zip_longest(seats, played)],
        "match": line.match,
        "match_state": line.match_state.lower() or None,
        "placements": list(line.placements),
        "url": url,
    }


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

    @classmethod
    def of(cls, accepted: AcceptedChallenges) -> ChallengeTermsInput:
        """Return the terms that are stored."""
        accepts: Any = accepted.accepts.lower()
        return cls(accepts=accepts, at_once=accepted.at_once, friends=list(accepted.friends))
