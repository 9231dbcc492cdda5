"""An event from its terms to its results, by the API."""

from __future__ import annotations

from typing import Any

import pytest

from arena.events import EventState
from arena.events.formats import FORMATS
from arena.events.terms import parse_terms
from tests.kit.databases import POSTGRES
from tests.kit.ladder import Kit
from tests.ladder.online import Online
from tests.ladder.organised import Organised
from tests.site.api.calling import Api, code, with_token
from tests.site.organising import client_of
from tests.site.world import World, text
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots.models import Bot
from webui.events import actions as event_actions
from webui.events import advancing
from webui.events import queries as event_queries
from webui.events.facts import find_event, fold_event
from webui.events.models import FactRow
from webui.notices.models import Notice
from webui.pairing.models import Exclusion

pytestmark = pytest.mark.django_db
DATABASES = ["sqlite", POSTGRES]
TERMS = {
    "name": "Salt Cup",
    "format": {"kind": "swiss", "rounds": 2},
    "game": {"players": 2},
    "hidden": True,
}


def reason(answer: Any) -> str:
    """Why an event does not allow it."""
    assert code(answer) == "EVENT_REFUSAL" and answer.status_code == 409
    return str(answer.json()["reason"])


def test_no_character_that_postgresql_cannot_store_gets_as_far_as_the_database(kit: Kit) -> None:
    cup = Organised(kit, 2)
    api = with_token(cup.organiser, "events")
    terms = {**TERMS, "entry": {"invited": ["a\0b"]}}
    assert api.call("post", f"/events/{cup.slug}/entries", {"bots": ["a\0b"]}).status_code == 400
    assert api.call("put", f"/events/{cup.slug}/terms", terms).status_code == 400
    assert api.call("post", "/events", terms).status_code == 400


def test_a_draft_is_written_changed_and_published(kit: Kit) -> None:
    orga = account_actions.create_user("orga", None)
    api = with_token(orga, "events")
    made = api.call("post", "/events", TERMS, Idempotency_Key="one")
    slug = made.json()["event"]
    assert made.status_code == 201 and made.json() == {"event": slug, "state": "draft"}
    assert api.call("post", "/events", TERMS, Idempotency_Key="one").json()["event"] == slug
    terms = api.get(f"/events/{slug}/terms").json()
    assert terms["name"] == "Salt Cup" and code(Api().get(f"/events/{slug}/terms")) == "NOT_FOUND"
    changed = {**terms, "name": "Pepper Cup"}
    assert api.call("put", f"/events/{slug}/terms", changed).json() == {"event": slug, "state": "draft"}
    assert api.get(f"/events/{slug}/terms").json() == changed
    own = with_token(orga, "read").get("/account/events").json()["items"]
    assert [(one["slug"], one["name"], one["state"]) for one in own] == [(slug, "Pepper Cup", "draft")]
    assert api.call("post", f"/events/{slug}/publish").status_code == 202
    advancing.advance_events([], 0)
    assert Api().get(f"/events/{slug}").json()["state"] == "open"
    assert Api().get(f"/events/{slug}/terms").json() == changed, "everybody reads those of an event that is open"
    bot = Bot.objects.get(versions=kit.version())
    assert api.call("put", f"/events/{slug}/invitations/{bot.slug}").status_code == 200
    assert Notice.objects.get(user=bot.owner_id).kind == "invited"
    for wrong in ({}, [], {**TERMS, "name": "a\0b"}, {**TERMS, "sea": 1}, {**TERMS, "game": {"players": 9}}):
        assert code(api.call("post", "/events", wrong)) == "BAD_REQUEST"
    assert code(api.call("post", "/events", {**TERMS, "rated": True})) == "FORBIDDEN", "only staff hold rated events"


