"""Access to the pages of staff, and the page of every act."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from webui.accounts.security import actor, confirmed
from webui.accounts.values import AuditLine
from webui.core.errors import LadderError, Stale
from webui.core.pages import FormContext, PageContext, get_or_404, render_page
from webui.staff.act import ActForm, ActSubject, StaffAct, Words
from webui.staff.acts import ACTS
from webui.staff.values import InFlight, Right

View = Callable[..., HttpResponseBase]

PER_PAGE = 50
Entries = Sequence[tuple[AuditLine, str]]
"""Entries of the audit log, each with the name of its act."""


@dataclass(frozen=True, kw_only=True)
class StaffContext(PageContext):
    """A page for staff."""

    here: str = "staff"
    section: str
    """Page of staff that is marked as the current one."""


@dataclass(frozen=True, kw_only=True)
class ActContext(StaffContext, FormContext):
    """The consequences of an act, and its form."""

    template: str = "staff/act.html"
    title: str
    act: StaffAct[Any]
    back: str
    """Address of the subject."""
    consequences: list[str]
    links: list[tuple[str, str]]
    """Addresses and names of the matches and events that the consequences name."""


def staff_page(right: Right | None = None) -> Callable[[View], View]:
    """Restrict a view to staff, and to those who have `right`. For everybody else the page does not exist."""

    def decorate(view: View) -> View:
        @wraps(view)
        @never_cache
        @login_required
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_staff:
                raise Http404("there is no such page")
            if right is not None and not has_right(request, right):
                raise PermissionDenied(f"this needs the right {right}")
            return view(request, *args, **kwargs)

        return checked

    return decorate


def has_right(request: HttpRequest, right: Right) -> bool:
    """Tell whether the visitor is staff and has this right."""
    return request.user.is_staff and request.user.has_perm(right)


# Acts


@dataclass(frozen=True)
class Offer:
    """An act that the page of its subject offers."""

    address: str
    button: Words
    is_dangerous: bool


def offers(request: HttpRequest, on: ActSubject[Any], page: Any) -> list[Offer]:
    """Return the acts that the visitor may do to this subject now."""
    return [
        Offer(reverse(f"staff-{act.key}", args=[on.word(page)]), act.button, act.is_dangerous)
        for act in ACTS
        if act.on is on and has_right(request, act.right) and act.is_possible(page)
    ]


def act_pages() -> list[URLPattern]:
    """Return the address of every act."""
    return [path(act.on.root + act.path, _act_page(act), name=f"staff-{act.key}") for act in ACTS]


def _act_page(act: StaffAct[Any]) -> View:
    """Return the view of an act. It shows the consequences and the form, and does the act when the form is sent."""

    @require_http_methods(["GET", "POST"])
    def view(request: HttpRequest, subject: str) -> HttpResponse:
        page = get_or_404(act.on.find, subject)
        form = ActForm(act, page, request.POST if request.method == "POST" else None)
        if form.is_valid():
            try:
                has_changed = get_or_404(act.do, page, form.cleaned_data, actor(request))
            except Stale:
                form.add_error(
                    None,
                    _("Somebody changed it in the meantime. The page now shows the current state: check it again."),
                )
            except LadderError as error:
                form.add_error(None, str(error))
            else:
                message = str(act.done) if has_changed else _("It was so already: nothing was changed.")
                messages.success(request, message)
                return redirect(act.on.back(page, form.cleaned_data))
        is_possible = act.is_possible(page)
        context = ActContext(
            section=act.on.section,
            title=act.title % {"name": act.on.name(page)},
            form=form,
            act=act,
            back=act.on.back(page, {}),
            consequences=act.consequences(page) if is_possible else [_("This cannot be done now.")],
            links=_links(page) if act.is_dangerous else [],
        )
        return render_page(request, context)

    return staff_page(act.right)(confirmed(view))


def _links(page: Any) -> list[tuple[str, str]]:
    """Return addresses and words of the matches and events that the consequences name."""
    flying = getattr(page, "in_flight", None)
    if not isinstance(flying, InFlight):
        return []
    matches = [(reverse("staff-match", args=[match]), _("Match %(id)s") % {"id": match}) for match in flying.running]
    return matches + [(reverse("event", args=[slug]), name) for slug, name in flying.events]
