"""A live match grows: one more decision costs the same at its end as at its start."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.referee import Entry, Kind
from arena.rules import Event, Game
from tests.kit.ladder import Kit, Writer, play_out
from tests.kit.live import seen_match
from webui.ladders.models import Ladder
from webui.matches import live as match_live
from webui.matches import queries as match_queries
from webui.matches.values import MatchClaim, MatchLine
from webui.replays import frames as frame_module
from webui.replays.frames import FrameEncoder
from webui.replays.live import MatchFeed
from webui.replays.replay import FinishedReplay, load_replay

pytestmark = pytest.mark.django_db


def by_decision(entries: list[Entry]) -> list[list[Entry]]:
    """The log in pieces: what comes before the first decision, then each decision with its chance."""
    pieces: list[list[Entry]] = [[]]
    for entry in entries:
        if entry.kind == Kind.DECISION:
            pieces.append([])
        pieces[-1].append(entry)
    return pieces


class Growing:
    """A match of three whose log grows by a decision at a time."""

    def __init__(self, kit: Kit) -> None:
        self.claim: MatchClaim = kit.claim(kit.match(kit.versions(3)))
        self.pieces = by_decision(play_out(self.claim).entries)
        self.writer = Writer(self.claim)
        self.grow()

    def grow(self) -> None:
        piece = self.pieces.pop(0)
        self.writer.append(piece)


@pytest.fixture
def growing(kit: Kit) -> Growing:
    return Growing(kit)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What is done, counted: games folded, views read, frames encoded."""
    done: Counter[str] = Counter()

    def counted(owner: Any, name: str, what: str) -> None:
        original = getattr(owner, name)

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            done[what] += 1
            return result

        monkeypatch.setattr(owner, name, wrapper)

    counted(Game, "fold", "games")
    counted(match_live, "unpack_view", "views")
    counted(FrameEncoder, "_frame", "frames")
    counted(frame_module, "table_parts", "tables")
    return done


def read(feed: MatchFeed) -> int:
    """What a feed does at each wake-up; how many frames were new."""
    fresh, has_ended = feed._new_events()
    assert not has_ended
    feed._events += fresh
    return len(fresh)


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0, 3])
def test_a_decision_costs_the_same_at_the_end_as_at_the_start(growing: Growing, work: Counter[str], delay: int) -> None:
    Ladder.objects.update(delay=delay)
    feed = MatchFeed(match_queries.match_page(growing.claim.match_id).line, "en")
    assert read(feed) == 1, "the set-up"
    for _ in range(delay):
        growing.grow()
        assert read(feed) == 0
    costs = []
    while growing.pieces:
        growing.grow()
        work.clear()
        with CaptureQueriesContext(connection) as queried:
            assert read(feed) == 1
        costs.append({**work, "queries": len(queried)})
    assert len(costs) > 150
    once = {"views": 1, "frames": 1, "tables": 1, "queries": costs[0]["queries"]}
    assert all(cost == once for cost in costs)


def test_frames_made_one_by_one_are_those_made_at_once(growing: Growing) -> None:
    line = match_queries.match_page(growing.claim.match_id).line
    feed = MatchFeed(line, "en")
    for _ in range(40):
        growing.grow()
        read(feed)
    at_once = load_replay(line)
    assert at_once is not None
    frames = list(FrameEncoder(line.seats).frames(at_once))
    grown = [json.loads(event.split(b"data: ", 1)[1]) for _, event in feed._events]
    for one, other in zip(grown, json.loads(json.dumps(frames)), strict=True):
        assert {key: one[key] for key in other} == other
    assert seen_match(line.id).position == at_once.position(len(at_once.steps))


def test_a_feed_that_was_opened_before_the_match_had_begun_names_its_bots(kit: Kit) -> None:
    match_id = kit.match(kit.versions(3))
    line = match_queries.match_page(match_id).line
    feed = MatchFeed(line, "en")
    assert read(feed) == 0 and not line.seats, "nobody is told who was invited"
    claim = kit.claim(match_id)
    Writer(claim).append(by_decision(play_out(claim).entries)[0])
    assert read(feed) == 1
    begun = match_queries.match_page(match_id).line
    replay = load_replay(begun)
    assert replay is not None and len(begun.seats) == 3
    (frame,) = FrameEncoder(begun.seats).frames(replay)
    grown = json.loads(feed._events[0][1].split(b"data: ", 1)[1])
    assert grown["parts"] == json.loads(json.dumps(frame["parts"]))
    assert load_replay(line) is None, "there is no table without names"


def test_frames_do_not_depend_on_how_many_decisions_are_read_at_once(growing: Growing) -> None:
    """A page continues its own `frames.json`, made when the replay was shorter, with the frames of a feed."""
    line = match_queries.match_page(growing.claim.match_id).line
    so_far = []
    for _ in range(25):
        replay = load_replay(line)
        assert replay is not None
        so_far.append(list(FrameEncoder(line.seats).frames(replay)))
        growing.grow()
    feed = MatchFeed(line, "en")
    read(feed)
    at_once = [json.loads(event.split(b"data: ", 1)[1])["parts"] for _, event in feed._events]
    assert len(at_once) == 26
    for frames in so_far:
        assert [json.loads(json.dumps(frame["parts"])) for frame in frames] == at_once[: len(frames)]


def test_a_replay_that_is_over_is_folded_once_and_no_further_than_asked(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, played = kit.ready_to_finish(kit.versions(3))
    folded = 0
    original = Game.fold

    def counted(game: Game, events: Sequence[Event]) -> None:
        nonlocal folded
        folded += len(events)
        original(game, events)

    monkeypatch.setattr(Game, "fold", counted)
    replay = FinishedReplay.of_record(played.document)
    assert folded == 0
    assert replay.position(10).phase and folded == replay.steps[10].index
    for ply in (*range(len(replay.steps) + 1), 3):
        replay.position(ply)
        replay.scores(ply)
    assert folded == len(played.document["events"])


async def test_no_frame_is_lost_to_a_slow_reader() -> None:
    line = MatchLine("m", "RUNNING", 3, (), True, False, None, None, 2, timezone.now(), None, None, "", [])
    feed = MatchFeed(line, "en")
    feed._events = [(-1, b"set-up,"), (0, b"first")]
    pieces = feed.events(-1)
    assert next(pieces) == b"set-up,first"
    feed._events += [(1, b"second,"), (2, b"third")]  # the match goes on while the reader takes the first piece
    feed.tell()
    assert next(pieces) == b"second,third"
    assert next(pieces) == b""
