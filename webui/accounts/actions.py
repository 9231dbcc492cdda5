"""Actions on users: make them, check their names, and change their addresses."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from allauth.account.models import EmailAddress
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from webui.accounts import names
from webui.accounts.models import ApiRequest, AuditEntry, User
from webui.accounts.values import OPERATOR, Act, Actor, AnsweredWrite
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, KeyReused, NameTaken, NotFound

# The audit log. Every action on an account, and every act of staff, adds an entry in its own transaction.
#
# django-allauth handles sign-in, passwords, apps and passkeys itself. Their entries are added right after the commit.


LONGEST_REASON: Final = 200
"""Maximum length of a reason, in characters."""


def record_act(
    act: Act,
    account_id: int | None,
    *,
    by: Actor,
    subject: str = "",
    reason: str = "",
    changes: Mapping[str, Sequence[Any]] | None = None,
) -> int:
    """Add an entry to the audit log, in the caller's transaction if there is one. Return its id.

    `changes` has the value before and after the act, by name.
    """
    entry = AuditEntry.objects.create(
        act=act,
        account_id=account_id,
        actor_id=by.user_id,
        subject=subject[:200],
        address=by.address[:64],
        reason=reason[:200],
        changes=None if changes is None else {name: list(pair) for name, pair in changes.items()},
    )
    return entry.pk


def check_reason(reason: str) -> str:
    """Return a reason in its stored form. Raise `BadRequest` if it is empty, too long, or has invisible characters."""
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON:
        raise BadRequest(f"give a reason of 1 to {LONGEST_REASON} characters")
    names.check_characters(reason, "a reason")
    return reason


# Writes through the HTTP API that are executed once, however often the request is repeated.


KEPT_S = 24 * 3600


@transaction.atomic
def answer_once(user_id: int, key: str, digest: str, answer: Callable[[], AnsweredWrite]) -> tuple[AnsweredWrite, bool]:
    """Return the answer to the request that this user named with `key`, and whether it is a repeated answer.

    Request and answer are stored in one transaction. A process that is killed has therefore done nothing. If two
    requests with the same key arrive together, the second one waits for the answer of the first.

    If `answer` raises an error, nothing is changed or stored, and the request can be retried. Raise `KeyReused` if the
    key named another request, which has another digest.
    """
    former = ApiRequest.objects.filter(user=user_id, key=key)
    former.filter(created_at__lt=before_now(KEPT_S)).delete()
    try:
        with transaction.atomic():
            ApiRequest.objects.create(user_id=user_id, key=key, digest=digest, status=0, answer="")
    except IntegrityError:
        row = former.get()
        if row.digest != digest:
            raise KeyReused("this key named another request: choose a new key for each request") from None
        return AnsweredWrite(row.status, row.answer), True
    given = answer()
    former.update(status=given.status, answer=given.body)
    return given, False


def old_requests() -> QuerySet[ApiRequest]:
    """Return the stored requests that are older than a day."""
    return ApiRequest.objects.filter(created_at__lt=before_now(KEPT_S))


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
    if User.objects.filter(Q(username__iexact=name) | Q(skeleton=names.skeleton_of(name))).exists():
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
