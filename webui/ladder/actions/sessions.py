"""Where users are signed in."""

from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.functions import Now

from webui.ladder.actions.audit import record_act
from webui.ladder.models import UserSession
from webui.ladder.values import Act, Actor, NotFound

MOST_SESSIONS = 30
"""Of one user: the next sign-in ends the one that was seen longest ago."""


@transaction.atomic
def note_session(user_id: int, session_key: str, *, address: str, agent: str) -> None:
    """This user is signed in with this session, and was seen just now. Sessions that have ended are forgotten."""
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
    """Sign the user out everywhere but in the session with this key; returns the number of browsers. With `by` the
    audit log says so."""
    rows = list(UserSession.objects.filter(user_id=user_id).exclude(session_key=but))
    _end(rows)
    if rows and by is not None:
        record_act(Act.SESSION_ENDED, user_id, by=by, subject=f"{len(rows)} ×")
    return len(rows)


def _end(rows: list[UserSession]) -> None:
    Session.objects.filter(session_key__in=[row.session_key for row in rows]).delete()
    UserSession.objects.filter(pk__in=[row.pk for row in rows]).delete()
