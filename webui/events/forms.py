"""The form of an event's terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import fields as fields_of
from datetime import UTC, timedelta
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as plain_gettext
from django.utils.translation import gettext_lazy as _

from arena.events import Terms
from arena.events.event import CHANGEABLE_WHILE_OPEN
from arena.events.formats import FORMATS
from arena.events.terms import DEFAULT_TIE_BREAKS, MAX_ENTRANTS, MAX_NAME
from arena.events.tiebreaks import TIE_BREAKS
from arena.referee import Clock, Policy
from webui.events.form_values import (
    CLOCK_FIELDS,
    CLOCKS,
    ENTRY_FIELDS,
    FIELD_OF,
    LENGTH_FIELDS,
    OWN,
    POLICY_FIELDS,
    initial_of,
)
from webui.events.words import TIE_BREAKS as TIE_BREAK_WORDS
from webui.events.words import format_name

LABELS: Final[Mapping[str, Any]] = {
    "swiss_rounds": _("Rounds"),
    "round_robin_cycles": _("How often everybody meets everybody"),
    "knockout_advance": _("How many bots of a table go on"),
    "knockout_double": _("Out after two losses instead of one"),
    "knockout_consolation": _("Games for the places of those who are out"),
    "league_size": _("Bots of a division"),
    "league_moves": _("How many go up and down after a season"),
    "league_seasons": _("Seasons"),
    "league_cycles": _("How often everybody meets everybody"),
    "gauntlet_cycles": _("Cycles of the first bot against all others"),
}
"""Labels of the numbers and flags of formats."""
_FORMAT_FIELDS: Final = [(kind, field) for kind, format in FORMATS.items() for field in fields_of(format)]
_TERM_OF: Final = {field: where.split(".")[0] for where, field in FIELD_OF.items()} | {
    "artisans": "game", "whims": "game", "start": "course", **{f"tie_{k}": "tie_breaks" for k in range(1, 8)}
}  # fmt: skip
LENGTH: Final = _("As hours:minutes:seconds, 0:05:00 for five minutes.")


def _number(label: Any, least: int, most: int, initial: int | None, *, step: float | None = None) -> forms.Field:
    attrs = {"inputmode": "decimal"}
    if step is None:
        return forms.IntegerField(label=label, min_value=least, max_value=most, initial=initial, required=False)
    return forms.DecimalField(
        label=label, min_value=least, max_value=most, initial=initial, required=False, decimal_places=3,
        widget=forms.NumberInput(attrs=attrs),
    )  # fmt: skip


def _flag(label: Any, *, initial: bool = False) -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False, initial=initial)


def _length(label: Any, initial: timedelta | None = None, help_text: Any = "") -> forms.DurationField:
    return forms.DurationField(label=label, required=False, initial=initial, help_text=help_text)


@dataclass(frozen=True)
class Group:
    """Fields under one heading."""

    head: Any
    names: tuple[str, ...]
    is_folded: bool = False
    """Whether the group is closed, unless a field in it has an error or a value other than its default."""


class EventForm(forms.Form):
    """The terms of an event. A number of a format has a field such as `swiss_rounds`. Times are UTC."""

    name = forms.CharField(label=_("Name"), max_length=MAX_NAME)
    summary = forms.CharField(
        label=_("Summary"), max_length=2000, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    kind = forms.ChoiceField(label=_("Format"), initial="swiss")
    players = forms.ChoiceField(label=_("Seats of a table"), choices=[(str(n), str(n)) for n in range(2, 6)])
    artisans = _flag(_("With the Artisans"))
    whims = _flag(_("With the Whims"))
    unit = forms.ChoiceField(
        label=_("A table plays"),
        choices=[
            ("match", _("one game")),
            ("block", _("a deal block: one deal, everybody at every seat")),
            ("williams", _("a Williams design: one deal, everybody at every seat and directly after everybody else")),
        ],
    )
    clock = forms.ChoiceField(
        label=_("Clock"),
        choices=[
            ("10", _("lightning: 10 s + 0.1 s")),
            ("60", _("standard: 60 s + 1 s")),
            ("300", _("long: 300 s + 5 s")),
            (OWN, _("another one, as below")),
        ],
        initial="60",
    )
    bank = _number(_("Seconds per seat for the whole match"), 0, 3600, 60, step=1)
    increment = _number(_("Seconds added for each turn"), 0, 60, 1, step=1)
    cap = _number(_("Maximum seconds for one decision"), 0, 600, 10, step=1)
    strikes = _number(_("Faults after which a seat forfeits"), 1, 100, Policy().strikes)
    grace = _number(_("Seconds that a bot may be gone during a match"), 0, 3600, Policy().grace_ms // 1000, step=1)
    offer = _number(_("Seconds to accept a match"), 0, 300, Policy().offer_ms // 1000, step=1)
    rated = _flag(_("Rated: its games count on the ladder"))
    hidden = _flag(_("Results stay hidden until you reveal them"))
    versions = forms.ChoiceField(
        label=_("Which version of a bot plays"),
        choices=[
            ("frozen", _("the version at the start, in all rounds")),
            ("free", _("the newest one, round by round")),
        ],
        required=False,
    )
    entrants = _number(_("Maximum number of bots"), 2, MAX_ENTRANTS, 64)
    bots_an_owner = _number(_("Maximum number of bots of one owner"), 1, MAX_ENTRANTS, 1)
    house_bots = _flag(_("Bots of the arena may enter"), initial=True)
    by_invitation = _flag(_("Only bots that you invite"))
    invited = forms.CharField(
        label=_("Invited bots"),
        help_text=_("As in the addresses of their pages, separated by spaces. Their owners get a notice."),
        max_length=50_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "autocapitalize": "none", "spellcheck": "false"}),
    )
    least_rating = _number(_("Rating at least"), -5000, 10_000, None)
    most_rating = _number(_("Rating at most"), -5000, 10_000, None)
    least_games = _number(_("Rated games played at least"), 0, 1_000_000, 0)
    start = forms.ChoiceField(
        label=_("Starts"),
        choices=[
            ("hand", _("when the organiser says so")),
            ("full", _("when it is full")),
            ("time", _("at a time")),
            ("either", _("at a time, or earlier when it is full")),
        ],
    )
    starts_at = forms.DateTimeField(
        label=_("Time of the start, UTC"),
        required=False,
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    check_in = _length(
        _("Check-in before the start"),
        help_text=_(
            "Opens this long before the start. Bots that are neither checked in nor online at the start "
            "are withdrawn. Empty: no check-in."
        ),
    )
    no_show = _length(_("How long a table waits for a missing bot"), timedelta(minutes=5), LENGTH)
    round_every = _length(
        _("Time from the start of a round to the next"), help_text=_("Minimum. Empty: rounds follow at once.")
    )
    ends_after = _length(_("A marathon ends after"), help_text=_("Empty: when you cancel it."))
    matches_at_once = _number(_("Maximum number of matches at a time"), 1, 1000, 20)

    GROUPS: Final = (
        Group(_("The event"), ("name", "summary")),
        Group(_("Format"), ("kind", *(f"{kind}_{field.name}" for kind, field in _FORMAT_FIELDS), "ends_after")),
        Group(_("Game"), ("players", "artisans", "whims", "unit", "clock")),
        Group(_("Another clock, and faults"), (*CLOCK_FIELDS, "strikes", *POLICY_FIELDS), is_folded=True),
        Group(_("Results"), ("rated", "hidden")),
        Group(_("Tie-breaks, in their order"), tuple(f"tie_{k}" for k in range(1, 8)), is_folded=True),
        Group(_("Who may enter"), ("entrants", "bots_an_owner", "house_bots")),
        Group(
            _("Invitations and ratings"),
            ("by_invitation", "invited", "least_rating", "most_rating", "least_games"),
            is_folded=True,
        ),
        Group(_("When it starts"), ("start", "starts_at")),
        Group(
            _("Check-in, rounds and waiting"),
            ("check_in", "round_every", "no_show", "matches_at_once", "versions"),
            is_folded=True,
        ),
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
        for kind, field in _FORMAT_FIELDS:
            name = f"{kind}_{field.name}"
            label, limits = LABELS.get(name, field.name), FORMATS[kind].LIMITS.get(field.name)
            initial: Any = field.default
            self.fields[name] = _number(label, *limits, initial) if limits else _flag(label, initial=initial)
        names = [("", "–"), *((name, TIE_BREAK_WORDS[name][1]) for name in TIE_BREAKS)]
        for k in range(1, len(TIE_BREAKS) + 1):
            first = DEFAULT_TIE_BREAKS[k - 1] if k <= len(DEFAULT_TIE_BREAKS) else ""
            self.fields[f"tie_{k}"] = forms.ChoiceField(label=f"{k}.", choices=names, required=False, initial=first)
        if terms is not None:
            self.initial = {**initial_of(terms), **self.initial}
        if is_open:
            for name, item in self.fields.items():
                item.disabled = _TERM_OF.get(name, name) not in CHANGEABLE_WHILE_OPEN
        if not may_be_rated and not (terms and terms.rated):
            del self.fields["rated"]

    def groups(self) -> Iterator[tuple[Group, list[tuple[BoundField, str]], bool]]:
        """Yield the groups of fields, each with whether it is open. Each field comes with the format that it belongs
        to, or ""."""
        kinds = {f"{kind}_{field.name}": kind for kind, field in _FORMAT_FIELDS} | {"ends_after": "marathon"}
        for group in self.GROUPS:
            names = [name for name in group.names if name in self.fields]
            is_open = not group.is_folded or any(self.errors.get(name) or name in self.initial for name in names)
            yield group, [(self[name], kinds.get(name, "")) for name in names], is_open

    def clean(self) -> dict[str, Any]:
        """Check rules that involve several fields."""
        said: dict[str, Any] = super().clean() or self.cleaned_data
        if said.get("start") in ("time", "either") and not said.get("starts_at") and "starts_at" not in self.errors:
            self.add_error("starts_at", plain_gettext("Give the time of the start."))
        if said.get("start") not in ("time", "either") and said.get("check_in"):
            self.add_error("check_in", plain_gettext("Check-in needs a time of the start."))
        seen = set[str]()
        for name in (f"tie_{k}" for k in range(1, len(TIE_BREAKS) + 1)):
            if said.get(name) in seen:
                self.add_error(name, plain_gettext("Each tie-break counts once."))
            seen.add(said.get(name) or name)
        return said

    def document(self) -> dict[str, Any]:
        """Return the terms of a valid form. An empty number field gets its default."""
        said = {name: value for name, value in self.cleaned_data.items() if value is not None}
        kind = said["kind"]
        names = [field.name for of, field in _FORMAT_FIELDS if of == kind]
        numbers = {name: said[f"{kind}_{name}"] for name in names if f"{kind}_{name}" in said}
        former = self.terms.document() if self.terms else {"course": {}, "policy": {}}
        clock = CLOCKS.get(said["clock"], Clock()).document()
        if said["clock"] == OWN:
            clock |= {key: round(said[name] * 1000) for name, key in CLOCK_FIELDS.items() if name in said}
        policy = {key: round(said[name] * 1000) for name, key in POLICY_FIELDS.items() if name in said}
        has_time = said["start"] in ("time", "either")
        return {
            "name": said["name"],
            "summary": said["summary"].replace("\r\n", "\n"),
            "format": {"kind": kind, **numbers},
            "game": {
                "players": int(said["players"]),
                "expansions": [name for name in ("artisans", "whims") if said[name]],
            },
            "unit": said["unit"],
            "clock": clock,
            "policy": former["policy"] | policy | ({"strikes": said["strikes"]} if "strikes" in said else {}),
            "rated": said.get("rated", False),
            "versions": said["versions"] or "frozen",
            "hidden": said["hidden"],
            "tie_breaks": [said[f"tie_{k}"] for k in range(1, len(TIE_BREAKS) + 1) if said.get(f"tie_{k}")],
            "entry": {
                **{name: said[name] for name in ENTRY_FIELDS if name in said},
                "invited": list(dict.fromkeys(said["invited"].split())),
            },
            "course": {
                **former["course"],
                "starts_at": said["starts_at"].astimezone(UTC).isoformat() if has_time else "",
                "starts_when_full": said["start"] in ("full", "either"),
                **{key: int(said.get(name, timedelta()).total_seconds()) for name, key in LENGTH_FIELDS.items()},
                **({"no_show_s": 300} if "no_show" not in said else {}),
                **({"matches_at_once": said["matches_at_once"]} if "matches_at_once" in said else {}),
            },
        }

    def refuse(self, where: str, sentence: str) -> None:
        """Add an error about the terms beside the field that it is about."""
        field = FIELD_OF.get(where)
        if where.startswith("format."):
            field = f"{self.cleaned_data['kind']}_{where.removeprefix('format.')}"
        self.add_error(field if field in self.fields else None, sentence)
