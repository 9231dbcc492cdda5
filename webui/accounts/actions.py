"""Actions on users: make them, check their names, and change their addresses."""

from allauth.account.models import EmailAddress
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q

from webui.accounts import names
from webui.accounts.audit import record_act
from webui.accounts.models import User
from webui.accounts.values import OPERATOR, Act, Actor
from webui.core.errors import BadRequest, NameTaken, NotFound

HOUR = 3600
CHANGES_AN_HOUR = 20
"""Maximum number of changes of bot descriptions by one owner."""
LONGEST_DESCRIPTION = 500
"""Maximum length of a bot's description, in characters."""


def create_user(name: str, password: str | None, *, email: str = "", role: str = "player", by: Actor = OPERATOR) -> int:
    """Make a new user, and return its id.

    `role` is `player`, `admin`, or `house`. The house owns the arena's own bots and can never sign in. Without a
    password, nobody can sign in as this user. Only an admin and the house may have reserved names.
    """
    if role not in {"player", "admin", "house"} or (role == "house" and password is not None):
        raise BadRequest(f"role {role!r}: use player or admin")
    name = check_user_name(name, may_be_reserved=role != "player")
    is_admin = role == "admin"
    user = User(username=name, email=email, is_staff=is_admin, is_superuser=is_admin)
    try:
        if email:
            validate_email(email)
        if password is not None:
            validate_password(password, user)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
            record_act(Act.ACCOUNT_MADE, user.pk, by=by, subject="" if role == "player" else role)
    except IntegrityError as error:
        raise NameTaken(f"there is a user named {name!r}, or nearly so, already: choose another name") from error
    return user.pk


def check_user_name(name: str, *, may_be_reserved: bool = False) -> str:
    """Return the name in its stored form.

    Raise `BadRequest` for a name that no user may have. Raise `NameTaken` for one that is reserved or looks like
    another user's.
    """
    name = names.check_name(name, "a user's name")
    try:
        User.username_validator(name)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    if not any(character.isalnum() for character in name):
        raise BadRequest("a user's name has at least one letter or digit")
    if names.is_reserved(name) and not may_be_reserved:
        raise NameTaken(f"the name {name!r} is the arena's own: choose another name")
    if User.objects.filter(Q(username__iexact=name) | Q(look=names.look(name))).exists():
        raise NameTaken(f"there is a user named {name!r}, or nearly so, already: choose another name")
    return name


@transaction.atomic
def set_email(user_id: int, email: str, *, by: Actor = OPERATOR) -> bool:
    """Change the email address, or remove it if `email` is empty. Return False if it was already this one.

    The new address is not verified yet.
    """
    try:
        if email:
            validate_email(email)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    email = email.lower()
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound(f"there is no user {user_id}")
    if email == user.email.lower():
        return False
    User.objects.filter(pk=user_id).update(email=email)
    # django-allauth stores addresses as well: nobody may sign in with the old one any more.
    EmailAddress.objects.filter(user_id=user_id).delete()
    if email:
        EmailAddress.objects.create(user_id=user_id, email=email, primary=True)
    record_act(Act.EMAIL_CHANGED, user_id, by=by)
    return True
