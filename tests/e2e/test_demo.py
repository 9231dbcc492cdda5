"""The run of `make demo` after its set-up: `arena up --house`, as a new user meets it, and a registered bot."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import stat
import subprocess
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from arena.host import tracing
from arena.players import GRADED, ask_house
from arena.referee import prove
from tests.e2e.comparing import compare
from tests.e2e.holding import export, facts, hold, shown, verify
from tests.e2e.observing import Collector, Span, check_metrics, lint_metrics, log_lines, scrape
from tests.e2e.playing import FAST, pause, play_only
from tests.e2e.private import generous_umask, make_open_folder, open_to_others, umask_of
from tests.e2e.processes import descendants, living
from tests.e2e.running import COMMAND, FEW_MATCHES, LOOK_S, ROOT, RunningArena, Site, bot_process
from tests.kit.kits import bot_environment
from tests.kit.metrics_table import EVERY
from tests.kit.until import until
from tests.site.chromium import chromium, in_chromium

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]

MATCH_S = 500.0
PAGE_MS = 120_000
PARTS = {"redis", "site", "gateway", "referee", "upkeep", "runner"}
"""Processes of an arena whose house bots are hosted."""
PAGE = "GET matches/<slug:match_id>/"
"""The span of a request for the page of a match."""


@pytest.fixture(scope="module")  # not longer: its house bots keep playing
def collector() -> Iterator[Collector]:
    """Yield the collector of the arena's traces."""
    with Collector() as found:
        yield found


@pytest.fixture(scope="module")
def demo(
    tmp_path_factory: pytest.TempPathFactory, collector: Collector, django_db_blocker: Any
) -> Iterator[RunningArena]:
    """Run the arena of `make demo`, one for all tests here, in a folder that was open to others.

    Everything that an operator may switch on is on, except stories, which tests/e2e/test_protocol_by_hand.py has. It
    makes rated matches only in blocks of `playing`. Its folder's name is so long that Redis' socket must be
    elsewhere.
    """
    folder = make_open_folder(tmp_path_factory.mktemp("demo") / ("var" * 40))
    with ExitStack() as stack:
        with generous_umask():
            seen = {"ARENA_METRICS_PORT": "0", "ARENA_OTLP_ENDPOINT": collector.endpoint, "ARENA_LOG_FORMAT": "json"}
            arena = RunningArena(folder, "--house", with_nothing=True, XDG_RUNTIME_DIR="", ARENA_MATCHES="1", **seen)
            stack.enter_context(arena)
        arena.wait_ready()
        stack.enter_context(django_db_blocker.unblock())
        with arena.database():
            pause(set(GRADED) - set(FAST))
        make_matches(arena)
        yield arena
    assert open_to_others(folder) == []


def make_matches(demo: RunningArena, *games: str) -> None:
    """Let the arena make rated matches of these games only, or none."""

    def tell() -> None:
        with demo.database():
            play_only(*games)

    with ThreadPoolExecutor(1) as thread:  # Django refuses the database in the thread of a browser
        thread.submit(tell).result()


@contextmanager
def playing(demo: RunningArena, game: str = "2") -> Iterator[None]:
    """Let the arena make rated matches of this game in this block. All the time they would use all the processor
    time."""
    make_matches(demo, game)
    try:
        yield
    finally:
        make_matches(demo)


@pytest.fixture(scope="module")
def first(demo: RunningArena) -> dict[str, Any]:
    """Return the event that a match has finished."""
    with playing(demo):
        return demo.wait_for("matches", MATCH_S, finished=lambda count: count >= 1)


@pytest.fixture
def site(demo: RunningArena) -> Site:
    return Site(demo.wait_ready()["site"])


def test_the_first_match_is_finished_and_verified(demo: RunningArena, site: Site, first: dict[str, Any]) -> None:
    assert first["latest"].startswith(f"{site.address}/matches/")
    replay = site.replay(first["latest"].rstrip("/").rpartition("/")[2])
    assert replay is not None
    prove(replay, ask_house)
    assert "complaint" not in {event["event"] for event in demo.events}


