"""The admin: to look at every table that may be looked at, and to change little. What staff do has pages of its own
(`/staff/`), which say what follows and ask why; here rows are set right that nothing else can, and none of them may
break what the code relies on. No page shows a seed, a secret, or the log of a match.

Plain Django, no theme: themes bring inline scripts and styles, which our policy for browsers refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join

from webui.ladder.actions import LadderError, correct_bot, set_email
from webui.ladder.actions.locks import check_correction
from webui.ladder.models import (
    ApiToken,
    AuditEntry,
    Bot,
    BotNotice,
    BotToken,
    BotVersion,
    Challenge,
    Comparison,
    Delivery,
    DoctorRun,
    EventRow,
    Exclusion,
    FactRow,
    FairnessReport,
    Ladder,
    LadderTerms,
    Match,
    MatchOrder,
    Notice,
    Participant,
    PublishedRating,
    RatingEntry,
    RunningProcess,
    Standing,
    User,
    Webhook,
)
from webui.ladder.queries.suspicions import with_names
from webui.ladder.staff import Audited, LongTable, ReadOnlyAdmin, actor

if TYPE_CHECKING:  # generic for the type checker alone
    TabularInline = admin.TabularInline[Any, Any]
    BotForm = forms.ModelForm[Bot]
    UserForm = UserChangeForm[User]
else:
    TabularInline = admin.TabularInline
    BotForm = forms.ModelForm
    UserForm = UserChangeForm


MOST_PAIRS = 50
"""Of those of a report, shown."""


class UserRowForm(UserForm):
    """What of a user staff may set right."""

    def clean_is_superuser(self) -> bool:
        """Somebody has to be left who may do everything; and who may do everything may see these pages."""
        wanted = bool(self.cleaned_data["is_superuser"])
        others = User.objects.filter(is_superuser=True, is_staff=True, is_active=True).exclude(pk=self.instance.pk)
        if self.instance.is_superuser and not (wanted and self.data.get("is_staff")) and not others.exists():
            raise forms.ValidationError("This is the last user who may do everything.")
        return wanted


@admin.register(User)
class AuditedUserAdmin(Audited, UserAdmin):  # type: ignore[type-arg]
    """Users are erased by themselves, and locked on the pages of staff; their rows stay, for their matches. Names are
    for good: what looks like another's is refused when they are made. Who is staff is for superusers to say."""

    staff_page = ("staff-user", "username")
    form = UserRowForm
    list_display = ["username", "email", "is_active", "is_staff", "date_joined", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["username", "email"]
    ordering = ["-id"]
    fieldsets = (
        (None, {"fields": ("username", "password", "is_active")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Rights", {"fields": ("is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Times", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ["username", "is_active", "last_login", "date_joined"]
    rights = ("is_staff", "is_superuser", "groups", "user_permissions")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody: `arena user create` and sign-up check the name."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Those of staff are changed by superusers alone, and the house, which never signs in, by nobody."""
        if obj is not None and Bot.objects.filter(owner=obj, is_house=True).exists() and not obj.is_staff:
            return False
        is_free = obj is None or not obj.is_staff or request.user.is_superuser
        return is_free and super().has_change_permission(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """With the rights, for who is no superuser: nobody gives what he does not have."""
        found = super().get_readonly_fields(request, obj)
        return found if request.user.is_superuser else [*found, *self.rights]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save a user; an address that is changed is changed where django-allauth keeps it, too."""
        if change and "email" in form.changed_data:
            set_email(obj.pk, obj.email, by=actor(request))
            obj.email = obj.email.lower()
        super().save_model(request, obj, form, change)


@admin.register(Group)
class AuditedGroupAdmin(Audited, GroupAdmin):
    """Groups of staff, by what they may do. For superusers: who could change a group could give itself all rights."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)


class BotRowForm(BotForm):
    """Name and words of a bot."""

    def clean(self) -> dict[str, Any] | None:
        """As the action checks them, which says what is wrong."""
        data = super().clean()
        if data and "name" in data and "description" in data:
            try:
                check_correction(self.instance.pk, data["name"], data["description"])
            except LadderError as error:
                raise forms.ValidationError(str(error)) from error
        return data


@admin.register(Bot)
class BotAdmin(Audited):
    """Name and description may be set right by hand, where nobody should read them. Locks are on the pages of staff;
    the rest is its history."""

    staff_page = ("staff-bot", "slug")
    form = BotRowForm
    list_display = ["name", "owner", "state", "is_house", "created_at"]
    list_filter = ["state", "is_house", ("retired_at", admin.EmptyFieldListFilter)]
    search_fields = ["name", "slug", "owner__username"]
    list_select_related = ["owner"]
    ordering = ["-id"]
    fields = ["name", "description", "slug", "owner", "state", "is_house", "created_at", "retired_at"]
    readonly_fields = ["slug", "owner", "state", "is_house", "created_at", "retired_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """By the action, which keeps name, address and look together, and writes the audit log."""
        correct_bot(obj.pk, name=obj.name, description=obj.description, by=actor(request))

    def note(self, request: HttpRequest, obj: Any, what: str, changes: Any) -> None:
        """The action has."""


@admin.register(BotVersion)
class BotVersionAdmin(LongTable, ReadOnlyAdmin):
    list_display = ["bot", "name", "is_ready", "created_at"]
    list_filter = ["is_ready"]
    list_select_related = ["bot"]
    search_fields = ["bot__name", "name"]
    ordering = ["-id"]


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnlyAdmin):
    """Versions that play, or played, no rated matches: new ones, and those that forfeited one after the other."""

    list_display = ["version", "matches", "at", "asked_at", "examination", "ended_at"]
    list_filter = [("ended_at", admin.EmptyFieldListFilter)]
    list_select_related = ["version__bot", "examination"]
    search_fields = ["version__bot__name", "version__name"]
    ordering = ["-id"]


@admin.register(BotToken)
class BotTokenAdmin(ReadOnlyAdmin):
    list_display = ["prefix", "label", "bot", "created_at", "expires_at", "last_used_at", "last_address", "revoked_at"]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter)]
    list_select_related = ["bot"]
    search_fields = ["bot__name", "prefix", "=last_address"]
    ordering = ["-id"]
    exclude = ["digest"]


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ["prefix", "label", "user", "scopes", "created_at", "expires_at", "last_used_at", "last_address",
                    "revoked_at"]  # fmt: skip
    list_filter = [("revoked_at", admin.EmptyFieldListFilter)]
    list_select_related = ["user"]
    search_fields = ["user__username", "prefix", "=last_address"]
    ordering = ["-id"]
    exclude = ["digest"]


@admin.register(AuditEntry)
class AuditEntryAdmin(LongTable, ReadOnlyAdmin):
    list_display = ["at", "act", "account", "actor", "subject", "reason", "address"]
    list_filter = ["act"]
    list_select_related = ["account", "actor"]
    search_fields = ["=account__username", "=actor__username", "=subject", "=address"]
    ordering = ["-id"]


class ParticipantInline(TabularInline):
    model = Participant
    extra = 0


@admin.register(Match)
class MatchAdmin(LongTable, ReadOnlyAdmin):
    """The seed of a running match is in a table that is not here. Who sits in one that has not begun is shown nowhere:
    its staff page says who when it has."""

    staff_page = ("staff-match", "pk")
    list_display = ["id", "state", "rated", "ladder", "ladder_number", "epoch", "created_at", "finished_at"]
    list_filter = ["state", "rated", "ladder"]
    search_fields = ["=id"]
    list_select_related = ["ladder"]
    ordering = ["-created_at", "-id"]
    raw_id_fields = ["replaces"]
    inlines = [ParticipantInline]

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        """The seats once it has ended."""
        return self.inlines if obj is not None and obj.finished_at is not None else []


@admin.register(MatchOrder)
class MatchOrderAdmin(ReadOnlyAdmin):
    """What staff ordered about matches, and whether a worker has done it."""

    list_display = ["id", "kind", "match", "by", "at", "state", "ended_at", "reason"]
    list_filter = ["state", "kind"]
    list_select_related = ["match", "by"]
    search_fields = ["=match__id", "=by__username"]
    ordering = ["-id"]


@admin.register(FairnessReport)
class FairnessReportAdmin(ReadOnlyAdmin):
    """Which bots helped which in the month until a day: where to look, never a verdict (docs/fairness.md)."""

    list_display = ["date", "is_closed", "folded", "flagged"]
    list_filter = ["is_closed"]
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
class LadderAdmin(ReadOnlyAdmin):
    """How far spectators are behind, and what is played, is set on the pages of staff."""

    list_display = ["slug", "finished", "delay"]
    search_fields = ["slug"]
    ordering = ["-finished"]


@admin.register(LadderTerms)
class LadderTermsAdmin(ReadOnlyAdmin):
    staff_page = ("staff-game", "pk")
    list_display = ["game", "is_open", "share", "clock", "revision"]
    list_filter = ["is_open"]


@admin.register(RatingEntry)
class RatingEntryAdmin(LongTable, ReadOnlyAdmin):
    list_display = ["ladder", "number", "seat", "version", "placement", "mu", "sigma"]
    list_filter = ["ladder"]
    list_select_related = ["ladder", "version__bot"]
    search_fields = ["=match__id"]
    ordering = ["-id"]


@admin.register(Standing)
class StandingAdmin(LongTable, ReadOnlyAdmin):
    list_display = ["ladder", "version", "mu", "sigma", "games"]
    list_filter = ["ladder"]
    list_select_related = ["ladder", "version__bot"]
    search_fields = ["version__bot__name"]
    ordering = ["-id"]


@admin.register(PublishedRating)
class PublishedRatingAdmin(LongTable, ReadOnlyAdmin):
    list_display = ["fit", "version", "is_current", "points", "low", "high", "games", "rank", "at"]
    list_filter = ["is_current"]
    list_select_related = ["fit__ladder", "version__bot"]
    search_fields = ["version__bot__name"]
    ordering = ["-id"]


@admin.register(EventRow)
class EventRowAdmin(ReadOnlyAdmin):
    """Organisers, and staff, act on an event's own page."""

    list_display = ["slug", "name", "state", "owner", "entrants", "rounds", "created_at"]
    list_filter = ["state"]
    list_select_related = ["owner"]
    search_fields = ["slug", "name", "owner__username"]
    ordering = ["-id"]


@admin.register(FactRow)
class FactRowAdmin(LongTable, ReadOnlyAdmin):
    list_display = ["event", "number", "kind", "at"]
    list_filter = ["kind"]
    list_select_related = ["event"]
    search_fields = ["=event__slug"]
    ordering = ["-id"]


@admin.register(Challenge)
class ChallengeAdmin(LongTable, ReadOnlyAdmin):
    list_display = ["id", "owner", "state", "created_at", "ended_at"]
    list_filter = ["state"]
    list_select_related = ["owner"]
    search_fields = ["=id", "=owner__username"]
    ordering = ["-created_at"]


@admin.register(Comparison)
class ComparisonAdmin(LongTable, ReadOnlyAdmin):
    list_display = ["id", "owner", "new", "old", "state", "created_at", "ended_at"]
    list_filter = ["state"]
    list_select_related = ["owner", "new__bot", "old__bot"]
    search_fields = ["=id", "=owner__username"]
    ordering = ["-created_at"]


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    """Without their secrets."""

    list_display = ["user", "url", "off", "failing_since", "created_at"]
    list_filter = ["off"]
    list_select_related = ["user"]
    search_fields = ["=user__username", "url"]
    ordering = ["-id"]
    exclude = ["secret", "former_secret"]


@admin.register(Delivery)
class DeliveryAdmin(LongTable, ReadOnlyAdmin):
    """Without what they say, and what was answered: that is between the owner and the receiver."""

    list_display = ["message", "kind", "webhook", "at", "state", "tries", "status", "failure"]
    list_filter = ["state", "kind"]
    list_select_related = ["webhook"]
    search_fields = ["=message"]
    ordering = ["-id"]
    exclude = ["body", "answer"]


@admin.register(Notice, BotNotice)
class NoticeAdmin(LongTable, ReadOnlyAdmin):
    """What users were told, and whether it was sent by email."""

    list_display = ["user", "kind", "at", "read_at", "mail", "mail_tries"]
    list_filter = ["kind", "mail"]
    list_select_related = ["user"]
    search_fields = ["=user__username"]
    ordering = ["-id"]


@admin.register(RunningProcess)
class RunningProcessAdmin(ReadOnlyAdmin):
    list_display = ["kind", "name", "version", "started_at", "seen_at"]
    list_filter = ["kind"]
    ordering = ["kind", "-seen_at"]


@admin.register(DoctorRun)
class DoctorRunAdmin(ReadOnlyAdmin):
    list_display = ["at", "found", "skipped"]
    ordering = ["-id"]
