"""What the API shows is what the pages show."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.kit.databases import POSTGRES
from tests.kit.ladder import Kit
from tests.site.api.calling import Api, code, with_token
from tests.site.world import World
from webui.api.lists import cursor
from webui.api.problems import PAGE, PROBLEMS
from webui.bots import actions as bot_actions
from webui.events import actions as event_actions
from webui.events.models import EventMatch, EventRow
from webui.matches.models import Match
from webui.notices import queries as notice_queries
from webui.notices.models import BotNotice, Notice
from webui.ratings import queries as rating_queries
from webui.ratings.fitting import fit_due
from webui.site.api.api import api as routes

pytestmark = pytest.mark.django_db
DATABASES = ["sqlite", POSTGRES]


def ids(path: str, key: str = "id", api: Api | None = None) -> list[Any]:
    """All of a list, one item a page."""
    found: list[Any] = []
    after: str | None = ""
    while after is not None:
        page = (api or Api()).get(f"{path}{'&' if '?' in path else '?'}limit=1{after and f'&cursor={after}'}").json()
        found += [item[key] for item in page["items"]]
        after = page["next"]
    return found


def test_matches_that_have_begun_in_the_order_of_the_page(world: World) -> None:
    shown = [world.aborted, world.running, world.finished]
    assert ids("/matches") == ids("/matches?bot=long-ledger") == ids(f"/matches?ladder={world.ladder}") == shown
    assert ids("/matches?state=running") == [world.running] and ids("/matches?rated=false") == []
    assert ids("/matches?bot=nobody") == ids("/matches?ladder=none") == []
    made_at = datetime.fromisoformat(Api().get(f"/matches/{world.running}").json()["created_at"])
    for then, since, until in (
        (made_at, shown[:2], shown[2:]),
        (made_at + timedelta(milliseconds=1), shown[:1], shown[1:]),
    ):
        at = then.isoformat().replace("+00:00", "Z")
        for bot in ("", "bot=long-ledger&"):
            assert (ids(f"/matches?{bot}since={at}"), ids(f"/matches?{bot}until={at}")) == (since, until)
    assert code(Api().get("/matches?state=scheduled")) == code(Api().get("/matches?since=2026-01-01")) == "BAD_REQUEST"
    for wrong, field in (
        ("since=0001-01-01T00:00:00%2B14:00", "query.since"),
        ("until=9999-12-31T23:59:59-14:00", "query.until"),
        ("since=1999-12-31T23:59:59Z", "query.since"),
    ):
        answer = Api().get(f"/matches?{wrong}")
        assert code(answer) == "BAD_REQUEST" and answer.json()["errors"][0]["field"] == field
    assert ids("/matches?since=2000-01-01T00:00:00Z&until=2200-01-01T00:00:00Z") == shown


def test_a_bot_with_two_seats_has_the_match_once(world: World) -> None:
    version, other = bot_actions.register_version(world.bot, "7"), bot_actions.register_version(world.bot, "8")
    one, _, two = (seats.order_by("seat") for seats in [Match.objects.get(pk=world.finished).participants.all()] * 3)
    first, last = one.first(), two.last()
    assert first is not None and last is not None
    type(first).objects.filter(pk=first.pk).update(version=version)
    type(last).objects.filter(pk=last.pk).update(version=other)
    assert ids("/matches?bot=long-ledger").count(world.finished) == 1
    assert world.client("stranger").get("/matches/?bot=long-ledger").content.decode().count(f"{world.finished}/") >= 1


def test_who_plays_in_a_match_that_has_not_begun_is_hidden(world: World) -> None:
    for api in (Api(), with_token(world.owner), with_token(world.staff)):
        waiting = api.get(f"/matches/{world.waiting}")
        assert waiting.json()["state"] == "scheduled" and waiting.json()["seats"] == []
        assert b"ledger" not in waiting.content.lower() and waiting.json()["server_seed"] == ""
    running = Api().get(f"/matches/{world.running}").json()
    assert running["seats"][0]["placement"] is None and running["server_seed"] == ""
    for what in ("replay", "proof"):
        assert code(Api().get(f"/matches/{world.running}/{what}")) == "NOT_FOUND"


def test_files_of_a_match_are_those_of_its_page(world: World) -> None:
    page = world.client("stranger")
    for match, names in ((world.finished, ("replay", "proof", "frames", "position")), (world.running, ("position",))):
        for name in names:
            file = page.get(f"/matches/{match}/{name}.json", headers={"Accept-Encoding": "gzip"})
            packed = Api().get(f"/matches/{match}/{name}", Accept_Encoding="gzip")
            assert packed["Content-Encoding"] == "gzip" and Api().get(f"/matches/{match}/{name}").status_code == 200
            if name == "frames":
                assert packed.content == file.content
    shown = page.get(f"/matches/{world.finished}/position.json?d=9").json()
    assert Api().get(f"/matches/{world.finished}/position?d=9").json() == shown
    assert (
        Api().get(f"/matches/{world.finished}/replay").json()
        == page.get(f"/matches/{world.finished}/replay.json").json()
    )


def test_a_hidden_result_is_shown_to_organisers_whose_token_may_read(world: World) -> None:
    row = EventRow.objects.get(slug=world.draft)
    EventRow.objects.filter(pk=row.pk).update(hidden=True, state="running")
    EventMatch.objects.create(event=row, match_id=world.finished, round=1, table=1, game=1, attempt=1, tries=1)
    path = f"/matches/{world.finished}"
    for what in ("", "/replay", "/frames", "/position", "/proof"):
        for api in (Api(), Api(world.token.token), with_token(world.other), with_token(world.owner, "bots")):
            assert code(api.get(path + what)) == "HIDDEN_RESULT"
        assert with_token(world.owner, "read").get(path + what).status_code == 200
        assert with_token(world.staff, "read").get(path + what).status_code == 200
    assert world.finished not in ids("/matches", api=with_token(world.owner))
    assert world.finished not in ids("/matches?bot=long-ledger")


def test_the_table_of_a_ladder(world: World) -> None:
    ladder = Api().get(f"/ladders/{world.ladder}").json()
    file = world.client("stranger").get(f"/ladder/{world.ladder}/table.json").json()
    assert [line["name"] for line in ladder["standings"]] == [line["bot"] for line in file["bots"]]
    for line, other in zip(ladder["standings"], file["bots"], strict=True):
        rating = line["rating"]
        assert {name: other[name] for name in rating if name != "games"} == {
            name: value for name, value in rating.items() if name != "games"
        }
    assert Api().get("/ladders").json()["items"][0]["matches"] == ladder["matches"]
    assert code(Api().get("/ladders/none")) == "NOT_FOUND"


def test_versions_events_and_what_is_the_owners_own(world: World) -> None:
    assert ids("/bots/long-ledger/versions", "name") == ["2.2", "2.1"]
    assert code(Api().get("/bots/nobody/versions")) == "NOT_FOUND"
    assert Api().get("/bots/long-ledger/statistics").json()["games"] == 1
    cups = [event_actions.create_event(world.owner, {**TERMS, "name": f"Cup {number}"}) for number in range(3)]
    assert ids("/events", "slug", with_token(world.owner)) == [], "drafts"
    EventRow.objects.filter(slug__in=cups).update(state="open")
    assert ids("/events", "slug") == ids("/events?state=open", "slug") == cups[::-1]
    assert code(Api().get("/events?state=draft")) == "BAD_REQUEST"
    owner = with_token(world.owner, "read")
    own = owner.get("/account/bots").json()
    assert [bot["slug"] for bot in own["items"]] == ["long-ledger"] and world.token.token not in json.dumps(own)
    assert owner.get(f"/events/{world.draft}/document").json()["facts"][0]["kind"]


TERMS = {"format": {"kind": "swiss"}, "game": {"players": 3}}


def test_the_page_that_problems_name_explains_every_code_and_route() -> None:
    page = Api().client.get(PAGE).content.decode()
    for code_of_problem in PROBLEMS:
        assert f'id="{code_of_problem.lower().replace("_", "-")}"' in page
    document = routes.get_openapi_schema()
    for methods in document["paths"].values():
        for operation in methods.values():
            assert f'<details class="route" id="{operation["operationId"]}"' in page
    assert all(f'<details class="route" id="{name}"' in page for name in document["components"]["schemas"])


def test_lists_of_an_account(world: World, kit: Kit) -> None:
    read, bare = with_token(world.owner, "read"), with_token(world.owner, "challenges")
    order = {"seats": [{"bot": "long-ledger", "version": name} for name in ("2.1", "2.2")]}
    newer = bare.call("post", "/challenges", order).json()["id"]
    assert ids("/account/challenges", api=read) == ids("/account/challenges", api=bare) == [newer, world.challenge]
    assert ids("/account/comparisons", api=read) == [world.comparison]
    assert ids("/account/challenges", api=with_token(world.other)) == []
    assert code(bare.get("/account/tokens")) == "MISSING_SCOPE"
    tokens = read.get("/account/tokens")
    assert [one["scopes"] for one in tokens.json()["items"]] == [["read"], ["challenges"]]
    assert read.token not in tokens.content.decode() and bare.token not in tokens.content.decode()


def test_notices_by_cursor_in_the_order_of_the_page(world: World) -> None:
    row, at = EventRow.objects.get(slug=world.draft), datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    made: list[str] = []
    for number, (minute, kind) in enumerate([(0, "bot"), (1, "event"), (2, "bot"), (2, "event"), (2, "event")]):
        time, name = at + timedelta(minutes=minute), f"number {number}"
        told: Any = {"user_id": world.owner, "number": number, "data": {"text": name}}
        one: Notice | BotNotice
        if kind == "event":
            one = Notice.objects.create(event=row, kind="told", **told)
        else:
            one = BotNotice.objects.create(about="7", kind="compared", **told)
        type(one).objects.filter(pk=one.pk).update(at=time)
        made.append(name)
    api = with_token(world.owner, "read")
    whole = [item["data"]["text"] for item in api.get("/account/notices?limit=100").json()["items"]]
    assert whole == [made[4], made[3], made[2], made[1], made[0]], "at one time those of events first"
    paged = [item["text"] for item in ids("/account/notices", "data", api)]
    assert paged == whole == [line.data.text for line in notice_queries.notices(world.owner)]
    for wrong in ("x", "event-", "bot-9999999999999999999", "event-0"):
        assert code(api.get(f"/account/notices?cursor={cursor(wrong)}")) in ("BAD_REQUEST", "NOT_FOUND")
    other = with_token(world.other, "read")
    theirs = api.get("/account/notices?limit=1").json()["next"]
    assert code(other.get(f"/account/notices?cursor={theirs}")) == "NOT_FOUND"


def test_ratings_statistics_and_transcripts_are_those_of_the_pages(world: World) -> None:
    history = Api().get(f"/ladders/{world.ladder}/ratings/long-ledger").json()["points"]
    rating = Api().get("/bots/long-ledger").json()["standings"][0]["rating"]
    assert [(point["version"], point["points"], point["games"]) for point in history] == [("2.1", rating["points"], 1)]
    standings = Api().get(f"/ladders/{world.ladder}").json()["standings"]
    assert all(line["trend"] == [line["rating"]["points"]] for line in standings)
    rivals = Api().get("/bots/long-ledger/statistics").json()["rivals"]
    assert [rival["meetings"][0]["games"] for rival in rivals] == [1, 1] and rivals[0]["meetings"][0]["players"] == 3
    api = with_token(world.owner, "read")
    think = api.get("/bots/long-ledger/think-times").json()
    assert think["decisions"] > 0 and think["median_ms"] <= think["slowest_ms"]
    assert ids("/bots/long-ledger/transcripts", "match", api) == [world.aborted, world.running, world.finished]
    first = api.get("/bots/long-ledger/transcripts").json()["items"][2]
    log = api.client.get(first["transcript"], headers={"Authorization": f"Bearer {api.token}"}).json()
    page = world.client("owner").get(first["page"] + "?format=jsonl").content.decode()
    assert [{name: value for name, value in entry.items() if value is not None or name != "data"} for entry in
            log["entries"]] == [json.loads(line) for line in page.splitlines()]  # fmt: skip
    assert (log["match"], log["bot"], log["seats"]) == (world.finished, "long-ledger", [1])
    assert code(api.get(f"/bots/long-ledger/transcripts/{world.waiting}")) == "NOT_FOUND"


def test_the_overall_ladder_is_that_of_the_page(kit: Kit) -> None:
    kit.bots = 10  # beside those of the world
    table = kit.versions(3)
    for seats in (table, table[:2], table[1:]):
        kit.finish(seats)
    fit_due()
    overall = Api().get("/ladders/all").json()
    page = rating_queries.overall()
    assert page is not None and overall["ladders"] == page.ladders == 2
    assert [line["name"] for line in overall["standings"]] == [row.version.bot.name for row in page.rows]
    assert all(line["trend"] for line in overall["standings"])
