"""`arena admin runner`: runners are registered, listed and revoked."""

from __future__ import annotations

import pytest

from arena.hosting.messages import RunnerFacts
from tests.kit.command import arena_here
from webui.hosting import actions, queries

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_runner_is_registered_listed_and_revoked() -> None:
    added = arena_here("admin", "runner", "add", "north")
    token = added.out.strip()
    assert (added.code, added.err) == (0, "registered runner north; its token:\n")
    runner = queries.runner_of_token(token)
    assert runner is not None
    assert "north: 0 cores, never seen" in arena_here("admin", "runner", "list").out
    actions.note_runner(runner, RunnerFacts(cores=1))
    assert "north: 1 core, seen 20" in arena_here("admin", "runner", "list").out
    again = arena_here("admin", "runner", "add", "north")
    assert again.code == 2 and "choose another name" in again.err
    assert arena_here("admin", "runner", "revoke", "north").out == "revoked runner north\n"
    assert queries.runner_of_token(token) is None
    assert arena_here("admin", "runner", "list").out == ""
    gone = arena_here("admin", "runner", "revoke", "north")
    assert gone.code == 2 and "there is no runner 'north'" in gone.err
