"""The form of an event: all that its terms can say, and every refusal in words."""

from __future__ import annotations

import re
from dataclasses import MISSING, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.events import Course, Eligibility, Terms, TermsError, parse_terms
from arena.events.fields import (
    ChoiceRule,
    FlagRule,
    NumberRule,
    TableRule,
    TermRule,
    TermsTable,
    TextRule,
    TextsRule,
    terms_of,
)
from arena.events.formats import FORMATS, FormatRule
from arena.events.formats.swiss import Swiss
from arena.events.terms import RulesetRule, TimeRule
from arena.rules import Ruleset
from tests.kit.ladder import Kit
from tests.ladder.organised import TERMS, Organised
from tests.site.organising import client_of
from tests.site.world import a_day_long, text
from webui.accounts import actions as account_actions
from webui.bots.models import Bot
from webui.core.errors import BadRequest
from webui.events import actions as event_actions
from webui.events import advancing, dry_run
from webui.events import queries as event_queries
from webui.events.forms import FORM_TERMS, TEMPLATES, EventForm
from webui.events.refusals import ERRORS, REFUSALS, terms_words
from webui.events.values import EventPolicy, read_terms
from webui.ladders.games import GAMES
from webui.ladders.values import LimitedClock

pytestmark = pytest.mark.django_db


def test_terms_are_refused_in_the_words_of_the_form() -> None:
    assert terms_words(TermsError("TOO_FEW", "format", "4 seats need 4 entrants, not 3")) == (
        "there are too few bots for these tables"
    )
    assert terms_words(TermsError("BAD_TEXT", "name", "must be one line")) == "must be one line"


FORM = {"name": "Class of 2026", "kind": "swiss", "swiss_rounds": "4", "players": "2", "unit": "match", "clock": "10",
        "hidden": "on", "entrants": "8", "start": "full", "no_show": "900"}  # fmt: skip


def test_from_the_form_to_an_event_that_bots_enter(kit: Kit) -> None:
    organiser = account_actions.create_user("orga", None)
    client = client_of(organiser)
    for template in TEMPLATES:
        assert client.get(f"/events/new/?template={template}").status_code == 200
    answer = client.post("/events/new/", FORM)
    assert answer.status_code == 302
    slug = answer["Location"].split("/")[2]
    terms = event_queries.event_page(slug, organiser).event.terms
    assert terms.hidden and not terms.entry.house_bots and terms.course.starts_when_full
    assert (terms.clock["bank_ms"], terms.course.no_show_s, terms.entry.entrants) == (10_000, 900, 8)
    assert ">Publish<" in text(client.get(f"/events/{slug}/"))
    asked = client.post(f"/events/{slug}/organise/", {"act": "publish"}, follow=True)
    assert "It is being published." in text(asked)
    assert "is being published" in text(client.get(f"/events/{slug}/"))
    advancing.advance_events([], 9)
    bot = Bot.objects.get(versions=kit.version())
    owner = client_of(bot.owner_id)
    assert f">Enter {bot.name}<" not in text(client.get(f"/events/{slug}/"))
    assert f"Enter {bot.name}" in text(owner.get(f"/events/{slug}/"))
    owner.post(f"/events/{slug}/entries/", {"act": "enter", "bot": bot.slug})
    assert event_queries.event_page(slug).event.present == {1}
    assert client_of(account_actions.create_user("stranger", None)).post(
        f"/events/{slug}/entries/", {"act": "leave", "bot": bot.slug}
    ).status_code == 403  # fmt: skip
    owner.post(f"/events/{slug}/entries/", {"act": "leave", "bot": bot.slug})
    assert event_queries.event_page(slug).event.present == set()


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
    client = client_of(account_actions.create_user("orga", None))
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
    assert read_terms(form.document()).document() == read_terms(document).document()


