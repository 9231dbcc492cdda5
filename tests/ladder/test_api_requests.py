"""Writes with an idempotency key are done once; `test_races.py` tries it at the same moment, and with a kill."""

from __future__ import annotations

from datetime import timedelta

import pytest

from webui.ladder import actions
from webui.ladder.actions import TooMany
from webui.ladder.models import ApiRequest, Bot
from webui.ladder.values import Answered, KeyReused

pytestmark = pytest.mark.django_db


def answer(text: str) -> Answered:
    return Answered(200, text)


def test_a_request_again_gets_the_first_answer() -> None:
    user, other = actions.create_user("lena", None), actions.create_user("tariq", None)
    assert actions.answer_once(user, "key", "digest", lambda: answer("first")) == (answer("first"), False)
    assert actions.answer_once(user, "key", "digest", lambda: answer("second")) == (answer("first"), True)
    assert actions.answer_once(other, "key", "digest", lambda: answer("other")) == (answer("other"), False)
    with pytest.raises(KeyReused):
        actions.answer_once(user, "key", "another digest", lambda: answer("second"))


def test_what_is_refused_is_undone_and_may_be_tried_again() -> None:
    user = actions.create_user("lena", None)

    def refused() -> Answered:
        actions.register_bot(user, "Fox")
        raise TooMany("wait a while")

    with pytest.raises(TooMany):
        actions.answer_once(user, "key", "digest", refused)
    assert not Bot.objects.exists()
    assert actions.answer_once(user, "key", "digest", lambda: answer("done")) == (answer("done"), False)


def test_answers_are_forgotten_after_a_day() -> None:
    user = actions.create_user("lena", None)
    actions.answer_once(user, "key", "digest", lambda: answer("first"))
    actions.let_go()
    row = ApiRequest.objects.get()
    ApiRequest.objects.update(created_at=row.created_at - timedelta(hours=25))
    assert actions.answer_once(user, "key", "digest", lambda: answer("second")) == (answer("second"), False)
    ApiRequest.objects.update(created_at=row.created_at - timedelta(hours=25))
    actions.let_go()
    assert not ApiRequest.objects.exists()
