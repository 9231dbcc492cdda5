"""The page where an account is made."""

from typing import Any

from allauth.account import views as library
from allauth.account.adapter import get_adapter
from django.db import IntegrityError
from django.http import HttpResponse


class SignUpView(library.SignupView):
    """The library's, with an answer for who was a moment too late."""

    template_name = "site/sign_up.html"
    template_name_signup_closed = "site/sign_up_closed.html"

    def form_valid(self, form: Any) -> HttpResponse:
        """Make the account. Somebody may have taken the name, or one that looks like it, since it was checked."""
        try:
            return super().form_valid(form)  # type: ignore[no-any-return]
        except IntegrityError:
            form.add_error("username", get_adapter().validation_error("username_taken"))
            return self.form_invalid(form)  # type: ignore[no-any-return]