def test_a_tournament_is_organised(kit: Kit) -> None:
    cup = Organised(kit, 4, **{name: part for name, part in TERMS.items() if name != "name"})
    api, stranger = with_token(cup.organiser, "events"), with_token(cup.bots[0].owner_id)
    path = f"/events/{cup.slug}"

    def do(method: str, what: str, body: Any = None) -> str:
        answer = api.call(method, path + what, body)
        assert answer.status_code == 200, answer.content
        return str(answer.json()["state"])

    assert code(stranger.call("post", f"{path}/freeze")) == "FORBIDDEN"
    assert do("patch", "/course", {"no_show_s": 60, "matches_at_once": 5}) == "open"
    assert (cup.event.terms.course.no_show_s, cup.event.terms.course.matches_at_once) == (60, 5)
    for no_time in ("tomorrow", "2026-02-31T18:00:00Z"):
        refused = api.call("patch", f"{path}/course", {"starts_at": no_time})
        assert code(refused) == "BAD_REQUEST" and refused.json()["errors"][0]["field"] == "body.starts_at"
    assert do("post", "/freeze") == "frozen"
    cup.advance()
    assert do("post", "/pause", {"why": "a storm"}) == "paused" and do("post", "/resume") == "running"
    assert do("post", "/messages", {"text": "It goes on."}) == "running"
    cup.play()
    cup.advance()
    public = Api().get(path).json()
    assert public["shown_rounds"] == 0 and public["games"] == []
    order = {"round": 1, "table": 1, "game": 0, "placements": [1, 1], "why": "a bad cable"}
    assert do("post", "/rule", order) == "running"
    assert cup.event.games[1, 1, 0].placements == (1, 1)
    for wrong in ({**order, "placements": [1, 3]}, {**order, "placements": [1, 1, 1]}, {**order, "why": ""}):
        assert code(api.call("post", f"{path}/rule", wrong)) == "BAD_REQUEST"
    assert reason(api.call("post", f"{path}/rule", {**order, "table": 9})) == "NO_GAME"
    assert do("post", "/again", {"round": 1, "table": 2, "why": "the wrong version"}) == "running"
    assert FactRow.objects.filter(kind="again").get().data == {"games": [[1, 2, 0]]}
    for wrong in ({"why": "x"}, {"game": 0, "why": "x"}, {"round": 1}):
        assert code(api.call("post", f"{path}/again", wrong)) == "BAD_REQUEST"
    assert reason(api.call("post", f"{path}/again", {"round": 7, "why": "x"})) == "NO_GAME"
    assert do("post", "/reveal", {"round": 1}) == "running"
    assert Api().get(path).json()["shown_rounds"] == 1
    assert do("post", "/entrants/3/withdraw", {"why": "it asked to"}) == "running"
    assert do("post", "/entrants/4/disqualify", {"why": "two bots of one mind"}) == "running"
    shown = {line["entrant"]: line["disqualified"] for line in Api().get(path).json()["standings"]}
    assert shown[4] and not shown[1] and 3 not in cup.event.present
    cup.to_the_end()
    assert do("post", "/archive") == "archived"
    assert code(api.call("post", f"{path}/cancel", {"why": "too late"})) == "EVENT_REFUSAL"


def test_co_organisers(world: World) -> None:
    api, path = with_token(world.owner, "events"), f"/events/{world.draft}/organisers/tariq"
    other = with_token(world.other, "events")
    assert code(other.call("post", f"/events/{world.draft}/publish")) == "NOT_FOUND"
    assert code(api.call("post", f"{path}/hand-over")) == "EVENT_REFUSAL"
    assert api.call("put", path).status_code == 200
    assert other.call("post", f"/events/{world.draft}/publish").status_code == 202
    assert code(other.call("post", f"{path}/hand-over")) == "FORBIDDEN"
    assert api.call("post", f"{path}/hand-over").json() == {"event": world.draft, "state": "draft"}
    assert event_queries.organiser(world.draft) == "tariq"
    assert code(api.call("delete", path)) == "NOT_FOUND", "it is a draft of somebody else now"
    assert code(other.call("put", f"/events/{world.draft}/organisers/nobody")) == "NOT_FOUND"


def test_an_event_is_cancelled(kit: Kit) -> None:
    cup = Organised(kit, 0)
    api = with_token(cup.organiser, "events")
    assert code(api.call("post", f"/events/{cup.slug}/cancel", {})) == "BAD_REQUEST", "others are told why"
    assert api.call("post", f"/events/{cup.slug}/cancel", {"why": "nobody came"}).json()["state"] == "open"
    cup.advance()
    assert cup.event.state is EventState.CANCELLED


def test_an_entry_and_the_standings_say_which_version_would_play(kit: Kit) -> None:
    cup = Organised(kit, 2)
    bot = cup.bots[0]
    api = with_token(bot.owner_id, "events")
    path = f"/events/{cup.slug}"

    def shown() -> tuple[str, bool]:
        lines = Api().get(path).json()["standings"]
        (line,) = (line for line in lines if line["bot"] == bot.slug and line["version"])  # without the one that left
        return line["version"], line["version_fixed"]

    assert api.call("delete", f"{path}/entries/{bot.slug}").json()["version"] is None
    bot_actions.register_version(bot.pk, "v7")
    entry = api.call("put", f"{path}/entries/{bot.slug}").json()
    assert (entry["version"], entry["version_fixed"]) == ("v7", False) and shown() == ("v7", False)
    page = text(client_of(bot.owner_id).get(f"/events/{cup.slug}/"))
    assert "would play v7" in page and "Version v7 would play if the event started now." in page
    Exclusion.objects.create(version_id=bot_actions.register_version(bot.pk, "v8"), matches=["m1", "m2", "m3"])
    assert shown() == ("v7", False) and "would play v7" in text(client_of().get(f"/events/{cup.slug}/"))
    latest = bot_actions.register_version(bot.pk, "v9")
    assert "would play v9" in text(client_of().get(f"/events/{cup.slug}/")), "the page of strangers is made anew"
    cup.online[0] = Online(latest)
    cup.start()
    bot_actions.register_version(bot.pk, "v10")
    assert shown() == ("v9", True) and "would play" not in text(client_of().get(f"/events/{cup.slug}/"))