@pytest.mark.usefixtures("first")
def test_what_an_arena_writes_is_for_its_user_alone(demo: RunningArena, tmp_path: Path) -> None:
    socket = Path(demo.state("redis")["address"].removeprefix("unix://").partition("?")[0])
    assert socket.is_socket() and not socket.is_relative_to(demo.var)
    assert open_to_others(demo.var, socket.parent) == []
    # Bubblewrap has no umask while it makes the file systems of a sandbox, which no other process can see.
    processes = [process for process in descendants(demo.process.pid) if "bwrap" not in process.command]
    assert len(processes) >= len(PARTS)
    assert {umask_of(process.pid) for process in processes} - {""} == {"0077"}
    notes = [event["text"] for event in demo.events if event["event"] == "note"]
    assert f"{demo.var} was open to other users (mode 755); now it is not" in notes
    backup = tmp_path / "arena.backup"
    subprocess.run([*COMMAND, "admin", "backup", str(backup)], cwd=ROOT, env=demo.environment, check=True)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def check_logs(demo: RunningArena, match: str) -> None:
    """Check that one name leads through the logs of all processes, from a challenge's request to its match's end."""
    lines = {
        process: {line["event"]: line for line in found if line.get("match") == match}
        for process, found in log_lines(demo.var).items()
    }
    asked, made, claimed = (
        lines["site"]["challenge_made"], lines["upkeep"]["match_scheduled"], lines["referee"]["match_claimed"]
    )  # fmt: skip
    assert asked["request"] and made["task"] == "matchmake"
    assert claimed["epoch"] == 1 and claimed["trace"] == tracing.trace_id(match)
    assert lines["referee"]["match_finished"]["epoch"] == 1 and claimed["task"] == "play_match"
    assert lines["gateway"]["seat_opened"]["epoch"] == 1 and "seat_closed" in lines["gateway"]


def check_trace(collector: Collector, site: Site, match: str) -> None:
    """Check that all work for a match is one trace: by upkeep, the referee, the gateway, the runner and the site.

    The runner is the gateway of the bots that it plays.
    """
    site.page(f"/matches/{match}/")
    trace, root = tracing.trace_id(match), tracing.span_id(match)
    gateways = {"arena-gateway", "arena-runner"}
    all_of_it = {"arena-site", "arena-upkeep", "arena-referee", *gateways}

    def whole() -> list[Span]:
        spans = collector.spans(trace)
        is_whole = {one.service for one in spans} >= all_of_it and any(one.id == root for one in spans)
        is_whole &= any(one.name == PAGE for one in spans)  # the site has sent other requests before
        # Each process sends its own at its own time.
        decided = {one.id for one in spans if one.name == "decision"}
        is_whole &= all(
            decided <= {one.parent for one in spans if one.name == name} for name in ("ask", "gateway", "append")
        )
        return spans if is_whole else []

    spans = until(whole, "all spans of the match", every=LOOK_S)
    (match_span,) = [one for one in spans if one.id == root]
    assert (match_span.name, match_span.parent, match_span.service) == ("match", "", "arena-referee")
    decisions = {one.id: one for one in spans if one.name == "decision"}
    assert len(decisions) > 20
    for name, services in (("ask", {"arena-referee"}), ("gateway", gateways), ("append", {"arena-referee"})):
        parts = {one.parent: one for one in spans if one.name == name and one.parent in decisions}
        assert parts.keys() == decisions.keys(), name
        for id, part in parts.items():
            assert part.service in services and part.facts["arena.match"] == match
            assert decisions[id].began_ns <= part.ended_ns and part.began_ns <= decisions[id].ended_ns
    assert {one.parent for one in decisions.values()} == {root}
    (page,) = [one for one in spans if one.name == PAGE]
    assert page.service == "arena-site" and page.parent == root and page.facts["http.response.status_code"] == 200
    assert [one.service for one in spans if one.name == "schedule"] == ["arena-upkeep"]


