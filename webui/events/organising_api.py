"""Routes with which organisers manage their events."""

from typing import Annotated, Any, cast

from ninja import Path, Router, Status

from arena.events import FactKind, TermsError
from webui.api.callers import Request, caller, needs
from webui.core.errors import BadRequest
from webui.events import actions, decisions, queries
from webui.events.decisions import (
    CourseChange,
    GamesOrder,
    MessageInput,
    OrganiserDecision,
    PerhapsReason,
    ReasonInput,
    RoundOrder,
    Ruling,
)
from webui.events.facts import find_event
from webui.events.schemas import EventState, Organised
from webui.events.term_schemas import EventTerms

router = Router(tags=["organising"])
Document = dict[str, Any]
Entrant = Annotated[int, Path(ge=1, le=99_999, description="The number of an entrant.")]


@router.get("/events/{slug}/terms", response=EventTerms, exclude_none=True)
def get_event_terms(request: Request, slug: str) -> Document:
    """The terms of an event.

    Those of a draft need a token of one of its organisers, with the scope `read` or `events`.
    """
    identity = request.caller
    may_see_draft = identity is not None and not identity.scopes.isdisjoint(("read", "events"))
    page = queries.event_page(slug, identity.user_id if identity and may_see_draft else None)
    return page.event.terms.document()


@router.put("/events/{slug}/terms", response=Organised, **needs("events"))
def change_event(request: Request, slug: str, terms: EventTerms) -> Organised:
    """Change the terms of an event.

    All terms of a draft can change. In an open event, those that entrants rely on are fixed.
    """
    actions.decide(slug, caller(request).user_id, FactKind.CHANGED, {"terms": terms.document})
    return _organised(slug)


@router.post("/events/{slug}/publish", response={202: Organised}, **needs("events"))
def publish_event(request: Request, slug: str) -> Status[Organised]:
    """Open a draft to entrants.

    The arena does so within seconds.
    """
    return Status(202, _make(request, slug, decisions.Publish()))


@router.post("/events/{slug}/cancel", response={202: Organised}, **needs("events"))
def cancel_event(request: Request, slug: str, order: ReasonInput) -> Status[Organised]:
    """Cancel an event.

    The arena does so within seconds.
    """
    return Status(202, _make(request, slug, decisions.Cancel(why=order.why)))


@router.post("/events/{slug}/freeze", response=Organised, **needs("events"))
def freeze_event(request: Request, slug: str) -> Organised:
    """Close the entries and start the event.

    The first round is drawn within seconds.
    """
    return _make(request, slug, decisions.Freeze())


@router.post("/events/{slug}/pause", response=Organised, **needs("events"))
def pause_event(request: Request, slug: str, order: PerhapsReason) -> Organised:
    """Pause an event: no new matches are scheduled.

    Running matches go on.
    """
    return _make(request, slug, decisions.Pause(why=order.why))


@router.post("/events/{slug}/resume", response=Organised, **needs("events"))
def resume_event(request: Request, slug: str) -> Organised:
    """Resume a paused event."""
    return _make(request, slug, decisions.Resume())


@router.post("/events/{slug}/archive", response=Organised, **needs("events"))
def archive_event(request: Request, slug: str) -> Organised:
    """Archive a finished event, which then never changes again."""
    return _make(request, slug, decisions.Archive())


@router.post("/events/{slug}/reveal", response=Organised, **needs("events"))
def reveal_results(request: Request, slug: str, order: RoundOrder) -> Organised:
    """Reveal hidden results up to a round."""
    return _make(request, slug, order)


@router.post("/events/{slug}/entrants/{number}/withdraw", response=Organised, **needs("events"))
def withdraw_entrant(request: Request, slug: str, number: Entrant, order: ReasonInput) -> Organised:
    """Withdraw an entrant, who then plays no further rounds."""
    return _make(request, slug, decisions.Withdraw(entrant=number, why=order.why))


@router.post("/events/{slug}/entrants/{number}/disqualify", response=Organised, **needs("events"))
def disqualify_entrant(request: Request, slug: str, number: Entrant, order: ReasonInput) -> Organised:
    """Disqualify an entrant, who then ranks last in all its games and plays no further rounds."""
    return _make(request, slug, decisions.Disqualify(entrant=number, why=order.why))


@router.post("/events/{slug}/again", response=Organised, **needs("events"))
def play_again(request: Request, slug: str, order: GamesOrder) -> Organised:
    """Have games played again: a round, a table, a single game, or all games of an entrant."""
    return _make(request, slug, order)


@router.post("/events/{slug}/rule", response=Organised, **needs("events"))
def rule_result(request: Request, slug: str, order: Ruling) -> Organised:
    """Rule the result of a game."""
    return _make(request, slug, order)


@router.patch("/events/{slug}/course", response=Organised, **needs("events"))
def change_course(request: Request, slug: str, order: CourseChange) -> Organised:
    """Change the times and limits of an event.

    Fields that are not given keep their values.
    """
    try:
        return _make(request, slug, order)
    except BadRequest as error:
        if not isinstance(cause := error.__cause__, TermsError):
            raise
        what = str(cause).removeprefix(f"{cause.where}: ")  # the body has only the course
        raise BadRequest(str(error)) from TermsError(cause.code, cause.where.removeprefix("course."), what)


@router.post("/events/{slug}/messages", response=Organised, **needs("events"))
def tell_entrants(request: Request, slug: str, order: MessageInput) -> Organised:
    """Send a message to the entrants, on the event's page and by email."""
    return _make(request, slug, order)


@router.put("/events/{slug}/invitations/{bot}", response=Organised, **needs("events"))
def invite_bot(request: Request, slug: str, bot: str) -> Organised:
    """Invite a bot before the start.

    Its owner is notified.
    """
    return _make(request, slug, decisions.Invite(bot=bot))


@router.put("/events/{slug}/organisers/{name}", response=Organised, **needs("events"))
def share_event(request: Request, slug: str, name: str) -> Organised:
    """Make somebody a co-organiser."""
    return _make(request, slug, decisions.AddOrganiser(user=name))


@router.delete("/events/{slug}/organisers/{name}", response=Organised, **needs("events"))
def unshare_event(request: Request, slug: str, name: str) -> Organised:
    """Remove a co-organiser.

    Co-organisers can also remove themselves.
    """
    return _make(request, slug, decisions.RemoveOrganiser(user=name))


@router.post("/events/{slug}/organisers/{name}/hand-over", response=Organised, **needs("events"))
def hand_over_event(request: Request, slug: str, name: str) -> Organised:
    """Make a co-organiser the organiser."""
    return _make(request, slug, decisions.HandOver(user=name))


def _make(request: Request, slug: str, decision: OrganiserDecision) -> Organised:
    """Make a decision as the caller. Raise `NotFound` for somebody else's draft."""
    by = caller(request).user_id
    decision.make(queries.event_page(slug, by), by)
    return _organised(slug)


def _organised(slug: str) -> Organised:
    """Return the event as it is now. The caller had its organiser's rights, and may just have handed it over."""
    return Organised(event=slug, state=cast(EventState, find_event(slug).state))
