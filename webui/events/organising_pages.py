"""Forms with which organisers and bot owners act on events. Each one redirects to the event, with any refusal as a
message."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from arena.events import EventState, FactKind, TermsError
from webui.core.errors import BadRequest, Forbidden, LadderError
from webui.core.pages import FormContext, PageContext, render_page
from webui.core.visitors import user_id
from webui.events import actions
from webui.events.consequences import Consequences, consequences
from webui.events.decisions import DecisionError, OrganiserDecision, PreviewedDecision, parse_decision
from webui.events.eligibility import online_versions
from webui.events.forms import TEMPLATES, EventForm
from webui.events.pages import event_page
from webui.events.refusals import argument_words, refusal_words
from webui.events.values import EventLine, EventPage

ENTRY_ACTIONS: Final = {
    "leave": actions.leave_event,
    "check-in": actions.check_in,
    "ask": actions.ask_to_enter,
    "ask-no-more": actions.ask_no_more,
}


@dataclass(frozen=True, kw_only=True)
class TermsContext(FormContext):
    """The terms of an event, new or changed."""

    template: str = "events/event_new.html"
    here: str = "events"
    page: EventPage | None = None
    """None for a new event."""
    line: EventLine | None = None
    templates: Sequence[tuple[str, str | Promise]] = ()
    """Names and titles of the forms that can be filled in."""
    chosen: str = ""


@dataclass(frozen=True, kw_only=True)
class DecisionContext(PageContext):
    """The consequences of a decision, and the form that confirms it."""

    template: str = "events/event_preview.html"
    here: str = "events"
    line: EventLine
    consequences: Consequences
    button: str | Promise
    why: str
    arguments: list[tuple[str, str]]


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def new_event(request: HttpRequest) -> HttpResponse:
    """Show the form of a new event, and create it as a draft. `?template=` fills the form in."""
    chosen = request.GET.get("template", "")
    initial = TEMPLATES[chosen][1] if chosen in TEMPLATES else {}
    may_be_rated = request.user.is_staff  # `login_required` above: this is a user
    form = EventForm(request.POST if request.method == "POST" else None, initial=initial, may_be_rated=may_be_rated)
    if slug := _saved(form, lambda document: actions.create_event(user_id(request), document)):
        return redirect("event", slug=slug)
    templates = [(name, label) for name, (label, _initial) in TEMPLATES.items()]
    return render_page(request, TermsContext(form=form, templates=templates, chosen=chosen))


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def edit_event(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the terms. All terms of a draft can change. In an open event, those that entrants rely on are fixed."""
    page = event_page(request, slug)
    if not page.is_organiser:
        raise PermissionDenied
    state = page.event.state
    if state not in (EventState.DRAFT, EventState.OPEN):
        messages.error(request, _("The terms are final once an event has started."))
        return redirect("event", slug=slug)
    form = EventForm(
        request.POST if request.method == "POST" else None,
        may_be_rated=request.user.is_staff,
        terms=page.event.terms,
        is_open=state is EventState.OPEN,
    )

    def save(document: dict[str, Any]) -> str:
        actions.decide(slug, user_id(request), FactKind.CHANGED, {"terms": document})
        return slug

    if _saved(form, save):
        return redirect("event", slug=slug)
    return render_page(request, TermsContext(form=form, page=page, line=page.line))


def _saved(form: EventForm, save: Callable[[dict[str, Any]], str]) -> str:
    """Save the terms of the form, and return the event's slug. Return "" if they are refused; the form then has the
    errors."""
    if form.is_valid():
        try:
            return save(form.document())
        except LadderError as error:
            form.refuse(error.__cause__.where if isinstance(error.__cause__, TermsError) else "", refusal_words(error))
    return ""


@login_required
@require_POST
def entries(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter a bot of the visitor, check it in, or withdraw it."""
    page, bot, user = event_page(request, slug), request.POST.get("bot", ""), user_id(request)
    act = ENTRY_ACTIONS.get(request.POST.get("act", ""))
    if act is None:
        online = online_versions(page.event.terms.ruleset)
        return _act_and_redirect(request, page, lambda: actions.enter_event(slug, bot, user, online))
    return _act_and_redirect(request, page, lambda: act(slug, bot, user))


@login_required
@require_POST
def organise(request: HttpRequest, slug: str) -> HttpResponse:
    """Make the decision of an organiser, or show its consequences first (`?preview`)."""
    page, by = event_page(request, slug), user_id(request)
    if not page.is_organiser:
        raise PermissionDenied
    try:
        decision = parse_decision(request.POST.get("act", ""), _arguments(request.POST))
        if "preview" in request.GET and isinstance(decision, PreviewedDecision):
            return _preview(request, page, decision)
    except BadRequest as error:
        return _refused(request, page, error)
    return _act_and_redirect(request, page, lambda: decision.make(page, by), decision.success_message)


def _preview(request: HttpRequest, page: EventPage, decision: PreviewedDecision) -> HttpResponse:
    """Show the consequences of a decision, with a form that confirms it. Raise `BadRequest` if it is not possible."""
    fact = decision.fact(page)
    context = DecisionContext(
        line=page.line,
        consequences=consequences(page, fact.data),
        button=decision.words(),
        why=fact.why,
        arguments=[(name, request.POST[name]) for name in request.POST if name not in ("csrfmiddlewaretoken", "why")],
    )
    return render_page(request, context)


def _act_and_redirect(
    request: HttpRequest,
    page: EventPage,
    act: Callable[[], object],
    message: str | Promise = OrganiserDecision.success_message,
) -> HttpResponse:
    try:
        act()
    except Forbidden as error:
        raise PermissionDenied(str(error)) from error
    except LadderError as error:
        return _refused(request, page, error)
    messages.success(request, str(message))
    return redirect("event", slug=page.line.slug)


def _refused(request: HttpRequest, page: EventPage, error: LadderError) -> HttpResponse:
    if isinstance(error, DecisionError):
        is_given = bool(request.POST.get(error.argument, "").strip())
        why = argument_words(error.argument, page.event.terms.ruleset.players, is_given=is_given)
    else:
        why = refusal_words(error)
    messages.error(request, _("This was refused: %(why)s.") % {"why": why})
    return redirect("event", slug=page.line.slug)


def _arguments(form: QueryDict) -> dict[str, Any]:
    """Return the arguments of a decision. Forms have games as `1-2-0`, times in UTC, and durations in minutes."""
    arguments: dict[str, Any] = {name: str(value).strip() for name, value in form.items()}
    for name in ("table", "game"):
        if name in arguments:
            arguments |= zip(("round", "table", "game"), arguments[name].split("-"), strict=False)
    if "placements" in arguments:
        arguments["placements"] = arguments["placements"].replace(",", " ").split()
    for name, argument in (("minutes", "no_show_s"), ("every", "round_every_s")):
        if name in arguments:
            text = arguments[name]
            arguments[argument] = 60 * int(text) if text.isascii() and text.isdigit() and len(text) < 6 else text
    for name in ("starts_at", "next_round_at"):
        if text := arguments.get(name):
            arguments[name] = f"{text}{':00' if len(text) == len('2026-11-22T18:00') else ''}+00:00"
    return arguments
