"""The site of the admin pages, and what all of its pages have in common: changes are audited, or there are none."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from arena.host.sockets import network_of
from webui.ladder.actions import Act, Actor, record_act
from webui.ladder.models import User

if TYPE_CHECKING:  # generic for the type checker alone
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class Audited(ModelAdmin):
    """What staff do with these rows is in the audit log, which their owners read, too. None are deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        _note(request, obj, "+")
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        changed = [name for part in message for name in part.get("changed", {}).get("fields", ())]
        _note(request, obj, ", ".join(changed))
        return super().log_change(request, obj, message)


def _note(request: HttpRequest, obj: Any, what: str) -> None:
    account_id = obj.pk if isinstance(obj, User) else getattr(obj, "owner_id", None)
    record_act(Act.STAFF_CHANGED, account_id, by=actor(request), subject=f"{obj}: {what}")


def actor(request: HttpRequest) -> Actor:
    """Who of the staff asks, for the log."""
    return Actor(request.user.pk, network_of(request.META.get("REMOTE_ADDR") or ""))


class ReadOnlyAdmin(ModelAdmin):
    """Shows rows; adds, changes and deletes none."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class Site(admin.AdminSite):
    """Has our pages alone. Libraries register pages of their own, which change second factors and addresses without an
    entry in the audit log, and show keys."""

    site_header = site_title = "Naqala Arena"

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Add a page if it is one of ours."""
        if admin_class is not None and issubclass(admin_class, (Audited, ReadOnlyAdmin)):
            super().register(model_or_iterable, admin_class, **options)
