"""The form with which a visitor sits down."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundWidget
from django.utils.text import Truncator
from django.utils.translation import gettext as text
from django.utils.translation import gettext_lazy as _

from webui.people.values import CLOCKS, OfferedOpponent
from webui.ratings.standings import half
from webui.words.house import about_bot
from webui.words.titles import ladder_name

MOST_OPPONENTS: Final = 4
LONGEST_DESCRIPTION: Final = 120
"""Maximum number of characters shown of an opponent's description."""
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

    def __init__(
        self, opponents: Sequence[OfferedOpponent], online: Container[int], chosen: Sequence[int], data: Any = None
    ) -> None:
        """Offer these opponents. `online` and `chosen` are ids of bots: who is online, and who is ticked at first."""
        super().__init__(data)
        self.fields["clock"].choices = [(name, CLOCK_NAMES[name]) for name in CLOCKS]  # type: ignore[attr-defined]
        self.fields["opponents"].choices = [  # type: ignore[attr-defined]
            (each.bot.id, each.bot.name if each.bot.id in online else f"{each.bot.name} ({text('offline')})")
            for each in opponents
        ]
        self._about = [about_opponent(each) for each in opponents]
        self.fields["opponents"].initial = list(chosen)

    def opponent_rows(self) -> Iterator[tuple[BoundWidget, str]]:
        """Yield the box of each opponent, and what is said about the bot. The box refers to the element `ID-about`."""
        for box, about in zip(self["opponents"], self._about, strict=True):
            if about:
                box.data["attrs"]["aria-describedby"] = f"{box.id_for_label}-about"
            yield box, about

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


def about_opponent(opponent: OfferedOpponent) -> str:
    """Return the description of a bot, and its rating."""
    described = about_bot(opponent.bot, opponent.description)
    about = [Truncator(described).chars(LONGEST_DESCRIPTION)] if described else []
    if opponent.rated is not None:
        values = {"points": opponent.rated.points, "half": half(opponent.rated)}
        if opponent.ladder is None:
            about.append(str(_("Rated %(points)s ± %(half)s overall.")) % values)
        else:
            ladder = ladder_name(opponent.ladder)
            about.append(str(_("Rated %(points)s ± %(half)s: %(ladder)s.")) % {**values, "ladder": ladder})
    return " · ".join(about)
