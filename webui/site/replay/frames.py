"""The frames of a match: for every ply the parts that changed against the ply before, and what moved.

A changed part is told by what of its text has changed, which makes a whole replay a few dozen KB. A table at a ply is
shown by setting every part to its latest text up to there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from webui.ladder.values import MatchLine, SeatLine
from webui.site import words
from webui.site.compress import pack
from webui.site.replay import timeline
from webui.site.replay.cache import cached
from webui.site.replay.loading import load_replay
from webui.site.replay.motions import motions
from webui.site.replay.moves import starts_turn
from webui.site.replay.parts import TablePart, board_parts, table_parts
from webui.site.replay.replay import FinishedReplay, Replay

ZSTD_LEVEL = 15
"""The frames are packed once and sent often, so it may take some 20 ms for a few percent less."""


class FrameEncoder:
    """The frames of a replay, one after another; a live match's grow."""

    def __init__(self, lines: Sequence[SeatLine]) -> None:
        self._lines = lines
        self._names = [line.version.bot.name for line in lines]
        self._shown: dict[str, TablePart] = {}
        self._drawn: dict[str, str] = {}
        self._scores: list[list[int]] = []

    def frames(self, replay: Replay, first: int = 0) -> Iterator[dict[str, Any]]:
        """The frames of the plies from `first` on; those before must have been made."""
        for ply in range(first, len(replay.steps) + 1):
            yield self._frame(replay, ply)

    def _frame(self, replay: Replay, ply: int) -> dict[str, Any]:
        position = replay.position(ply)
        assert position is not None
        frame: dict[str, Any] = {"round": position["round"], "act": position["to_act"] or 0}
        fresh: dict[str, str] = dict(board_parts(replay, self._names, ply, ply - 1 if ply else None))
        for name, part in table_parts(replay, self._lines, ply).items():
            if self._shown.get(name) != part:
                fresh[name] = part.render(name)
                self._shown[name] = part
        was = self._drawn
        frame["parts"] = {
            name: text_change(was.get(name, ""), new) for name, new in fresh.items() if new != was.get(name)
        }
        self._drawn |= fresh
        if ply:
            step = replay.steps[ply - 1]
            before = replay.position(ply - 1)
            assert before is not None
            frame |= {"d": step.index, "seat": step.seat}
            if starts_turn(replay, ply):
                frame["turn"] = 1
            if moved := motions(step, before, position):
                frame["motions"] = moved
            if marked := timeline.marks_at(replay, self._names, ply):
                frame["marks"] = [mark.document() for mark in marked]
        self._analyse(replay, ply, frame)
        return frame

    def _analyse(self, replay: Replay, ply: int, frame: dict[str, Any]) -> None:
        """What is known after the end alone: scores by source, options, gold paid for a bid, think time."""
        if scores := replay.scores(ply):
            rows = [[score.get(name, 0) for name in words.CATEGORIES] for score in scores]
            changed = {seat: row for seat, row in enumerate(rows, 1) if self._scores[seat - 1 : seat] != [row]}
            if changed:
                frame["scores"] = changed
            self._scores = rows
        if ply and isinstance(replay, FinishedReplay) and not replay.seat:
            step, before = replay.steps[ply - 1], replay.position(ply - 1)
            frame["options"] = replay.options(ply)
            if step.verb == "bid":
                seats = before["seats"], replay.position(ply)["seats"]
                frame["bid"] = seats[0][step.seat - 1]["gold"] - seats[1][step.seat - 1]["gold"]
            if "ms" in step.facts:
                frame["ms"] = step.facts["ms"]


def text_change(old: str, new: str) -> list[Any] | dict[int, str]:
    """What makes a new text of an old one, the shorter of two ways.

    `[n, m, middle]`: the first n and the last m characters of the old text, and what is between. `{i: piece}`: the
    old text cut before every `<`, with other pieces at some numbers.
    """
    first = _alike(old, new)
    last = _alike(old[first:][::-1], new[first:][::-1])
    middle = new[first : len(new) - last]
    was, now = old.split("<"), new.split("<")
    if len(was) == len(now):
        pieces = {at: piece for at, piece in enumerate(now) if piece != was[at]}
        if sum(len(piece) + 6 for piece in pieces.values()) < len(middle):
            return pieces
    return [first, last, middle]


def _alike(a: str, b: str) -> int:
    """How many characters two texts have in common from the start."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a.startswith(b[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def frames_document(replay: Replay, lines: Sequence[SeatLine]) -> dict[str, Any]:
    """All frames, told value by value: like beside like packs smaller.

    `frames`: for each name a value a ply, None where there is none; an index (`d`) is told by how much it is above
    the last. `parts`: for each what changed, each time after how many plies since the last.
    """
    frames = list(FrameEncoder(lines).frames(replay))
    parts: dict[str, list[Any]] = {}
    changed_at: dict[str, int] = {}
    for ply, frame in enumerate(frames):
        for name, changed in frame.pop("parts").items():
            parts.setdefault(name, []).extend((ply - changed_at.get(name, 0), changed))
            changed_at[name] = ply
    told = {name: [frame.get(name) for frame in frames] for name in sorted({key for f in frames for key in f})}
    indices = [0, *(step.index for step in replay.steps)]
    told["d"] = [None, *(index - before for before, index in pairwise(indices))]
    return {
        "frames": told,
        "parts": {name: parts[name] for name in sorted(parts)},
        "sources": [str(name) for name in words.CATEGORIES.values()],
        "seats": [line.version.bot.name for line in lines],
        "is_over": replay.is_over,
    }


def packed_frames(line: MatchLine, seat: int = 0) -> dict[str, bytes] | None:
    """The frames of a match as JSON, packed in each encoding; None without a replay. After the end kept for a day."""

    def make() -> dict[str, bytes] | None:
        replay = load_replay(line, seat)
        if replay is None:
            return None
        document = frames_document(replay, line.seats)
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
        return {encoding: pack(text, encoding, ZSTD_LEVEL) for encoding in ("zstd", "gzip")}

    return cached(line, seat, "frames", make)
