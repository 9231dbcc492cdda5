"""What visitors may send. Everything is checked here, at the edge; actions check again what they rely on."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils.translation import gettext_lazy as _

NAME = {"autocapitalize": "none", "spellcheck": "false"}


class SignUpForm(forms.Form):
    """A new account: a name and a password."""

    name = forms.CharField(
        label=_("Name"),
        max_length=40,
        validators=[UnicodeUsernameValidator()],
        help_text=_("Public, as the author of your bots. Letters, digits and @ . + - _"),
        widget=forms.TextInput(attrs={**NAME, "autocomplete": "username", "autofocus": True}),
    )
    email = forms.EmailField(
        label=_("E-mail"),
        required=False,
        help_text=_("Optional, and never shown to anybody."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=200,
        strip=False,
        help_text=_("At least 8 characters, not a common password, not only digits."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        """The password may not be like the name."""
        data = super().clean() or self.cleaned_data
        if password := data.get("password"):
            user = get_user_model()(username=data.get("name", ""), email=data.get("email", ""))
            try:
                validate_password(password, user)
            except forms.ValidationError as error:
                self.add_error("password", error)
        return data


class SignInForm(AuthenticationForm):
    """Name and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.error_messages = {
            "invalid_login": _("That name and password do not go together. Both are case-sensitive."),
            "inactive": _("This account is closed."),
        }
        self.fields["username"].label = _("Name")
        self.fields["username"].widget.attrs.update(NAME)


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


class StateForm(forms.Form):
    """Pause a bot, or make it play again."""

    state = forms.ChoiceField(choices=[("ACTIVE", _("Active")), ("PAUSED", _("Paused"))])
