"""The site of the admin pages, and what all of its pages have in common: changes are audited, or there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import cached_property

from arena.host.sockets import network_of
from webui.ladder.actions import Act, Actor, record_act
from webui.ladder.models import User

if TYPE_CHECKING:  # generic for the type checker alone
    ModelAdmin = admin.ModelAdmin[Any]
    RowPaginator = Paginator[Any]
else:
    ModelAdmin = admin.ModelAdmin
    RowPaginator = Paginator

COUNTED = 10_000
"""Rows of a long table that a list counts, and leads to: those before are found by search and filters."""


class Linked(ModelAdmin):
    """Rows that have a page among those of staff link to it."""

    staff_page: tuple[str, str] | None = None
    """The name of its address, and the attribute that names the row there."""

    def view_on_site(self, obj: Any) -> str:
        """Where the button "View on site" leads."""
        assert self.staff_page is not None  # see `get_view_on_site_url`
        return reverse(self.staff_page[0], args=[getattr(obj, self.staff_page[1])])

    def get_view_on_site_url(self, obj: Any = None) -> str | None:
        """None where there is no such page."""
        return None if obj is None or self.staff_page is None else self.view_on_site(obj)


class Audited(Linked):
    """What staff do with these rows is in the audit log, with what was before and after, and their owners read it, too.
    None are deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self.note(request, obj, "+", None)
        return super().log_addition(request, obj, message)

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """And remember what was there before, for the entry that is written next; of a password nothing."""
        request.admin_changes = {  # type: ignore[attr-defined]
            name: (_plain(form.initial.get(name)), _plain(form.cleaned_data[name]))
            for name in form.changed_data
            if name in form.cleaned_data and "password" not in name
        }
        return super().construct_change_message(request, form, formsets, add)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        changed = [name for part in message for name in part.get("changed", {}).get("fields", ())]
        self.note(request, obj, ", ".join(changed), getattr(request, "admin_changes", None) or None)
        return super().log_change(request, obj, message)

    def note(self, request: HttpRequest, obj: Any, what: str, changes: Any) -> None:
        """Write the entry."""
        account_id = obj.pk if isinstance(obj, User) else getattr(obj, "owner_id", None)
        record_act(Act.STAFF_CHANGED, account_id, by=actor(request), subject=f"{obj}: {what}", changes=changes)


def _plain(value: Any) -> Any:
    """As JSON: rows by their names."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if hasattr(value, "__iter__"):
        return sorted(str(one) for one in value)
    return str(value)


def actor(request: HttpRequest) -> Actor:
    """Who of the staff asks, for the log."""
    return Actor(request.user.pk, network_of(request.META.get("REMOTE_ADDR") or ""))


class ReadOnlyAdmin(Linked):
    """Shows rows; adds, changes and deletes none."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class FewCounted(RowPaginator):
    """Counts no more rows than people page through: a table may have 10⁸."""

    @cached_property
    def count(self) -> int:
        """How many rows there are, at most `COUNTED`."""
        rows: Any = self.object_list
        return int(rows[:COUNTED].count())


class LongTable(ModelAdmin):
    """A table that may grow for years."""

    paginator = FewCounted
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER


class Site(admin.AdminSite):
    """Has our pages alone. Libraries register pages of their own, which change second factors and addresses without an
    entry in the audit log, and show keys."""

    site_header = site_title = "Naqala Arena"
    site_url = "/staff/"
    index_title = "All tables"

    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: Any = None
    ) -> HttpResponse:
        """On the page of the account, which tells the owner and the audit log."""
        return redirect("account_change_password")

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Add a page if it is one of ours."""
        if admin_class is not None and issubclass(admin_class, (Audited, ReadOnlyAdmin)):
            super().register(model_or_iterable, admin_class, **options)
