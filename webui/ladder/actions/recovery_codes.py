"""Recovery codes: each opens an account once, in place of a second factor that is lost."""

from allauth.mfa.models import Authenticator
from django.db import transaction

from webui.ladder.actions.audit import note
from webui.ladder.models import User
from webui.ladder.tokens import new_recovery_code, recovery_digest
from webui.ladder.values import Act, Actor, BadRequest

RECOVERY_CODES = 10
MOST_PASSKEYS = 20


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
    note(Act.CODES_MADE, user_id, by=by)
    return codes
