"""What the pages of staff have in common: who may see them, and the form of every act."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from webui.ladder.values import BadRequest, NotFound, Stale, TooMany
from webui.site.security import confirmed

View = Callable[..., HttpResponseBase]

PER_PAGE = 50


def staff_page(permission: str = "") -> Callable[[View], View]:
    """The view is for staff with this permission (`view_match`), if one is named. For all others it is not there."""

    def decorate(view: View) -> View:
        @wraps(view)
        @never_cache
        @login_required
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            _check(request, permission)
            return view(request, *args, **kwargs)

        return checked

    return decorate


def staff_act(permission: str) -> Callable[[View], View]:
    """The same for a form that changes something: it asks for a fresh password first."""

    def decorate(view: View) -> View:
        asked = confirmed(view)

        @wraps(view)
        @never_cache
        @login_required
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            _check(request, permission)
            return asked(request, *args, **kwargs)

        return checked

    return decorate


def _check(request: HttpRequest, permission: str) -> None:
    if not request.user.is_staff:
        raise Http404("there is no such page")
    if permission and not request.user.has_perm(f"ladder.{permission}"):
        raise PermissionDenied(f"this needs the permission {permission}")


def answer_act(
    request: HttpRequest,
    form: forms.Form,
    do: Callable[[dict[str, Any]], bool],
    *,
    title: str,
    button: str,
    done: str,
    back: str,
    here: str,
    consequences: Sequence[str] = (),
    links: Sequence[tuple[str, str]] = (),
    is_dangerous: bool = True,
) -> HttpResponse:
    """The page of an act: what follows from it, its form; and, when that was sent, the act. `do` takes what was
    entered, and says whether anything has changed; then the page `back` says what is `done`. `links`: addresses and
    words of what the consequences name."""
    if form.is_valid():
        try:
            has_changed = do(form.cleaned_data)
        except NotFound as error:
            raise Http404(str(error)) from error
        except Stale:
            form.add_error(
                None, _("Somebody has changed it meanwhile. Look at it again: the page shows what is so now.")
            )
        except (BadRequest, TooMany) as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, done if has_changed else _("That is so already: nothing was changed."))
            return redirect(back)
    context = {
        "here": "staff",
        "section": here,
        "title": title,
        "form": form,
        "button": button,
        "back": back,
        "consequences": consequences,
        "links": links,
        "is_dangerous": is_dangerous,
    }
    return render(request, "site/staff/act.html", context, status=422 if form.is_bound else 200)


def sent(request: HttpRequest) -> QueryDict | None:
    """What a form was sent with, empty or not; None: it is shown for the first time."""
    return request.POST if request.method == "POST" else None


def found(query: Callable[..., Any], *args: Any) -> Any:
    """What a query gives; `Http404` for what is not there."""
    try:
        return query(*args)
    except NotFound as error:
        raise Http404(str(error)) from error


def new_number() -> int:
    """Names a form that was shown, so that it is carried out once."""
    return secrets.randbelow(2**53)
