"""Writes through the HTTP API that are executed once, however often the request is repeated."""

from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from webui.accounts.models import ApiRequest
from webui.accounts.values import AnsweredWrite
from webui.core.dbtime import before_now
from webui.core.errors import KeyReused

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
