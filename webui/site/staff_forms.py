"""The forms of staff. Each says why: the audit log keeps it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webui.ladder.actions.audit import LONGEST_REASON
from webui.ladder.actions.locks import LONGEST_MESSAGE
from webui.ladder.actions.terms import CAP_MS, MOST_BANK_MS, MOST_DELAY, MOST_INCREMENT_MS
from webui.ladder.models import MOST_SHARE
from webui.ladder.values.staff import GameTerms


class ReasonForm(forms.Form):
    """Why something is done."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        help_text=_("The audit log keeps it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, help_text: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if help_text is not None:
            self.fields["reason"].help_text = help_text


class VoidForm(ReasonForm):
    """Why a match is voided, and whether it is played again."""

    again = forms.BooleanField(
        label=_("Play it again: a new match with the same bots in the same seats, and a new seed"), required=False
    )
    field_order = ["again", "reason"]


class LockForm(ReasonForm):
    """Why somebody or something is locked or unlocked. Which of the two was shown is sent along, so that it is that one
    which is done."""

    deed = forms.ChoiceField(choices=[("lock", "lock"), ("unlock", "unlock")], widget=forms.HiddenInput)

    def __init__(self, is_locking: bool, data: Any = None, *, help_text: Any = None) -> None:
        super().__init__(data, initial={"deed": "lock" if is_locking else "unlock"}, help_text=help_text)


class GameForm(ReasonForm):
    """How the matchmaker plays a game. Times are in seconds."""

    is_open = forms.BooleanField(label=_("Open: new rated matches are made"), required=False)
    share = forms.IntegerField(
        label=_("Share"),
        min_value=1,
        max_value=MOST_SHARE,
        help_text=_("Of the matches in flight, beside the shares of the other open games."),
    )
    bank = forms.DecimalField(
        label=_("Thinking time, in seconds"), min_value=0, max_value=MOST_BANK_MS // 1000, decimal_places=3
    )
    increment = forms.DecimalField(
        label=_("Increment for each bid and turn, in seconds"),
        min_value=0,
        max_value=MOST_INCREMENT_MS // 1000,
        decimal_places=3,
    )
    cap = forms.DecimalField(
        label=_("The most that one request may take, in seconds"),
        min_value=Decimal(CAP_MS[0]) / 1000,
        max_value=CAP_MS[1] // 1000,
        decimal_places=3,
        help_text=_("With another clock new matches count for another ladder, whose ratings begin anew."),
    )
    revision = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    field_order = ["is_open", "share", "bank", "increment", "cap", "reason", "revision"]

    def __init__(self, terms: GameTerms, data: Any = None) -> None:
        times = {name: f"{terms.clock[f'{name}_ms'] / 1000:g}" for name in ("bank", "increment", "cap")}
        initial = {"is_open": terms.is_open, "share": terms.share, "revision": terms.revision, **times}
        super().__init__(data, initial=initial)

    def clock(self) -> dict[str, int]:
        """The clock's document."""
        return {f"{name}_ms": int(self.cleaned_data[name] * 1000) for name in ("bank", "increment", "cap")}


class DelayForm(ReasonForm):
    """How far spectators of a ladder are behind."""

    delay = forms.IntegerField(
        label=_("Decisions that spectators are behind"),
        min_value=0,
        max_value=MOST_DELAY,
        help_text=_("0: they see every decision at once. At the end of a match they see all of it."),
    )
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    field_order = ["delay", "reason", "seen"]

    def __init__(self, delay: int, data: Any = None) -> None:
        super().__init__(data, initial={"delay": delay, "seen": delay})


class MessageForm(forms.Form):
    """What is written to a user."""

    text = forms.CharField(
        label=_("Message"),
        max_length=LONGEST_MESSAGE,
        help_text=_("In a language that they read. The audit log keeps how it begins."),
        widget=forms.Textarea(attrs={"rows": 8}),
    )
    number = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**53)
