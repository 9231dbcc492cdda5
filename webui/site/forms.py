"""The forms. Everything is checked here, at the edge; actions check again what they rely on."""

from collections.abc import Sequence
from typing import Any

from allauth.account import forms as library
from django import forms
from django.contrib.auth.models import AbstractUser
from django.core.validators import MaxLengthValidator
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from arena.ratings.sequential import MARGIN
from webui.ladder import actions
from webui.ladder.ladders import SHARES
from webui.ladder.values import VersionRef
from webui.site.titles import game_words

NAME = {"autocapitalize": "none", "spellcheck": "false"}
LONGEST_NAME = 40


def _plain(form: forms.Form) -> None:
    """Labels instead of placeholders, and the cursor in the first field."""
    for index, field in enumerate(form.fields.values()):
        field.widget.attrs.pop("placeholder", None)
        if index == 0:
            field.widget.attrs["autofocus"] = True


class SignUpForm(library.SignupForm):
    """A new account: a name, a password, and an e-mail address if one likes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name, email, password = (self.fields[field] for field in ("username", "email", "password1"))
        name.label = _("Name")
        name.help_text = _("Public, as the author of your bots. Letters, digits and @ . + - _")
        name.validators.append(MaxLengthValidator(LONGEST_NAME))
        name.widget.attrs.update(NAME, maxlength=str(LONGEST_NAME))
        email.label = _("E-mail")
        email.help_text = _("Optional, and never shown to anybody. Without it a lost password cannot be reset.")
        password.help_text = _("At least 8 characters, not a common password, not only digits.")
        _plain(self)

    @transaction.atomic
    def try_save(self, request: HttpRequest) -> Any:
        """Make the account, or nothing of it. `IntegrityError` if the name was taken meanwhile."""
        return super().try_save(request)


class SignInForm(library.LoginForm):
    """Name and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Name")
        self.fields["login"].widget.attrs.update(NAME)
        self.fields["password"].help_text = ""
        _plain(self)


class ChangePasswordForm(library.ChangePasswordForm):
    """Another password, by somebody who knows the present one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"].label = _("Present password")
        self.fields["oldpassword"].help_text = ""
        _new_password(self)


class ForgottenPasswordForm(library.ResetPasswordForm):
    """The account to send a link to."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _("E-mail")
        _plain(self)


class NewPasswordForm(library.ResetPasswordKeyForm):
    """Another password, by somebody who followed the link of the email."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _new_password(self)


def _new_password(form: forms.Form) -> None:
    form.fields["password1"].label = _("New password")
    form.fields["password1"].help_text = _("At least 8 characters, not a common password, not only digits.")
    form.fields["password2"].label = _("New password, again")
    _plain(form)


class ConfirmForm(library.ReauthenticateForm):
    """The password once more, before something that a thief would do first."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].label = _("Your password")
        self.fields["password"].help_text = ""
        _plain(self)


class EmailForm(forms.Form):
    """Another email address, or none."""

    email = forms.EmailField(
        label=_("E-mail"),
        required=False,
        help_text=_("Never shown to anybody. Leave empty for none. Without it a lost password cannot be reset."),
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )


class EraseForm(forms.Form):
    """The name of the account, typed once more before it ends."""

    name = forms.CharField(
        label=_("Type the name of your account"),
        max_length=150,  # an older account may have a name as long as that
        widget=forms.TextInput(attrs={**NAME, "autocomplete": "off", "autofocus": True}),
    )

    def __init__(self, user: AbstractUser, data: Any = None) -> None:
        super().__init__(data)
        self.user = user

    def clean_name(self) -> None:
        """Refuse another name; nothing is kept of it."""
        if self.cleaned_data["name"] != self.user.username:
            raise forms.ValidationError(_("This is not the name of your account."))


class TokenForm(forms.Form):
    """A token: what it is called, and how long it is good."""

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
        help_text=_("From then on no bot gets in with it, and streams that are open end."),
    )


class ApiTokenForm(TokenForm):
    """An API token: what it may do, too."""

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
        self.fields["days"].help_text = _("From then on it opens nothing.")


class ReleaseForm(forms.Form):
    """A version, and what is new in it."""

    version = forms.CharField(
        label=_("Version"),
        max_length=LONGEST_NAME,
        help_text=_("As your bot will say it in its hello."),
        widget=forms.TextInput(attrs={**NAME, "autocomplete": "off"}),
    )
    note = forms.CharField(
        label=_("What is new"),
        max_length=actions.LONGEST_NOTE,
        required=False,
        help_text=_("Everybody can read it. It replaces a former note of the version."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_note(self) -> str:
        """The note, of characters that can be seen."""
        try:
            return actions.check_note(self.cleaned_data["note"])
        except actions.BadRequest as error:
            raise forms.ValidationError(_("Use characters that can be seen.")) from error


class NoteForm(ReleaseForm):
    """What is new in a version that is known."""

    version: Any = None  # which takes the field away


class RetirementForm(forms.Form):
    """Retire a bot or a version, or bring it back."""

    act = forms.ChoiceField(choices=[("retire", _("Retire")), ("return", _("Bring it back"))])


class BotForm(forms.Form):
    """A new bot."""

    name = forms.CharField(
        label=_("Name"),
        max_length=40,
        help_text=_("Public and for good: it stands on the ladder. Versions are named by the program itself."),
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
        """The description, of characters that can be seen."""
        description: str = self.cleaned_data["description"]
        try:
            actions.check_description(description)
        except actions.BadRequest as error:
            raise forms.ValidationError(_("Use characters that can be seen.")) from error
        return description


class DescriptionForm(BotForm):
    """What everybody reads of a bot that is there."""

    name: Any = None  # which takes the field away


class StateForm(forms.Form):
    """Pause a bot, or make it play again."""

    state = forms.ChoiceField(choices=[("ACTIVE", _("Active")), ("PAUSED", _("Paused"))])


class ComparisonForm(forms.Form):
    """Two versions, and how they are compared."""

    new = forms.TypedChoiceField(label=_("Is this version better"), coerce=int)
    old = forms.TypedChoiceField(label=_("than this one?"), coerce=int)
    game = forms.TypedChoiceField(
        label=_("Game"),
        coerce=int,
        help_text=_("With more than two players, bots of the house sit at the other seats."),
    )
    margin = forms.TypedChoiceField(
        label=_("By how many points"),
        coerce=float,
        choices=[("20", "20"), ("50", "50"), ("100", "100")],
        initial=f"{MARGIN:g}",
        help_text=_("A smaller difference takes more games: for 20 points some 1,300, for 50 some 200."),
    )

    def __init__(self, bot: int, new: Sequence[VersionRef], old: Sequence[VersionRef], data: Any = None) -> None:
        super().__init__(data)
        self._rulesets = list(SHARES)
        fields: Any = self.fields
        fields["new"].choices = [(version.id, version.name) for version in new]
        fields["old"].choices = [
            (version.id, version.name if version.bot.id == bot else f"{version.bot.name} {version.name}")
            for version in old
        ]
        fields["old"].initial = next((version.id for version in old if version.id != new[0].id), None) if new else None
        fields["game"].choices = [
            (place, game_words(ruleset.players, ruleset.expansions)) for place, ruleset in enumerate(self._rulesets)
        ]

    def order(self) -> dict[str, Any]:
        """What is asked of `compare_versions`."""
        data = self.cleaned_data
        ruleset = self._rulesets[data["game"]]
        return {"new": data["new"], "old": data["old"], "ruleset": ruleset, "margin": data["margin"]}
