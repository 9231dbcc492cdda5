"""The forms of accounts. They check all input; actions check again whatever they rely on."""

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
    """Remove the placeholders, as all fields have labels, and focus the first field."""
    for index, field in enumerate(form.fields.values()):
        field.widget.attrs.pop("placeholder", None)
        if index == 0:
            field.widget.attrs["autofocus"] = True


class SignUpForm(library.SignupForm):
    """A new account: a name, a password, and optionally an e-mail address."""

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
        """Make the whole account in one transaction. Raise `IntegrityError` if the name was taken meanwhile."""
        return super().try_save(request)


class SignInForm(library.LoginForm):
    """The name and password of a sign-in."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Name")
        self.fields["login"].widget.attrs.update(NAME)
        self.fields["password"].help_text = ""
        plain_name(self)


class ChangePasswordForm(library.ChangePasswordForm):
    """A new password from a user who knows the current one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"].label = _("Current password")
        self.fields["oldpassword"].help_text = ""
        _new_password(self)


class ForgottenPasswordForm(library.ResetPasswordForm):
    """The email address of an account whose password is reset."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _("E-mail")
        plain_name(self)


class NewPasswordForm(library.ResetPasswordKeyForm):
    """A new password from a user who followed the link in the email."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _new_password(self)


def _new_password(form: forms.Form) -> None:
    form.fields["password1"].label = _("New password")
    form.fields["password1"].help_text = _("At least 8 characters, not a common password, not only digits.")
    form.fields["password2"].label = _("New password, again")
    plain_name(form)


class ConfirmForm(library.ReauthenticateForm):
    """The password again, before an action that a thief would take first."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].label = _("Your password")
        self.fields["password"].help_text = ""
        plain_name(self)


class EmailForm(forms.Form):
    """A new email address, or none."""

    email = forms.EmailField(
        label=_("E-mail"),
        required=False,
        help_text=_("Never shown to anybody. Leave empty for none. Without it a lost password cannot be reset."),
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )


class EraseForm(forms.Form):
    """The name of the account, typed again before the account is erased."""

    name = forms.CharField(
        label=_("Type the name of your account"),
        max_length=150,  # as long as Django's command `createsuperuser` accepts
        widget=forms.TextInput(attrs={**NAME, "autocomplete": "off", "autofocus": True}),
    )

    def __init__(self, user: AbstractUser, data: Any = None) -> None:
        super().__init__(data)
        self.user = user

    def clean_name(self) -> None:
        """Reject any other name. The form stores nothing."""
        if self.cleaned_data["name"] != self.user.username:
            raise forms.ValidationError(_("This is not the name of your account."))
