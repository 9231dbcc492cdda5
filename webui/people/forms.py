"""The form with which a visitor sits down."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as text
from django.utils.translation import gettext_lazy as _

from webui.bots.values import BotRef
from webui.people.values import CLOCKS

MOST_OPPONENTS: Final = 4
CLOCK_NAMES: Final = {"none": _("No clock"), "30": _("30 minutes"), "10": _("10 minutes")}


class TableForm(forms.Form):
    """Opponents, expansions and clock of a table."""

    opponents = forms.TypedMultipleChoiceField(
        label=_("Opponents"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one opponent.")},
    )
    clock = forms.ChoiceField(label=_("Clock"), widget=forms.RadioSelect, initial="none")
    whims = forms.BooleanField(label=_("Whims"), required=False)
    artisans = forms.BooleanField(label=_("Artisans"), required=False)

    def __init__(self, bots: Sequence[BotRef], online: Container[int], chosen: Sequence[int], data: Any = None) -> None:
        """Offer these bots. `online` are ids of bots that are online, `chosen` ids of bots that are ticked at first."""
        super().__init__(data)
        self.fields["clock"].choices = [(name, CLOCK_NAMES[name]) for name in CLOCKS]  # type: ignore[attr-defined]
        self.fields["opponents"].choices = [  # type: ignore[attr-defined]
            (bot.id, bot.name if bot.id in online else f"{bot.name} ({text('offline')})") for bot in bots
        ]
        self.fields["opponents"].initial = list(chosen)

    def clean_opponents(self) -> list[int]:
        """Check that there are not too many opponents."""
        chosen: list[int] = self.cleaned_data["opponents"]
        if len(chosen) > MOST_OPPONENTS:
            raise forms.ValidationError(_("A table has at most five seats: choose one to four opponents."))
        return chosen

    def clean(self) -> None:
        """Check that a game of five has an expansion."""
        if len(self.cleaned_data.get("opponents", ())) == MOST_OPPONENTS and not self.expansions():
            self.add_error(None, text("At a table of five an expansion is in play: choose Whims or Artisans."))

    def expansions(self) -> list[str]:
        """Return the expansions in play."""
        return [name for name in ("artisans", "whims") if self.cleaned_data.get(name)]
