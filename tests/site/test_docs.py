"""The documentation: every page is there, every link leads somewhere, every command is real, and what is said of the
code is what the code says."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import shlex
from collections.abc import Iterable
from html.parser import HTMLParser
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urljoin, urlsplit

import click
import msgspec
import pytest
import typer
from django.test import Client
from django.urls import Resolver404, resolve
from playwright.sync_api import expect

from arena import bots, players, rules
from arena.cli.app import app
from arena.events import parse_terms
from arena.gateway import errors
from arena.gateway.limits import GatewayLimits
from arena.hosting.messages import RunnerFacts
from arena.hosting.runtime import RuntimeDescription
from arena.referee import AbortReason, Clock, Policy, Reason
from arena.rules import components
from arena.wire.sources import protocol_zip
from arena.wire.v1 import bot_pb2
from tests.kit.command import arena
from tests.site.chromium import chromium, in_chromium
from webui.hosting import actions as hosting_actions
from webui.hosting import queries as hosting_queries
from webui.site.docs import http_api
from webui.site.docs.advice import ABORTS, CODES, FAULTS
from webui.site.docs.http_api import SITE
from webui.site.docs.pages import GATEWAY, ORIGINAL, PAGES, read

SLUGS = [page.slug for page in PAGES]
ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "webui" / "site" / "docs"
WRITTEN = sorted((path.parent.name, path.stem) for path in SOURCES.glob("*/*.md"))
"""Which page is written in which language."""


class Reader(HTMLParser):
    """The links, ids and images' labels of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.inline: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if tag == "a" and name == "href":
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")
            if name == "style" or name.startswith("on"):
                self.inline.append(f"{tag} {name}")


def page(client: Client, where: str, language: str = ORIGINAL) -> Reader:
    answer = client.get(where, headers={"Accept-Language": language})
    assert answer.status_code == 200, where
    return Reader(answer.content.decode())


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("language", sorted({language for language, _ in WRITTEN}))
def test_every_link_leads_somewhere(client: Client, language: str) -> None:
    pages = {f"/docs/{slug}/": page(client, f"/docs/{slug}/", language) for slug in SLUGS}
    pages["/docs/"] = page(client, "/docs/", language)
    for where, found in pages.items():
        assert found.inline == [], where
        assert len(found.ids) == len(set(found.ids)), f"{where} has an id twice"
        for link in found.links:
            to = urlsplit(urljoin(where, link))
            if to.scheme or to.netloc:
                assert to.scheme == "https", link
                continue
            if to.path.startswith("/docs/") and to.path.endswith("/"):
                assert to.path in pages, f"{where} links to {link}"
                assert not to.fragment or to.fragment in pages[to.path].ids, f"{where} links to {link}"
            else:
                try:
                    resolve(to.path)
                except Resolver404:
                    pytest.fail(f"{where} links to {link}")


@pytest.mark.django_db
def test_the_pages_are_reached_one_from_another(client: Client) -> None:
    seen = {"/docs/"}
    todo = ["/docs/"]
    while todo:
        where = todo.pop()
        for link in page(client, where).links:
            to = urljoin(where, link).partition("#")[0]
            if to.startswith("/docs/") and to.endswith("/") and to not in seen:
                seen.add(to)
                todo.append(to)
    assert seen == {"/docs/", *(f"/docs/{slug}/" for slug in SLUGS)}


def test_the_protocol_can_be_downloaded(client: Client) -> None:
    assert 'href="/docs/protocol.zip"' in read("protocol").html
    answer = client.get("/docs/protocol.zip")
    assert (answer.status_code, answer["Content-Type"], answer.content) == (200, "application/zip", protocol_zip())


