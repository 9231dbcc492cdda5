"""Erasure of accounts. Personal data are deleted; what the ladder consists of stays, under anonymous names."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import make_password
from django.db import models, transaction
from django.db.models import Q

from webui.accounts import names
from webui.accounts.actions import record_act
from webui.accounts.models import ApiRequest, ApiToken, AuditEntry, User
from webui.accounts.sessions import end_sessions
from webui.accounts.values import OPERATOR, STAFF_ACTS, Act
from webui.core.errors import BadRequest, NotFound
from webui.core.subjects import subjects


@transaction.atomic
def erase_account(user_id: int) -> None:
    """Erase a user's personal data permanently.

    The name, address, password, second factors and sessions are erased, and so are the texts and addresses in the
    history. The user's bots are retired. They lose their names, descriptions, version notes and tokens. Their matches
    and ratings stay.

    Published replays keep the names that the bots had then. Otherwise the replays could not be verified.

    Raise `BadRequest` for staff, whose acts must remain attributable, and for the house.
    """
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound(f"there is no user {user_id}")
    if user.is_staff or user.bots.filter(is_house=True).exists():
        raise BadRequest("an account of staff or of the house is not erased: take its rights away first")
    end_sessions(user.pk)
    EmailAddress.objects.filter(user_id=user.pk).delete()
    Authenticator.objects.filter(user_id=user.pk).delete()
    ApiToken.objects.filter(user=user).delete()
    ApiRequest.objects.filter(user=user).delete()
    for subject in subjects():
        subject.erase(user.pk)
    name = f"former-author-{user.pk}"
    while User.objects.filter(Q(skeleton=names.skeleton_of(name)) | Q(username__iexact=name)).exists():
        name += "x"
    User.objects.filter(pk=user.pk).update(
        username=name,
        skeleton=names.skeleton_of(name),
        first_name="",
        last_name="",
        email="",
        password=make_password(None),
        last_login=None,
        is_active=False,
    )
    # Bypass `AuditQuerySet`, which refuses updates. The triggers of the database allow exactly this one.
    entries = models.QuerySet[AuditEntry](AuditEntry)
    entries.filter(account=user).update(subject="", address="", reason="", changes=None)
    # Keep the texts of the user's earlier acts as staff: they concern other people's property.
    own = entries.filter(actor=user).exclude(act__in=STAFF_ACTS)
    own.update(subject="", address="")
    entries.filter(actor=user).exclude(address="").update(address="")
    record_act(Act.ACCOUNT_ERASED, user.pk, by=OPERATOR)
