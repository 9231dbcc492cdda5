"""Routes with which organisers manage their events."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from ninja import Path, Router, Status

from arena.events import FactKind, TermsError
from webui.api.callers import Request, caller, needs
from webui.core.errors import BadRequest
from webui.events import actions, organisers, queries
from webui.events.organising_schemas import (
    CourseChange,
    GamesOrder,
    MessageInput,
    Organised,
    PerhapsReason,
    ReasonInput,
    RoundOrder,
    Ruling,
)
from webui.events.schemas import EventState
from webui.events.term_schemas import EventTerms
from webui.events.values import EventPage, EventRefusal
from webui.events.versions import online_versions

router = Router(tags=["organising"])
Document = dict[str, Any]
Entrant = Annotated[int, Path(ge=1, le=99_999, description="The number of an entrant.")]


@router.get("/events/{slug}/terms", response=EventTerms, exclude_none=True)
def get_event_terms(request: Request, slug: str) -> Document:
    """The terms of an event.

    Those of a draft need a token of one of its organisers, with the scope `read` or `events`.
    """
    found = request.caller
    may_see_draft = found is not None and not found.scopes.isdisjoint(("read", "events"))
    page = queries.event_page(slug, found.user_id if found and may_see_draft else None)
    return page.event.terms.document()


@router.put("/events/{slug}/terms", response=Organised, **needs("events"))
def change_event(request: Request, slug: str, terms: EventTerms) -> Organised:
    """Change the terms of an event.

    All terms of a draft can change. In an open event, those that entrants rely on are fixed.
    """
    return _decide(request, slug, FactKind.CHANGED, {"terms": terms.document})


@router.post("/events/{slug}/publish", response={202: Organised}, **needs("events"))
def publish_event(request: Request, slug: str) -> Status[Organised]:
    """Open a draft to entrants.

    The arena does so within seconds.
    """
    return _ask(request, slug, "publish")


@router.post("/events/{slug}/cancel", response={202: Organised}, **needs("events"))
def cancel_event(request: Request, slug: str, order: ReasonInput) -> Status[Organised]:
    """Cancel an event.

    The arena does so within seconds.
    """
    return _ask(request, slug, "cancel", order.why)


@router.post("/events/{slug}/freeze", response=Organised, **needs("events"))
def freeze_event(request: Request, slug: str) -> Organised:
    """Close the entries and start the event.

    The first round is drawn within seconds.
    """
    online = online_versions(_page(request, slug).event.terms.ruleset)
    actions.freeze_now(slug, caller(request).user_id, online)
    return _now(request, slug)


@router.post("/events/{slug}/pause", response=Organised, **needs("events"))
def pause_event(request: Request, slug: str, order: PerhapsReason) -> Organised:
    """Pause an event: no new matches are scheduled.

    Running matches go on.
    """
    return _decide(request, slug, FactKind.PAUSED, why=order.why)


@router.post("/events/{slug}/resume", response=Organised, **needs("events"))
def resume_event(request: Request, slug: str) -> Organised:
    """Resume a paused event."""
    return _decide(request, slug, FactKind.RESUMED)


@router.post("/events/{slug}/archive", response=Organised, **needs("events"))
def archive_event(request: Request, slug: str) -> Organised:
    """Archive a finished event, which then never changes again."""
    return _decide(request, slug, FactKind.ARCHIVED)


@router.post("/events/{slug}/reveal", response=Organised, **needs("events"))
def reveal_results(request: Request, slug: str, order: RoundOrder) -> Organised:
    """Reveal hidden results up to a round."""
    return _decide(request, slug, FactKind.REVEALED, {"round": order.round})


@router.post("/events/{slug}/entrants/{number}/withdraw", response=Organised, **needs("events"))
def withdraw_entrant(request: Request, slug: str, number: Entrant, order: ReasonInput) -> Organised:
    """Withdraw an entrant, who then plays no further rounds."""
    return _decide(request, slug, FactKind.WITHDRAWN, {"entrant": number}, order.why)


@router.post("/events/{slug}/entrants/{number}/disqualify", response=Organised, **needs("events"))
def disqualify_entrant(request: Request, slug: str, number: Entrant, order: ReasonInput) -> Organised:
    """Disqualify an entrant, who then ranks last in all its games and plays no further rounds."""
    return _decide(request, slug, FactKind.DISQUALIFIED, {"entrant": number}, order.why)


@router.post("/events/{slug}/again", response=Organised, **needs("events"))
def play_again(request: Request, slug: str, order: GamesOrder) -> Organised:
    """Have games played again: a round, a table, a single game, or all games of an entrant."""
    if order.model_dump(include={"round", "table", "game", "entrant"}, exclude_none=True).keys() <= {"game"}:
        raise BadRequest("name a round, a table of it, or an entrant")
    found = _page(request, slug).event.history().games_at(order.round, order.table, order.entrant)
    games = [list(key) for key in found if order.game in (None, key[2])]
    if not games:
        raise EventRefusal("NO_GAME", "no such games were drawn")
    return _decide(request, slug, FactKind.AGAIN, {"games": games}, order.why)


@router.post("/events/{slug}/rule", response=Organised, **needs("events"))
def rule_result(request: Request, slug: str, order: Ruling) -> Organised:
    """Rule the result of a game."""
    places = order.placements
    players = _page(request, slug).event.terms.ruleset.players
    if len(places) != players or any(place != 1 + sum(other < place for other in places) for place in places):
        raise BadRequest(f"`placements` has a place for each of the {players} seats: 1 is best, equal ones are tied")
    data = order.model_dump(include={"round", "table", "game", "placements"})
    return _decide(request, slug, FactKind.RULED, data, order.why)


@router.patch("/events/{slug}/course", response=Organised, **needs("events"))
def change_course(request: Request, slug: str, order: CourseChange) -> Organised:
    """Change the times and limits of an event.

    Fields that are not given keep their values.
    """
    course = _page(request, slug).event.terms.course.document() | order.model_dump(exclude_none=True)
    try:
        return _decide(request, slug, FactKind.EXTENDED, {"course": course})
    except BadRequest as error:
        if not isinstance(cause := error.__cause__, TermsError):
            raise
        what = str(cause).removeprefix(f"{cause.where}: ")  # the body has only the course
        raise BadRequest(str(error)) from TermsError(cause.code, cause.where.removeprefix("course."), what)


@router.post("/events/{slug}/messages", response=Organised, **needs("events"))
def tell_entrants(request: Request, slug: str, order: MessageInput) -> Organised:
    """Send a message to the entrants, on the event's page and by email."""
    return _decide(request, slug, FactKind.TOLD, {"text": order.text.replace("\r\n", "\n")})


