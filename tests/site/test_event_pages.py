"""Pages of events: what strangers, owners and organisers see, and that nothing tells a result that is hidden."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.events import EventState, FactKind
from arena.events.formats import FORMATS
from arena.events.tiebreaks import MEANINGS
from arena.events.verify import verify_event
from tests.kit.ladder import Kit
from tests.ladder.test_events import TERMS, Organised
from tests.site.world import sign_in, text
from webui.ladder import actions, queries
from webui.ladder.models import Match
from webui.site.events import words

pytestmark = pytest.mark.django_db


def client_of(user_id: int | None = None) -> Client:
    client = Client()
    if user_id is not None:
        sign_in(client, user_id)
    return client


def page_of(cup: Organised, user_id: int | None = None, more: str = "") -> str:
    answer = client_of(user_id).get(f"/events/{cup.slug}/{more}")
    assert answer.status_code == 200
    return text(answer)


def test_everything_has_its_words() -> None:
    assert set(FORMATS) <= set(words.FORMATS) and set(EventState) == set(words.STATES)
    assert {name: str(said[2]) for name, said in words.TIE_BREAKS.items()} == MEANINGS


def test_the_list_has_what_runs_first_and_drafts_for_their_organiser_alone(kit: Kit) -> None:
    assert "No event is running" in text(client_of().get("/events/"))
    cup = Organised(kit, 2)
    draft = actions.create_event(cup.organiser, {**TERMS, "name": "Secret Cup"})
    cup.start()
    cup.to_the_end()
    for user_id, sees in ((None, False), (cup.organiser, True)):
        client = client_of(user_id)
        page = text(client.get("/events/"))
        assert cup.slug in page and ("Secret Cup" in page) is sees
        assert client.get(f"/events/{draft}/").status_code == (200 if sees else 404)


def test_an_event_on_its_way(kit: Kit) -> None:
    cup = Organised(kit, 3)
    page = page_of(cup)
    assert "Entrants" in page and all(bot.name in page for bot in cup.bots) and cup.event.commitment in page
    cup.start()
    (first,) = cup.scheduled()
    assert f"/matches/{first}/" in page_of(cup) and "about to begin" in page_of(cup)
    cup.to_the_end()
    page = page_of(cup)
    assert "Crosstable" in page and "The event is over, and its seed is revealed." in page
    assert cup.event.seed is not None and cup.event.seed.hex() in page
    for match in Match.objects.all():
        assert f"/matches/{match.pk}/" in page
        for seat in match.participants.all():
            assert f">{seat.score}<" in page
    document = client_of().get(f"/events/{cup.slug}/event.json").json()
    assert verify_event(document).draws == 2


def test_who_a_table_waits_for(kit: Kit) -> None:
    cup = Organised(kit, 2)
    away = cup.online.pop(0)
    cup.start()
    cup.advance()
    assert f"waits for {cup.bots[0].name}, " in page_of(cup) and away


@pytest.mark.parametrize("kind", sorted(FORMATS))
@pytest.mark.parametrize("unit", ["match", "block"])
def test_every_format_has_its_page(kit: Kit, kind: str, unit: str) -> None:
    format = {"kind": kind, **({"rounds": 2} if kind == "swiss" else {})}
    cup = Organised(kit, 4, format=format, unit=unit)
    cup.start()
    for _ in range(2):
        page_of(cup)
        cup.play()
        cup.advance()
    page = page_of(cup)
    assert str(words.FORMATS[kind]) in page and ("Bracket" in page) is (kind == "knockout")


def hidden_cup(kit: Kit) -> tuple[Organised, str, list[int]]:
    """A knockout with hidden results whose first round is over; a match of that round, and the scores of all."""
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    cup.start()
    first = cup.scheduled()[0]
    cup.play()
    cup.advance()
    return cup, first, [seat.score for match in Match.objects.all() for seat in match.participants.all() if seat.score]


def test_no_page_tells_a_hidden_result(kit: Kit) -> None:
    cup, first, scores = hidden_cup(kit)
    assert len(scores) == 4 and len(cup.event.rounds) == 2
    matches = list(Match.objects.values_list("pk", flat=True))
    finalists = {cup.bots[seat - 1].name for seat in cup.event.rounds[1].tables[0].seats}
    others = {bot.name for bot in cup.bots} - finalists
    stranger = actions.create_user("stranger", None)
    for user_id in (None, stranger, cup.bots[0].owner_id):
        client = client_of(user_id)
        for where in ("", "?standings=all&log=all", "event.json"):
            page = text(client.get(f"/events/{cup.slug}/{where}"))
            assert not any(match in page for match in matches)
            assert not any(f">{score}<" in page for score in scores)
            # The final is drawn. Everybody is named as often as everybody else.
            assert {page.count(name) for name in finalists} == {page.count(name) for name in others}
        assert "hidden until revealed" in text(client.get(f"/events/{cup.slug}/"))
        answer = client.get(f"/matches/{first}/")
        assert answer.status_code == 404 and "until the organiser reveals them" in text(answer)
        assert client.get(f"/matches/{first}/frames.json").status_code == 404
    page = page_of(cup, cup.organiser)
    assert all(f">{score}<" in page for score in scores) and "hidden from others" in page
    actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    page = page_of(cup)
    assert first in page and all(f">{score}<" in page for score in scores)
    assert queries.event_page(cup.slug).shown == 1
