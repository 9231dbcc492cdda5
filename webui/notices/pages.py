"""Page of the visitor's notices, with the choice about emails."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from webui.core.pages import PageContext, render_page
from webui.core.visitors import user_id
from webui.notices import actions, queries
from webui.notices.emails import details, path, sentence
from webui.notices.values import NoticeLine


@dataclass(frozen=True, kw_only=True)
class NoticesContext(PageContext):
    """The latest notices of the visitor."""

    template: str = "notices/notices.html"
    here: str = "notices"
    lines: list[tuple[NoticeLine, str, str, str]]
    """Notices, each with a sentence, details, and the path of what it is about."""
    has_unread: bool
    wants_mail: bool


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def notices(request: HttpRequest) -> HttpResponse:
    """Show the latest notices. `act` marks all as read, or switches the emails on or off."""
    user = user_id(request)
    act = request.POST.get("act", "")
    if request.method == "POST":
        if act == "read":
            actions.read_notices(user)
        elif act in ("mail", "no-mail"):
            actions.choose_mail(user, is_wanted=act == "mail", language=get_language() or "")
            messages.success(request, _("Done."))
        return redirect("notices")
    lines = [(line, sentence(line), details(line), path(line)) for line in queries.notices(user)]
    context = NoticesContext(
        lines=lines,
        has_unread=any(not line.is_read for line, *_texts in lines),
        wants_mail=queries.wants_mail(user),
    )
    return render_page(request, context)
