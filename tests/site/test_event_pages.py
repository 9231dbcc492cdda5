"""Pages of events: what strangers, owners and organisers see, and that nothing tells a result that is hidden."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from PIL import Image
from typer.testing import CliRunner

from arena.cli import event
from arena.events import EventState, FactKind, TermsError, parse_terms
from arena.events.formats import FORMATS
from arena.events.formats.swiss import Swiss
from arena.events.tiebreaks import MEANINGS
from arena.events.verify import prove_facts
from arena.referee import canonical_bytes
from tests.kit.ladder import Kit
from tests.ladder.test_events import TERMS, Organised
from tests.site.world import sign_in, text
from webui.ladder import actions, queries
from webui.ladder.models import Bot, Match
from webui.ladder.values.events import EventPage
from webui.site import presence
from webui.site.events import dry_run, preview, words
from webui.site.events.form_values import TEMPLATES
from webui.site.events.forms import LABELS, EventForm
from webui.site.events.refusals import ERRORS, REFUSALS, terms_words
from webui.site.urls import urlpatterns
from webui.site.views import events, proof

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
    assert {name for name in EventForm(may_be_rated=True).fields if name.startswith(tuple(FORMATS))} == set(LABELS)
    assert {name: str(said[2]) for name, said in words.TIE_BREAKS.items()} == MEANINGS


def test_lengths_and_points_are_said_as_people_say_them() -> None:
    assert [words.length_words(seconds) for seconds in (20, 30, 60, 80, 300)] == [
        *("20 s", "30 s", "1 min", "1 min 20 s", "5 min")
    ]
    points = [words.points_words(Fraction(halves, 2)) for halves in (0, 1, 2, 3, 4)]
    assert points == ["0 points", "½ points", "1 point", "1½ points", "2 points"]


def test_terms_are_refused_in_the_words_of_the_form() -> None:
    assert terms_words(TermsError("TOO_FEW", "format", "4 seats need 4 entrants, not 3")) == (
        "there are too few bots for these tables"
    )
    assert terms_words(TermsError("BAD_TEXT", "name", "must be one line")) == "must be one line"


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


def test_the_terms_say_how_many_games_a_table_plays() -> None:
    organiser = actions.create_user("orga", None)
    said = {
        "block": "3 games of one deal, everybody at every seat<",
        "williams": "6 games of one deal, everybody at every seat and directly after everybody else<",
    }
    for unit, words_of_unit in said.items():
        slug = actions.create_event(organiser, {**TERMS, "game": {"players": 3}, "unit": unit})
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


def test_strangers_share_a_page_whatever_its_address_says(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 2)
    made: list[str] = []
    whole_page = events._whole_page

    def counted(request: HttpRequest, slug: str) -> bytes:
        made.append(request.get_full_path())
        return whole_page(request, slug)

    monkeypatch.setattr(events, "_whole_page", counted)
    pages = [page_of(cup, more=more) for more in ("?z=1", "", "?z=2&standings=some", "?log=z")]
    assert made == [f"/events/{cup.slug}/"] and len(set(pages)) == 1
    assert f'name="next" value="/events/{cup.slug}/?standings=all"' in page_of(cup, more="?z=3&standings=all")
    assert len(made) == 2


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
    cup = Organised(kit, 4, format=format, unit=unit, entry={"entrants": 16})
    cup.start()
    for _ in range(2):
        page_of(cup)
        cup.play()
        cup.advance()
    page = page_of(cup)
    assert str(words.FORMATS[kind]) in page and ("Bracket" in page) is (kind == "knockout")


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


def test_no_page_tells_a_hidden_result(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "OFFERS_A_PAGE", 3)
    cup, first, scores = hidden_cup(kit)
    assert len(scores) == 4 and len(cup.event.rounds) == 2
    matches = list(Match.objects.values_list("pk", flat=True))
    finalists = {cup.bots[seat - 1].name for seat in cup.event.rounds[1].tables[0].seats}
    others = {bot.name for bot in cup.bots} - finalists
    stranger = actions.create_user("stranger", None)
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
        assert '<td class="n"><b>–</b>' in text(client.get(f"/events/{cup.slug}/"))
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
    log = client_of(stranger).get(reverse("offers"))
    hidden = [json.loads(line) for line in log.content.splitlines()]
    assert log["Cache-Control"] == "no-cache", "a full page that will change"
    assert [sorted(line) for line in hidden] == [["digest", "number"]] * 3
    kit.claim(cup.scheduled()[0])
    assert (queries.arena_counts().running, queries.match_counts().running) == (0, 1)
    actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    page = page_of(cup)
    assert first in page and all(f">{score}<" in page for score in scores)
    assert queries.event_page(cup.slug).shown == 1
    *shown, last = (json.loads(line) for line in client_of().get(reverse("offers")).content.splitlines())
    digests = [sha256(canonical_bytes(line["document"])).hexdigest() for line in shown]
    assert [*digests, last["digest"]] == [line["digest"] for line in hidden]


def test_a_hidden_round_does_not_tell_for_whom_it_waits(kit: Kit) -> None:
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    cup.start()
    cup.play()
    cup.advance()
    (final,) = cup.scheduled()
    before = queries.event_mark(cup.slug, sees_all=False)
    finalist = cup.event.rounds[1].tables[0].seats[0]
    Match.objects.filter(pk=final).update(state="ABORTED", finished_at=datetime.now(UTC))
    cup.online = [stream for stream in cup.online if stream.bot_version != cup.versions[finalist - 1]]
    cup.advance()
    assert list(queries.event_page(cup.slug, cup.organiser).away) == [finalist]
    assert queries.event_page(cup.slug).away == {} and queries.event_mark(cup.slug, sees_all=False) == before
    (row,) = queries.events()
    (own,) = queries.own_events(cup.organiser)
    assert (row.rounds, own.rounds) == (1, 2), "the list does not tell that the final is drawn"


def test_games_that_are_played_again_in_shown_and_hidden_rounds(kit: Kit) -> None:
    cup = Organised(kit, 4, hidden=True, format={"kind": "swiss", "rounds": 3})
    cup.start()
    cup.play()
    cup.advance()
    actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    organise(cup, cup.organiser, "again-bot", entrant="1", why="It was asleep.")
    for _ in range(2):
        cup.play()
        cup.advance()
    seen, known = queries.event_page(cup.slug), queries.event_page(cup.slug, cup.organiser)
    (again,), (whole,) = ([fact for fact in page.facts if fact.kind is FactKind.AGAIN] for page in (seen, known))
    assert [game[0] for game in whole.data["games"]] == [1, 2] and [game[0] for game in again.data["games"]] == [1]
    assert len(seen.event.games) == 2 and page_of(cup)


def organise(cup: Organised, user_id: int | None, deed: str, **said: object) -> tuple[int, str]:
    """The status of what is asked for, and where it led to."""
    answer = client_of(user_id).post(f"/events/{cup.slug}/organise/", {"deed": deed, **said}, follow=True)
    return answer.status_code, text(answer)


FORM = {"name": "Class of 2026", "kind": "swiss", "swiss_rounds": "4", "players": "2", "unit": "match", "clock": "10",
        "hidden": "on", "entrants": "8", "start": "full", "no_show": "900"}  # fmt: skip


def test_from_the_form_to_an_event_that_bots_enter(kit: Kit) -> None:
    organiser = actions.create_user("orga", None)
    client = client_of(organiser)
    for template in TEMPLATES:
        assert client.get(f"/events/new/?template={template}").status_code == 200
    answer = client.post("/events/new/", FORM)
    assert answer.status_code == 302
    slug = answer["Location"].split("/")[2]
    terms = queries.event_page(slug, organiser).event.terms
    assert terms.hidden and not terms.entry.house_bots and terms.course.starts_when_full
    assert (terms.clock["bank_ms"], terms.course.no_show_s, terms.entry.entrants) == (10_000, 900, 8)
    assert ">Publish<" in text(client.get(f"/events/{slug}/"))
    asked = client.post(f"/events/{slug}/organise/", {"deed": "publish"}, follow=True)
    assert "It is being published." in text(asked)
    assert "is being published" in text(client.get(f"/events/{slug}/"))
    actions.advance_events([], 9)
    bot = Bot.objects.get(versions=kit.version())
    owner = client_of(bot.owner_id)
    assert f">Enter {bot.name}<" not in text(client.get(f"/events/{slug}/"))
    assert f"Enter {bot.name}" in text(owner.get(f"/events/{slug}/"))
    owner.post(f"/events/{slug}/entries/", {"deed": "enter", "bot": bot.slug})
    assert queries.event_page(slug).event.present == {1}
    assert client_of(actions.create_user("stranger", None)).post(
        f"/events/{slug}/entries/", {"deed": "leave", "bot": bot.slug}
    ).status_code == 403  # fmt: skip
    owner.post(f"/events/{slug}/entries/", {"deed": "leave", "bot": bot.slug})
    assert queries.event_page(slug).event.present == set()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "id_name"),
        ({"entrants": "1"}, "id_entrants"),
        ({"start": "time"}, "id_starts_at"),
        ({"check_in": "0:30:00"}, "id_check_in"),
        ({"tie_1": "lot", "tie_3": "lot"}, "id_tie_3"),
        ({"least_rating": "1500", "most_rating": "1400"}, "id_most_rating"),
        ({"kind": "knockout", "knockout_advance": "2"}, "id_knockout_advance"),
        ({"kind": "knockout", "knockout_double": "on", "players": "3"}, "id_knockout_double"),
    ],
)
def test_a_form_that_cannot_be_says_so_beside_the_field(wrong: dict[str, str], field: str) -> None:
    client = client_of(actions.create_user("orga", None))
    answer = client.post("/events/new/", {**FORM, **wrong})
    assert answer.status_code == 422 and f'id="{field}_error"' in text(answer)


FULL = {
    "name": "Full Cup", "summary": "All of it.", "format": {"kind": "swiss", "rounds": 7},
    "game": {"players": 3, "expansions": ["artisans"]}, "unit": "block",
    "clock": {"bank_ms": 45_000, "increment_ms": 250, "cap_ms": 5_000},
    "policy": {"strikes": 5, "grace_ms": 30_000, "offer_ms": 8_000, "house": "greedy"},
    "rated": False, "versions": "free", "hidden": True, "tie_breaks": ["wins", "lot", "buchholz"],
    "entry": {
        "entrants": 30, "least_rating": 1200, "most_rating": 1800, "least_games": 12, "bots_an_owner": 2,
        "house_bots": False, "by_invitation": True, "invited": ["sand-fox", "greedy"],
    },
    "course": {
        "starts_at": "2031-05-04T18:30:00+00:00", "starts_when_full": True, "check_in_s": 1800, "round_every_s": 86400,
        "next_round_at": "", "no_show_s": 90, "matches_at_once": 7, "ends_after_s": 3600,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    "document",
    [FULL, {**FULL, "unit": "williams"}, {**TERMS, "course": {"next_round_at": "2031-05-04T18:30:00Z"}}],
)
def test_the_form_says_all_that_the_document_can_say(document: dict[str, Any]) -> None:
    """What it shows of terms is what comes back."""
    terms = parse_terms(document)
    shown = EventForm(may_be_rated=True, terms=terms)
    asked = {field.html_name: field.value() for field in shown}
    said = {name: value for name, value in asked.items() if value not in (None, False)}
    form = EventForm(said, may_be_rated=True, terms=terms)
    assert form.is_valid(), form.errors
    assert actions.events.read_terms(form.document()).document() == actions.events.read_terms(document).document()


def test_a_draft_is_tried_out_and_changed_and_an_open_event_keeps_what_bots_relied_on(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    organiser = actions.create_user("orga", None)
    slug = actions.create_event(organiser, {**TERMS, "name": "First Name"})
    client = client_of(organiser)
    page = text(client.get(f"/events/{slug}/?bots=6"))
    assert "Dry run" in page and 'value="6"' in page and "5, 1–5 a bot" in page, "the first meets five others"
    monkeypatch.setattr(dry_run, "SECONDS", 0.001)
    assert "It takes too long here" in text(client.get(f"/events/{slug}/?bots=7"))
    assert client_of(actions.create_user("stranger", None)).get(f"/events/{slug}/edit/").status_code == 404
    assert client.post(f"/events/{slug}/edit/", {**FORM, "name": "Second Name"}).status_code == 302
    actions.ask_event(slug, organiser, "publish")
    actions.advance_events([], 9)
    assert "Dry run" not in text(client.get(f"/events/{slug}/"))
    assert client_of().get(f"/events/{slug}/edit/").status_code == 302
    form = {**FORM, "name": "Third Name", "kind": "gauntlet", "entrants": "5"}
    assert client.post(f"/events/{slug}/edit/", form).status_code == 302
    terms = queries.event_page(slug).event.terms
    assert (terms.name, terms.entry.entrants, terms.format) == ("Third Name", 5, Swiss(rounds=4))


def test_every_refusal_has_its_words() -> None:
    """Every code that stands in the sources."""
    root = Path(__file__).parents[2]
    sources = "".join(
        path.read_text() for where in ("arena/events", "webui/ladder") for path in (root / where).rglob("*.py")
    )
    assert set(re.findall(r'EventRefusal\(\s*"([A-Z_]+)"', sources)) == set(REFUSALS)
    assert set(re.findall(r'(?:TermsError|FactRefused)\(\s*"([A-Z_]+)"', sources)) == set(ERRORS)


def test_refusals_are_in_the_readers_language(kit: Kit) -> None:
    cup = Organised(kit, 0, entry={"least_games": 3})
    bot = Bot.objects.get(versions=kit.version())
    client = client_of(bot.owner_id)
    client.cookies["django_language"] = "fr"
    assert "l’événement en demande 3" in text(client.get(f"/events/{cup.slug}/"))
    organiser = client_of(cup.organiser)
    organiser.cookies["django_language"] = "es"
    said = {"deed": "extend", "next_round_at": "2026-19-31T00:00"}
    assert "no existe esa hora" in text(organiser.post(f"/events/{cup.slug}/organise/", said, follow=True))


def test_why_a_bot_cannot_enter_is_said(kit: Kit) -> None:
    cup = Organised(kit, 0, entry={"least_games": 3})
    bot = Bot.objects.get(versions=kit.version())
    assert "the event wants 3" in page_of(cup, bot.owner_id)


def test_an_owner_asks_to_be_let_in_late_and_takes_it_back(kit: Kit) -> None:
    cup = Organised(kit, 3, format={"kind": "swiss", "rounds": 2}, entry={"entrants": 8})
    bot = Bot.objects.get(versions=kit.version())
    cup.start()
    client = client_of(bot.owner_id)
    for deed in ("ask", "ask-no-more", "ask"):
        assert f'value="{deed}"' in page_of(cup, bot.owner_id)
        client.post(f"/events/{cup.slug}/entries/", {"deed": deed, "bot": bot.slug})
    assert 'value="ask-no-more"' in page_of(cup, bot.owner_id) and 'value="ask"' not in page_of(cup, bot.owner_id)


def test_the_organisers_room(kit: Kit) -> None:
    cup = Organised(kit, 3)
    stranger = actions.create_user("stranger", None)
    assert "Organiser&#x27;s room" not in page_of(cup, stranger) and "Organiser's room" in page_of(cup, cup.organiser)
    for deed in ("freeze", "cancel", "tell", "pause"):
        assert organise(cup, stranger, deed, text="x", why="x")[0] == 403
    assert organise(cup, None, "freeze")[1].count("Sign in") and cup.event.state is EventState.OPEN
    organise(cup, cup.organiser, "freeze")
    cup.advance()
    assert "is playing" in page_of(cup, cup.bots[0].owner_id) or "about to begin" in page_of(cup, cup.bots[0].owner_id)
    own = f"/bots/{cup.bots[0].slug}/"
    assert (
        f'/events/{cup.slug}/">{cup.event.terms.name}</a>: Round 1, table'
        in client_of(cup.bots[0].owner_id).get(own).content.decode()
    )
    assert f"/events/{cup.slug}/" not in client_of(stranger).get(own).content.decode()
    organise(cup, cup.organiser, "pause")
    assert cup.event.state is EventState.PAUSED
    organise(cup, cup.organiser, "resume")
    cup.play()
    cup.advance()
    assert "give a reason" in organise(cup, cup.organiser, "rule", game="1-1-0", placements="2 1")[1]
    page = organise(cup, cup.organiser, "rule", game="1-1-0", placements="1 1", why="a bad cable")[1]
    assert cup.event.games[1, 1, 0].placements == (1, 1) and "a bad cable" in page and "½" in page
    assert "ruled by the organiser" in page and "not played" not in page
    (match,) = Match.objects.filter(state="FINISHED")
    assert f"/matches/{match.pk}/" in page
    assert all(f">{seat.score}<" in page for seat in match.participants.all()), "as it was played"
    refused = organise(cup, cup.organiser, "rule", game="1-1-0", placements="1 3", why="x")[1]
    assert "was refused: enter a place for each of the 2 seats, for instance 1 2." in refused
    organise(cup, cup.organiser, "again-round", round="1", why="the cable again")
    assert (1, 1, 0) not in cup.event.games and (1, 1, 0) not in cup.event.ruled
    organise(cup, cup.organiser, "extend", minutes="7")
    assert cup.event.terms.course.no_show_s == 420
    assert "Changed: how long a table waits for a bot." in page_of(cup) and "7 min at most" in page_of(cup)
    assert "Round 2 begins soon" in organise(cup, cup.organiser, "tell", text="Round 2 begins soon")[1]
    organise(cup, cup.organiser, "disqualify", entrant="2", why="it talked")
    assert cup.event.disqualified == {2} and "disqualified" in page_of(cup)
    organise(cup, cup.organiser, "share", user="stranger")
    assert organise(cup, stranger, "hand-over", user="stranger")[0] == 403
    organise(cup, cup.organiser, "hand-over", user="stranger")
    assert organise(cup, cup.organiser, "cancel", why="rain")[0] == 403
    organise(cup, stranger, "cancel", why="rain")
    cup.advance()
    assert cup.event.state is EventState.CANCELLED and "rain" in page_of(cup)


def test_a_decision_is_looked_at_before_it_is_made(kit: Kit) -> None:
    cup = Organised(kit, 4, format={"kind": "swiss", "rounds": 3}, unit="block")
    cup.start()
    cup.play()
    cup.advance()
    before, length = cup.event.standings(None), cup.event.length
    first = before[0].entrant
    client = client_of(cup.organiser)
    where = f"/events/{cup.slug}/organise/"
    said = {"deed": "disqualify", "entrant": first, "why": "it talked"}
    page = text(client.post(where + "?preview", said))
    assert cup.event.length == length, "nothing is done yet"
    assert f"1 → <b>{len(before)}</b>" in page and 'value="it talked"' in page
    assert f'name="entrant" value="{first}"' in page and 'name="deed" value="disqualify"' in page
    client.post(where, said)
    after = {row.entrant: row for row in cup.event.standings(None)}
    assert (after[first].place, after[first].halves) == (len(before), 0)
    for row in before:
        is_moved = (row.place, row.halves) != (after[row.entrant].place, after[row.entrant].halves)
        listed = f'<th scope="row">{cup.event.entrants[row.entrant - 1].name}</th>'
        assert (listed in page) is is_moved
    assert client_of(cup.bots[0].owner_id).post(where + "?preview", said).status_code == 403
    assert "was refused" in text(client.post(where + "?preview", said, follow=True)), "it is out already"


def test_what_is_decided_on_is_named_with_what_stays_as_it_was_drawn(kit: Kit) -> None:
    cup = Organised(kit, 4, format={"kind": "swiss", "rounds": 3}, unit="block")
    cup.start()
    cup.play()
    cup.advance()
    assert len(cup.event.rounds) == 2
    names = [cup.bots[number - 1].name for number in cup.event.rounds[0].tables[0].seats]
    page = page_of(cup, cup.organiser)
    assert f'value="1-1-0">Round 1, table 1, game 1: {", ".join(names)}<' in page
    assert f'value="1-1-1">Round 1, table 1, game 2: {", ".join(names[::-1])}<' in page, "in the order of its seats"
    client, where = client_of(cup.organiser), f"/events/{cup.slug}/organise/?preview"
    said = {"deed": "rule", "game": "1-1-1", "placements": "2 1", "why": "x"}
    page = text(client.post(where, said))
    assert f"<b>Round 1, table 1, game 2: 1. {names[0]}, 2. {names[1]}</b>" in page
    assert "Results that count no longer</dt><dd>1</dd>" in page and "1 later round has been drawn already" in page
    page = text(client.post(where, {"deed": "again-game", "game": "1-1-0", "why": "x"}))
    assert f"<b>Round 1, table 1, game 1: {', '.join(names)}</b>" in page and "pairings are never undone" in page
    page = text(client.post(where, {"deed": "withdraw", "entrant": "2", "why": "x"}))
    assert f"<b>{cup.bots[1].name}</b>" in page and "later round" not in page


@pytest.mark.parametrize(
    ("deed", "said", "games"),
    [("again-table", {"table": "1-2"}, 2), ("again-bot", {"entrant": "1"}, 2), ("again-round", {"round": "1"}, 4)],
)
def test_whatever_part_of_an_event_is_played_again(kit: Kit, deed: str, said: dict[str, str], games: int) -> None:
    cup = Organised(kit, 4, format={"kind": "swiss", "rounds": 1}, unit="block")
    cup.start()
    organise(cup, cup.organiser, "pause")
    cup.play()
    cup.advance()
    assert len(cup.event.games) == 4
    preview = client_of(cup.organiser).post(f"/events/{cup.slug}/organise/?preview", {"deed": deed, **said})
    assert f"<dd>{games}</dd>" in text(preview)
    organise(cup, cup.organiser, deed, why="the arena's fault", **said)
    assert len(cup.event.games) == 4 - games and len(cup.event.pairings()) == games


def test_the_organiser_sees_who_is_late_and_why(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 2)
    monkeypatch.setattr(presence, "online", lambda: {cup.bots[0].pk: [object()]})
    cup.start()
    match = cup.scheduled()[0]
    actions.abort_match(match, kit.claim(match).epoch, "declined", declined=[2])
    cup.online.pop()
    cup.advance()
    page = page_of(cup, cup.organiser)
    assert f"{cup.bots[1].name} declined 1 offer." in page and "1 of 2" in page
    assert f"Waits for {cup.bots[1].name} since " in page
    assert "declined" not in page_of(cup)


def test_times_are_moved_and_bots_invited(kit: Kit) -> None:
    cup = Organised(kit, 2)
    organise(cup, cup.organiser, "extend", starts_at="2031-05-04T18:30", next_round_at="", every="90", at_once="3")
    course = cup.event.terms.course
    assert (course.starts_at, course.round_every_s, course.matches_at_once) == ("2031-05-04T18:30:00+00:00", 5400, 3)
    page = page_of(cup)
    assert "4 May 2031, 18:30 UTC" in page and "Changed: start, times of rounds, matches at a time." in page
    bot = Bot.objects.get(versions=kit.version())
    organise(cup, cup.organiser, "invite", bot=bot.slug)
    assert "Changed: who may enter." in page_of(cup)
    assert cup.event.terms.entry.invited == (bot.slug,)
    assert "was refused" in organise(cup, cup.organiser, "invite", bot="nobody-knows-it")[1]
    name = "helper"
    helper = actions.create_user(name, None)
    organise(cup, cup.organiser, "share", user=name)
    assert queries.audit(helper)[0].act == "EVENT_SHARED"


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
    assert client_of().get(f"/events/{actions.create_event(cup.organiser, TERMS)}/embed/").status_code == 404


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
    actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    assert shown() != begun
    draft = actions.create_event(cup.organiser, TERMS)
    assert client_of(cup.organiser).get(f"/events/{draft}/preview.png").status_code == 404
    assert [font.path.rpartition("/")[2] for _, font in preview._runs("Kübek Ž Кубок", "inter", 20, 400)] == [
        *("inter-latin.woff2", "inter-latin-ext.woff2", "inter-latin.woff2", "inter-cyrillic.woff2")
    ]


def test_a_crowd_of_strangers_is_served_one_page(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 2)
    page = page_of(cup)
    made: list[int | None] = []
    context_of = events.event_context

    def counted(event: EventPage, asked: Mapping[str, str], user_id: int | None) -> dict[str, object]:
        made.append(user_id)
        return context_of(event, asked, user_id)

    monkeypatch.setattr(events, "event_context", counted)
    assert page_of(cup) == page and made == []
    assert page_of(cup, cup.organiser) != page and made == [cup.organiser]
    cup.start()
    assert "about to begin" in page_of(cup) and made == [cup.organiser, None], "it is made anew once it has changed"
