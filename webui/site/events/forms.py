"""The form of a new event, and what its templates fill in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields as fields_of
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from arena.events.formats import FORMATS
from arena.events.terms import MAX_ENTRANTS, MAX_NAME
from arena.referee import Clock
from webui.site.events.words import format_name

CLOCKS: Final[Mapping[str, Clock]] = {
    "10": Clock(bank_ms=10_000, increment_ms=100, cap_ms=2_000),
    "60": Clock(),
    "300": Clock(bank_ms=300_000, increment_ms=5_000, cap_ms=30_000),
}
TEMPLATES: Final[Mapping[str, tuple[Any, Mapping[str, Any]]]] = {
    "weekend": (_("Weekend Swiss"), {"kind": "swiss", "players": "3", "swiss_rounds": 5}),
    "robin": (_("Round robin"), {"kind": "round_robin", "players": "2", "entrants": 12}),
    "lightning": (_("Lightning knockout"), {"kind": "knockout", "players": "2", "clock": "10", "no_show": "60"}),
    "class": (
        _("Class tournament"),
        {"kind": "swiss", "players": "2", "hidden": True, "house_bots": False, "no_show": "900"},
    ),
    "gauntlet": (_("Gauntlet"), {"kind": "gauntlet", "players": "2", "entrants": 16}),
}
FIELD_OF: Final[Mapping[str, str]] = {
    "name": "name",
    "summary": "summary",
    "format": "kind",
    "game": "players",
    "unit": "unit",
    "entry.entrants": "entrants",
    "entry.bots_an_owner": "bots_an_owner",
}
"""The fields that say what the terms have under these keys."""


LABELS: Final[Mapping[str, Any]] = {
    "swiss_rounds": _("Rounds"),
    "round_robin_cycles": _("How often everybody meets everybody"),
    "knockout_advance": _("How many of a table go on"),
    "knockout_double": _("Out after two losses instead of one"),
    "knockout_consolation": _("Games for the places of those who are out"),
    "league_size": _("Bots of a division"),
    "league_moves": _("How many go up and down after a season"),
    "league_seasons": _("Seasons"),
    "league_cycles": _("How often everybody meets everybody"),
    "gauntlet_cycles": _("Cycles of the first bot against all others"),
}
"""Of the numbers and flags of formats."""
_FORMAT_FIELDS: Final = [(kind, field) for kind, format in FORMATS.items() for field in fields_of(format)]


def _number(label: Any, least: int, most: int, initial: int) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most, initial=initial, required=False)


def _flag(label: Any, *, initial: bool = False) -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False, initial=initial)


class EventForm(forms.Form):
    """The terms of a new event. A number of a format is named after it: `swiss_rounds`."""

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
        choices=[("match", _("one game")), ("block", _("a deal block: one deal, everybody at every seat"))],
    )
    clock = forms.ChoiceField(
        label=_("Clock"),
        choices=[
            ("10", _("lightning: 10 s + 0.1 s")),
            ("60", _("standard: 60 s + 1 s")),
            ("300", _("long: 300 s + 5 s")),
        ],
        initial="60",
    )
    rated = _flag(_("Rated: its games count on the ladder"))
    hidden = _flag(_("Results stay hidden until you reveal them"))
    entrants = _number(_("Bots at most"), 2, MAX_ENTRANTS, 64)
    bots_an_owner = _number(_("Bots of one owner at most"), 1, MAX_ENTRANTS, 1)
    house_bots = _flag(_("Bots of the arena may enter"), initial=True)
    invited = forms.CharField(
        label=_("Only these bots, by their names in addresses, with spaces between; empty: any"),
        max_length=5000,
        required=False,
    )
    start = forms.ChoiceField(
        label=_("Starts"), choices=[("hand", _("when the organiser says so")), ("full", _("when it is full"))]
    )
    no_show = forms.ChoiceField(
        label=_("A table waits for a bot that is not there"),
        choices=[("60", _("1 minute")), ("300", _("5 minutes")), ("900", _("15 minutes")), ("3600", _("1 hour"))],
        initial="300",
    )

    GROUPS: Final = (
        (_("The event"), ("name", "summary")),
        (_("Format"), ("kind", *(f"{kind}_{field.name}" for kind, field in _FORMAT_FIELDS))),
        (_("Game"), ("players", "artisans", "whims", "unit", "clock")),
        (_("Results"), ("rated", "hidden")),
        (
            _("Who may enter, and when it starts"),
            ("entrants", "bots_an_owner", "house_bots", "invited", "start", "no_show"),
        ),
    )

    def __init__(self, *args: Any, may_be_rated: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_be_rated:
            del self.fields["rated"]
        self.fields["kind"].choices = [(kind, format_name(kind)) for kind in FORMATS]  # type: ignore[attr-defined]
        for kind, field in _FORMAT_FIELDS:
            name = f"{kind}_{field.name}"
            label, limits = LABELS.get(name, field.name), FORMATS[kind].LIMITS.get(field.name)
            initial: Any = field.default
            self.fields[name] = _number(label, *limits, initial) if limits else _flag(label, initial=initial)

    def groups(self) -> Iterator[tuple[Any, list[tuple[BoundField, str]]]]:
        """The fields by headline, each with the format that it belongs to, if it does."""
        kinds = {f"{kind}_{field.name}": kind for kind, field in _FORMAT_FIELDS}
        for head, names in self.GROUPS:
            yield head, [(self[name], kinds.get(name, "")) for name in names if name in self.fields]

    def document(self) -> dict[str, Any]:
        """The terms, of a form that is valid. A number that was left empty has its default."""
        said = {name: value for name, value in self.cleaned_data.items() if value is not None}
        kind = said["kind"]
        names = [field.name for of, field in _FORMAT_FIELDS if of == kind]
        numbers = {name: said[f"{kind}_{name}"] for name in names if f"{kind}_{name}" in said}
        entry = ("entrants", "bots_an_owner", "house_bots")
        invited = list(dict.fromkeys(said["invited"].split()))
        return {
            "name": said["name"],
            "summary": said["summary"].replace("\r\n", "\n"),
            "format": {"kind": kind, **numbers},
            "game": {
                "players": int(said["players"]),
                "expansions": [name for name in ("artisans", "whims") if said[name]],
            },
            "unit": said["unit"],
            "clock": CLOCKS[said["clock"]].document(),
            "rated": said.get("rated", False),
            "hidden": said["hidden"],
            "entry": {
                **{name: said[name] for name in entry if name in said},
                "by_invitation": bool(invited),
                "invited": invited,
            },
            "course": {"starts_when_full": said["start"] == "full", "no_show_s": int(said["no_show"])},
        }

    def refuse(self, where: str, sentence: str) -> None:
        """Say beside the field what is wrong with the terms."""
        field = FIELD_OF.get(where)
        if where.startswith("format."):
            field = f"{self.cleaned_data['kind']}_{where.removeprefix('format.')}"
        self.add_error(field if field in self.fields else None, sentence)
