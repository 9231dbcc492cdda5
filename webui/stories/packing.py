"""The chances and turning points of a story, as JSON in zlib: at most 2 KB a match."""

from __future__ import annotations

import json
import zlib

from arena.story import Evaluation, Point, TurningPoint, parse_points, points_document


def pack_story(evaluation: Evaluation) -> bytes:
    """Its chances and turning points as bytes; its values are columns."""
    document = points_document(evaluation.points, evaluation.turning_points)
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode(), 9)


def unpack_story(packed: bytes) -> tuple[tuple[Point, ...], tuple[TurningPoint, ...]]:
    """What was packed."""
    return parse_points(json.loads(zlib.decompress(packed)))