def test_a_draft_is_tried_out_and_changed_and_an_open_event_keeps_what_bots_relied_on(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    organiser = account_actions.create_user("orga", None)
    slug = event_actions.create_event(organiser, {**TERMS, "name": "First Name"})
    client = client_of(organiser)
    monkeypatch.setattr(dry_run, "SECONDS", 3600.0)  # it has the lowest priority
    page = text(client.get(f"/events/{slug}/?bots=6"))
    assert "Dry run" in page and 'value="6"' in page and "5, 1–5 a bot" in page, "the first meets five others"
    monkeypatch.setattr(dry_run, "SECONDS", 0.001)
    assert "It takes too long here" in text(client.get(f"/events/{slug}/?bots=7"))
    assert client_of(account_actions.create_user("stranger", None)).get(f"/events/{slug}/edit/").status_code == 404
    assert client.post(f"/events/{slug}/edit/", {**FORM, "name": "Second Name"}).status_code == 302
    event_actions.ask_event(slug, organiser, "publish")
    advancing.advance_events([], 9)
    assert "Dry run" not in text(client.get(f"/events/{slug}/"))
    assert client_of().get(f"/events/{slug}/edit/").status_code == 302
    form = {**FORM, "name": "Third Name", "kind": "gauntlet", "entrants": "5"}
    assert client.post(f"/events/{slug}/edit/", form).status_code == 302
    terms = event_queries.event_page(slug).event.terms
    assert (terms.name, terms.entry.entrants, terms.format) == ("Third Name", 5, Swiss(rounds=4))


def test_every_refusal_has_its_words() -> None:
    """Every code that stands in the sources."""
    root = Path(__file__).parents[2]
    sources = "".join(
        path.read_text() for where in ("arena/events", "webui/events") for path in (root / where).rglob("*.py")
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
    said = {"act": "extend", "next_round_at": "2026-19-31T00:00"}
    assert "no existe esa hora" in text(organiser.post(f"/events/{cup.slug}/organise/", said, follow=True))


def values_of(rule: TermRule[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy of what a document can have for a term."""
    match rule:
        case NumberRule():
            return st.integers(rule.least, rule.most)
        case FlagRule():
            return st.booleans()
        case ChoiceRule():
            return st.sampled_from(rule.choices)
        case TextsRule():
            words = st.sampled_from(rule.choices) if rule.choices else st.sampled_from(["sand-fox", "greedy", "ant"])
            return st.lists(words, unique=True)
        case TimeRule():
            return st.sampled_from(["", "2031-05-04T18:30:00+02:00", "2031-05-04T18:30:00Z"])
        case TextRule():
            texts = st.text("aé &<\n", max_size=9).map(str.strip)
            return texts.filter(lambda text: len(text) >= rule.least and not (rule.is_line and "\n" in text))
        case TableRule():
            return tables_of(rule.table)
        case RulesetRule():
            return st.sampled_from([*GAMES.values()]).map(Ruleset.document)
        case FormatRule():
            kinds = [st.tuples(st.just({"kind": kind}), tables_of(format)) for kind, format in FORMATS.items()]
            return st.one_of(kinds).map(lambda parts: parts[0] | parts[1])
    raise AssertionError(rule)


def tables_of(table: type[TermsTable]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of tables of a document. Values that are not required may be missing."""
    tables = {"clock": TableRule(LimitedClock), "policy": TableRule(EventPolicy)}
    terms = terms_of(table).values()
    values = {term.key: values_of(tables.get(term.key, term.rule)) for term in terms}
    required = {term.key: values.pop(term.key) for term in terms if term.default is MISSING}
    return st.fixed_dictionaries(required, optional=values)


def test_every_term_has_a_field() -> None:
    """The terms listed have none of their own: a field sets a part of them, two of them, or nothing does."""
    tables = [Terms, Eligibility, Course, LimitedClock, EventPolicy]
    declared = [term for table in tables for term in terms_of(table).values()]
    keys = {place.term.key for place in FORM_TERMS.values() if place.table != "format"}
    assert {term.key for term in declared} - keys == {
        *("format", "game", "clock", "policy", "tie_breaks", "entry", "course"),
        *("starts_at", "starts_when_full", "next_round_at", "house"),
    }
    names = {f"{kind}_{name}" for kind, format in FORMATS.items() for name in terms_of(format)}
    assert names == {name for name, place in FORM_TERMS.items() if place.table == "format"}


@given(tables_of(Terms))
@settings(max_examples=60)
def test_all_valid_terms_survive_the_form(document: dict[str, Any]) -> None:
    try:
        terms = read_terms(document)
    except BadRequest:
        assume(False)
    shown = EventForm(may_be_rated=True, terms=terms)
    values = {field.html_name: field.value() for field in shown}
    entered = {name: value for name, value in values.items() if value is not None and value is not False}
    form = EventForm(entered, may_be_rated=True, terms=terms)
    assert form.is_valid(), form.errors
    course = terms.course
    if course.starts_at:
        course = replace(course, starts_at=datetime.fromisoformat(course.starts_at).astimezone(UTC).isoformat())
    assert read_terms(form.document()) == replace(terms, course=course)


def test_a_dry_run_has_little_processor_time_and_an_account_few_of_them(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    a_day_long(settings)
    organiser = account_actions.create_user("orga", None)
    slug = event_actions.create_event(organiser, {"name": "Cup", "format": {"kind": "swiss"}, "game": {"players": 2}})
    client = client_of(organiser)
    endless = dry_run.PROGRAM.replace("terms = ", "while True: pass\nterms = ")
    monkeypatch.setattr(dry_run, "PROGRAM", endless)
    monkeypatch.setattr(dry_run, "PROCESSOR_S", 0)
    monkeypatch.setattr(dry_run, "SECONDS", 3600.0)
    assert "It takes too long here" in text(client.get(f"/events/{slug}/?bots=9"))
    monkeypatch.setattr(dry_run, "trial", lambda *_: None)
    assert [client.get(f"/events/{slug}/?bots=9").status_code for _ in range(5)] == [200, 200, 200, 200, 429]
    assert client.get(f"/events/{slug}/").status_code == 200
