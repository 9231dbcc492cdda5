"""Decisions of organisers, one class each: its arguments, whether it needs a reason, its words and what it does.

The page of an event parses its forms with `parse_decision`. The HTTP API reads requests into the same classes, and the
commands of `arena event` send such requests. The actions check the rights: an event's organisers and staff decide
everything, but only its owner and staff hand it over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from pydantic import Field, ValidationError, field_validator

from arena.events import Course, Fact, FactKind, GameKey
from arena.events.fields import NumberRule, terms_of
from webui.api.schemas import Input
from webui.core.errors import BadRequest
from webui.events import actions, organisers
from webui.events.actions import LONGEST_WHY
from webui.events.eligibility import online_versions
from webui.events.facts import decided
from webui.events.term_schemas import Time
from webui.events.values import EventPage, EventRefusal

Number = Annotated[int, Field(ge=1, le=99_999)]
Game = Annotated[int, Field(ge=0, le=99_999)]
Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]
Why = Annotated[
    Text, Field(max_length=LONGEST_WHY, description="Reason for the decision. Everybody can read it in the log.")
]


class DecisionError(BadRequest):
    """An argument of a decision is missing or not valid."""

    def __init__(self, argument: str, detail: str) -> None:
        super().__init__(detail)
        self.argument = argument


class OrganiserDecision(Input):
    """A decision of an organiser about an event."""

    success_message: ClassVar[str | Promise] = _("Done.")
    """Message to the organiser afterwards."""

    def make(self, page: EventPage, by: int) -> None:
        """Make the decision for the user `by`. Raise `LadderError` if it is not possible."""
        raise NotImplementedError


class FactDecision(OrganiserDecision):
    """A decision that becomes a fact of the event."""

    kind: ClassVar[FactKind]

    def fact(self, page: EventPage) -> Fact:
        """Return the fact. Raise `BadRequest` if the event has nothing that the arguments name."""
        data = self.model_dump()
        why = data.pop("why", "")
        return decided(self.kind, data, why)

    def make(self, page: EventPage, by: int) -> None:
        """Append the fact."""
        actions.append_decision(page.line.slug, by, self.fact(page))


class PreviewedDecision(FactDecision):
    """A decision whose consequences the page shows before it is made. It affects others, so it needs a reason."""

    title: ClassVar[str | Promise]

    def words(self) -> str:
        """Return the words of the button that makes it."""
        return str(self.title)


class ReasonInput(Input):
    """The reason for a decision."""

    why: Why = Field(min_length=1)


class PerhapsReason(Input):
    """The reason for a decision, which may be empty."""

    why: Why = ""


class Publish(OrganiserDecision):
    """Open a draft to entrants."""

    success_message = _("It is being published.")

    def make(self, page: EventPage, by: int) -> None:
        """Ask the arena, which does it within seconds."""
        actions.ask_event(page.line.slug, by, "publish")


class Cancel(ReasonInput, OrganiserDecision):
    """Cancel an event."""

    success_message = _("It is being cancelled.")

    def make(self, page: EventPage, by: int) -> None:
        """Ask the arena, which does it within seconds."""
        actions.ask_event(page.line.slug, by, "cancel", self.why)


class Freeze(OrganiserDecision):
    """Close the entries and start the event."""

    def make(self, page: EventPage, by: int) -> None:
        """Freeze the field with the versions that are online."""
        actions.freeze_now(page.line.slug, by, online_versions(page.event.terms.ruleset))


class Pause(PerhapsReason, FactDecision):
    """Schedule no new matches."""

    kind = FactKind.PAUSED


class Resume(FactDecision):
    """Resume a paused event."""

    kind = FactKind.RESUMED


class Archive(FactDecision):
    """Archive an event that is over."""

    kind = FactKind.ARCHIVED


class RoundOrder(FactDecision):
    """The number of a round."""

    kind = FactKind.REVEALED
    round: Number = Field(description="Number of the round, from 1.")


class Withdraw(ReasonInput, PreviewedDecision):
    """Withdraw an entrant, who then plays no further rounds."""

    kind, title = FactKind.WITHDRAWN, _("Withdraw")
    entrant: Number


class Disqualify(ReasonInput, PreviewedDecision):
    """Disqualify an entrant, who then ranks last in all its games."""

    kind, title = FactKind.DISQUALIFIED, _("Disqualify")
    entrant: Number


class GameSelection(Input):
    """A selection of an event's games. A game must match all fields that are given."""

    round: Number | None = Field(None, description="Number of the round, from 1.")
    table: Number | None = Field(None, description="Number of the table in the round, from 1.")
    game: Game | None = Field(None, description="Number of the game at the table, from 0.")
    entrant: Number | None = Field(None, description="Number of an entrant: all games at this entrant's tables.")

    def games(self, page: EventPage) -> list[GameKey]:
        """Return the games. Raise `BadRequest` if there are none, or if all games of the event match."""
        if self.round is self.table is self.entrant is None:
            raise DecisionError("round", "name a round, a table of it, or an entrant")
        keys = page.event.history().games_at(self.round, self.table, self.entrant)
        games = [key for key in keys if self.game in (None, key[2])]
        if not games:
            raise EventRefusal("NO_GAME", "no such games were drawn")
        return games


