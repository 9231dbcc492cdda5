"""The end of an account: what is personal goes, what the ladder is made of stays, under names that tell nothing."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import make_password
from django.db import models, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.text import slugify

from webui.ladder import names
from webui.ladder.actions.audit import note
from webui.ladder.actions.sessions import end_sessions
from webui.ladder.models import AuditEntry, Bot, BotState, BotToken, User
from webui.ladder.values import OPERATOR, Act, BadRequest, NotFound


@transaction.atomic
def erase_account(user_id: int) -> None:
    """Erase a user's personal data for good: name, address, password, second factors, sessions, the words and addresses
    in the history. The bots are retired: they lose name, description and tokens. Their matches and ratings stay.

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
    for bot in Bot.objects.filter(owner=user):
        name = _free(Bot, f"Retired bot {bot.pk}")
        Bot.objects.filter(pk=bot.pk).update(
            name=name, slug=slugify(name), look=names.look(name), description="", state=BotState.PAUSED
        )
    name = _free(User, f"former-author-{user.pk}")
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
    entries.filter(Q(account=user) | Q(actor=user)).update(subject="", address="")
    note(Act.ACCOUNT_ERASED, user.pk, by=OPERATOR)


def _free(model: type[Bot | User], name: str) -> str:
    """The name, or one like it that nobody has: somebody may have taken it on purpose."""
    while model.objects.filter(look=names.look(name)).exists():
        name += "x"
    return name
