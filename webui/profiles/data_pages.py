"""Pages about a user's own data: download all of it, or erase the account."""

import io
import json
import zipfile

from allauth.decorators import rate_limit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from webui.accounts import erasure, personal_data
from webui.accounts import queries as account_queries
from webui.accounts.forms import EraseForm
from webui.accounts.security import confirmed, notify, record_and_notify
from webui.accounts.values import Act
from webui.core.errors import BadRequest
from webui.core.pages import FormContext, attachment, render_page
from webui.matches import queries as match_queries


@never_cache
@confirmed
@require_POST
@rate_limit(action="export")
def export(request: HttpRequest) -> HttpResponse:
    """Send everything that the arena knows about the visitor, as JSON files in a zip archive."""
    assert isinstance(request.user, AbstractUser)  # ensured by `confirmed`
    record_and_notify(request, request.user, Act.DATA_EXPORTED)
    return attachment(_packed(request.user.pk), "application/zip", f"naqala-{request.user.username}.zip")


def _packed(user_id: int) -> bytes:
    """Return the zip archive: one file for each subject, and one with a line for each seat.

    Seats are read one by one, so memory holds only the compressed data.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, document in personal_data.personal_data(user_id).items():
            archive.writestr(f"{name}.json", json.dumps(document, ensure_ascii=False, indent=1))
        with archive.open("matches.jsonl", "w") as lines:
            for line in match_queries.personal_matches(user_id):
                lines.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    return packed.getvalue()


@never_cache
@confirmed
@require_http_methods(["GET", "POST"])
def erase(request: HttpRequest) -> HttpResponse:
    """Erase the visitor's account, after its name was typed as a confirmation."""
    user = request.user
    assert isinstance(user, AbstractUser)  # ensured by `confirmed`
    form = EraseForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        was_confirmed = account_queries.has_verified_email(user.pk)
        try:
            erasure.erase_account(user.pk)
        except BadRequest:
            form.add_error(
                None, _("Accounts of staff are not erased. Ask an administrator to remove your staff rights first.")
            )
        else:
            notify(request, user, Act.ACCOUNT_ERASED, former_email=user.email, was_confirmed=was_confirmed)
            logout(request)
            messages.success(request, _("Your account is erased. Thank you for your bots."))
            return redirect("front")
    return render_page(request, FormContext(template="profiles/erase.html", here="account", form=form))
