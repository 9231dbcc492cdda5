"""The page of `arena play --html`: the results and the games to step through, in one self-contained file."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from gzip import compress
from html import escape
from importlib.resources import files
from typing import Any, Final

from arena.bots.drawing import pending_words, seat_lines
from arena.bots.picture import TILE, tiles_of
from arena.local.results import GameResult
from arena.rules import Event, Ruleset, State, View, position, read_game, score
from arena.rules.replay import read_events

MOST_GAMES: Final = 100
"""Maximum number of games on a page; a game takes about 50 KB, and a quarter of a second to draw."""


def page_of(games: Sequence[GameResult], rows: Sequence[Mapping[str, Any]], about: str) -> str:
    """Return the page as HTML. Games without a replay are left out.

    `rows` are the results, and `about` describes what was played.
    """
    shown = [game_document(game, game.replay) for game in games if game.replay is not None]
    template = files("arena.cli").joinpath("play_page.html").read_text(encoding="utf-8")
    title = " · ".join(row["player"] for row in rows)
    packed = [_packed(game) for game in shown]
    index = [{key: game[key] for key in ("names", "totals", "winners", "faults")} for game in shown]
    data = json.dumps({"about": about, "rows": rows, "index": index, "games": packed}).replace("<", "\\u003c")
    filled = {"{title}": escape(title), "{data}": data}
    return re.sub("{title}|{data}", lambda place: filled[place[0]], template)


def _packed(game: Mapping[str, Any]) -> str:
    return b64encode(compress(json.dumps(game, separators=(",", ":")).encode(), mtime=0)).decode()


def game_document(result: GameResult, replay: Mapping[str, Any]) -> dict[str, Any]:
    """Return a game as the page reads it.

    For each ply (0 is the set-up) it has the index of the next event, the decision that led there, and the changed
    parts of the table.
    """
    document = dict(replay)
    events, game = read_events(document), read_game(document, 0)
    frames = [_frame(game.state, None, 0)]
    starts = [index for index, event in enumerate(events) if event.seat]
    for start, end in zip(starts, [*starts[1:], len(events)], strict=True):
        game.fold(events[start:end])
        frames.append(_frame(game.state, events[start:end], end))
    seen: dict[str, str] = {}
    for frame in frames:
        frame["parts"] = {name: part for name, part in frame["parts"].items() if seen.get(name) != part}
        seen |= frame["parts"]
    first = position(read_game(document, 0).state)
    incidents = [incident for incident in document.get("incidents", []) if incident["kind"] in ("fault", "forfeit")]
    return {
        "names": [seat["name"] for seat in document["seats"]],
        "totals": [scores["total"] for scores in result.scores] if result.scores else None,
        "winners": [seat for seat, place in enumerate(result.placements, start=1) if place == 1],
        "faults": len(incidents),
        "incidents": incidents,
        "size": [first.columns * TILE, first.rows * TILE],
        "frames": frames,
    }


def _frame(state: State, events: Sequence[Event] | None, index: int) -> dict[str, Any]:
    shown = position(state)
    parts = dict(_parts(shown))
    frame: dict[str, Any] = {"index": index, "round": shown.round, "due": pending_words(shown), "parts": parts}
    frame["totals"] = [score(state, seat.number)["total"] for seat in shown.seats]
    if events:
        decision, *chance = events
        facts = decision.facts or {}
        frame |= {"seat": decision.seat, "text": decision.text, "chance": [event.text for event in chance]}
        named = {"ms": "ms", "fault": "default", "house": "house"}
        frame |= {key: facts[fact] for key, fact in named.items() if fact in facts}
    return frame


def _parts(shown: View) -> Iterator[tuple[str, str]]:
    yield from tiles_of(shown).items()
    costs = Ruleset(shown.players, shown.expansions).track.costs
    yield "bids", " ".join(f"{cost}:{seat or '–'}" for cost, seat in zip(costs, shown.turn_track, strict=True))
    yield "order", " ".join(map(str, shown.bid_order)) or "–"
    yield "market", ", ".join(shown.market) or "empty"
    yield "djinns", ", ".join(shown.djinns) or "none"
    for seat in shown.seats:
        yield f"seat {seat.number}", "\n".join(seat_lines(shown, seat))
