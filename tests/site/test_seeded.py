"""The pages over real games of the house players: with a forfeit, matches in every state, and a ladder."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.site.seed import BOTS, fill
from webui.matches import queries as match_queries


@pytest.mark.slow
@pytest.mark.django_db
def test_an_arena_with_a_past_and_a_present() -> None:
    fill(3)
    client = Client()
    lines = match_queries.matches()
    assert {line.state for line in lines} == {"FINISHED", "RUNNING", "ABORTED"}
    for line in lines:
        assert client.get(f"/matches/{line.id}/").status_code == 200
    for _, bot, _, _ in BOTS:
        assert client.get(f"/bots/{bot.lower().replace(' ', '-')}/").status_code == 200
    (forfeited,) = [line for line in lines if any(seat.forfeit_reason for seat in line.seats)]
    page = client.get(f"/matches/{forfeited.id}/").content.decode()
    seat = next(seat for seat in forfeited.seats if seat.forfeit_reason)
    assert f"forfeited at {seat.forfeited_at}: late answer" in page
    title = re.search(r"<h1>(.*?)</h1>", page)
    assert title is not None and title[1].endswith(f"{seat.version.bot.name} forfeited"), "below all others"
    assert f"{seat.version.bot.name} forfeited: late answer</span>" in page, "beside the result"
    assert "with a forfeit" in client.get("/matches/").content.decode()
