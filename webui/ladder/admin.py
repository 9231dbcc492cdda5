"""The admin: to look at everything, and to change little. Matches, results and ratings are changed by actions alone."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join

from webui.ladder.actions import set_email
from webui.ladder.models import (
    ApiToken,
    AuditEntry,
    Bot,
    BotToken,
    BotVersion,
    Exclusion,
    FairnessReport,
    Ladder,
    Match,
    Participant,
    RatingEntry,
    Standing,
    User,
)
from webui.ladder.queries.suspicions import with_names
from webui.ladder.staff import Audited, ReadOnlyAdmin, actor

if TYPE_CHECKING:  # generic for the type checker alone
    TabularInline = admin.TabularInline[Any, Any]
else:
    TabularInline = admin.TabularInline


MOST_PAIRS = 50
"""Of those of a report, shown."""


@admin.register(User)
class AuditedUserAdmin(Audited, UserAdmin):  # type: ignore[type-arg]
    """Users are erased by themselves, and shut out by `is_active`; their rows stay, for their matches."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save a user; an address that is changed is changed where django-allauth keeps it, too."""
        if change and "email" in form.changed_data:
            set_email(obj.pk, obj.email, by=actor(request))
            obj.email = obj.email.lower()
        super().save_model(request, obj, form, change)


@admin.register(Bot)
class BotAdmin(Audited):
    """Name, owner and state of a bot may be set right by hand; the rest is its history."""

    list_display = ["name", "owner", "state", "is_house", "created_at"]
    list_filter = ["state", "is_house"]
    search_fields = ["name", "owner__username"]
    list_select_related = ["owner"]


@admin.register(BotVersion)
class BotVersionAdmin(ReadOnlyAdmin):
    list_display = ["bot", "name", "created_at"]
    list_select_related = ["bot"]
    search_fields = ["bot__name", "name"]


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnlyAdmin):
    """Versions that play, or played, no rated matches: new ones, and those that forfeited one after the other."""

    list_display = ["version", "matches", "at", "asked_at", "examination", "ended_at"]
    list_select_related = ["version__bot", "examination"]
    search_fields = ["version__bot__name", "version__name"]
    ordering = ["-id"]


@admin.register(BotToken)
class BotTokenAdmin(ReadOnlyAdmin):
    list_display = ["prefix", "label", "bot", "created_at", "expires_at", "last_used_at", "last_address", "revoked_at"]
    list_select_related = ["bot"]
    exclude = ["digest"]


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ["prefix", "label", "user", "scopes", "created_at", "expires_at", "last_used_at", "last_address",
                    "revoked_at"]  # fmt: skip
    list_select_related = ["user"]
    exclude = ["digest"]


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["at", "act", "account", "actor", "subject", "address"]
    list_filter = ["act"]
    list_select_related = ["account", "actor"]
    search_fields = ["account__username", "actor__username", "subject", "address"]
    ordering = ["-id"]


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


@admin.register(FairnessReport)
class FairnessReportAdmin(ReadOnlyAdmin):
    """Which bots helped which in the month until a day: where to look, never a verdict (docs/fairness.md)."""

    list_display = ["date", "is_closed", "folded", "flagged"]
    fields = ["date", "is_closed", "folded", "made_at", "who_helps_whom"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[FairnessReport]:
        return super().get_queryset(request).defer("tallies", "document")

    @admin.display(description="pairs of bots to look at")
    def flagged(self, report: FairnessReport) -> int | None:
        """How many, if they have been measured."""
        return report.pairs and sum(pair["flagged"] for pair in report.pairs["pairs"])

    @admin.display(description="who helps whom")
    def who_helps_whom(self, report: FairnessReport) -> str:
        """The pairs that are told furthest from what their own gain explains, as a table."""
        if report.pairs is None:
            return "not measured: the upkeep worker does it when the day is over"
        if not report.pairs["pairs"]:
            return f"{report.pairs['games']} games; no two bots met in ten of them"
        shown = with_names({"pairs": report.pairs["pairs"][:MOST_PAIRS]})
        heads = ("", "helps", "helped", "lean", "SD a game", "games", "p")
        lines = (
            (
                "!" if pair["flagged"] else "",
                pair["helper"],
                pair["helped"],
                f"{pair['mean']:+.2f}",
                f"{pair['effect']:+.2f}",
                pair["games"],
                f"{pair['p']:.2g}",
            )
            for pair in shown["pairs"]
        )
        return format_html(
            "<p>{} games; ! says where to look, and proves nothing.</p><table><tr>{}</tr>{}</table>",
            report.pairs["games"],
            format_html_join("", "<th>{}</th>", ((head,) for head in heads)),
            format_html_join("", "<tr>" + "<td>{}</td>" * len(heads) + "</tr>", lines),
        )


@admin.register(Ladder)
class LadderAdmin(Audited):
    """How far spectators are behind is an organiser's choice; the rest is what the ladder is."""

    list_display = ["slug", "finished", "delay"]
    readonly_fields = ["slug", "ruleset", "clock", "key", "finished"]

    def save_model(self, request: HttpRequest, obj: Ladder, form: Any, change: bool) -> None:
        # Nothing else: a match may have finished since the row was read.
        obj.save(update_fields=["delay"])

    def has_add_permission(self, request: HttpRequest) -> bool:
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
