"""The forms. Everything is checked here, at the edge; actions check again what they rely on."""

from typing import Any

from allauth.account import forms as library
from django import forms
from django.contrib.auth.models import AbstractUser
from django.core.validators import MaxLengthValidator
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

NAME = {"autocapitalize": "none", "spellcheck": "false"}
LONGEST_NAME = 40


def plain_name(form: forms.Form) -> None:
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
        plain_name(self)

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
        plain_name(self)


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
        plain_name(self)


class NewPasswordForm(library.ResetPasswordKeyForm):
    """Another password, by somebody who followed the link of the email."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _new_password(self)


def _new_password(form: forms.Form) -> None:
    form.fields["password1"].label = _("New password")
    form.fields["password1"].help_text = _("At least 8 characters, not a common password, not only digits.")
    form.fields["password2"].label = _("New password, again")
    plain_name(form)


class ConfirmForm(library.ReauthenticateForm):
    """The password once more, before something that a thief would do first."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].label = _("Your password")
        self.fields["password"].help_text = ""
        plain_name(self)


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
