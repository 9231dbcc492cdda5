"""Forms of the pages on which owners manage their bots."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webui.accounts.forms import LONGEST_NAME, NAME
from webui.bots import actions
from webui.core import errors


class TokenForm(forms.Form):
    """The label of a token, and the time for which it is valid."""

    label = forms.CharField(
        label=_("Label"),
        max_length=40,
        required=False,
        help_text=_("Where it will be used: a machine, a service. For you alone."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autofocus": True}),
    )
    days = forms.TypedChoiceField(
        label=_("Expires"),
        choices=[("30", _("in 30 days")), ("90", _("in 90 days")), ("365", _("in a year")), ("", _("never"))],
        initial="365",
        required=False,
        coerce=int,
        empty_value=None,
        help_text=_("After that, no bot can connect with it, and open streams end."),
    )


class ApiTokenForm(TokenForm):
    """An API token, which also has scopes."""

    scopes = forms.MultipleChoiceField(
        label=_("It may also"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[
            ("read", _("read what only you see: your bots, events, notices")),
            ("bots", _("register and pause bots, release versions, make and revoke their tokens")),
            ("challenges", _("make challenges and comparisons")),
            ("events", _("enter events, and organise yours")),
            ("webhooks", _("add and change webhooks")),
        ],
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["days"].help_text = _("After that, it gives no access.")


class ReleaseForm(forms.Form):
    """A version to release, with its note."""

    version = forms.CharField(
        label=_("Version"),
        max_length=LONGEST_NAME,
        help_text=_("As your bot names it in its hello."),
        widget=forms.TextInput(attrs={**NAME, "autocomplete": "off"}),
    )
    note = forms.CharField(
        label=_("What is new"),
        max_length=actions.LONGEST_NOTE,
        required=False,
        help_text=_("Everybody can read it. It replaces an earlier note of the version."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_note(self) -> str:
        """Return the note. Reject characters that cannot be seen."""
        try:
            return actions.check_note(self.cleaned_data["note"])
        except errors.BadRequest as error:
            raise forms.ValidationError(_("Use visible characters.")) from error


class NoteForm(ReleaseForm):
    """The note of an existing version."""

    version: Any = None  # removes the field


class RetirementForm(forms.Form):
    """The retirement of a bot or version, or its return."""

    act = forms.ChoiceField(choices=[("retire", _("Retire")), ("return", _("Bring it back"))])


class BotForm(forms.Form):
    """A new bot."""

    name = forms.CharField(
        label=_("Name"),
        max_length=40,
        help_text=_("Public and permanent: the ladder shows it. The program itself names its versions."),
        widget=forms.TextInput(attrs={**NAME, "autocomplete": "off", "autofocus": True}),
    )
    description = forms.CharField(
        label=_("Description"),
        max_length=500,
        required=False,
        help_text=_("A line about how it thinks, if you like."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_description(self) -> str:
        """Return the description. Reject characters that cannot be seen."""
        description: str = self.cleaned_data["description"]
        try:
            actions.check_description(description)
        except errors.BadRequest as error:
            raise forms.ValidationError(_("Use visible characters.")) from error
        return description


class DescriptionForm(BotForm):
    """The public description of an existing bot."""

    name: Any = None  # removes the field


class StateForm(forms.Form):
    """The state of a bot: paused or active."""

    state = forms.ChoiceField(choices=[("ACTIVE", _("Active")), ("PAUSED", _("Paused"))])
