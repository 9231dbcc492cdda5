"""The form of an event's terms, derived from their declaration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as plain_gettext
from django.utils.translation import gettext_lazy as _

from arena.events import Course, Eligibility, Terms
from arena.events.fields import (
    ChoiceRule,
    DeclaredTerm,
    FlagRule,
    NumberRule,
    TermsTable,
    TextRule,
    TextsRule,
    terms_of,
)
from arena.events.formats import FORMATS
from arena.events.terms import DEFAULT_TIE_BREAKS
from arena.events.tiebreaks import TIE_BREAKS
from arena.referee import Clock
from webui.events.values import EventPolicy
from webui.events.words import TIE_BREAKS as TIE_BREAK_WORDS
from webui.events.words import format_name
from webui.ladders.values import LimitedClock

CLOCKS: Final[Mapping[str, tuple[Any, Clock]]] = {
    "10": (_("lightning: 10 s + 0.1 s"), Clock(bank_ms=10_000, increment_ms=100, cap_ms=2_000)),
    "60": (_("standard: 60 s + 1 s"), Clock()),
    "300": (_("long: 300 s + 5 s"), Clock(bank_ms=300_000, increment_ms=5_000, cap_ms=30_000)),
}
OWN: Final = "own"
"""Choice for a clock that is none of `CLOCKS`."""
TEMPLATES: Final[Mapping[str, tuple[Any, Mapping[str, Any]]]] = {
    "weekend": (_("Weekend Swiss"), {"kind": "swiss", "players": "3", "swiss_rounds": 5}),
    "robin": (_("Round robin"), {"kind": "round_robin", "players": "2", "entrants": 12}),
    "league": (_("League season"), {"kind": "league", "players": "2", "versions": "free"}),
    "lightning": (
        _("Lightning knockout"),
        {"kind": "knockout", "players": "2", "clock": "10", "no_show": timedelta(minutes=1)},
    ),
    "class": (
        _("Class tournament"),
        {
            "kind": "swiss",
            "players": "2",
            "hidden": True,
            "house_bots": False,
            "by_invitation": True,
            "no_show": timedelta(minutes=15),
        },
    ),
    "gauntlet": (_("Gauntlet"), {"kind": "gauntlet", "players": "2", "entrants": 16}),
}  # fmt: skip
"""Names and initial values of the templates for new events."""
STARTS: Final[Mapping[str, tuple[Any, bool, bool]]] = {
    "hand": (_("when the organiser says so"), False, False),
    "full": (_("when it is full"), False, True),
    "time": (_("at a time"), True, False),
    "either": (_("at a time, or earlier when it is full"), True, True),
}
"""Ways to start: in words, whether at a time, and whether when the event is full."""
CHOICES: Final[Mapping[str, Any]] = {
    "match": _("one game"),
    "block": _("a deal block: one deal, everybody at every seat"),
    "williams": _("a Williams design: one deal, everybody at every seat and directly after everybody else"),
    "frozen": _("the version at the start, in all rounds"),
    "free": _("the newest one, round by round"),
}
"""Words for the choices of terms."""
HELP: Final[Mapping[str, Any]] = {
    "invited": _("As in the addresses of their pages, separated by spaces. Their owners get a notice."),
    "check_in": _(
        "Opens this long before the start. Bots that are neither checked in nor online at the start "
        "are withdrawn. Empty: no check-in."
    ),
    "no_show": _("As hours:minutes:seconds, 0:05:00 for five minutes."),
    "round_every": _("Minimum. Empty: rounds follow at once."),
    "ends_after": _("Empty: when you cancel it."),
}
TIES: Final = tuple(f"tie_{k}" for k in range(1, len(TIE_BREAKS) + 1))
TEXT_AREAS: Final[Mapping[str, dict[str, Any]]] = {
    "summary": {"rows": 3},
    "invited": {"rows": 2, "autocapitalize": "none", "spellcheck": "false"},
}


@dataclass(frozen=True)
class Group:
    """Fields under one heading."""

    head: Any
    labels: Mapping[str, Any]
    """Labels of the fields, in their order."""
    is_folded: bool = False
    """Whether the group is closed, unless a field in it has an error or a value other than its default."""


GROUPS: Final = (
    Group(_("The event"), {"name": _("Name"), "summary": _("Summary")}),
    Group(
        _("Format"),
        {
            "kind": _("Format"),
            "gauntlet_cycles": _("Cycles of the first bot against all others"),
            "knockout_advance": _("How many bots of a table go on"),
            "knockout_double": _("Out after two losses instead of one"),
            "knockout_consolation": _("Games for the places of those who are out"),
            "league_size": _("Bots of a division"),
            "league_moves": _("How many go up and down after a season"),
            "league_seasons": _("Seasons"),
            "league_cycles": _("How often everybody meets everybody"),
            "round_robin_cycles": _("How often everybody meets everybody"),
            "swiss_rounds": _("Rounds"),
            "ends_after": _("A marathon ends after"),
        },
    ),
    Group(
        _("Game"),
        {
            "players": _("Seats of a table"),
            "artisans": _("With the Artisans"),
            "whims": _("With the Whims"),
            "unit": _("A table plays"),
            "clock": _("Clock"),
        },
    ),
    Group(
        _("Another clock, and faults"),
        {
            "bank": _("Seconds per seat for the whole match"),
            "increment": _("Seconds added for each turn"),
            "cap": _("Maximum seconds for one decision"),
            "strikes": _("Faults after which a seat forfeits"),
            "grace": _("Seconds that a bot may be gone during a match"),
            "offer": _("Seconds to accept a match"),
        },
        is_folded=True,
    ),
    Group(
        _("Results"),
        {
            "rated": _("Rated: its games count on the ladder"),
            "hidden": _("Results stay hidden until you reveal them"),
        },
    ),
    Group(_("Tie-breaks, in their order"), {name: f"{k}." for k, name in enumerate(TIES, start=1)}, is_folded=True),
    Group(
        _("Who may enter"),
        {
            "entrants": _("Maximum number of bots"),
            "bots_an_owner": _("Maximum number of bots of one owner"),
            "house_bots": _("Bots of the arena may enter"),
            "hosted_bots_only": _("Only bots that the arena runs: equal hardware for all"),
        },
    ),
    Group(
        _("Invitations and ratings"),
        {
            "by_invitation": _("Only bots that you invite"),
            "invited": _("Invited bots"),
            "least_rating": _("Rating at least"),
            "most_rating": _("Rating at most"),
            "least_games": _("Rated games played at least"),
        },
        is_folded=True,
    ),
    Group(_("When it starts"), {"start": _("Starts"), "starts_at": _("Time of the start, UTC")}),
    Group(
        _("Check-in, rounds and waiting"),
        {
            "check_in": _("Check-in before the start"),
            "round_every": _("Time from the start of a round to the next"),
            "no_show": _("How long a table waits for a missing bot"),
            "matches_at_once": _("Maximum number of matches at a time"),
            "versions": _("Which version of a bot plays"),
        },
        is_folded=True,
    ),
)


@dataclass(frozen=True)
class FormTerm:
    """A term with a form field of its own: the key of its table, and the kind of format to which it belongs."""

    term: DeclaredTerm
    table: str = ""
    kind: str = ""

    def initial(self) -> Any:
        """Return the value in a new form."""
        return None if self.term.default is MISSING else self.value(self.term.rule.write(self.term.default))

    def value(self, written: Any) -> Any:
        """Return the value in the form for what a document has."""
        rule = self.term.rule
        if isinstance(rule, NumberRule) and rule.unit and written is not None:
            return _seconds(written) if rule.unit == "ms" else timedelta(seconds=written) if written else None
        return " ".join(written) if isinstance(rule, TextsRule) else written

    def written(self, value: Any) -> Any:
        """Return what a document has for a value of the form that is not empty."""
        rule = self.term.rule
        if isinstance(rule, NumberRule) and rule.unit:
            return round(value * 1000) if rule.unit == "ms" else int(value.total_seconds())
        if isinstance(rule, TextsRule):
            return list(dict.fromkeys(value.split()))
        return value.replace("\r\n", "\n") if isinstance(rule, TextRule) else value

    def field(self, name: str, label: Any) -> forms.Field:
        """Return the field."""
        rule, is_required = self.term.rule, self.term.default is MISSING
        shared: dict[str, Any] = {
            "label": label, "help_text": HELP.get(name, ""), "initial": self.initial(), "required": is_required
        }  # fmt: skip
        if name in TEXT_AREAS:
            shared["widget"] = forms.Textarea(attrs=TEXT_AREAS[name])
        match rule:
            case NumberRule(unit="s"):
                return forms.DurationField(**shared)
            case NumberRule(unit="ms"):
                shared["widget"] = forms.NumberInput(attrs={"inputmode": "decimal"})
                least, most = _seconds(rule.least), _seconds(rule.most)
                return forms.DecimalField(min_value=least, max_value=most, decimal_places=3, **shared)
            case NumberRule():
                return forms.IntegerField(min_value=rule.least, max_value=rule.most, **shared)
            case FlagRule():
                return forms.BooleanField(**shared)
            case ChoiceRule():
                return forms.ChoiceField(choices=[(choice, CHOICES[choice]) for choice in rule.choices], **shared)
            case TextRule():
                return forms.CharField(max_length=rule.most, **shared)
        return forms.CharField(max_length=50_000, **shared)


def _seconds(milliseconds: int) -> Decimal:
    return Decimal(milliseconds) / 1000


def _form_terms() -> Iterator[tuple[str, FormTerm]]:
    """Yield the terms by the names of their form fields."""
    labels = {name for group in GROUPS for name in group.labels}
    tables: list[tuple[type[TermsTable], str]] = [(Terms, ""), (LimitedClock, ""), (EventPolicy, "")]
    tables += [(Eligibility, ""), (Course, ""), *((format, f"{kind}_") for kind, format in FORMATS.items())]
    for table, prefix in tables:
        for term in terms_of(table).values():
            name = prefix + term.key.removesuffix("_ms").removesuffix("_s")
            kind = "marathon" if name == "ends_after" else prefix.removesuffix("_")
            if name in labels and name not in ("clock", "starts_at"):
                yield name, FormTerm(term, table.where, kind)


FORM_TERMS: Final = dict(_form_terms())
_TABLE_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("players", "artisans", "whims"), "game"),
    "kind": "format",
    **dict.fromkeys(("start", "starts_at"), "course"),
    **dict.fromkeys(TIES, "tie_breaks"),
    **{name: place.table or name for name, place in FORM_TERMS.items()},
}
"""Keys of the whole terms by the fields that set a part of them."""


class EventForm(forms.Form):
    """The terms of an event. A number of a format has a field such as `swiss_rounds`. Times are UTC.

    Each of `FORM_TERMS` has a field of its own. The fields below set more than one term, or a part of one.
    """

    kind = forms.ChoiceField(initial="swiss")
    players = forms.ChoiceField(choices=[(str(n), str(n)) for n in range(2, 6)])
    artisans = forms.BooleanField(required=False)
    whims = forms.BooleanField(required=False)
    clock = forms.ChoiceField(
        choices=[*((name, words) for name, (words, _clock) in CLOCKS.items()), (OWN, _("another one, as below"))],
        initial="60",
    )
    start = forms.ChoiceField(choices=[(name, words) for name, (words, *_rest) in STARTS.items()])
    starts_at = forms.DateTimeField(
        required=False,
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )

    def __init__(self, *args: Any, may_be_rated: bool, terms: Terms | None = None, is_open: bool = False, **kw: Any):
        """Make the form. `terms` are the existing terms when they are changed.

        If the event is open (`is_open`), fields that entrants relied on are disabled.
        """
        self.terms = terms
        super().__init__(*args, **kw)
        kinds = self.fields["kind"]
        assert isinstance(kinds, forms.ChoiceField)
        kinds.choices = [(kind, format_name(kind)) for kind in FORMATS]
        names = [("", "–"), *((name, TIE_BREAK_WORDS[name][1]) for name in TIE_BREAKS)]
        ties = dict(zip(TIES, DEFAULT_TIE_BREAKS, strict=False))
        for name in TIES:
            self.fields[name] = forms.ChoiceField(choices=names, required=False, initial=ties.get(name, ""))
        for group in GROUPS:
            for name, label in group.labels.items():
                if name in FORM_TERMS:
                    self.fields[name] = FORM_TERMS[name].field(name, label)
                self.fields[name].label = label
        self.fields["unit"].required = True
        self.fields["entrants"].initial = 64
        if terms is not None:
            self.initial = {**initial_of(terms), **self.initial}
        if is_open:
            changing = {term.key for term in terms_of(Terms).values() if term.may_change}
            for name, item in self.fields.items():
                item.disabled = _TABLE_OF.get(name, name) not in changing
        if not may_be_rated and not (terms and terms.rated):
            del self.fields["rated"]

    def groups(self) -> Iterator[tuple[Group, list[tuple[BoundField, str]], bool]]:
        """Yield the groups of fields, each with whether it is open. Each field comes with the format that it belongs
        to, or ""."""
        for group in GROUPS:
            names = [name for name in group.labels if name in self.fields]
            is_open = not group.is_folded or any(self.errors.get(name) or self._is_set(name) for name in names)
            kinds = [FORM_TERMS[name].kind if name in FORM_TERMS else "" for name in names]
            yield group, [(self[name], kind) for name, kind in zip(names, kinds, strict=True)], is_open

    def _is_set(self, name: str) -> bool:
        """Return whether the form shows another value than the default."""
        default = self.fields[name].initial
        return bool(self.initial.get(name, default) != default)

    def clean(self) -> dict[str, Any]:
        """Check rules that involve several fields."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        has_time = values.get("start") in ("time", "either")
        if has_time and not values.get("starts_at") and "starts_at" not in self.errors:
            self.add_error("starts_at", plain_gettext("Give the time of the start."))
        if not has_time and values.get("check_in"):
            self.add_error("check_in", plain_gettext("Check-in needs a time of the start."))
        seen = set[str]()
        for name in TIES:
            if values.get(name) in seen:
                self.add_error(name, plain_gettext("Each tie-break counts once."))
            seen.add(values.get(name) or name)
        return values

    def document(self) -> dict[str, Any]:
        """Return the terms of a valid form. Terms without a field stay as they are; an empty field has its default."""
        values = self.cleaned_data
        document: dict[str, Any] = self.terms.document() if self.terms else {}
        tables = {key: dict(document.get(key, {})) for key in ("policy", "entry", "course")}
        document |= {"clock": {}, **tables, "format": {"kind": values["kind"]}}
        for name, place in FORM_TERMS.items():
            table = document[place.table] if place.table else document
            if place.table != "format" or place.kind == values["kind"]:
                table.pop(place.term.key, None)
                if values.get(name) not in (None, ""):
                    table[place.term.key] = place.written(values[name])
        if values["clock"] != OWN:
            document["clock"] = CLOCKS[values["clock"]][1].document()
        _words, has_time, is_when_full = STARTS[values["start"]]
        document["course"] |= {
            "starts_at": values["starts_at"].astimezone(UTC).isoformat() if has_time else "",
            "starts_when_full": is_when_full,
        }
        expansions = [name for name in ("artisans", "whims") if values[name]]
        return document | {
            "game": {"players": int(values["players"]), "expansions": expansions},
            "tie_breaks": [values[name] for name in TIES if values.get(name)],
        }

    def refuse(self, where: str, sentence: str) -> None:
        """Add an error about the terms beside the field that it is about."""
        self.add_error(self._field_of(where), sentence)

    def _field_of(self, where: str) -> str | None:
        """Return the field that sets the term with this key."""
        table, _dot, key = where.rpartition(".")
        kinds = (self.cleaned_data["kind"],) if table == "format" else ("", "marathon")
        field = {"format": "kind", "game": "players", "tie_breaks": "tie_1"}.get(where, key)
        for name, place in FORM_TERMS.items():
            if (place.table, place.term.key) == (table, key) and place.kind in kinds:
                field = name
        return field if field in self.fields else None


def initial_of(terms: Terms) -> dict[str, Any]:
    """Return the form's values for existing terms."""
    document = terms.document()
    document |= {"clock": Clock().document() | document["clock"]}
    document |= {"policy": EventPolicy().document() | document["policy"]}
    chosen = next((name for name, (_words, clock) in CLOCKS.items() if clock.document() == document["clock"]), OWN)
    course, kind = terms.course, terms.format.kind
    start = (bool(course.starts_at), course.starts_when_full)
    initial: dict[str, Any] = {
        "kind": kind,
        "players": str(terms.ruleset.players),
        **{name: name in terms.ruleset.expansions for name in ("artisans", "whims")},
        "clock": chosen,
        "start": next(name for name, (_words, *when) in STARTS.items() if (*when,) == start),
        **dict.fromkeys(TIES, ""),
        **dict(zip(TIES, terms.tie_breaks, strict=False)),
    }
    if course.starts_at:
        initial["starts_at"] = datetime.fromisoformat(course.starts_at).astimezone(UTC)
    for name, place in FORM_TERMS.items():
        table = document[place.table] if place.table else document
        if place.term.key in table and (place.table != "format" or place.kind == kind):
            initial[name] = place.value(table[place.term.key])
    return initial
