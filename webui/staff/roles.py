"""Roles and rights of staff. An admin gives them, or the operator."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from operator import or_

from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import Q

from webui.accounts.actions import check_reason, record_act
from webui.accounts.models import User
from webui.accounts.values import Act, Actor
from webui.bots.models import Bot
from webui.core.errors import BadRequest, NotFound
from webui.notices.models import BotNoticeKind
from webui.notices.noting import note_from_staff
from webui.staff.people_queries import rights_of, role_of
from webui.staff.values import GRANTED, Right, Role


@transaction.atomic
def set_role(user_id: int, role: Role, rights: Collection[Right], reason: str, *, by: Actor) -> bool:
    """Set the role of a user, and the rights if the role is `STAFF`. Other roles have no rights of their own.

    The user gets an email.

    Return False if the user has both already. Raise `NotFound`. Raise `BadRequest` for the house, for a locked account,
    and for the last admin, who must stay one.
    """
    reason = check_reason(reason)
    if unknown := set(rights) - set(GRANTED):
        raise BadRequest(f"there is no right {min(unknown)!r}")
    admins = User.objects.filter(is_staff=True, is_superuser=True, is_active=True).order_by("pk")
    others = [pk for pk in admins.select_for_update().values_list("pk", flat=True) if pk != user_id]
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound(f"there is no user {user_id}")
    if Bot.objects.filter(owner=user, is_house=True).exists():
        raise BadRequest("the house is not staff: nobody signs in as the house")
    if not user.is_active:
        raise BadRequest(f"{user.username} is locked: unlock the account first")
    before = (role_of(user), rights_of(user))
    wanted = (role, [right for right in GRANTED if right in rights] if role == Role.STAFF else [])
    if before == wanted:
        return False
    if before[0] == Role.ADMIN and role != Role.ADMIN and not others:
        raise BadRequest(f"{user.username} is the last admin: make somebody else an admin first")
    User.objects.filter(pk=user_id).update(is_staff=role != Role.PLAYER, is_superuser=role == Role.ADMIN)
    names = [right.split(".") for right in wanted[1]]
    named = [Q(content_type__app_label=app, codename=codename) for app, codename in names]
    user.user_permissions.set(Permission.objects.filter(reduce(or_, named)) if named else [])
    changes = {"role": (before[0], wanted[0]), "rights": (", ".join(before[1]), ", ".join(wanted[1]))}
    entry = record_act(
        Act.ROLE_CHANGED,
        user_id,
        by=by,
        subject=user.username,
        reason=reason,
        changes={name: pair for name, pair in changes.items() if pair[0] != pair[1]},
    )
    note_from_staff(user_id, BotNoticeKind.ROLE_CHANGED, entry, why=reason, state=str(role))
    return True