class GamesOrder(GameSelection, PreviewedDecision):
    """A selection of an event's games. A game must match all fields that are given."""

    kind = FactKind.AGAIN
    also: list[GameSelection] = Field([], max_length=100, description="Further selections, whose games are added.")
    why: Why = Field(min_length=1)

    def words(self) -> str:
        """Return the words for one game, a table, a round, or all games of a bot."""
        if self.game is not None:
            return str(_("Play this game again"))
        if self.table is not None:
            return str(_("Play this table again"))
        return str(_("Play this round again") if self.round is not None else _("Play all games of this bot again"))

    def fact(self, page: EventPage) -> Fact:
        """Return the order to play the games again."""
        games = {key for selection in (self, *self.also) for key in selection.games(page)}
        return decided(self.kind, {"games": [list(key) for key in sorted(games)]}, self.why)


class Ruling(PreviewedDecision):
    """The result of a game, as ruled by an organiser."""

    kind, title = FactKind.RULED, _("Rule this result")
    round: Number = Field(description="Number of the round, from 1.")
    table: Number = Field(description="Number of the table in the round, from 1.")
    game: Game = Field(description="Number of the game at the table, from 0.")
    placements: list[Annotated[int, Field(ge=1, le=5)]] = Field(
        min_length=2, max_length=5, description="Placements, seat 1 first. After a tie, as many places are skipped."
    )
    why: Why = Field(min_length=1)

    def fact(self, page: EventPage) -> Fact:
        """Return the ruling. Raise `DecisionError` for impossible placements."""
        places, players = self.placements, page.event.terms.ruleset.players
        if len(places) != players or any(place != 1 + sum(other < place for other in places) for place in places):
            wanted = f"`placements` has a place for each of the {players} seats: 1 is best, equal ones are tied"
            raise DecisionError("placements", wanted)
        return super().fact(page)


def _limited(name: str, described: str) -> Any:
    rule = terms_of(Course)[name].rule
    assert isinstance(rule, NumberRule)
    return Field(None, ge=rule.least, le=rule.most, description=described)


class CourseChange(FactDecision):
    """Changes to the times and limits of an event."""

    kind = FactKind.EXTENDED
    starts_at: Time | None = None
    next_round_at: Time | None = None
    round_every_s: int | None = _limited("round_every_s", "Seconds from the start of a round to the next. 0: no limit.")
    no_show_s: int | None = _limited("no_show_s", "Seconds for which a table waits for a bot.")
    matches_at_once: int | None = _limited("matches_at_once", "Maximum number of matches at the same time.")

    def fact(self, page: EventPage) -> Fact:
        """Return the changed course. Values that are not given stay."""
        course = page.event.terms.course.document() | self.model_dump(exclude_none=True)
        return decided(self.kind, {"course": course})


class MessageInput(FactDecision):
    """A message to the entrants of an event."""

    kind = FactKind.TOLD
    text: Text = Field(min_length=1, max_length=2000)

    @field_validator("text", mode="before")
    @classmethod
    def _with_plain_lines(cls, text: Any) -> Any:
        """Return the text with line breaks of one character. A browser sends two, and counts one."""
        return text.replace("\r\n", "\n") if isinstance(text, str) else text


class Invite(OrganiserDecision):
    """Invite a bot before the start."""

    bot: str

    def make(self, page: EventPage, by: int) -> None:
        """Invite it, and notify its owner."""
        actions.invite(page.line.slug, self.bot, by)


class AddOrganiser(OrganiserDecision):
    """Make somebody a co-organiser."""

    user: str

    def make(self, page: EventPage, by: int) -> None:
        """Add the user to the organisers."""
        organisers.share_event(page.line.slug, by, self.user)


class RemoveOrganiser(OrganiserDecision):
    """Remove a co-organiser."""

    user: str

    def make(self, page: EventPage, by: int) -> None:
        """Remove the user from the organisers."""
        organisers.share_event(page.line.slug, by, self.user, with_user=False)


class HandOver(OrganiserDecision):
    """Make a co-organiser the organiser."""

    user: str

    def make(self, page: EventPage, by: int) -> None:
        """Give the event to the user."""
        organisers.hand_over_event(page.line.slug, by, self.user)


DECISIONS: Final[Mapping[str, type[OrganiserDecision]]] = {
    "publish": Publish,
    "cancel": Cancel,
    "freeze": Freeze,
    "pause": Pause,
    "resume": Resume,
    "archive": Archive,
    "reveal": RoundOrder,
    "withdraw": Withdraw,
    "disqualify": Disqualify,
    "again": GamesOrder,
    "rule": Ruling,
    "extend": CourseChange,
    "tell": MessageInput,
    "invite": Invite,
    "share": AddOrganiser,
    "unshare": RemoveOrganiser,
    "hand-over": HandOver,
}
"""Decisions by the names that forms use."""


def parse_decision(name: str, arguments: Mapping[str, Any]) -> OrganiserDecision:
    """Return the decision with this name.

    `arguments` may hold further values, which are ignored. Raise `DecisionError` for an argument that is missing or not
    valid; the reason comes first.
    """
    kind = DECISIONS.get(name)
    if kind is None:
        raise DecisionError("", f"there is no decision {name!r}")
    try:
        return kind.model_validate({key: value for key, value in arguments.items() if key in kind.model_fields})
    except ValidationError as error:
        wrong = {str(fault["loc"][0]): fault["msg"] for fault in error.errors()}
        argument = "why" if "why" in wrong else next(iter(wrong))
        raise DecisionError(argument, f"{argument}: {wrong[argument]}") from error
