"""The end of an account: what is personal goes, what the ladder is made of stays, under anonymous names."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import make_password
from django.db import models, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.text import slugify

from webui.ladder import names
from webui.ladder.actions.audit import record_act
from webui.ladder.actions.sessions import end_sessions
from webui.ladder.models import (
    ApiRequest,
    ApiToken,
    AuditEntry,
    Bot,
    BotNotice,
    BotState,
    BotToken,
    BotVersion,
    Challenge,
    ChallengeState,
    ChallengeTerms,
    Follow,
    MailChoice,
    Notice,
    User,
    Webhook,
)
from webui.ladder.values import OPERATOR, STAFF_ACTS, Act, BadRequest, NotFound


@transaction.atomic
def erase_account(user_id: int) -> None:
    """Erase a user's personal data for good: name, address, password, second factors, sessions, the words and addresses
    in the history. The bots are retired: they lose name, description, the notes of their versions, and tokens. Their
    matches and ratings stay.

    Replays that were published keep the names that the bots had then: they could not be proved otherwise. `BadRequest`
    for staff, whose acts must be known by name, and for the house.
    """
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound(f"there is no user {user_id}")
    if user.is_staff or Bot.objects.filter(owner=user, is_house=True).exists():
        raise BadRequest("an account of staff or of the house is not erased: take its rights away first")
    end_sessions(user.pk)
    EmailAddress.objects.filter(user_id=user.pk).delete()
    Authenticator.objects.filter(user_id=user.pk).delete()
    BotToken.objects.filter(bot__owner=user).update(label="", last_address="")
    BotToken.objects.filter(bot__owner=user, revoked_at=None).update(revoked_at=Now())
    ApiToken.objects.filter(user=user).delete()
    ApiRequest.objects.filter(user=user).delete()
    Notice.objects.filter(user=user).delete()
    BotNotice.objects.filter(user=user).delete()
    MailChoice.objects.filter(user=user).delete()
    Follow.objects.filter(Q(user=user) | Q(author=user) | Q(bot__owner=user)).delete()
    Webhook.objects.filter(user=user).delete()
    ChallengeTerms.objects.filter(bot__owner=user).delete()
    ChallengeTerms.friends.through.objects.filter(user=user).delete()
    Challenge.objects.filter(owner=user, state=ChallengeState.WAITING).update(
        state=ChallengeState.WITHDRAWN, ended_at=Now()
    )
    bots = list(Bot.objects.filter(owner=user).values_list("pk", flat=True))
    for pk in bots:
        name = f"Retired bot {pk}"
        while Bot.objects.filter(Q(look=names.look(name)) | Q(slug=slugify(name))).exists():
            name += "x"  # somebody may have taken it on purpose
        Bot.objects.filter(pk=pk).update(
            name=name,
            slug=slugify(name),
            look=names.look(name),
            description="",
            state=BotState.PAUSED,
            retired_at=Now(),
        )
    BotVersion.objects.filter(bot__in=bots).update(note=None)
    name = f"former-author-{user.pk}"
    while User.objects.filter(Q(look=names.look(name)) | Q(username__iexact=name)).exists():
        name += "x"
    User.objects.filter(pk=user.pk).update(
        username=name,
        look=names.look(name),
        first_name="",
        last_name="",
        email="",
        password=make_password(None),
        last_login=None,
        is_active=False,
    )
    # Around `AuditQuerySet`, which refuses: the one change that the triggers of the database let pass, too.
    entries = models.QuerySet[AuditEntry](AuditEntry)
    entries.filter(account=user).update(subject="", address="", reason="", changes=None)
    # What it did as staff, in former times, to what is of others stays readable.
    own = entries.filter(actor=user).exclude(act__in=STAFF_ACTS)
    own.update(subject="", address="")
    entries.filter(actor=user).exclude(address="").update(address="")
    record_act(Act.ACCOUNT_ERASED, user.pk, by=OPERATOR)