def test_what_the_state_of_an_event_does_not_allow_is_a_conflict_with_its_reason(kit: Kit) -> None:
    cup = Organised(kit, 1)
    api, path = with_token(cup.organiser, "events"), f"/events/{cup.slug}"
    owner, bot = with_token(cup.bots[0].owner_id, "events"), cup.bots[0].slug
    assert reason(api.call("post", f"{path}/freeze")) == "TOO_FEW"
    assert reason(api.call("post", f"{path}/pause", {})) == "BAD_STATE"
    assert reason(api.call("post", f"{path}/entrants/9/withdraw", {"why": "gone"})) == "NO_ENTRANT"
    assert reason(owner.call("put", f"{path}/entries/{bot}")) == "ENTERED"
    late = bot_actions.register_bot(cup.bots[0].owner_id, "Late")
    assert reason(owner.call("put", f"{path}/entries/late")) == "NO_VERSION"
    bot_actions.register_version(late, "1")
    terms = api.get(f"{path}/terms").json()
    assert reason(api.call("put", f"{path}/terms", {**terms, "unit": "block"})) == "TERMS_FIXED"
    other = kit.version()
    second = Bot.objects.get(versions=other)
    event_actions.enter_event(cup.slug, second.slug, second.owner_id)
    cup.start()
    assert reason(api.call("post", f"{path}/freeze")) == "BAD_STATE"
    assert reason(api.call("put", f"{path}/terms", terms)) == "BAD_STATE"
    third = Bot.objects.get(versions=kit.version())
    assert reason(with_token(third.owner_id, "events").call("put", f"{path}/entries/{third.slug}")) == "CLOSED"


def test_games_have_their_seats_and_results_also_those_that_absence_decided(kit: Kit) -> None:
    cup = Organised(kit, 3, format={"kind": "round_robin"}, entry={"entrants": 3})
    cup.start()
    path = f"/events/{cup.slug}"
    (drawn,) = Api().get(path).json()["games"]
    assert drawn["state"] == "scheduled" and drawn["decided_by"] is None and drawn["match"]
    assert [seat["placement"] for seat in drawn["seats"]] == [None, None]
    cup.play()
    cup.advance()
    first = Api().get(path).json()["games"][0]
    match = Api().get(f"/matches/{first['match']}").json()
    assert (first["state"], first["decided_by"]) == ("finished", "match")
    assert [(s["seat"], s["bot"], s["placement"], s["score"]) for s in first["seats"]] == [
        (s["seat"], s["bot"], s["placement"], s["score"]) for s in match["seats"]
    ]
    present = {seat["entrant"] for seat in first["seats"]}
    (third,) = {1, 2, 3} - present
    event_actions.leave_event(cup.slug, cup.bots[third - 1].slug, cup.bots[third - 1].owner_id)
    cup.to_the_end()
    games = {frozenset(seat["entrant"] for seat in game["seats"]): game for game in Api().get(path).json()["games"]}
    for entrants, game in games.items():
        if third in entrants:
            assert (game["state"], game["decided_by"], game["match"]) == ("finished", "absence", None)
            assert {seat["entrant"]: (seat["placement"], seat["score"], seat["out"]) for seat in game["seats"]} == {
                third: (2, None, True),
                min(entrants - {third}): (1, None, False),
            }
    assert any(third in entrants for entrants in games)


def test_all_that_is_wrong_with_terms_is_said_at_once(kit: Kit) -> None:
    api = with_token(account_actions.create_user("orga", None), "events")

    def wrong(terms: Any) -> list[str]:
        answer = api.call("post", "/events", terms)
        assert code(answer) == "BAD_REQUEST"
        return [one["field"] for one in answer.json()["errors"]]

    many = {"name": "", "format": {"kind": "swiss", "rounds": 51}, "game": {"players": 9}, "sea": 1}
    many |= {"course": {"starts_at": "tomorrow", "no_show_s": 4}, "tie_breaks": ["dice"], "clock": {"cap_ms": 0}}
    assert set(wrong(many)) == {
        *("body.name", "body.format.rounds", "body.game.players", "body.sea", "body.course.starts_at"),
        *("body.course.no_show_s", "body.tie_breaks.0", "body.clock.cap_ms"),
    }
    assert wrong({**TERMS, "format": {"kind": "chess"}}) == ["body.format"]
    assert wrong({**TERMS, "format": {"kind": "knockout", "advance": 2}}) == ["body.format.advance"], "of two seats"
    assert wrong({**TERMS, "course": {"check_in_s": 60}}) == ["body.course.check_in_s"]


@pytest.mark.parametrize("kind", FORMATS)
def test_the_terms_of_every_format_are_taken_as_they_are_given(kit: Kit, kind: str) -> None:
    api = with_token(account_actions.create_user("orga", None), "events")
    document = parse_terms(
        {**TERMS, "format": {"kind": kind}, "entry": {"entrants": 9, "most_rating": 1600}}
    ).document()
    slug = api.call("post", "/events", {**document, "clock": {}, "policy": {}}).json()["event"]
    given = api.get(f"/events/{slug}/terms").json()
    assert given == fold_event(find_event(slug)).terms.document()
    assert api.call("put", f"/events/{slug}/terms", given).status_code == 200