@router.put("/events/{slug}/invitations/{bot}", response=Organised, **needs("events"))
def invite_bot(request: Request, slug: str, bot: str) -> Organised:
    """Invite a bot before the start.

    Its owner is notified.
    """
    _page(request, slug)
    actions.invite(slug, bot, caller(request).user_id)
    return _now(request, slug)


@router.put("/events/{slug}/organisers/{name}", response=Organised, **needs("events"))
def share_event(request: Request, slug: str, name: str) -> Organised:
    """Make somebody a co-organiser."""
    _page(request, slug)
    organisers.share_event(slug, caller(request).user_id, name)
    return _now(request, slug)


@router.delete("/events/{slug}/organisers/{name}", response=Organised, **needs("events"))
def unshare_event(request: Request, slug: str, name: str) -> Organised:
    """Remove a co-organiser.

    Co-organisers can also remove themselves.
    """
    state = _now(request, slug)
    organisers.share_event(slug, caller(request).user_id, name, with_user=False)
    return state


@router.post("/events/{slug}/organisers/{name}/hand-over", response=Organised, **needs("events"))
def hand_over_event(request: Request, slug: str, name: str) -> Organised:
    """Make a co-organiser the organiser."""
    state = _now(request, slug)
    organisers.hand_over_event(slug, caller(request).user_id, name)
    return state


def _page(request: Request, slug: str) -> EventPage:
    """Return the event. Raise `NotFound` for somebody else's draft."""
    return queries.event_page(slug, caller(request).user_id)


def _now(request: Request, slug: str) -> Organised:
    return Organised(event=slug, state=cast(EventState, str(_page(request, slug).line.state)))


def _decide(
    request: Request, slug: str, kind: FactKind, data: Mapping[str, Any] | None = None, why: str = ""
) -> Organised:
    actions.decide(slug, caller(request).user_id, kind, data, why)
    return _now(request, slug)


def _ask(request: Request, slug: str, asked: str, why: str = "") -> Status[Organised]:
    actions.ask_event(slug, caller(request).user_id, asked, why)
    return Status(202, _now(request, slug))