def test_the_printed_command_runs_a_bot_of_ones_own(
    demo: RunningArena, site: Site, collector: Collector, tmp_path: Path
) -> None:
    """While it runs, its author can start a game against a house bot, and follow it."""
    ready = demo.wait_ready()
    log = tmp_path / "bot.log"
    assert ready["token"] not in ready["command"], "which everybody on this machine can see"
    own = {**demo.environment, "ARENA_TOKEN": ready["token"]}
    with log.open("wb") as out:
        bot = subprocess.Popen(shlex.split(ready["command"]), cwd=ROOT, env=own, stdout=out, stderr=out)
    try:
        with playing(demo):
            until(lambda: site.matches("/bots/my-bot/"), "a match of My Bot", MATCH_S, every=LOOK_S)
        command = [*COMMAND, "bot", "challenge", "random", "--seat", "2", "--site", site.address, "--json"]
        challenge = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=MATCH_S)
        assert challenge.returncode == 0, challenge.stderr
        bot.send_signal(signal.SIGINT)
        assert bot.wait(MATCH_S) == 0
    except BaseException:
        print(log.read_text(), demo.log_tails())
        raise
    finally:
        bot.kill()
        bot.wait(10)
    assert re.search(r"\d+ match(es)? played to", log.read_text())
    played = json.loads(challenge.stdout)
    replay = site.replay(played["match"])
    assert replay is not None and [seat["name"] for seat in replay["seats"]] == ["Random", "My Bot"]
    assert played["placements"] == replay["verdict"]["placements"]
    assert played["scores"] == [seat["total"] for seat in replay["result"]["scores"]]
    assert [seat["version"] for seat in played["seats"]] == [seat["version"] for seat in replay["seats"]]
    check_logs(demo, played["match"])
    check_trace(collector, site, played["match"])


def test_greedy_is_found_to_be_better_than_random(demo: RunningArena, site: Site) -> None:
    """The workers play a comparison, which stops by itself; its counts are in the records."""
    with demo.database():
        said = compare("greedy", "random", MATCH_S)
    assert said["state"] == "YES" and sum(said["scores"]) > 3 * len(said["scores"])
    counted: dict[int, int] = {}
    for block, match in said["blocks"]:
        replay = site.replay(match)
        assert replay is not None
        if replay["verdict"]["kind"] != "void":
            assert replay["deal"] == said["deals"][match]
            names = [seat["name"].lower() for seat in replay["seats"]]
            places = dict(zip(names, replay["verdict"]["placements"], strict=True))
            won = 2 * (places["greedy"] < places["random"]) + (places["greedy"] == places["random"])
            counted[block] = counted.get(block, 0) + won
    assert list(counted.values()) == said["scores"]


@pytest.mark.usefixtures("first")
def test_every_process_tells_what_it_counts(demo: RunningArena, site: Site) -> None:
    """The status page also shows all of them."""

    def ports() -> dict[str, int] | None:
        served = {
            line["process"]: line["port"]
            for lines in log_lines(demo.var).values() for line in lines if line["event"] == "metrics_served"
        }  # fmt: skip
        return served if served.keys() >= set(EVERY) else None

    for process, port in until(ports, "metrics of every process").items():
        text = scrape(port)
        check_metrics(process, text)
        lint_metrics(process, text)

    def status() -> dict[str, Any]:
        return dict(json.loads(site.page("/api/v1/status")))

    well = dict.fromkeys(("site", "gateway", "referee", "upkeep", "database", "redis"), "up")
    until(lambda: status()["parts"] == well, "all parts up", every=LOOK_S)
    found = until(lambda: (now := status())["overhead"] and now, "the overhead of a minute", every=LOOK_S)
    assert 0 < found["overhead"]["median_ms"] <= found["overhead"]["p99_ms"]
    until(lambda: "All is well" in site.page("/status/"), "all is well", every=LOOK_S)
    named = urllib.request.Request(f"{site.address}/status/", headers={"X-Request-ID": "edge-0042.abcdef"})
    with urllib.request.urlopen(named, timeout=60) as answer:
        assert answer.headers["X-Request-ID"] == "edge-0042.abcdef", "of a proxy of this machine"


GUESTS = ("My Bot", "Sirocco")
"""Bots of other tests. They are killed at the end of these, and do not answer."""


def matches_of_the_house(site: Site) -> list[str]:
    """Return the running matches of house bots alone.

    All of them have begun to play: a bot that is restarted before it has revealed its nonce has lost it.
    """
    live = [match_id for match_id in site.matches("/matches/?state=live") if site.has_begun(match_id)]
    pages = {match_id: site.page(f"/matches/{match_id}/") for match_id in live}
    return [match_id for match_id, page in pages.items() if not any(name in page for name in GUESTS)]


