"""The route of the ratings of people."""

from __future__ import annotations

from ninja import Router
from pydantic import Field

from webui.api.callers import Request
from webui.api.lists import MOST, Listed
from webui.api.schemas import ValueView, source
from webui.people import queries
from webui.people.values import RatedPerson

router = Router(tags=["people"])


class PersonDocument(ValueView):
    """A person with a rating against bots of the house."""

    name: str = Field(description="Name at tables.")
    user: str | None = Field(description="Name of the account. Null for a guest.")
    points: int = source("rated.points")
    low: int = source("rated.low", "Lower bound of the 95 % interval of the points.")
    high: int = source("rated.high")
    games: int = source("rated.games", "Number of games that it is based on.")


class RatedPeople(ValueView):
    """The best people, at most a hundred."""

    items: list[PersonDocument]


@router.get("/people", response=RatedPeople)
def list_people(request: Request) -> Listed[RatedPerson]:
    """The people with the best ratings against bots of the house, best first. They are apart from the ladders."""
    return Listed(queries.rated_people(limit=MOST))
