"""Forms with which organisers and bot owners act on events. Each one redirects to the event, with any refusal as a
message."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from arena.events import EventState, FactKind, TermsError
from webui.accounts.visitor import user_id
from webui.core.errors import BadRequest, Forbidden, LadderError
from webui.events import actions, organisers
from webui.events.consequences import consequences
from webui.events.form_values import TEMPLATES
from webui.events.forms import EventForm
from webui.events.pages import event_page
from webui.events.refusals import refusal_words
from webui.events.values import EventPage
from webui.events.versions import online_versions
from webui.events.words import example_places

ENTRY_DEEDS: Final = {
    "leave": actions.leave_event,
    "check-in": actions.check_in,
    "ask": actions.ask_to_enter,
    "ask-no-more": actions.ask_no_more,
}


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
    context = {"here": "events", "form": form, "templates": templates, "chosen": chosen}
    return render(request, "events/event_new.html", context, status=422 if form.is_bound else 200)


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
    context = {"here": "events", "form": form, "page": page, "line": page.line}
    return render(request, "events/event_new.html", context, status=422 if form.is_bound else 200)


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
    deed = ENTRY_DEEDS.get(request.POST.get("deed", ""))
    if deed is None:
        online = online_versions(page.event.terms.ruleset)
        return _done(request, slug, lambda: actions.enter_event(slug, bot, user, online))
    return _done(request, slug, lambda: deed(slug, bot, user))


@login_required
@require_POST
def organise(request: HttpRequest, slug: str) -> HttpResponse:
    """Do what an organiser asks for with `deed`."""
    page = event_page(request, slug)
    if not page.is_organiser:
        raise PermissionDenied
    if "preview" in request.GET and (shown := _preview(request, page)):
        return shown
    return _done(request, slug, lambda: _organise(page, user_id(request), request.POST))


def _preview(request: HttpRequest, page: EventPage) -> HttpResponse | None:
    """Show the consequences of a decision, with a form that confirms it. Return None if it is not possible; `_done`
    then reports why."""
    said = request.POST
    try:
        found = consequences(page, *_fact(page, said.get("deed", ""), said))
    except BadRequest:
        return None
    context = {
        "here": "events",
        "page": page,
        "line": page.line,
        "found": found,
        "deed": DEED_WORDS.get(said.get("deed", ""), ""),
        "why": said.get("why", ""),
        "said": [(name, said[name]) for name in said if name not in ("csrfmiddlewaretoken", "why")],
    }
    return render(request, "events/event_preview.html", context)


def _done(request: HttpRequest, slug: str, deed: Callable[[], object]) -> HttpResponse:
    try:
        deed()
    except Forbidden as error:
        raise PermissionDenied(str(error)) from error
    except LadderError as error:
        messages.error(request, _("This was refused: %(why)s.") % {"why": refusal_words(error)})
    else:
        messages.success(request, str(DONE_WORDS.get(request.POST.get("deed", ""), _("Done."))))
    return redirect("event", slug=slug)


PLAIN: Final[Mapping[str, FactKind]] = {
    "pause": FactKind.PAUSED,
    "resume": FactKind.RESUMED,
    "archive": FactKind.ARCHIVED,
}
DEED_WORDS: Final[Mapping[str, Any]] = {
    "withdraw": gettext_lazy("Withdraw"),
    "disqualify": gettext_lazy("Disqualify"),
    "again-game": gettext_lazy("Play this game again"),
    "again-table": gettext_lazy("Play this table again"),
    "again-round": gettext_lazy("Play this round again"),
    "again-bot": gettext_lazy("Play all games of this bot again"),
    "rule": gettext_lazy("Rule this result"),
}
"""Decisions that have a preview."""
DONE_WORDS: Final[Mapping[str, Any]] = {
    "publish": gettext_lazy("It is being published."),
    "cancel": gettext_lazy("It is being cancelled."),
}
"""Messages for what the arena itself does within seconds."""
WITH_REASON: Final = frozenset({*DEED_WORDS, "cancel"})
"""Actions that affect others. They need a reason, which is in the log."""


def _organise(page: EventPage, by: int, said: QueryDict) -> None:
    deed, why = said.get("deed", ""), said.get("why", "").strip()
    slug, name = page.line.slug, said.get("user", "").strip()
    if deed in WITH_REASON and not why:
        raise BadRequest(_("give a reason: it is published in the log"))
    if deed in PLAIN:
        actions.decide(slug, by, PLAIN[deed], {}, why)
    elif deed in ("publish", "cancel"):
        actions.ask_event(slug, by, deed, why)
    elif deed == "freeze":
        actions.freeze_now(slug, by, online_versions(page.event.terms.ruleset))
    elif deed == "invite":
        actions.invite(slug, said.get("bot", "").strip(), by)
    elif deed == "share":
        organisers.share_event(slug, by, name)
    elif deed == "unshare":
        organisers.share_event(slug, by, name, with_user=False)
    elif deed == "hand-over":
        organisers.hand_over_event(slug, by, name)
    else:
        actions.decide(slug, by, *_fact(page, deed, said), why)


def _fact(page: EventPage, deed: str, said: QueryDict) -> tuple[FactKind, dict[str, object]]:
    """Return the kind and the data of the fact that an organiser decides. Raise `BadRequest` if the input is
    invalid."""
    if deed == "reveal":
        return FactKind.REVEALED, {"round": _number(said, "round")}
    if deed in ("withdraw", "disqualify"):
        kind = FactKind.WITHDRAWN if deed == "withdraw" else FactKind.DISQUALIFIED
        return kind, {"entrant": _number(said, "entrant")}
    if deed == "again-game":
        return FactKind.AGAIN, {"games": [_game(said)]}
    if deed == "again-round":
        return FactKind.AGAIN, {"games": _games(page, _number(said, "round"))}
    if deed == "again-table":
        key = [*_numbers(said.get("table", "").split("-")), 0]
        return FactKind.AGAIN, {"games": _games(page, key[0], key[1])}
    if deed == "again-bot":
        return FactKind.AGAIN, {"games": _games(page, entrant=_number(said, "entrant"))}
    if deed == "rule":
        round_, table, game = _game(said)
        places = _places(page, said.get("placements", ""))
        return FactKind.RULED, {"round": round_, "table": table, "game": game, "placements": places}
    if deed == "extend":
        return FactKind.EXTENDED, {"course": {**page.event.terms.course.document(), **_course(said)}}
    if deed == "tell":
        return FactKind.TOLD, {"text": said.get("text", "").replace("\r\n", "\n")[:2000]}
    raise BadRequest(_("this is unknown"))


def _course(said: QueryDict) -> dict[str, object]:
    """Return the values of the course in the form. Times are UTC."""
    found: dict[str, object] = {}
    for name, key, unit in (
        ("minutes", "no_show_s", 60),
        ("every", "round_every_s", 60),
        ("at_once", "matches_at_once", 1),
    ):
        if name in said:
            found[key] = unit * _number(said, name)
    for name in ("starts_at", "next_round_at"):
        if name in said:
            text = said.get(name, "").strip()
            found[name] = f"{text}{':00' if len(text) == len('2026-11-22T18:00') else ''}+00:00" if text else ""
    return found


def _number(said: QueryDict, name: str) -> int:
    return _numbers([said.get(name, "")])[0]


def _numbers(texts: list[str]) -> list[int]:
    if not all(text.isascii() and text.isdigit() and len(text) < 6 for text in texts):
        raise BadRequest(_("a number is missing"))
    return [int(text) for text in texts]


def _places(page: EventPage, text: str) -> list[int]:
    """Return a place for each seat."""
    players = page.event.terms.ruleset.players
    words = text.replace(",", " ").split()
    places = [int(word) if word in "12345" else 0 for word in words]
    if len(places) != players or any(place != 1 + sum(other < place for other in places) for place in places):
        asked = _("enter a place for each of the %(n)s seats, for instance %(example)s")
        raise BadRequest(asked % {"n": players, "example": example_places(players)})
    return places


def _game(said: QueryDict) -> list[int]:
    key = _numbers(said.get("game", "").split("-"))
    if len(key) != 3:
        raise BadRequest(_("choose a game"))
    return key


def _games(
    page: EventPage, number: int | None = None, table: int | None = None, entrant: int | None = None
) -> list[list[int]]:
    """Return all games of a round, a table or an entrant."""
    found = page.event.history().games_at(number, table, entrant)
    if not found:
        raise BadRequest(_("choose a round"))
    return [list(key) for key in found]
