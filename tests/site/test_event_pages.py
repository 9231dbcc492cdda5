"""Pages of events: what strangers, owners and organisers see, and that nothing tells a result that is hidden."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from PIL import Image
from typer.testing import CliRunner

from arena.cli import event
from arena.events import EventState, FactKind
from arena.events.facts import GamesRepeated
from arena.events.formats import FORMATS
from arena.events.tiebreaks import TIE_BREAKS
from arena.events.verify import prove_facts
from arena.referee import canonical_bytes
from arena.story import DecidedBy, Evaluation, Point, StoryValues
from tests.kit.ladder import Kit
from tests.ladder.organised import TERMS, Organised
from tests.site.organising import client_of, organise, page_of, shared_page_of
from tests.site.world import text
from webui.accounts import actions as account_actions
from webui.bots.models import Bot
from webui.core import canvas, shared
from webui.core.shared import shared_pages
from webui.events import actions as event_actions
from webui.events import pages as event_pages
from webui.events import queries as event_queries
from webui.events import words as event_words
from webui.events.values import EventPage
from webui.matches import queries as match_queries
from webui.matches.models import Match
from webui.replays import pages as replay_pages
from webui.site.urls import urlpatterns
from webui.stories import actions as story_actions

pytestmark = pytest.mark.django_db


def test_everything_has_its_words() -> None:
    assert set(FORMATS) <= set(event_words.FORMATS) and set(EventState) == set(event_words.STATES)
    assert set(TIE_BREAKS) == set(event_words.TIE_BREAKS)


def test_lengths_and_points_are_said_as_people_say_them() -> None:
    assert [event_words.length_words(seconds) for seconds in (20, 30, 60, 80, 300)] == [
        *("20 s", "30 s", "1 min", "1 min 20 s", "5 min")
    ]
    points = [event_words.points_words(Fraction(halves, 2)) for halves in (0, 1, 2, 3, 4)]
    assert points == ["0 points", "½ points", "1 point", "1½ points", "2 points"]


def test_the_list_has_what_runs_first_and_drafts_for_their_organiser_alone(kit: Kit) -> None:
    cup = Organised(kit, 2)
    draft = event_actions.create_event(cup.organiser, {**TERMS, "name": "Secret Cup"})
    cup.start()
    cup.to_the_end()
    for user_id, sees in ((None, False), (cup.organiser, True)):
        client = client_of(user_id)
        page = text(client.get("/events/"))
        assert cup.slug in page and ("Secret Cup" in page) is sees
        assert client.get(f"/events/{draft}/").status_code == (200 if sees else 404)


def test_the_terms_say_how_many_games_a_table_plays() -> None:
    organiser = account_actions.create_user("orga", None)
    said = {
        "block": "3 games of one deal, everybody at every seat<",
        "williams": "6 games of one deal, everybody at every seat and directly after everybody else<",
    }
    for unit, words_of_unit in said.items():
        slug = event_actions.create_event(organiser, {**TERMS, "game": {"players": 3}, "unit": unit})
        assert words_of_unit in text(client_of(organiser).get(f"/events/{slug}/"))


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
    assert prove_facts(document).draws == 2


@pytest.mark.parametrize(
    ("kind", "marks", "drawn"),
    [("gauntlet", 2, 0), ("knockout", 2, 1)],  # in the standings, and in the crosstable or the bracket as a list
)
def test_hosted_bots_are_marked(kit: Kit, kind: str, marks: int, drawn: int) -> None:
    cup = Organised(kit, 2, format={"kind": kind})
    cup.start()
    cup.to_the_end()
    Bot.objects.filter(pk=cup.bots[0].pk).update(is_hosted=True)
    page = page_of(cup)
    assert page.count('class="hosted"') == marks and page.count("bracket-hosted") == drawn


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without kept pages. Keep them while their version is the same, and ask for it each time."""
    shared_pages.clear()
    monkeypatch.setattr(shared, "FRESH_S", 0.0)
    monkeypatch.setattr(event_pages, "VERSIONED_S", 600.0)