def test_a_process_that_dies_is_started_again_and_no_match_is_lost(demo: RunningArena, site: Site) -> None:
    with playing(demo, "3"):
        running = until(lambda: matches_of_the_house(site), "matches that run", MATCH_S, every=0.2)
        os.kill(demo.state("gateway")["pid"], signal.SIGKILL)
    demo.wait_for("process", name="gateway", restarts=1, state="ready")
    replays = [
        until(lambda match_id=match_id: site.replay(match_id), match_id, MATCH_S, every=LOOK_S) for match_id in running
    ]
    assert {replay["verdict"]["kind"] for replay in replays} == {"completed"}
    assert demo.state("runner")["restarts"] == 0


@in_chromium[0]
@in_chromium[1]
def test_from_sign_up_to_the_first_match(demo: RunningArena, tmp_path: Path) -> None:
    with ExitStack() as stack:
        ready = demo.wait_ready()
        browser = stack.enter_context(chromium())
        page = browser.new_page()
        page.set_default_timeout(PAGE_MS)

        page.goto(f"{ready['site']}/")
        page.click("header >> text=Sign up")
        page.fill("[name=username]", "hanae")
        page.fill("[name=password1]", "a quiet caravan")
        page.click("text=Make the account")
        page.wait_for_url("**/account/bots/new/")
        page.fill("[name=name]", "Sirocco")
        page.click("text=Register and get the token")
        page.wait_for_selector("#token")
        token = page.input_value("#token")
        assert ready["gateway"].rpartition(":")[2] in page.inner_text("main"), "the page says where to dial"

        page.goto(f"{ready['site']}/bots/sirocco/")
        assert "It is not connected" in page.inner_text("main")
        log = tmp_path / "sirocco.log"
        command = [*COMMAND, "bot", "run", "--house", "greedy"]
        bot = stack.enter_context(bot_process(command, bot_environment(ready["gateway"], token, "Sirocco"), log))

        def its_match() -> Any:
            assert bot.poll() is None, log.read_text()
            page.reload()
            return page.query_selector("main .recent a[href^='/matches/']")

        with playing(demo):
            link = until(its_match, "a match on the page of the bot", MATCH_S, every=LOOK_S)
        link.click()
        page.wait_for_url("**/matches/*/")
        assert "Sirocco" in page.inner_text("main")
        page.goto(f"{ready['site']}/bots/sirocco/")

        def is_told() -> bool:
            page.reload()
            return "online" in page.inner_text(".bot-chips") and "Round trip" in page.inner_text(".own-panel")

        until(is_told, "how the bot is connected", MATCH_S, every=LOOK_S)


def test_a_knockout_of_the_house_bots_is_played_and_proved(demo: RunningArena, site: Site, tmp_path: Path) -> None:
    terms = {"name": "Cup", "format": {"kind": "knockout"}, "game": {"players": 2}, "entry": {"entrants": 3}}
    slug = hold(demo, tmp_path, terms, FAST)

    def is_over() -> bool:
        document = shown(site, slug)
        return document is not None and bool(facts(document, "finished"))

    until(is_over, "the end of the event", MATCH_S, every=LOOK_S)
    documents = export(demo, slug, tmp_path)
    said = verify(tmp_path, documents)
    assert (said["exit"], said["draws"], said["results"], said["results_proved"]) == (0, 2, 2, True)


