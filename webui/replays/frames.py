"""The frames of a match. The frame of a ply has the parts that changed since the previous ply, and the motions.

A changed part is sent as a change of its text, so a whole replay takes a few dozen KB. To show the table at a ply, the
viewer sets every part to its latest text up to that ply. The file `frame.schema.json` in this folder describes both
documents that the viewer reads: `FramesDocument` (the file `frames.json`) and `Frame` (an event of the live stream).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import compress, count, pairwise
from operator import ne
from typing import Any, NotRequired, TypedDict

from webui.board.fragments import fragments
from webui.core.compress import pack
from webui.matches.values import MatchLine, SeatLine
from webui.replays import timeline
from webui.replays.cache import cached_once
from webui.replays.motions import Motion, motions
from webui.replays.parts import Drawn, TablePart, board_parts, table_parts
from webui.replays.replay import FinishedReplay, Replay, load_replay
from webui.words import vocabulary

VERSION = 4
"""Version of both documents. Increase it with every change that an older viewer would misread."""
LEVELS = {"zstd": 17, "gzip": 9}
"""Compression levels. Frames are compressed once and sent often, so saving a few percent is worth 20 ms. Level 15 of
Zstandard makes frames larger than level 12 does."""
WAIT_S = 5.0
"""Maximum number of seconds that a visitor waits while other frames are being made."""

PIECE = 6
"""Approximate number of characters that JSON adds for each piece of a change."""

TextChange = list[Any] | dict[int, str]
"""Change of a text, in one of the two forms of `text_change`."""


class Frame(TypedDict):
    """The changes at a ply. Keys without a value are left out."""

    round: int
    act: int
    """Seat to act. 0 at the end."""
    parts: dict[str, TextChange]
    """Changes by the name of the part."""
    d: NotRequired[int]
    """Index of the event that follows. Missing at the set-up."""
    seat: NotRequired[int]
    turn: NotRequired[int]
    """1 if the decision is the first of a turn."""
    motions: NotRequired[list[Motion]]
    marks: NotRequired[list[timeline.MarkDocument]]
    scores: NotRequired[dict[int, list[int]]]
    """Points by source of each seat whose score has changed. Only if scores are visible."""
    bounds: NotRequired[dict[int, list[int]]]
    """Minimum and maximum of the score of each seat for which they have changed. Only while scores are hidden."""
    options: NotRequired[int]
    """Number of legal actions. Like `bid` and `ms`, only after the end of the match."""
    bid: NotRequired[int]
    """Gold that the bid cost."""
    ms: NotRequired[int]
    """Think time that was charged, in milliseconds."""
    v: NotRequired[int]
    """`VERSION`. Like `move` and `count`, only in the live stream, where each frame is a document."""
    move: NotRequired[str]
    """Decision in the move list, as HTML. Missing at the set-up.

    The first decision of a turn comes inside its turn, and below the heading of the round if that starts, too.
    """
    fold: NotRequired[str]
    """Summary line of a turn that continues, with this decision included, as HTML."""
    count: NotRequired[str]
    """Number of decisions so far, in words."""


class FramesDocument(TypedDict):
    """All frames of a match, stored by column, because similar neighbours compress better."""

    v: int
    frames: dict[str, list[Any]]
    """For each key of a frame, one value a ply, None if missing. Indices (`d`) are differences to the previous one."""
    parts: dict[str, list[Any]]
    """For each part, alternately the number of plies since its last change, and the change."""
    sources: list[str]
    """Sources of points, in words."""
    seats: list[str]
    """Names of the bots, seat 1 first."""
    is_over: bool


class FrameEncoder:
    """Encoder for the frames of one replay, each relative to the previous one.

    As the replay grows, only new frames are encoded.
    """

    def __init__(self, lines: Sequence[SeatLine]) -> None:
        self._lines = lines
        self._names = [line.version.bot.name for line in lines]
        self._shown: dict[str, TablePart] = {}
        self._drawn: dict[str, str] = {}
        self._made: Drawn = {}
        self._scores: list[list[int]] = []
        self._bounds: list[list[int]] = []
        self._next = 0

    def frames(self, replay: Replay) -> Iterator[Frame]:
        """Yield the frames of the plies that have not been encoded yet. Pass the same replay in every call."""
        while self._next <= len(replay.steps):
            yield self._frame(replay, self._next)
            self._next += 1

    def _frame(self, replay: Replay, ply: int) -> Frame:
        position = replay.position(ply)
        assert position is not None
        parts: dict[str, str] = dict(board_parts(replay, self._names, ply, ply - 1 if ply else None))
        drawing = fragments()
        for name, part in table_parts(replay, self._lines, ply, self._made).items():
            shown = self._shown.get(name)
            if shown is not part and shown != part:
                parts[name] = part.render(name, drawing)
                self._shown[name] = part
        was = self._drawn
        frame: Frame = {
            "round": position.round,
            "act": position.to_act or 0,
            "parts": {name: text_change(was.get(name, ""), new) for name, new in parts.items() if new != was.get(name)},
        }
        self._drawn |= parts
        if ply:
            step = replay.steps[ply - 1]
            before = replay.position(ply - 1)
            assert before is not None
            frame["d"], frame["seat"] = step.next_index, step.seat
            if replay.starts_turn(ply):
                frame["turn"] = 1
            if moved := motions(step, before, position):
                frame["motions"] = moved
            if marked := timeline.marks_at(replay, self._names, ply):
                frame["marks"] = [mark.document() for mark in marked]
        if bounds := replay.bounds(ply):
            pairs = [list(pair) for pair in bounds]
            fresh_ones = {seat: pair for seat, pair in enumerate(pairs, 1) if self._bounds[seat - 1 : seat] != [pair]}
            if fresh_ones:
                frame["bounds"] = fresh_ones
            self._bounds = pairs
        self._analyse(replay, ply, frame)
        return frame

    def _analyse(self, replay: Replay, ply: int, frame: Frame) -> None:
        """Add the values that are public only after the end: scores by source, options, price of a bid, think time."""
        if scores := replay.scores(ply):
            rows = [[score.get(name, 0) for name in vocabulary.CATEGORIES] for score in scores]
            changed = {seat: row for seat, row in enumerate(rows, 1) if self._scores[seat - 1 : seat] != [row]}
            if changed:
                frame["scores"] = changed
            self._scores = rows
        if ply and isinstance(replay, FinishedReplay) and not replay.seat:
            step, before = replay.steps[ply - 1], replay.position(ply - 1)
            frame["options"] = replay.options(ply)
            if step.verb == "bid":
                had, has = (position.seats[step.seat - 1].gold for position in (before, replay.position(ply)))
                assert had is not None and has is not None  # nothing is hidden here
                frame["bid"] = had - has
            if "ms" in step.facts:
                frame["ms"] = step.facts["ms"]


def text_change(old: str, new: str) -> TextChange:
    """Return the change from an old text to a new one, in the shorter of two forms.

    `[n, m, middle]`: keep the first n and the last m characters of the old text, with `middle` between them.
    `{i: piece}`: cut the old text before every `<`, and replace the pieces with these numbers.
    """
    was, now = old.split("<"), new.split("<")
    shorter = min(len(was), len(now))
    start = next(compress(count(), map(ne, was, now)), shorter)
    back = min(next(compress(count(), map(ne, reversed(was), reversed(now))), shorter), shorter - start)
    # Length of the equal pieces at the start (with a "<" after each) and at the end (with a "<" before each).
    first, last = sum(map(len, now[:start])) + start, sum(map(len, now[len(now) - back :])) + back
    if start + back < shorter:
        first += _alike_from_start(was[start], now[start])
        last += _alike_from_start(was[-1 - back][::-1], now[-1 - back][::-1])
    first = min(first, len(old), len(new))
    last = min(last, len(old) - first, len(new) - first)
    middle = new[first : len(new) - last]
    if len(middle) > PIECE and len(was) == len(now):
        pieces = {at: now[at] for at in range(start, len(now) - back) if now[at] != was[at]}
        if sum(len(piece) + PIECE for piece in pieces.values()) < len(middle):
            return pieces
    return [first, last, middle]


def _alike_from_start(a: str, b: str) -> int:
    """Return the number of characters that two texts have in common from the start."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a.startswith(b[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def frames_document(replay: Replay, lines: Sequence[SeatLine]) -> FramesDocument:
    """Return the document of all frames of a replay so far."""
    frames = list(FrameEncoder(lines).frames(replay))
    parts: dict[str, list[Any]] = {}
    changed_at: dict[str, int] = {}
    for ply, frame in enumerate(frames):
        for name, changed in frame["parts"].items():
            parts.setdefault(name, []).extend((ply - changed_at.get(name, 0), changed))
            changed_at[name] = ply
    names = sorted({name for frame in frames for name in frame} - {"parts"})
    columns: dict[str, list[Any]] = {name: [frame.get(name) for frame in frames] for name in names}
    indices = [0, *(step.next_index for step in replay.steps)]
    columns["d"] = [None, *(index - before for before, index in pairwise(indices))]
    return {
        "v": VERSION,
        "frames": columns,
        "parts": {name: parts[name] for name in sorted(parts)},
        "sources": [*vocabulary.source_names().values()],
        "seats": [line.version.bot.name for line in lines],
        "is_over": replay.is_over,
    }


def packed_frames(
    line: MatchLine, seat: int = 0, *, address: str = "", wait_s: float = WAIT_S
) -> dict[str, bytes] | None:
    """Return the frames of a match as compressed JSON, by encoding (`zstd`, `gzip`). Return None without a replay.

    The result is cached. Raise `Busy` if other frames are still being made after `wait_s` seconds, or if too many
    visitors wait.

    `seat`: the seat whose view is encoded; 0 for the public view.
    `address`: the network address of the visitor.
    """

    def make() -> dict[str, bytes] | None:
        replay = load_replay(line, seat)
        if replay is None:
            return None
        document = frames_document(replay, line.seats)
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
        return {encoding: pack(text, encoding, level) for encoding, level in LEVELS.items()}

    return cached_once(line, seat, "frames", make, address=address, wait_s=wait_s)
