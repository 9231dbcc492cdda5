"""What holds for every route: problems, limits, cursors, conditions, compression, keys."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
import zstandard
from django.http import HttpRequest, HttpResponse
from django.urls import get_resolver

from tests.site.api.calling import ROOT, Api, code, with_token
from tests.site.world import World
from webui.accounts import queries as account_queries
from webui.accounts.models import ApiRequest
from webui.api import limits
from webui.api.answering import answered
from webui.api.problems import PROBLEMS
from webui.bots import actions as bot_actions
from webui.bots import token_actions, token_queries
from webui.commands.bodies import with_small_bodies
from webui.core.errors import LadderError
from webui.profiles import queries as profile_queries

pytestmark = pytest.mark.django_db
BOT = "/bots/long-ledger"
PAUSE, RESUME = {"state": "paused"}, {"state": "active"}


def test_every_refusal_is_a_problem(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    api = with_token(world.owner, "bots")
    assert code(api.get("/bots/nobody")) == code(api.get("/nowhere")) == code(api.get("/bots/")) == "NOT_FOUND"
    assert code(api.get("/bots?limit=0")) == code(api.get("/bots?search=%00")) == "BAD_REQUEST"
    assert code(api.call("patch", BOT, "{")) == code(api.call("patch", BOT, {"state": "drunk"})) == "BAD_REQUEST"
    refused = api.call("patch", BOT, {"state": "paused", "name": "Short Ledger"})
    assert refused.json()["errors"][0]["field"] == "body.name", "what nobody reads is refused"
    assert Api().get("/bots", Accept_Language="fr").headers["Content-Language"] == "en"
    answer = api.call("delete", BOT)
    assert code(answer) == "METHOD_NOT_ALLOWED" and set(answer["Allow"].split(", ")) == {"GET", "PATCH"}
    assert code(api.get("/bots", If_Match='"other"')) == "PRECONDITION_FAILED"
    monkeypatch.setattr(profile_queries, "bots", lambda **_: 1 / 0)
    api.client.raise_request_exception = False
    assert code(api.get("/bots")) == "INTERNAL"


def test_every_code_of_the_ladder_that_a_request_can_cause_is_known() -> None:
    def kinds(error: type[LadderError]) -> Iterator[type[LadderError]]:
        yield error
        for kind in error.__subclasses__():
            yield from kinds(kind)

    codes = {kind.code for kind in kinds(LadderError)}
    # A record that is away is answered as TRY_AGAIN; only forms of staff can be stale; people play on the site alone.
    assert codes - PROBLEMS.keys() == {
        "ANSWER_REFUSED",
        "JOB_LOST",
        "LADDER_ERROR",
        "LOST_OWNERSHIP",
        "RECORD_AWAY",
        "RECORD_REFUSED",
        "STALE",
        "TABLE_REFUSED",
    }


async def test_what_is_refused_before_any_route_is_a_problem_too(rf: Any) -> None:
    said: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    async def never(*_: Any) -> Any:
        raise AssertionError

    scope = {"type": "http", "path": f"{ROOT}/bots", "headers": [(b"content-length", b"70000")]}
    await with_small_bodies(never)(scope, never, send)
    assert said[0]["status"] == 413 and json.loads(said[1]["body"])["code"] == "MESSAGE_TOO_LARGE"
    busy = get_resolver().resolve_error_handler(503)
    problem, page = busy(rf.get(f"{ROOT}/bots")), busy(rf.get("/bots/"))
    assert (problem.status_code, problem["Retry-After"], page["Retry-After"]) == (503, "10", "10")
    assert json.loads(problem.content)["code"] == "TRY_AGAIN" and b"The site is busy" in page.content


def test_tokens_open_what_their_scopes_say(world: World) -> None:
    for scheme in ("Bearer nonsense", "Bearer", "Basic bGVuYTpw", ""):
        answer = Api().get("/bots", Authorization=scheme)
        assert code(answer) == "BAD_TOKEN" and answer["WWW-Authenticate"] == "Bearer", "also where none is needed"
    assert code(Api().call("patch", BOT, PAUSE)) == "BAD_TOKEN"
    reader = with_token(world.owner, "read")
    assert code(reader.call("patch", BOT, PAUSE)) == code(Api(world.token.token).call("patch", BOT, PAUSE))
    assert code(reader.call("patch", BOT, PAUSE)) == "MISSING_SCOPE"
    assert code(with_token(world.staff).call("patch", BOT, PAUSE)) == "NOT_FOUND", "somebody else's"
    assert profile_queries.bot_page("long-ledger").state == "ACTIVE"
    owner = with_token(world.owner, "bots")
    answer = owner.call("patch", BOT, PAUSE)
    assert answer.json() == owner.get(BOT).json() and answer.json()["state"] == "paused"
    assert account_queries.audit(world.owner, most=1)[0].actor == "lena"
    (line,) = (line for line in token_queries.api_tokens(world.owner) if line.scopes == ("bots",))
    assert line.last_used_at is not None and line.last_address == "127.0.0.1"
    token_actions.revoke_api_token(line.id, world.owner)
    assert code(owner.get(BOT)) == "BAD_TOKEN"


def test_a_session_opens_nothing(world: World) -> None:
    client = world.client("owner")
    answer = client.patch(ROOT + BOT, PAUSE, content_type="application/json")
    assert code(answer) == "BAD_TOKEN" and profile_queries.bot_page("long-ledger").state == "ACTIVE"


def test_limits_by_token_and_by_address(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000_000_000
    monkeypatch.setattr(limits.time, "monotonic_ns", lambda: now)
    stranger, neighbour = Api(), Api(REMOTE_ADDR="203.0.113.7")
    answer = stranger.get(BOT)
    assert answer["RateLimit-Policy"] == '"stranger";q=120;w=60' and answer["RateLimit"] == '"stranger";r=119;t=1'
    for _ in range(118):
        limits.counts.spend(limits.STRANGERS, "127.0.0.1")
    assert stranger.get("/bots", Authorization="Bearer guess")["RateLimit"] == '"stranger";r=0;t=60'
    answer = stranger.get(BOT)
    assert code(answer) == "TOO_MANY_REQUESTS" and answer["Retry-After"] == "1"
    assert neighbour.get(BOT).status_code == 200
    api = with_token(world.owner, "bots")
    assert api.get(BOT)["RateLimit"] == '"read";r=599;t=1', "who shows a token is no stranger"
    assert api.call("patch", BOT, PAUSE)["RateLimit"] == '"write";r=59;t=1'
    now += 500_000_000
    assert stranger.get(BOT)["RateLimit"] == '"stranger";r=0;t=60', "half a second is one request"
    assert stranger.get(BOT).status_code == 429
    for _ in range(1800):
        limits.counts.spend(limits.ACCOUNT_READS, f"user:{world.owner}")
    answer = with_token(world.owner).get(BOT)
    assert code(answer) == "TOO_MANY_REQUESTS" and answer["RateLimit-Policy"] == '"account-read";q=1800;w=60'
    assert with_token(world.other).get(BOT).status_code == 200


def test_counts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_KEPT", 2)
    counts = limits.RequestCounts()
    lefts = [counts.spend(limits.STRANGERS, key).left for key in ("a", "b", "a", "c", "b")]
    assert lefts == [119, 119, 118, 119, 119], "b had called longest ago when c came"


def test_pages_stay_whole_while_bots_are_added(world: World) -> None:
    api = Api()
    for number in range(4):
        bot_actions.register_bot(world.other, f"Fox {number}")
    seen: list[str] = []
    after = ""
    while after is not None:
        page = api.get(f"/bots?limit=2{after and f'&cursor={after}'}").json()
        seen += [bot["slug"] for bot in page["items"]]
        after = page["next"]
        bot_actions.register_bot(world.other, f"Late {len(seen)}") if len(seen) < 5 else None
    assert seen == ["fox-3", "fox-2", "fox-1", "fox-0", "bot-2", "bot-1", "long-ledger"]
    for cursor in ("x", "é", "W10", "LTE", "dHJ1ZQ", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5", "bnVsbA", "a" * 201):
        assert code(api.get(f"/bots?cursor={cursor}")) == "BAD_REQUEST"


def test_bots_as_their_list_finds_them(world: World) -> None:
    def slugs(query: str) -> list[str]:
        return [bot["slug"] for bot in Api().get(f"/bots?{query}").json()["items"]]

    assert slugs("search=lena") == ["long-ledger"] and slugs("house=true") == slugs("online=true") == []
    (bot,) = Api().get("/bots?search=ledger").json()["items"]
    assert (bot["owner"], bot["house"], bot["online"], bot["state"]) == ("lena", False, False, "active")
    assert bot["standing"]["games"] == 1 and bot["standing"]["rating"]["points"] > 0
    assert Api().get(BOT).json()["standings"] == [bot["standing"]]


def test_what_is_known_is_not_sent_again(world: World) -> None:
    first = Api().get(BOT)
    assert first["ETag"].startswith('W/"') and first["Cache-Control"] == "no-cache"
    again = Api().get(BOT, If_None_Match=first["ETag"])
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"]) and again["RateLimit"]
    packed = Api().get(BOT, If_None_Match=first["ETag"], Accept_Encoding="zstd")
    assert packed.status_code == 304
    owner = with_token(world.owner)
    assert owner.get(BOT)["Cache-Control"] == "private, no-cache"
    assert owner.call("patch", BOT, PAUSE)["Cache-Control"] == "no-store"
    assert Api().get(BOT, If_None_Match=first["ETag"]).status_code == 200
    head = Api().call("head", BOT)
    assert head.status_code == 200 and head.content == b"" and head["ETag"]


def test_compressed_as_the_caller_takes_it(world: World) -> None:
    plain = Api().get("/bots")
    assert not plain.has_header("Content-Encoding")
    assert {"Accept-Encoding", "Authorization"} <= set(plain["Vary"].split(", "))
    packed = Api().get("/bots", Accept_Encoding="gzip, zstd")
    assert packed["Content-Encoding"] == "zstd"
    assert zstandard.ZstdDecompressor().decompressobj().decompress(packed.content) == plain.content
    assert gzip.decompress(Api().get("/bots", Accept_Encoding="gzip").content) == plain.content


def test_a_write_with_a_key_is_done_once(world: World) -> None:
    api = with_token(world.owner)
    first = api.call("patch", BOT, PAUSE, Idempotency_Key="one")
    assert first.status_code == 200 and not first.has_header("Idempotency-Replayed")
    assert first.content.decode() not in ApiRequest.objects.get().answer
    api.call("patch", BOT, RESUME)
    again = api.call("patch", BOT, PAUSE, Idempotency_Key="one")
    assert (again.status_code, again.json(), again["Idempotency-Replayed"]) == (200, first.json(), "true")
    assert profile_queries.bot_page("long-ledger").state == "ACTIVE", "it was not done again"
    assert code(api.call("patch", BOT, RESUME, Idempotency_Key="one")) == "KEY_REUSED"
    assert code(with_token(world.owner).call("patch", BOT, PAUSE, Idempotency_Key="one")) == "KEY_REUSED", (
        "another token may lack the scope"
    )
    for key in ("two words", "é", "k" * 256, ""):
        assert code(api.call("patch", BOT, PAUSE, Idempotency_Key=key)) == "BAD_REQUEST"
    assert code(api.call("patch", "/bots/nobody", PAUSE, Idempotency_Key="two")) == "NOT_FOUND"
    assert ApiRequest.objects.count() == 1, "what was refused is not kept"


def test_an_answer_that_cannot_be_read_after_a_change_of_the_secret_key(world: World, settings: Any) -> None:
    api, former = with_token(world.owner), settings.SECRET_KEY
    first = api.call("patch", BOT, PAUSE, Idempotency_Key="one")
    settings.SECRET_KEY = "another-secret-key-of-fifty-characters-at-the-least"
    lost = api.call("patch", BOT, PAUSE, Idempotency_Key="one")
    assert (code(lost), lost.status_code) == ("ANSWER_LOST", 409)
    settings.SECRET_KEY_FALLBACKS = [former]
    assert api.call("patch", BOT, PAUSE, Idempotency_Key="one").json() == first.json()


def test_a_view_that_answers_by_itself_is_left_alone() -> None:
    request = HttpRequest()
    request.method = "GET"
    request.META["REMOTE_ADDR"] = "127.0.0.1"
    own = HttpResponse("x", headers={"ETag": '"own"', "Cache-Control": "no-store"})
    answer = answered(lambda request: own)(request)
    assert (answer["ETag"], answer["Cache-Control"]) == ('"own"', "no-store")


def fields(answer: Any) -> dict[str, str]:
    """What is wrong with each value."""
    assert code(answer) == "BAD_REQUEST" and answer.status_code == 400
    return {one["field"]: one["detail"] for one in answer.json()["errors"]}


def test_parameters_that_are_not_known_are_refused_by_name(world: World) -> None:
    assert fields(Api().get("/matches?sate=finished&limit=1&Bot=x")) == {
        f"query.{name}": "there is no such parameter: there are cursor, limit, bot, ladder, state, rated, hosted,"
        " since, until"
        for name in ("sate", "Bot")
    }
    assert fields(Api().get(f"/matches/{world.finished}?view=1")) == {
        "query.view": "there is no such parameter: this address takes none"
    }
    assert list(fields(Api().get("/matches.ndjson?after=3"))) == ["query.after"]
    assert fields(Api().get("/matches?limit=3&limit=4")) == {"query.limit": "is given more than once"}
    owner = with_token(world.owner)
    assert list(fields(owner.call("post", "/bots?name=a", {"name": "Another"}))) == ["query.name"]
    assert list(fields(owner.call("delete", "/bots/long-ledger/tokens/1?force=1"))) == ["query.force"]
    assert Api().call("head", "/matches?limit=1").status_code == 200
    assert code(Api().get("/nowhere?x=1")) == "NOT_FOUND"


def test_a_body_that_is_no_json_is_named(world: World) -> None:
    client = with_token(world.owner).client
    headers = {"Authorization": f"Bearer {with_token(world.owner).token}"}

    def post(body: str | dict[str, str], kind: str) -> dict[str, str]:
        return fields(client.post("/api/v1/bots", body, content_type=kind, headers=headers))

    assert "is a form: send a JSON document" in post("name=Another", "application/x-www-form-urlencoded")["body"]
    form = client.post("/api/v1/bots", {"name": "Another"}, headers=headers)
    assert "is a form: send a JSON document" in fields(form)["body"]
    assert "is no JSON (Expecting" in post('{"name": ', "application/json")["body"]
    assert "is missing" in post("", "application/json")["body"]
    assert "'name' occurs twice" in post('{"name": "a", "name": "b"}', "application/json")["body"]
    assert post('["Another"]', "application/json") == {"body": "must be an object"}
    assert post('{"name": "Another", "colour": "red"}', "application/json") == {
        "body.colour": "there is no such field here"
    }
    made = client.post(
        "/api/v1/bots", '{"name": "Another"}', content_type="application/x-www-form-urlencoded", headers=headers
    )
    assert made.status_code == 201, "as curl sends it, if it is told nothing"


def test_times_and_methods_that_are_wrong_get_what_was_expected() -> None:
    assert fields(Api().get("/matches?since=yesterday&until=2026-11-22T18:00:00")) == {
        f"query.{name}": "must be a time with its offset, as 2026-11-22T18:00:00Z" for name in ("since", "until")
    }
    assert fields(Api().get("/fairness/today")) == {"path.day": "must be a day, as 2026-11-22"}
    wrong = Api().call("put", "/bots", {})
    assert code(wrong) == "METHOD_NOT_ALLOWED" and wrong["Allow"] == "GET, POST"
    assert wrong.json()["detail"] == "it takes GET, POST"


def test_a_token_to_dial_in_with_is_told_which_kind_is_needed(world: World) -> None:
    wrong = Api(world.token.token).get("/account/bots")
    assert code(wrong) == "MISSING_SCOPE" and "make an API token in your account" in wrong.json()["detail"]
    other = Api(token_actions.issue_api_token(world.owner, ()).token).get("/account/bots")
    assert code(other) == "MISSING_SCOPE" and "dial in" not in other.json()["detail"]