@pytest.mark.django_db
def test_a_page_shows_what_submitted_bots_find_at_the_runners(client: Client) -> None:
    assert "No runner is connected" in client.get("/docs/runtime/").content.decode()
    runtime = RuntimeDescription(
        machine="x86_64",
        processor="Some <processor>",
        system="Debian 12",
        tools={"python3": "Python 3.11.2"},
        packages={"grpcio": "1.85"},
    )
    facts = RunnerFacts(cores=2, runtime=msgspec.json.encode(runtime).decode())
    for name in ("one", "another of the same kind"):
        runner = hosting_queries.runner_of_token(hosting_actions.register_runner(name))
        assert runner is not None
        hosting_actions.note_runner(runner, facts)
    page = client.get("/docs/runtime/").content.decode()
    assert page.count("Python 3.11.2") == 1 and "Some &lt;processor&gt;" in page and "RUNTIMES" not in page


@pytest.mark.parametrize("slug", ["quick-start", "protocol"])
def test_a_page_names_the_gateway_of_this_site(client: Client, settings: Any, slug: str) -> None:
    settings.GATEWAY_ADDRESS = "https://bots.arena.example:443"
    text = client.get(f"/docs/{slug}/").content.decode()
    assert "ARENA_SERVER=https://bots.arena.example:443" in text and GATEWAY not in text


@pytest.mark.parametrize(("language", "slug"), WRITTEN)
def test_a_page_has_one_title_and_no_gaps(language: str, slug: str) -> None:
    text = read(slug, language)
    assert text.title and text.language == language
    assert "<h1" not in text.html and "{{" not in text.html
    source = (SOURCES / language / f"{slug}.md").read_text()
    pictures = source.count("{{ pictures.")
    assert text.html.count("<figure") == pictures == len(re.findall('<svg class="(?:board|draws)"', text.html))


def test_every_page_is_written() -> None:
    assert set(SLUGS) == {slug for language, slug in WRITTEN if language == ORIGINAL}
    assert {slug for _, slug in WRITTEN} <= set(SLUGS)


# Commands

COMMANDS = sorted(
    {
        line
        for slug in SLUGS
        for language, code in read(slug).code
        if language == "sh"
        for line in code.splitlines()
        if line.startswith("arena ")
    }
)


