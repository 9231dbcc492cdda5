"""Accounts: sign-in and sign-up (django-allauth), two-factor authentication, and the rate limits of each."""

import os

from webui.settings.environment import is_set

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "webui.accounts.adapter.AccountAdapter"
VERIFIED_EMAIL = is_set("ARENA_VERIFIED_EMAIL")
SIGN_UP = os.environ.get("ARENA_SIGN_UP", "1").lower() not in {"0", "false", "no", "off"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if VERIFIED_EMAIL else "email", "password1*"]
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_UNIQUE_EMAIL = False  # anybody may enter an address, so nobody can block its owner's account
# A user without a confirmed address may look around. Only tokens need one (`webui.bots.token_pages`).
ACCOUNT_EMAIL_VERIFICATION = "optional" if VERIFIED_EMAIL else "none"
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_FORMS = {
    "signup": "webui.accounts.forms.SignUpForm",
    "login": "webui.accounts.forms.SignInForm",
    "change_password": "webui.accounts.forms.ChangePasswordForm",
    "reset_password": "webui.accounts.forms.ForgottenPasswordForm",
    "reset_password_from_key": "webui.accounts.forms.NewPasswordForm",
    "reauthenticate": "webui.accounts.forms.ConfirmForm",
}
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip",  # passwords, codes and passkeys of all accounts together
    # See `webui.accounts.guesses`. The key is name and address; for the limit "anywhere" it is the name alone.
    "password": "5/5m/key",
    "password_anywhere": "100/h/key",
    "code": "5/5m/key",
    "code_anywhere": "60/h/key,200/d/key",
    "signup": "20/m/ip,60/h/ip,100/d/ip",  # room for a class behind one address, but not for accounts made in masses
    "change_password": "5/m/user",
    "change_email": "10/m/user,20/h/user",
    "reset_password": "20/m/ip,5/m/key,10/h/key",
    "reset_password_from_key": "20/m/ip",
    "reauthenticate": "10/m/user",
    "export": "5/h/user",
    "messages": "20/m/user",
    "alternatives": "30/m/ip",
    "play_on": "240/m/ip",  # one decision each, and a class behind one address
    "dry_run": "5/m/user",
    "sit_down": "10/m/ip,30/h/ip",
    "csp_report": "60/m/ip",
    "confirm_email": "1/m/key,10/h/key",
    # Emails of `webui.accounts.security`. The key is account and act, plus the recipient if the address is not
    # confirmed.
    "notice": "6/h/key",
    "notice_to": "5/d/key",
}

MFA_ADAPTER = "webui.accounts.two_factor.Adapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn"]  # recovery codes are our own: `webui.accounts.sessions`
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_TOTP_ISSUER = "Naqala Arena"
MFA_TOTP_TOLERANCE = 1
MFA_RATE_LIMITS = {"webauthn_login": "30/m/ip"}
MFA_FORMS = {
    "authenticate": "webui.accounts.two_factor.SignInCodeForm",
    "reauthenticate": "webui.accounts.two_factor.ConfirmCodeForm",
    "activate_totp": "webui.accounts.two_factor.AppForm",
    "add_webauthn": "webui.accounts.two_factor.PasskeyForm",
}
