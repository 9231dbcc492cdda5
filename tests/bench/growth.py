"""Whether an arena with a long past costs what one with a short past does: `python -m tests.bench.growth [MATCHES …]`.

Two private PostgreSQL servers, or as many as sizes are given (10,000 and 10,000,000 matches), are filled by
`history.py`: with the same last month, and the past before it. Every public page, every list of the API, the start of
a live feed, and what the workers do every few seconds are done once on each, and every statement is explained: how many
there are, how many pages of 8 KB they look at, and whether one reads a grown table whole. Of the time that of the
processor is measured, of this process and without the server's; the last columns are ratios of the largest past to
the smallest one.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.pages import private_arena

if TYPE_CHECKING:
    from tests.bench.cost import Cost
    from tests.bench.history import Past

SIZES = (10_000, 10_000_000)
CAPACITY = 64


@dataclass(frozen=True)
class Session:
    """A bot process that is online, as the matchmaker sees it."""

    bot_version: int
    capacity: int = 2
    running: int = 0
    matches: tuple[str, ...] = ()
    player_counts: tuple[int, ...] = (2, 3, 4, 5)
    expansions: tuple[str, ...] = ()
    connected: bool = True
    leaving: bool = False
    gateway: str = "gateway"
    places: int = 0
    connected_at_ns: int = 0


def works_of(past: Past) -> dict[str, Callable[[], object]]:
    """All that is measured, by name."""
    return {**pages_of(past), **api_of(past), **own_pages_of(past), **staff_pages_of(past), **actions_of(past)}


def _get(address: str, client: Any = None, status: int = 200) -> Callable[[], object]:
    from django.core.cache import cache
    from django.test import Client

    client = client or Client()

    def get() -> None:
        cache.clear()
        answer = client.get(address)
        assert answer.status_code == status, (address, answer.status_code)
        if answer.streaming:
            list(answer.streaming_content)

    return get


def pages_of(past: Past) -> dict[str, Callable[[], object]]:
    """Pages for everybody."""
    first = past.matches[0]
    ladder = f"/ladder/{past.ladder}/"
    addresses = {
        "front": "/",
        "matches": "/matches/",
        "matches, page 300": "/matches/?page=300",
        "matches, live": "/matches/?state=live",
        "matches, void": "/matches/?state=void",
        "matches, best of the week": "/matches/?best=week",
        "matches by ratings that none has": "/matches/?weakest=3000&state=finished",
        "matches by excitement that none has": "/matches/?excitement=much",
        "small board of a match": f"/matches/{first}/board.svg",
        "preview of a match": f"/matches/{first}/preview.png",
        "feed of the busiest bot": f"/bots/{past.busiest}/feed.xml",
        "feed of a ladder": f"/ladder/{past.ladder}/feed.xml",
        "lesson": "/learn/",
        "ladders": "/ladder/",
        "sitemap": "/sitemap.xml",
        "page of the sitemap": f"/sitemap-{past.ladder}-1.xml",
        "matches of a ladder": f"/matches/?ladder={past.ladder}",
        "matches of a ladder, finished": f"/matches/?ladder={past.ladder}&state=finished",
        "matches of a ladder, void": f"/matches/?ladder={past.ladder}&state=void",
        "matches of the busiest bot": f"/matches/?bot={past.busiest}",
        "matches of the busiest bot, page 300": f"/matches/?bot={past.busiest}&page=300",
        "matches of the busiest bot, void": f"/matches/?bot={past.busiest}&state=void",
        "matches of the busiest bot, of a ladder": f"/matches/?bot={past.busiest}&ladder={past.ladder}",
        "match": f"/matches/{first}/",
        "match, embedded": f"/matches/{first}/embed",
        "alternatives of a match": f"/matches/{first}/alternatives/?d=20",
        "analysis of a match": f"/analysis/?match={first}&d=20",
        "games from a position of a match": f"/analysis/games/?match={first}&d=20",
        "a match played on": f"/analysis/play/?match={first}&d=20&seat=1&house=greedy",
        "position of a match": f"/matches/{first}/position.json?d=20",
        "frames of a match": f"/matches/{first}/frames.json",
        "replay of a match": f"/matches/{first}/replay.json",
        "proof of a match": f"/matches/{first}/proof.json",
        "offers, from the end": "/.well-known/naqala-arena-offers.jsonl?after=1009990",
        "ladder": ladder,
        "ladder, last page": f"{ladder}?page=10",
        "ladder, search": f"{ladder}?q=copy+19",
        "ladder, all versions": f"{ladder}?versions=all",
        "ladder as CSV": f"{ladder}table.csv",
        "fairness": "/fairness/",
        "statistics": "/statistics/",
        "records": "/records/",
        "people": "/people/",
        "rivals of the busiest bot": f"/bots/{past.busiest}/against/",
        "busiest bot against another": f"/bots/{past.busiest}/against/copy-99/",
        "data": "/data/",
        "events": "/events/",
        "bots": "/bots/",
        "busiest bot": f"/bots/{past.busiest}/",
        "bot": "/bots/copy-99/",
        "user": "/users/author-1/",
    }
    return {f"page: {name}": _get(address) for name, address in addresses.items()}


def api_of(past: Past) -> dict[str, Callable[[], object]]:
    """Lists and documents of the HTTP API for everybody."""
    first = past.matches[0]
    addresses = {
        "matches": "/matches?limit=100",
        "matches, finished": "/matches?limit=100&state=finished",
        "matches, aborted": "/matches?limit=100&state=aborted",
        "matches, unrated": "/matches?limit=100&rated=false",
        "matches, unrated and void": "/matches?limit=100&rated=false&state=void",
        "matches of the busiest bot": f"/matches?limit=100&bot={past.busiest}",
        "matches of the busiest bot, rated": f"/matches?limit=100&bot={past.busiest}&rated=true",
        "matches of the busiest bot, aborted": f"/matches?limit=100&bot={past.busiest}&state=aborted",
        "matches of a ladder": f"/matches?limit=100&ladder={past.ladder}",
        "match": f"/matches/{first}",
        "replay": f"/matches/{first}/replay",
        "proof": f"/matches/{first}/proof",
        "ladders": "/ladders",
        "ladder": f"/ladders/{past.ladder}",
        "history of a rating": f"/ladders/{past.ladder}/ratings/{past.busiest}",
        "bots": "/bots",
        "busiest bot": f"/bots/{past.busiest}",
        "versions": f"/bots/{past.busiest}/versions",
        "statistics": f"/bots/{past.busiest}/statistics",
        "fairness": "/fairness",
        "records": "/records",
        "people": "/people",
        "rivals of the busiest bot": f"/bots/{past.busiest}/against",
        "busiest bot against another": f"/bots/{past.busiest}/against/copy-99",
        "events": "/events",
    }
    return {f"api: {name}": _get(f"/api/v1{address}") for name, address in addresses.items()}


def own_pages_of(past: Past) -> dict[str, Callable[[], object]]:
    """Pages for the owner of the busiest bot."""
    from django.test import Client

    from webui.accounts import models as account_models

    client = Client()
    client.force_login(account_models.User.objects.get(bots__slug=past.busiest))
    own = _played_by(past)
    addresses = {
        "front, signed in": "/",
        "account": "/account/",
        "own bots": "/account/bots/",
        "own match": f"/matches/{own}/",
        "transcript": f"/account/bots/{past.busiest}/matches/{own}/",
        "challenges": f"/account/bots/{past.busiest}/challenges/",
        "comparisons": f"/account/bots/{past.busiest}/comparisons/",
        "history": "/account/history/",
        "notices": "/account/notices/",
        "following": "/account/following/",
    }
    return {f"own: {name}": _get(address, client) for name, address in addresses.items()}


def staff_pages_of(past: Past) -> dict[str, Callable[[], object]]:
    """Pages for the people who run the arena."""
    from django.test import Client

    from webui.accounts import actions as account_actions
    from webui.accounts import models as account_models
    from webui.bots import models as bot_models

    staff = account_actions.create_user("warden", None)
    account_models.User.objects.filter(pk=staff).update(is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(account_models.User.objects.get(pk=staff))
    owner = bot_models.Bot.objects.get(slug=past.busiest).owner.username
    matches = "/staff/matches/"
    addresses = {
        "now": "/staff/",
        "matches": matches,
        "matches, page 300": f"{matches}?page=300",
        "matches, void": f"{matches}?state=VOID",
        "matches, forfeited": f"{matches}?trouble=forfeit",
        "matches, taken over": f"{matches}?trouble=taken-over",
        "matches, late": f"{matches}?trouble=late",
        "matches, old": f"{matches}?age=old",
        "matches of the last week, finished": f"{matches}?age=week&state=FINISHED",
        "matches of a ladder": f"{matches}?ladder={past.ladder}&state=ABORTED",
        "matches of the busiest bot": f"{matches}?bot={past.busiest}&state=VOID",
        "match": f"{matches}{_played_by(past)}/",
        "ladders": "/staff/ladders/",
        "users": "/staff/users/",
        "user": f"/staff/users/{owner}/",
        "bots": "/staff/bots/",
        "bot": f"/staff/bots/{past.busiest}/",
        "audit": "/staff/audit/",
        "audit of a user": f"/staff/audit/?account={owner}&all=1",
        "suspicions": "/staff/suspicions/",
    }
    return {f"staff: {name}": _get(address, client) for name, address in addresses.items()}


def _played_by(past: Past) -> str:
    from webui.matches import models as match_models

    seats = match_models.Participant.objects.filter(version__bot__slug=past.busiest, match__state="FINISHED")
    return seats.order_by("-pk").values_list("match_id", flat=True)[0]


def actions_of(past: Past) -> dict[str, Callable[[], object]]:
    """What workers do, most of it every few seconds."""
    from tests.kit.ladder import Kit
    from webui.analysis import jobs as position_jobs
    from webui.bots import models as bot_models
    from webui.challenges import pairing
    from webui.comparisons import actions as comparison_actions
    from webui.core import subjects
    from webui.events import advancing
    from webui.fairness import actions as fairness_actions
    from webui.fairness import helping
    from webui.fairness.suspicions import accounts_alike
    from webui.following import actions as following_actions
    from webui.game_statistics import actions as statistics_actions
    from webui.matches import dispatching, ending, packing
    from webui.matches import ending as match_ending
    from webui.matches import models as match_models
    from webui.matches import queries as match_queries
    from webui.open_data import actions as data_actions
    from webui.pairing import examinations, matchmaking
    from webui.ratings import fitting
    from webui.replays.live import MatchFeed
    from webui.stories import actions as story_actions
    from webui.stories import queries as story_queries
    from webui.tv import actions as tv_actions
    from webui.tv import queries as tv_queries
    from webui.webhooks import messages

    sessions = [Session(version) for version in past.versions]
    kit = Kit()
    kit.bots = bot_models.Bot.objects.count()
    kit.matches = 10**9
    claim, played = kit.ready_to_finish(past.versions[:2])
    feed_line = match_queries.match_page(claim.match_id).line
    match_models.Match.objects.filter(pk=claim.match_id).update(lease_expires_at="2100-01-01T00:00:00Z")

    def finish() -> object:
        return ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)

    return {
        "live: start of a feed": lambda: MatchFeed(feed_line, "en")._new_events(),
        "live: page": _get(f"/matches/{claim.match_id}/"),
        "worker: finish": finish,
        "worker: matchmaker": lambda: matchmaking.matchmake(sessions, CAPACITY),
        "worker: examinations": lambda: examinations.begin_examinations(sessions),
        "worker: challenges": lambda: pairing.advance_challenges(sessions, CAPACITY),
        "worker: comparisons": lambda: comparison_actions.advance_comparisons(sessions, CAPACITY),
        "worker: advancer": lambda: advancing.advance_events(sessions, CAPACITY),
        "worker: emails of a day": lambda: following_actions.note_digests(),
        "worker: presence": lambda: messages.note_presence(set()),
        "worker: TV": tv_actions.feature_next,
        "TV: what is on": tv_queries.channel,
        "worker: sweeper": lambda: (match_ending.sweep(), dispatching.dispatch_waiting()),
        "worker: ends that are due": lambda: match_queries.ended_matches(past.matches, for_s=10),
        "worker: longest wait": match_queries.oldest_wait,
        "worker: ratings that are due": fitting.fit_due,
        "worker: fairness": lambda: fairness_actions.report_fairness(0.001),
        "worker: helps": lambda: helping.measure_helps(0.001),
        "worker: a step of the statistics": lambda: statistics_actions.count_matches(0.001),
        "worker: open data that is due": data_actions._due,
        "worker: logs to pack": packing.pack_logs,
        "worker: a story that is due": lambda: next(story_actions._due(), None),
        "worker: a position that is due": lambda: position_jobs.play_positions(0.001),
        "pages: best matches of a week": lambda: story_queries.best_matches(50),
        "worker: nightly tidying": subjects.let_go,
        "staff: accounts alike": accounts_alike,
    }


def costs_of(works: Mapping[str, Callable[[], object]]) -> dict[str, Cost]:
    """What each of them costs, one after the other."""
    from tests.bench.cost import measure

    return {name: measure(work) for name, work in works.items()}


def _one_size(matches: int, into: Path) -> None:
    """In a process of its own: fill, measure, and write down."""
    import pickle

    with private_arena():
        from tests.bench.history import fill

        past = fill(matches)
        into.write_bytes(pickle.dumps(costs_of(works_of(past))))


def table(small: Mapping[str, Cost], large: Mapping[str, Cost]) -> str:
    """Both beside each other."""
    lines = [f"{'':48} {'queries':>9} {'buffers':>15} {'ratio':>6} {'rows':>15} {'CPU ms':>13} {'ratio':>6}"]
    for name, one in small.items():
        other = large[name]
        ratios = (other.buffers / max(1, one.buffers), other.cpu_s / max(1e-6, one.cpu_s))
        lines.append(
            f"{name:48} {one.queries:4} {other.queries:4} {one.buffers:7} {other.buffers:7} {ratios[0]:6.2f}"
            f" {one.rows:7} {other.rows:7} {one.cpu_s * 1e3:6.0f} {other.cpu_s * 1e3:6.0f} {ratios[1]:6.2f}"
            + "".join(f"\n    reads all of {scan}" for scan in sorted(other.scans | other.walks))
        )
    return "\n".join(lines)


def main(sizes: tuple[int, ...]) -> None:
    import pickle

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for matches in sizes:
            into = Path(folder) / f"{matches}"
            process = multiprocessing.get_context("spawn").Process(target=_one_size, args=(matches, into))
            process.start()
            process.join()
            found.append(pickle.loads(into.read_bytes()))
    print(table(found[0], found[-1]))


if __name__ == "__main__":
    main(tuple(int(one.replace("_", "")) for one in sys.argv[1:]) or SIZES)
