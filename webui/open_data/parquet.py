"""A month of open data as Parquet, made from the files of its days.

One file has a row for each seat of each match, the other a row for each decision. Row groups have a bounded size, and
so has the memory in use. The module needs PyArrow, which nothing else loads. Import it only where a file is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from arena.referee import seat_results
from arena.rules import RULES, Game, read_game, score
from webui.open_data.lines import read_day

ROWS_A_GROUP: Final = 20_000
"""Number of rows in a row group, which takes some tens of megabytes."""
TIME: Final = pa.timestamp("ms", tz="UTC")
CATEGORIES: Final = (
    "gold", "viziers", "elders", "djinns", "tiles", "palms", "palaces", "goods", "artisans", "items",
)  # fmt: skip

Row = dict[str, Any]

MATCHES: Final = pa.schema(
    [
        ("match", pa.string()),
        ("rules", pa.string()),
        ("players", pa.int8()),
        ("expansions", pa.string()),
        ("ladder", pa.string()),
        ("rated", pa.bool_()),
        ("challenge", pa.bool_()),
        ("event", pa.string()),
        ("round", pa.int32()),
        ("shared_deal", pa.bool_()),
        ("bank_ms", pa.int32()),
        ("increment_ms", pa.int32()),
        ("cap_ms", pa.int32()),
        ("started_at", TIME),
        ("finished_at", TIME),
        ("verdict", pa.string()),
        ("ending", pa.string()),
        ("events", pa.int32()),
        ("seat", pa.int8()),
        ("bot", pa.string()),
        ("version", pa.string()),
        ("house", pa.bool_()),
        ("first_bid", pa.int8()),
        ("placement", pa.int8()),
        ("rank", pa.int8()),
        ("won", pa.float64()),
        ("score", pa.int16()),
        *((category, pa.int16()) for category in CATEGORIES),
        ("decisions", pa.int32()),
        ("thought_ms", pa.int64()),
        ("forfeit", pa.string()),
        ("forfeited_at", pa.int32()),
    ]
)

DECISIONS: Final = pa.schema(
    [
        ("match", pa.string()),
        ("index", pa.int32()),
        ("ply", pa.int32()),
        ("seat", pa.int8()),
        ("round", pa.int8()),
        ("phase", pa.string()),
        ("legal", pa.int32()),
        ("score", pa.int16()),
        ("action", pa.string()),
        ("ms", pa.int32()),
        ("forced", pa.bool_()),
        ("default", pa.string()),
        ("house", pa.string()),
    ]
)


def write_matches(days: Sequence[Path], path: Path, go_on: Callable[[], None]) -> int:
    """Write a row for each seat. Return the number of rows. `go_on` is called after each match; it may raise."""
    return _write(days, path, MATCHES, seat_rows, go_on)


def write_decisions(days: Sequence[Path], path: Path, go_on: Callable[[], None]) -> int:
    """Write a row for each decision. Return the number of rows. `go_on` is as in `write_matches`."""
    return _write(days, path, DECISIONS, decision_rows, go_on)


def _write(
    days: Sequence[Path],
    path: Path,
    schema: pa.Schema,
    rows_of: Callable[[Mapping[str, Any]], Iterator[Row]],
    go_on: Callable[[], None],
) -> int:
    total = 0
    group: list[Row] = []
    with path.open("xb") as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for day in days:
            for line in read_day(day):
                group += rows_of(line)
                go_on()
                if len(group) >= ROWS_A_GROUP:
                    writer.write_batch(pa.RecordBatch.from_pylist(group, schema))
                    total, group = total + len(group), []
        writer.write_batch(pa.RecordBatch.from_pylist(group, schema))
    return total + len(group)


def seat_rows(line: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for each seat of a match, made from a line of a day's file."""
    replay = line["replay"]
    results, clock = seat_results(replay), replay["clock"]
    winners = sum(result.rank == 1 for result in results)
    of_match = {
        "match": line["match"],
        "rules": replay["rules"],
        "players": replay["ruleset"]["players"],
        "expansions": "+".join(replay["ruleset"]["expansions"]),
        **{key: line[key] for key in ("ladder", "rated", "challenge", "event", "round")},
        "shared_deal": replay.get("deal") is not None,
        **{key: clock[key] for key in ("bank_ms", "increment_ms", "cap_ms")},
        **{key: line[key] and datetime.fromisoformat(line[key]) for key in ("started_at", "finished_at")},
        "verdict": replay["verdict"]["kind"],
        "ending": replay["result"]["reason"] if replay["result"] else None,
        "events": len(replay["events"]),
    }
    for result, seat, is_house in zip(results, replay["seats"], line["house"], strict=True):
        facts = [_facts(event) for event in replay["events"] if event[0] == result.seat]
        yield {
            **of_match,
            "seat": result.seat,
            "bot": seat["name"],
            "version": seat["version"],
            "house": is_house,
            "first_bid": result.first_bid,
            "placement": result.placement,
            "rank": result.rank,
            "won": None if result.rank is None else (result.rank == 1) / winners,
            "score": result.score,
            **{category: result.points.get(category) for category in CATEGORIES},
            "decisions": len(facts),
            "thought_ms": sum(fact.get("ms", 0) for fact in facts),
            "forfeit": result.forfeit and result.forfeit.reason,
            "forfeited_at": result.forfeit and result.forfeit.at,
        }


def decision_rows(line: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for each decision of a match.

    The match is played again to find the round, phase, legal actions and score at each decision. These are left out if
    the match was played by another version of the rules.
    """
    replay = line["replay"]
    game: Game | None = read_game(replay, 0) if replay["rules"] == RULES else None
    ply = 0
    for index, event in enumerate(replay["events"]):
        seat, action, facts = event[0], event[1], _facts(event)
        if not seat:
            continue  # a chance event, which belongs to the decision before it
        row: Row = {
            "match": line["match"],
            "index": index,
            "ply": ply,
            "seat": seat,
            "action": action,
            "ms": facts.get("ms"),
            "forced": "forced" in facts,
            "default": facts.get("default"),
            "house": facts.get("house"),
        }
        if game is not None:
            state = game.state
            row |= {
                "round": state.round,
                "phase": str(state.phase),
                "legal": len(state.legal),
                "score": score(state, seat)["total"],
            }
            game.play(action)
        yield row
        ply += 1


def _facts(event: Sequence[Any]) -> Mapping[str, Any]:
    """Return the facts that the arena noted about a decision."""
    return event[2] if len(event) > 2 else {}
