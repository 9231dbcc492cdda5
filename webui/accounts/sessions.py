"""Actions on sessions and second factors of an account."""

from allauth.mfa.models import Authenticator
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.functions import Now

from webui.accounts.actions import record_act
from webui.accounts.models import User, UserSession
from webui.accounts.values import OPERATOR, Act, Actor, new_recovery_code, recovery_digest
from webui.core.errors import BadRequest, NotFound

MOST_SESSIONS = 30
"""Maximum number of sessions of one user. Another sign-in ends the session that was seen longest ago."""


@transaction.atomic
def note_session(user_id: int, session_key: str, *, address: str, agent: str) -> None:
    """Record that this user is signed in with this session, and was seen just now. Delete the rows of ended
    sessions.
    """
    seen = {"user_id": user_id, "address": address[:64], "agent": agent[:200], "seen_at": Now()}
    UserSession.objects.update_or_create(session_key=session_key, defaults=seen)
    live = Session.objects.filter(expire_date__gt=Now()).values("session_key")
    UserSession.objects.filter(user_id=user_id).exclude(session_key__in=live).exclude(session_key=session_key).delete()
    _end(list(UserSession.objects.filter(user_id=user_id).order_by("-seen_at", "-pk")[MOST_SESSIONS:]))


@transaction.atomic
def end_session(user_id: int, session_id: int, *, by: Actor) -> None:
    """Sign the user out of one browser."""
    row = UserSession.objects.filter(user_id=user_id, pk=session_id).first()
    if row is None:
        raise NotFound(f"there is no session {session_id} of this user")
    _end([row])
    record_act(Act.SESSION_ENDED, user_id, by=by, subject=row.address)


@transaction.atomic
def end_sessions(user_id: int, *, but: str = "", by: Actor | None = None) -> int:
    """Sign the user out of all browsers, and return their number.

    `but` is the key of a session that is kept. With `by`, an entry is added to the audit log.
    """
    rows = list(UserSession.objects.filter(user_id=user_id).exclude(session_key=but))
    _end(rows)
    if rows and by is not None:
        record_act(Act.SESSION_ENDED, user_id, by=by, subject=f"{len(rows)} ×")
    return len(rows)


def _end(rows: list[UserSession]) -> None:
    Session.objects.filter(session_key__in=[row.session_key for row in rows]).delete()
    UserSession.objects.filter(pk__in=[row.pk for row in rows]).delete()


RECOVERY_CODES = 10
MOST_PASSKEYS = 20
REMOVED = {Authenticator.Type.TOTP: Act.APP_REMOVED, Authenticator.Type.WEBAUTHN: Act.PASSKEY_REMOVED}


@transaction.atomic
def make_recovery_codes(user_id: int, *, by: Actor) -> list[str]:
    """Make new recovery codes, and return them in clear text for the only time.

    The former codes become invalid. Raise `BadRequest` if the user has no second factor.
    """
    User.objects.select_for_update().get(pk=user_id)  # lock the user, so that calls run one at a time
    factors = Authenticator.objects.filter(user_id=user_id)
    if not factors.exclude(type=Authenticator.Type.RECOVERY_CODES).exists():
        raise BadRequest("recovery codes are for accounts with a second factor: add one first")
    factors.filter(type=Authenticator.Type.RECOVERY_CODES).delete()
    codes = [new_recovery_code() for _ in range(RECOVERY_CODES)]
    # django-allauth compares the typed code with the stored one. The form gives it a digest
    # (`webui.accounts.two_factor`).
    data = {"migrated_codes": [recovery_digest(code) for code in codes]}
    Authenticator.objects.create(user_id=user_id, type=Authenticator.Type.RECOVERY_CODES, data=data)
    record_act(Act.CODES_MADE, user_id, by=by)
    return codes


@transaction.atomic
def remove_second_factors(user_id: int, *, by: Actor = OPERATOR) -> list[Act]:
    """Remove the app, passkeys and recovery codes of a user who has lost them.

    Return an act for each removed factor. Raise `NotFound` if there is none.
    """
    User.objects.select_for_update().filter(pk=user_id).first()
    factors = Authenticator.objects.filter(user_id=user_id)
    acts = [REMOVED[row.type] for row in factors.order_by("pk") if row.type in REMOVED]
    if not acts:
        raise NotFound("this user has no second factors")
    factors.delete()
    for act in acts:
        record_act(act, user_id, by=by)
    return acts