def _find(words: list[str]) -> tuple[click.Command, list[str]]:
    command: click.Command = typer.main.get_command(app)
    context = click.Context(command)
    while isinstance(command, click.Group):
        name, found, words = command.resolve_command(context, words)
        assert found is not None, name
        command, context = found, click.Context(found, parent=context)
        if words == ["--help"]:
            return command, words
    return command, words


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_are_real(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_TOKEN", "naqala_your_token")
    words = list(takewhile(lambda word: not word.startswith(("<", ">")), shlex.split(line)))
    command, rest = _find(words[1:])
    if rest != ["--help"]:
        command.make_context(words[1], rest)  # parses the options; complains of those that do not exist


@pytest.mark.slow
def test_commands_that_need_no_arena_run(tmp_path: Path) -> None:
    assert arena("play", "greedy", "random", "random", "--games", "3").code == 0
    new = next(line for line in COMMANDS if line.startswith("arena rules new"))
    position = arena(*shlex.split(new.partition(">")[0])[1:])
    assert json.loads(position.out)["format"] == "naqala/position/1"
    assert "bid 1" in arena("rules", "legal", given=position.out).out
    assert json.loads(arena("rules", "apply", "bid 1", given=position.out).out)["turn_track"][0] is not None
    assert json.loads(arena("rules", "view", "1", given=position.out).out)["view"] == 1
    request = json.dumps({"id": 7, "do": "legal", "position": json.loads(position.out)})
    assert json.loads(arena("rules", "serve", given=request).out).keys() == {"id", "legal", "due", "over"}
    out = tmp_path / "games.jsonl"
    assert arena("play", "random", "random", "--out", out).code == 0
    assert "valid" in arena("replay", "verify", out).out
    assert arena("replay", "show", out, "--at", "40").code == 0


def test_the_bot_of_the_quick_start_beats_random(tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(next(code for language, code in read("quick-start").code if language == "python"))
    played = json.loads(arena("play", file, "random", "--games", 4, "--mirror", "--json", "--seed", "7" * 64).out)
    mine, random = played["players"]
    assert (mine["wins"], mine["faults"]) == (1.0, {}) and mine["mean"] > 3 * random["mean"], played


def test_the_messages_of_the_tutorial_are_messages() -> None:
    from google.protobuf import json_format

    examples = [code for language, code in read("protocol").code if language == "json"]
    assert examples
    for example in examples:
        message = json_format.Parse(example, bot_pb2.BotMessage())
        assert message.WhichOneof("kind")


# Generated parts


def test_the_reference_has_every_message_and_field() -> None:
    html = read("reference").html
    from arena.wire.v1 import game_pb2

    for file in (bot_pb2.DESCRIPTOR, game_pb2.DESCRIPTOR):
        for message in file.message_types_by_name.values():
            assert f'id="{message.name.lower()}"' in html, message.name
            for field in message.fields:
                assert f"<code>{field.name}</code>" in html, f"{message.name}.{field.name}"
        for enum in file.enum_types_by_name.values():
            assert all(f"<code>{value.name}</code>" in html for value in enum.values), enum.name


@pytest.mark.parametrize(("slug", "level", "packages"), [("api-bots", 2, (bots, players)), ("api-rules", 3, (rules,))])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_python_pages_have_every_name_with_its_members(
    language: str, slug: str, level: int, packages: tuple[ModuleType, ...]
) -> None:
    html = read(slug, language).html
    things = {name: getattr(one, name) for one in packages for name in vars(one)["__all__"]}
    assert [anchor for anchor, _ in read(slug, language).sections] == re.findall(r'<h2 id="([^"]+)"', html)
    parts = dict(zip(*[iter(re.split(rf'<h{level} id="(\w+)">', html)[1:])] * 2, strict=True))
    assert sorted(parts) == sorted(things)
    for name, thing in things.items():
        said = inspect.cleandoc(vars(thing).get("__doc__") or "") if isinstance(thing, type) else ""
        assert _plain(said.partition("\n")[0]) in _plain(parts[name]), name
        fields = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
        for field in fields:
            assert f"<code>{field.name}</code>" in parts[name], f"{name}.{field.name}"
    assert '<div lang="en">' in html


def _plain(text: str) -> str:
    """Letters and digits alone, without tags and entities."""
    return re.sub(r"\W", "", re.sub(r"&\w+;|<[^>]*>", "", text))


def test_the_python_pages_show_what_a_method_takes_and_gives_and_what_a_state_is_made_of() -> None:
    bots_page, rules_page = read("api-bots").html, read("api-rules").html
    assert "choose(view: View, legal: Sequence[str]) -&gt; Choice | Awaitable[Choice]" in bots_page
    assert "async run() -&gt; None" in bots_page and "class Client(bot: type[Bot], settings: Settings)" in bots_page
    assert re.search(r"<td><code>to_act</code></td>\s*<td><code>int</code></td>", rules_page)
    state = rules_page.partition('id="State"')[2].partition("<h3")[0]
    assert "play(action: Action) -&gt; State" in state
    assert "spend(" not in state, "a state never changes: what writes on a draft is not for it"


def test_the_python_pages_have_the_examples_as_code_and_lead_to_the_rules() -> None:
    page = read("api-rules")
    assert len([code for kind, code in page.code if kind == "pycon"]) > 50
    drawn = page.html.partition('id="draw_chance"')[2].partition("<h3")[0]
    assert '(<a href="../rules-reference/#9">9</a>)' in drawn and "&gt;&gt;&gt; draw_chance(" in drawn


def test_the_bot_of_the_page_about_searching_is_the_one_that_is_tested() -> None:
    file = ROOT / "arena" / "starters" / "python" / "search_bot.py"
    for language in ("en", "es", "fr", "ru"):
        assert [code for kind, code in read("search-bot", language).code if kind == "python"] == [file.read_text()]


def test_everything_refused_is_explained() -> None:
    html = read("errors").html
    data = json.loads((ROOT / "webui/site/docs/refusals.json").read_text())
    assert {refusal["reason"] for refusal in data["gateway"]} == set(errors.ErrorReason)
    assert all(f"<code>{refusal['reason']}</code>" in html for refusal in data["gateway"])
    assert set(CODES) == set(data["rules"]), "advice for codes that are not there, or none for some that are"
    assert set(FAULTS) == {str(reason) for reason in Reason}
    assert set(ABORTS) == {"VOID", *map(str, AbortReason)}
    assert data["limits"]["max_actions"] == GatewayLimits().max_actions


@pytest.mark.parametrize(
    ("message", "reasons"),
    [("Error", errors.ErrorReason), ("Fault", Reason), ("MatchAborted", {"VOID", *AbortReason})],
)
def test_the_contract_names_every_reason(message: str, reasons: Iterable[str]) -> None:
    files = json.loads((ROOT / "webui/site/docs/protocol.json").read_text())
    fields = next(one["fields"] for file in files for one in file["messages"] if one["name"] == message)
    comment = next(field["comment"] for field in fields if field["name"] == "reason")
    assert set(re.findall(r"\b[A-Z_]{4,}\b", comment)) == set(map(str, reasons))


def test_everything_in_the_box_is_named() -> None:
    djinns = read("djinns").html
    assert all(f"<code>{djinn.id}</code>" in djinns for djinn in components.DJINNS)
    expansions = read("expansions").html
    assert all(f"<code>{whim.id}</code>" in expansions for whim in components.WHIMS)
    assert all(f"<code>{item.id}</code>" in expansions for item in components.ITEMS)


def test_numbers_are_those_of_the_code() -> None:
    clocks = read("clocks").html
    assert f"{Clock().bank_ms // 1000} seconds" in clocks
    assert f"{Policy().strikes} strikes" in clocks
    assert f"{Policy().grace_ms // 1000} s for the whole match" in clocks
    assert "Take the format with the fewest" in read("ladders").html or "fewest games" in read("ladders").html


# In Chromium


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
@pytest.mark.django_db(transaction=True)
def test_code_can_be_copied(live_server: Any) -> None:
    with chromium() as browser:
        context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.goto(f"{live_server.url}/docs/quick-start/")
        page.locator(".code .button").first.click()
        expect(page.locator(".code [data-copy-label]").first).to_have_text("✓")
        code = read("quick-start").code[0][1]
        assert SITE in code, "pages show the address of the site that serves them"
        assert page.evaluate("navigator.clipboard.readText()") == code.replace(SITE, live_server.url)


def test_the_reference_of_the_api_has_bounds_defaults_and_a_command_for_writes() -> None:
    reference = http_api.reference()
    assert "| `limit` | query | integer | Items at most. From 1 to 100. Default: `20`. |" in reference
    assert "| `players` | integer | From 2 to 5. |" in reference
    routes = dict(
        re.findall(r'<details class="route" id="(\w+)" data-method="\w+"(.*?)</details>', reference, re.DOTALL)
    )
    written = re.search(r"curl -X POST (.*?) \\\n  --json '(.*?)' \\\n  '(.*?)'", routes["create_event"])
    assert written is not None
    assert written[1] == '-H "Authorization: Bearer $ARENA_API_TOKEN"' and written[3].endswith("/api/v1/events")
    assert json.loads(written[2]) == {"name": "…", "format": {"kind": "swiss"}, "game": {"players": 2}}
    assert parse_terms(json.loads(written[2])).name == "…", "it can be sent as it stands"
    assert "curl -X DELETE" in routes["revoke_token"] and "--json" not in routes["revoke_token"]
    assert "$TOKEN" not in reference
