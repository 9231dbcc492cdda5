"""The admin: to look at everything, and to change little. Matches, results and ratings are changed by actions alone."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from webui.ladder.models import Bot, BotToken, BotVersion, Ladder, Match, Participant, RatingEntry, Standing, User

if TYPE_CHECKING:  # generic for the type checker alone
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    ModelAdmin = admin.ModelAdmin
    TabularInline = admin.TabularInline

admin.site.site_header = admin.site.site_title = "Naqala Arena"
admin.site.register(User, UserAdmin)


class ReadOnlyAdmin(ModelAdmin):
    """Shows rows; adds, changes and deletes none."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Bot)
class BotAdmin(ModelAdmin):
    """Name, owner and state of a bot may be set right by hand; the rest is its history."""

    list_display = ["name", "owner", "state", "is_house", "created_at"]
    list_filter = ["state", "is_house"]
    search_fields = ["name", "owner__username"]
    list_select_related = ["owner"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(BotVersion)
class BotVersionAdmin(ReadOnlyAdmin):
    list_display = ["bot", "name", "created_at"]
    list_select_related = ["bot"]
    search_fields = ["bot__name", "name"]


@admin.register(BotToken)
class BotTokenAdmin(ReadOnlyAdmin):
    list_display = ["prefix", "bot", "created_at", "last_used_at", "revoked_at"]
    list_select_related = ["bot"]
    exclude = ["digest"]


class ParticipantInline(TabularInline):
    model = Participant
    extra = 0


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    """The seed of a running match is in a table that is not here."""

    list_display = ["id", "state", "rated", "ladder", "ladder_number", "length", "epoch", "created_at", "finished_at"]
    list_filter = ["state", "rated", "ladder"]
    search_fields = ["id"]
    list_select_related = ["ladder"]
    inlines = [ParticipantInline]


@admin.register(Ladder)
class LadderAdmin(ModelAdmin):
    """How far spectators are behind is an organiser's choice; the rest is what the ladder is."""

    list_display = ["slug", "finished", "delay"]
    readonly_fields = ["slug", "ruleset", "clock", "key", "finished"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(RatingEntry)
class RatingEntryAdmin(ReadOnlyAdmin):
    list_display = ["ladder", "number", "seat", "version", "placement", "mu", "sigma"]
    list_filter = ["ladder"]
    list_select_related = ["ladder", "version__bot"]


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin):
    list_display = ["ladder", "version", "mu", "sigma", "games"]
    list_filter = ["ladder"]
    list_select_related = ["ladder", "version__bot"]