def test_a_second_arena_does_not_disturb_the_first(demo: RunningArena) -> None:
    demo.wait_ready()
    second = subprocess.run(
        [*COMMAND, "up", "--json"],
        cwd=ROOT,
        env=demo.environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert second.returncode == 2
    assert f"(process {demo.process.pid})" in second.stderr
    assert "Traceback" not in second.stderr
    assert demo.process.poll() is None


@in_chromium[0]
@in_chromium[1]
def test_chromium_opens_the_pages_without_complaints(demo: RunningArena, site: Site, first: dict[str, Any]) -> None:
    ready, latest = demo.wait_ready(), first["latest"]
    complaints: list[str] = []
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PAGE_MS)
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("response", lambda answer: complaints.append(answer.url) if answer.status >= 400 else None)

        page.goto(site.address)
        assert page.locator("svg.board").count() == 1, f"the front page shows a match: {complaints}"

        def is_ranked() -> bool:
            page.goto(f"{site.address}/ladder/")
            return page.locator("main a[href^='/bots/']").count() >= 2

        until(is_ranked, "the busiest ladder shows who has played on it", every=LOOK_S)
        page.goto(f"{site.address}/bots/greedy-rival/")
        assert page.get_by_text("house bot").first.is_visible()
        page.goto(latest)
        place = page.locator("[data-part=counter] b")
        at_the_end = place.inner_text()
        page.click("#step-previous")  # a link before the scripts are loaded, their button afterwards
        expect(place).not_to_have_text(at_the_end, timeout=PAGE_MS)

        page.goto(f"{site.address}/staff/")
        page.fill("[name=login]", ready["admin"])
        page.fill("[name=password]", ready["password"])
        page.click("main form .button.primary")
        page.wait_for_selector(".staff-nav")
    assert complaints == []


def test_a_load_test_loses_nothing(demo: RunningArena, tmp_path: Path) -> None:
    """Bots made on the server play challenges, one at a time here. After Ctrl-C running ones are played to their
    end."""
    ready, file = demo.wait_ready(), tmp_path / "bots.json"
    demo.run("admin", "load-bots", "4", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    words = ["--bots", "4", "--matches", "2", "--think", "0", "--for", "1h", "--from", str(file), "--json"]
    command = [*COMMAND, "load", *words, "--site", ready["site"], "--server", ready["gateway"]]
    with subprocess.Popen(
        command, cwd=ROOT, env=demo.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as load:
        try:
            assert load.stderr is not None
            said = next((line for line in load.stderr if re.search(r"ended [1-9]", line)), "")
            assert said, "it has ended by itself"
            load.send_signal(signal.SIGINT)
            shown, more = load.communicate(timeout=MATCH_S)
        finally:
            load.kill()
    assert load.returncode == 0, shown + more
    report = json.loads(shown)
    matches = report["matches"]
    assert matches["ended"] == matches["started"] >= 1 and matches["most_at_once"] == 1
    assert (report["losses"], report["reconnections"], matches["unfinished"]) == ({}, 0, 0)
    # Every decision but the last of a match is followed by a request, whose overhead was measured.
    assert report["overhead_ms"]["samples"] == report["decisions"] - matches["ended"] > 100
    assert 0 < report["overhead_ms"]["p50"] <= report["overhead_ms"]["p99"]


def test_a_stopped_arena_continues_where_it_was(demo: RunningArena, site: Site) -> None:
    """All processes end with `arena up`, whether it is stopped or killed. This is the last test of its arena."""
    with playing(demo, "3"):
        running = until(lambda: matches_of_the_house(site), "matches that run", MATCH_S, every=0.2)
        started, ready = descendants(demo.process.pid), demo.wait_ready()
        socket = Path(demo.state("redis")["address"].removeprefix("unix://").partition("?")[0])
        assert len(started) >= len(PARTS)
        assert demo.stop(signal.SIGTERM) == 0
    assert not living(started) and not socket.exists()
    assert demo.events[-1] == {"event": "stopped"}
    stopped = {event["name"] for event in demo.events if event["event"] == "process" and event["state"] == "stopped"}
    assert stopped == PARTS

    with RunningArena(demo.var, "--house", XDG_RUNTIME_DIR="", **FEW_MATCHES) as again:
        secrets = ("password", "token")
        assert [again.wait_ready()[name] for name in secrets] == [ready[name] for name in secrets]
        later = Site(again.wait_ready()["site"])
        for match_id in running:
            replay = until(lambda match_id=match_id: later.replay(match_id), match_id, MATCH_S, every=LOOK_S)
            assert replay["verdict"]["kind"] == "completed"
        started = descendants(again.process.pid)
        again.stop(signal.SIGKILL)
        until(lambda: not living(started), "the end of all processes", 120, every=0.1)
