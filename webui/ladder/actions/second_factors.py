"""Second factors that are lost: recovery codes, each of which opens an account once, and the removal of all factors."""

from allauth.mfa.models import Authenticator
from django.db import transaction

from webui.ladder.actions.audit import record_act
from webui.ladder.models import User
from webui.ladder.tokens import new_recovery_code, recovery_digest
from webui.ladder.values import OPERATOR, Act, Actor, BadRequest, NotFound

RECOVERY_CODES = 10
MOST_PASSKEYS = 20
REMOVED = {Authenticator.Type.TOTP: Act.APP_REMOVED, Authenticator.Type.WEBAUTHN: Act.PASSKEY_REMOVED}


@transaction.atomic
def make_recovery_codes(user_id: int, *, by: Actor) -> list[str]:
    """New recovery codes, in clear for the only time; the former ones end. `BadRequest` without a second factor."""
    User.objects.select_for_update().get(pk=user_id)  # one at a time
    factors = Authenticator.objects.filter(user_id=user_id)
    if not factors.exclude(type=Authenticator.Type.RECOVERY_CODES).exists():
        raise BadRequest("recovery codes are for accounts with a second factor: add one first")
    factors.filter(type=Authenticator.Type.RECOVERY_CODES).delete()
    codes = [new_recovery_code() for _ in range(RECOVERY_CODES)]
    # The library compares what is typed with what is kept; the form hands it a digest (`webui.site.two_factor`).
    data = {"migrated_codes": [recovery_digest(code) for code in codes]}
    Authenticator.objects.create(user_id=user_id, type=Authenticator.Type.RECOVERY_CODES, data=data)
    record_act(Act.CODES_MADE, user_id, by=by)
    return codes


@transaction.atomic
def remove_second_factors(user_id: int, *, by: Actor = OPERATOR) -> list[Act]:
    """Remove the app, the passkeys and the recovery codes of a user who has lost them. What was done: an act for each;
    `NotFound` without any."""
    User.objects.select_for_update().filter(pk=user_id).first()
    factors = Authenticator.objects.filter(user_id=user_id)
    acts = [REMOVED[row.type] for row in factors.order_by("pk") if row.type in REMOVED]
    if not acts:
        raise NotFound("this user has no second factors")
    factors.delete()
    for act in acts:
        record_act(act, user_id, by=by)
    return acts
