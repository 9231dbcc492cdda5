"""Writes with an idempotency key are done once; `test_races.py` tries it at the same moment, and with a kill."""

from __future__ import annotations

from datetime import timedelta

import pytest

from webui.accounts import actions as account_actions
from webui.accounts.models import ApiRequest
from webui.accounts.values import AnsweredWrite
from webui.bots import actions as bot_actions
from webui.bots.models import Bot
from webui.core import subjects
from webui.core.errors import KeyReused, TooMany

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


def answer(text: str) -> AnsweredWrite:
    return AnsweredWrite(200, text)


def test_a_request_again_gets_the_first_answer() -> None:
    user, other = account_actions.create_user("lena", None), account_actions.create_user("tariq", None)
    assert account_actions.answer_once(user, "key", "digest", lambda: answer("first")) == (answer("first"), False)
    assert account_actions.answer_once(user, "key", "digest", lambda: answer("second")) == (answer("first"), True)
    assert account_actions.answer_once(other, "key", "digest", lambda: answer("other")) == (answer("other"), False)
    with pytest.raises(KeyReused):
        account_actions.answer_once(user, "key", "another digest", lambda: answer("second"))


def test_what_is_refused_is_undone_and_may_be_tried_again() -> None:
    user = account_actions.create_user("lena", None)

    def refused() -> AnsweredWrite:
        bot_actions.register_bot(user, "Fox")
        raise TooMany("wait a while")

    with pytest.raises(TooMany):
        account_actions.answer_once(user, "key", "digest", refused)
    assert not Bot.objects.exists()
    assert account_actions.answer_once(user, "key", "digest", lambda: answer("done")) == (answer("done"), False)


def test_answers_are_forgotten_after_a_day() -> None:
    user = account_actions.create_user("lena", None)
    account_actions.answer_once(user, "key", "digest", lambda: answer("first"))
    subjects.let_go()
    row = ApiRequest.objects.get()
    ApiRequest.objects.update(created_at=row.created_at - timedelta(hours=25))
    assert account_actions.answer_once(user, "key", "digest", lambda: answer("second")) == (answer("second"), False)
    ApiRequest.objects.update(created_at=row.created_at - timedelta(hours=25))
    subjects.let_go()
    assert not ApiRequest.objects.exists()
