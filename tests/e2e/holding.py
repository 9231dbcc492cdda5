"""Events on a running arena: creates, watches and exports them, and reads their documents."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import urllib.error
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import zstandard

from tests.e2e.running import COMMAND, LOOK_S, ROOT, RunningArena, Site
from tests.kit.until import until

EVENT_S = 2400.0
Document = dict[str, Any]


@cache
def as_admin(arena: RunningArena) -> dict[str, str]:
    """Return the environment in which commands act as the administrator, through the arena's HTTP API."""
    token = arena.run("user", "issue-api-token", "admin")
    return {"ARENA_TOKEN": token, "ARENA_SITE": arena.wait_ready()["site"]}


def show(arena: RunningArena, slug: str) -> Document:
    """Return the event as its organiser sees it."""
    found: Document = json.loads(arena.run("event", "show", slug, "--json", **as_admin(arena)))
    return found


def hold(arena: RunningArena, folder: Path, terms: Mapping[str, Any], bots: Sequence[str]) -> str:
    """Create, publish and start an event only by commands. Return its slug."""
    file = folder / f"{terms['name']}.json"
    file.write_text(json.dumps(terms))
    slug = arena.run("event", "new", str(file), "--publish", **as_admin(arena))
    site = Site(arena.wait_ready()["site"])
    until(lambda: shown(site, slug), f"{slug} is open", every=LOOK_S)  # strangers do not see a draft
    arena.run("event", "enter", slug, *bots, **as_admin(arena))
    arena.run("event", "start", slug, **as_admin(arena))
    return slug


def shown(site: Site, slug: str) -> Document | None:
    """Return the event's document as strangers see it; `None` if they do not."""
    try:
        document: Document = json.loads(site.page(f"/events/{slug}/event.json"))
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return None
    return document


def kill(arena: RunningArena, name: str) -> None:
    """Kill a process of the arena, and wait for its restart."""
    before = arena.state(name)
    os.kill(before["pid"], signal.SIGKILL)
    arena.wait_for("process", name=name, restarts=before["restarts"] + 1, state="ready")


def export(arena: RunningArena, slug: str, folder: Path) -> list[Document]:
    """Return the documents of an event's export: its own, then the replays of its matches."""
    file = folder / f"{slug}.jsonl.zst"
    arena.run("event", "export", slug, str(file), **as_admin(arena))
    with zstandard.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def verify(folder: Path, documents: Sequence[Document]) -> Document:
    """Return the result of `arena event verify` for these documents, with its exit code."""
    file = folder / "to-verify.jsonl"
    file.write_text("".join(json.dumps(document) + "\n" for document in documents))
    done = subprocess.run(
        [*COMMAND, "event", "verify", str(file), "--json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    return {**json.loads(done.stdout), "exit": done.returncode}


def facts(document: Document, kind: str) -> list[Document]:
    """Return the data of all facts of a kind, in order."""
    return [fact["data"] for fact in document["facts"] if fact["kind"] == kind]


def tables(drawn: Document) -> list[list[int]]:
    """Return the seats at the tables of a round."""
    return [table["seats"] if isinstance(table, dict) else table for table in drawn["tables"]]


def points(document: Document, rounds: Sequence[int] | None = None) -> dict[int, Fraction]:
    """Return points by entrant, counted only from the results (of these rounds).

    An entrant gets a point for each one placed below, and half a point for each tie. This holds for events without
    byes, absences and repeated games.
    """
    drawn, found = facts(document, "drawn"), dict[int, Fraction]()
    for result in facts(document, "result"):
        if rounds is None or result["round"] in rounds:
            seats = tables(drawn[result["round"] - 1])[result["table"] - 1]
            turn = result["game"]
            seats = seats[turn:] + seats[:turn]
            for one, own in zip(seats, result["placements"], strict=True):
                beside = result["placements"].count(own) - 1
                below = sum(other > own for other in result["placements"])
                found[one] = found.get(one, Fraction(0)) + Fraction(2 * below + beside, 2)
    return found


def forgeries(document: Document) -> Iterator[tuple[str, int, Document]]:
    """Yield the document with one change in a seat, a result or a draw: the change, its fact, and the document."""
    kinds = [fact["kind"] for fact in document["facts"]]
    second_draw = [number for number, kind in enumerate(kinds) if kind == "drawn"][1]
    for what, number in (("seat", second_draw), ("result", kinds.index("result")), ("draw", second_draw)):
        forged = copy.deepcopy(document)
        data = forged["facts"][number]["data"]
        if what == "result":
            places = data["placements"]
            first, last = places.index(min(places)), places.index(max(places))
            places[first], places[last] = places[last], places[first]
        else:
            one, other = tables(data)[:2]
            if what == "seat":
                one[0], one[1] = one[1], one[0]
            else:
                one[0], other[0] = other[0], one[0]
        yield what, number, forged
