"""The forms of challenges."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as text
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from webui.bots.presence import Online
from webui.bots.values import BotRef, VersionRef
from webui.challenges.values import MOST_AT_ONCE, AcceptedChallenges, WantedSeat

LEAST_SEATS, MAX_SEATS = 2, 5


class ChallengeForm(forms.Form):
    """The bots at the seats, and the expansions in play. The number of seats is the number of bots chosen."""

    whims = forms.BooleanField(label=_("Whims"), required=False)
    artisans = forms.BooleanField(label=_("Artisans"), required=False)

    def __init__(
        self,
        bot: BotRef,
        own: Sequence[VersionRef],
        others: Sequence[BotRef],
        online: Online,
        data: Any = None,
    ) -> None:
        super().__init__(data)
        there = {session.bot_version for sessions in (online or {}).values() for session in sessions}
        of_page = [version for version in own if version.bot.id == bot.id]
        first = sorted(of_page or own, key=lambda version: (version.id not in there, -version.id))
        house = sorted(
            (other for other in others if other.is_house), key=lambda choice: choice.id not in (online or {})
        )
        rivals = [other for other in others if not other.is_house]
        if not of_page and bot not in others:  # not in the list, which is limited
            rivals.insert(0, bot)
        choices: list[Any] = [
            (
                _("Yours"),
                [(f"v{choice.id}", _with(f"{choice.bot.name} {choice.name}", choice.id in there)) for choice in own],
            ),
            (_("Others"), [(f"b{choice.id}", _with(choice.name, choice.id in (online or {}))) for choice in rivals]),
            (_("House bots"), [(f"b{choice.id}", _with(choice.name, choice.id in (online or {}))) for choice in house]),
        ]
        choices = [group for group in choices if group[1]]
        fields: dict[str, forms.Field] = {}
        for seat in range(1, MAX_SEATS + 1):
            is_needed = seat <= LEAST_SEATS
            fields[f"seat_{seat}"] = forms.ChoiceField(
                label=text("Seat %(n)s") % {"n": seat},
                required=is_needed,
                choices=choices if is_needed else [("", pgettext("a seat", "nobody")), *choices],
            )
        self.fields = {**fields, **self.fields}
        if first:
            self.fields["seat_1"].initial = f"v{first[0].id}"
        opponent = bot if not of_page else next(iter(house), None)
        if opponent is not None:
            self.fields["seat_2"].initial = f"b{opponent.id}"
        self._bots = {f"v{choice.id}": WantedSeat(choice.bot.id, choice.id) for choice in own}
        self._bots |= {f"b{choice.id}": WantedSeat(choice.id) for choice in (*rivals, *house)}

    def clean(self) -> None:
        """Check that a match of five has an expansion."""
        if len(self.seats()) == MAX_SEATS and not self.expansions():
            self.add_error(None, text("At a table of five an expansion is in play: choose Whims or Artisans."))

    def seats(self) -> list[WantedSeat]:
        """Return the seats for `actions.challenge`. Empty seats are left out."""
        chosen = [self.cleaned_data.get(f"seat_{seat}") for seat in range(1, MAX_SEATS + 1)]
        return [self._bots[key] for key in chosen if key]

    def expansions(self) -> list[str]:
        """Return the expansions in play."""
        return [name for name in ("artisans", "whims") if self.cleaned_data.get(name)]

    def seat_fields(self) -> list[forms.BoundField]:
        """Return the fields of the seats."""
        return [self[f"seat_{seat}"] for seat in range(1, MAX_SEATS + 1)]


def _with(name: str, is_online: bool) -> str:
    return f"{name} · {text('online')}" if is_online else f"{name} · {text('offline')}"


class AcceptForm(forms.Form):
    """The challenges that a bot accepts."""

    accepts = forms.ChoiceField(
        label=_("Accepts challenges of"),
        choices=[("NEVER", _("nobody")), ("FRIENDS", _("the accounts named below")), ("ALL", _("everybody"))],
        help_text=_("It always accepts yours."),
    )
    at_once = forms.TypedChoiceField(
        label=_("At the same time"),
        coerce=int,
        choices=[(n, str(n)) for n in range(1, MOST_AT_ONCE + 1)],
        help_text=_(
            "The most challenges of others at a time. If the bot has several slots, one stays free for rated matches."
        ),
    )
    friends = forms.CharField(
        label=_("Accounts"),
        required=False,
        max_length=10_000,
        help_text=_("Names of accounts, one per line. Only you see them."),
        widget=forms.Textarea(attrs={"rows": 3, "autocapitalize": "none", "spellcheck": "false"}),
    )

    def __init__(self, known: AcceptedChallenges, data: Any = None) -> None:
        initial = {"accepts": known.accepts, "at_once": known.at_once, "friends": "\n".join(known.friends)}
        super().__init__(data, initial=initial)

    def setting(self) -> dict[str, Any]:
        """Return the arguments of `actions.accept_challenges`."""
        data = self.cleaned_data
        names = [name for name in re.split(r"[\s,]+", data["friends"]) if name]
        return {"accepts": data["accepts"], "at_once": data["at_once"], "friends": names}
