"""Packing of a story's chances and turning points, as JSON in zlib: at most 2 KB for each match."""

from __future__ import annotations

import json
import zlib

from arena.story import Evaluation, Point, TurningPoint, parse_points, points_document


def pack_story(evaluation: Evaluation) -> bytes:
    """Return the chances and turning points as bytes. The values of a story are columns."""
    document = points_document(evaluation.points, evaluation.turning_points)
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode(), 9)


def unpack_story(packed: bytes) -> tuple[tuple[Point, ...], tuple[TurningPoint, ...]]:
    """Return what was packed."""
    return parse_points(json.loads(zlib.decompress(packed)))
