"""Writes through the HTTP API that are done once, however often they are asked for."""

from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from webui.accounts.models import ApiRequest
from webui.accounts.values import Answered
from webui.core.dbtime import before_now
from webui.core.errors import KeyReused

KEPT_S = 24 * 3600


@transaction.atomic
def answer_once(user_id: int, key: str, digest: str, answer: Callable[[], Answered]) -> tuple[Answered, bool]:
    """The answer to a request that this user named by this key, and whether it was given before.

    Request and answer are one transaction. So a process that is killed in the middle has done nothing, and of two
    requests with one key that come at once the second waits for the first one's answer. What is refused, which `answer`
    raises, changes nothing and is not kept: the same request may be tried again. `KeyReused`: the key named another
    request, with another digest.
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
        return Answered(row.status, row.answer), True
    given = answer()
    former.update(status=given.status, answer=given.body)
    return given, False


def old_requests() -> QuerySet[ApiRequest]:
    """Those that are older than a day."""
    return ApiRequest.objects.filter(created_at__lt=before_now(KEPT_S))