def test_strangers_share_a_page_whatever_its_address_says(
    kept: None, kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = Organised(kit, 2)
    made: list[str] = []
    render_page = event_pages.render_page

    def counted(request: HttpRequest, *args: Any) -> HttpResponse:
        made.append(request.get_full_path())
        return render_page(request, *args)

    monkeypatch.setattr(event_pages, "render_page", counted)
    pages = [shared_page_of(cup, more=more) for more in ("?z=1", "", "?z=2&standings=some", "?log=z")]
    assert made == [f"/events/{cup.slug}/"] and len(set(pages)) == 1
    whole = shared_page_of(cup, more="?z=3&standings=all")
    assert f'name="next" value="/events/{cup.slug}/?standings=all"' in whole
    assert len(made) == 2


def test_games_tell_their_verdicts_once_there_are_stories(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    cup.to_the_end()
    told = Match.objects.filter(state="FINISHED").order_by("finished_at")[0]
    assert "wins by" not in text(client_of().get(f"/events/{cup.slug}/"))
    values = StoryValues((1,), 7, 2, DecidedBy.SOURCE, "goods", 0.5)
    story_actions.write_story(told.id, Evaluation((Point(0, (0.5, 0.5), 0.1),), (), values))
    name = told.participants.get(seat=1).version.bot.name
    verdict = f"{name} wins by 7, decided by its goods; the lead changed 2 times."
    assert text(client_of().get(f"/events/{cup.slug}/")).count(verdict) == 1


def test_who_a_table_waits_for(kit: Kit) -> None:
    cup = Organised(kit, 2)
    away = cup.online.pop(0)
    cup.start()
    cup.advance()
    assert f"waits for {cup.bots[0].name}, " in page_of(cup) and away


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(FORMATS))
@pytest.mark.parametrize("unit", ["match", "block"])
def test_every_format_has_its_page(kit: Kit, kind: str, unit: str) -> None:
    format = {"kind": kind, **({"rounds": 2} if kind == "swiss" else {})}
    cup = Organised(kit, 4, format=format, unit=unit, entry={"entrants": 16})
    cup.start()
    for _ in range(2):
        page_of(cup)
        cup.play()
        cup.advance()
    page = page_of(cup)
    assert str(event_words.FORMATS[kind]) in page and ("Bracket" in page) is (kind == "knockout")


OF_A_MATCH = [pattern.name for pattern in urlpatterns if str(pattern.pattern).startswith("matches/<slug:match_id>/")]
"""The names of all addresses of a match."""


def hidden_cup(kit: Kit) -> tuple[Organised, str, list[int]]:
    """A knockout with hidden results whose first round is over; a match of that round, and the scores of all."""
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    cup.start()
    first = cup.scheduled()[0]
    cup.play()
    cup.advance()
    return cup, first, [seat.score for match in Match.objects.all() for seat in match.participants.all() if seat.score]


@pytest.mark.slow
def test_no_page_tells_a_hidden_result(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_pages, "OFFERS_A_PAGE", 3)
    cup, first, scores = hidden_cup(kit)
    assert len(scores) == 4 and len(cup.event.rounds) == 2
    matches = list(Match.objects.values_list("pk", flat=True))
    finalists = {cup.bots[seat - 1].name for seat in cup.event.rounds[1].tables[0].seats}
    others = {bot.name for bot in cup.bots} - finalists
    stranger = account_actions.create_user("stranger", None)
    for user_id in (None, stranger, cup.bots[0].owner_id):
        client = client_of(user_id)
        for where in ("", "parts/", "embed/", "?standings=all&log=all", "event.json", "standings.csv"):
            page = text(client.get(f"/events/{cup.slug}/{where}"))
            assert not any(match in page for match in matches)
            assert not any(f">{score}<" in page for score in scores)
            # The final is drawn. All but one's own bot are named equally often.
            own = {cup.bots[0].name} if user_id == cup.bots[0].owner_id else set()
            assert {page.count(name) for name in finalists - own} == {page.count(name) for name in others - own}
        assert "hidden until revealed" in text(client.get(f"/events/{cup.slug}/"))
        assert '<td class="rank"><b>–</b>' in text(client.get(f"/events/{cup.slug}/"))
        answer = client.get(f"/matches/{first}/")
        assert answer.status_code == 404 and "until the organiser reveals them" in text(answer)
        for name in set(OF_A_MATCH) - {"rematch"}:
            assert client.get(reverse(name, args=[first])).status_code == 404, name
        for match in (first, "nosuchmatch0"):
            asked = reverse("rematch", args=[match])
            # Strangers are led to sign-in before anything is looked up.
            assert client.get(asked).status_code == (405 if user_id else 302)
            assert client.post(asked).status_code == (404 if user_id else 302)
    assert "It plays in round 1, whose results are hidden" in page_of(cup, cup.bots[0].owner_id)
    page = page_of(cup, cup.organiser)
    assert all(f">{score}<" in page for score in scores) and "hidden from others" in page
    organiser = client_of(cup.organiser)
    assert f"/matches/{first}/" in page
    for where in ("", "frames.json", "replay.json", "position.json", "proof.json"):
        assert organiser.get(f"/matches/{first}/{where}").status_code == 200
        assert client_of(stranger).get(f"/matches/{first}/{where}").status_code == 404
    kit.begin_all()
    log = client_of(stranger).get(reverse("offers"))
    hidden = [json.loads(line) for line in log.content.splitlines()]
    assert log["Cache-Control"] == "no-cache", "a full page that will change"
    assert [sorted(line) for line in hidden] == [["digest", "number"]] * 3
    kit.claim(cup.scheduled()[0])
    assert (match_queries.arena_counts().running, match_queries.match_counts().running) == (0, 1)
    event_actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    page = page_of(cup)
    assert first in page and all(f">{score}<" in page for score in scores)
    assert event_queries.event_page(cup.slug).shown == 1
    *shown, last = (json.loads(line) for line in client_of().get(reverse("offers")).content.splitlines())
    digests = [sha256(canonical_bytes(line["document"])).hexdigest() for line in shown]
    assert [*digests, last["digest"]] == [line["digest"] for line in hidden]


def test_a_hidden_round_does_not_tell_for_whom_it_waits(kit: Kit) -> None:
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    cup.start()
    cup.play()
    cup.advance()
    (final,) = cup.scheduled()
    before = event_queries.event_mark(cup.slug, sees_all=False)
    finalist = cup.event.rounds[1].tables[0].seats[0]
    Match.objects.filter(pk=final).update(state="ABORTED", finished_at=datetime.now(UTC))
    cup.online = [stream for stream in cup.online if stream.bot_version != cup.versions[finalist - 1]]
    cup.advance()
    assert list(event_queries.event_page(cup.slug, cup.organiser).away) == [finalist]
    assert (
        event_queries.event_page(cup.slug).away == {} and event_queries.event_mark(cup.slug, sees_all=False) == before
    )
    (row,) = event_queries.events()
    (own,) = event_queries.own_events(cup.organiser)
    assert (row.rounds, own.rounds) == (1, 2), "the list does not tell that the final is drawn"


def test_games_that_are_played_again_in_shown_and_hidden_rounds(kit: Kit) -> None:
    cup = Organised(kit, 4, hidden=True, format={"kind": "swiss", "rounds": 3})
    cup.start()
    cup.play()
    cup.advance()
    event_actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    organise(cup, cup.organiser, "again", entrant="1", why="It was asleep.")
    for _ in range(2):
        cup.play()
        cup.advance()
    seen, known = event_queries.event_page(cup.slug), event_queries.event_page(cup.slug, cup.organiser)
    (again,), (whole,) = ([fact for fact in page.facts if fact.kind is FactKind.AGAIN] for page in (seen, known))
    assert isinstance(whole.data, GamesRepeated) and isinstance(again.data, GamesRepeated)
    assert [game[0] for game in whole.data.games] == [1, 2] and [game[0] for game in again.data.games] == [1]
    assert len(seen.event.games) == 2 and page_of(cup)


def test_an_event_with_its_replays_is_proved_from_the_site(kit: Kit, tmp_path: Path) -> None:
    cup = Organised(kit, 3, hidden=True)
    cup.start()
    where = f"/events/{cup.slug}/event.jsonl.zst"
    for user_id in (None, cup.organiser):
        assert client_of(user_id).get(where).status_code == 404, "not before its end"
    cup.to_the_end()
    assert f'href="{where}"' in page_of(cup)
    file = tmp_path / "cup.jsonl.zst"
    file.write_bytes(client_of().get(where).getvalue())
    proved = CliRunner().invoke(event.app, ["verify", str(file), "--json"])
    found = json.loads(proved.stdout)
    assert (found["valid"], found["results"], found["results_proved"]) == (True, 2, True)
    report = text(client_of().get(f"/events/{cup.slug}/event.trf"))
    assert report.startswith("012 Autumn Cup\n") and report.count("\n001 ") == 3


def test_the_standings_as_a_file(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    cup.to_the_end()
    lines = text(client_of().get(f"/events/{cup.slug}/standings.csv")).split("\r\n")
    assert lines[0].startswith("place,entrant,bot") and len(lines) == 4


def test_any_page_may_frame_the_standings_as_everybody_sees_them(kit: Kit) -> None:
    cup, first, _scores = hidden_cup(kit)
    answer = client_of(cup.organiser).get(f"/events/{cup.slug}/embed/")
    assert "frame-ancestors *" in answer["Content-Security-Policy"] and "X-Frame-Options" not in answer
    page = text(answer)
    assert first not in page and "Organiser&#x27;s room" not in page and cup.bots[0].name in page
    assert client_of().get(f"/events/{event_actions.create_event(cup.organiser, TERMS)}/embed/").status_code == 404


def test_the_picture_for_links_tells_no_more_than_the_page(kit: Kit) -> None:
    def shown() -> bytes:
        answer = client_of(cup.organiser).get(f"/events/{cup.slug}/preview.png")
        with Image.open(BytesIO(answer.content)) as image:
            assert (image.format, image.size) == ("PNG", (1200, 630))
        return answer.content

    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    assert f"http://testserver/events/{cup.slug}/preview.png" in page_of(cup)
    cup.start()
    begun = shown()
    cup.play()
    cup.advance()
    assert shown() == begun, "the first round is over, and hidden"
    event_actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    assert shown() != begun
    draft = event_actions.create_event(cup.organiser, TERMS)
    assert client_of(cup.organiser).get(f"/events/{draft}/preview.png").status_code == 404
    assert [font.path.rpartition("/")[2] for _, font in canvas._runs("Kübek Ž Кубок", "inter", 20, 400)] == [
        *("inter-latin.woff2", "inter-latin-ext.woff2", "inter-latin.woff2", "inter-cyrillic.woff2")
    ]


def test_a_crowd_of_strangers_is_served_one_page(kept: None, kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 2)
    page = shared_page_of(cup)
    made: list[int | None] = []
    context_of = event_pages.event_context

    def counted(
        event: EventPage, asked: Mapping[str, str], user_id: int | None, template: str
    ) -> event_pages.EventContext:
        made.append(user_id)
        return context_of(event, asked, user_id, template)

    monkeypatch.setattr(event_pages, "event_context", counted)
    assert shared_page_of(cup) == page and made == []
    assert shared_page_of(cup, cup.organiser) != page and made == [cup.organiser]
    cup.start()
    page = shared_page_of(cup)
    assert "about to begin" in page and made == [cup.organiser, None], "it is made anew once it has changed"
