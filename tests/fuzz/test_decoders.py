"""Whatever comes from outside is decoded, or refused by the one error that its decoder names: never anything else, and
within a memory that does not depend on what was sent.

Every file in tests/corpus/NAME is tried with the decoder of that name: interesting inputs, and every one that was once
a finding. `make soak` draws new inputs without end; what it finds belongs into the corpus.
"""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import CORPUS, MOST_BYTES, TARGETS

SHARE = int(os.environ.get("ARENA_SOAK_SHARE", "1"))
BYTES = [name for name in TARGETS if name not in ("log", "replay", "replay_gz", "replay_zst")]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["", "00", "end"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
VALUES = st.sampled_from([-1, 0, 1, 2, 2**63, 10**400, 0.5, "", "00", "gg", "end", "1e9", [], {}, None, True]) | JSON
PACKED = {"replay_gz": gzip.compress, "replay_zst": zstandard.compress}


def examples(most: int) -> settings:
    return settings(max_examples=most * SHARE)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bytes with some of them replaced, removed, repeated or followed by others."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.integers(0, 8)))
        data[begin:end] = draw(st.binary(max_size=8) | st.just(bytes(data[begin:end]) * 3))
    return bytes(data)


@st.composite
def changed(draw: st.DrawFn, document: Any) -> bytes:
    """A JSON document with a value somewhere in it replaced, removed or repeated."""
    document = json.loads(json.dumps(document))
    for _ in range(draw(st.integers(1, 3))):
        node = document
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(node[key], (dict, list)) and draw(st.integers(0, 3)):
                node = node[key]
                continue
            if draw(st.integers(0, 4)):
                node[key] = draw(VALUES)
            elif isinstance(node, list) and draw(st.booleans()):
                node.insert(key, node[key])
            else:
                del node[key]
            break
    return json.dumps(document).encode()


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_good_is_taken(name: str) -> None:
    assert all(TARGETS[name].try_(data) for data in TARGETS[name].good)


@pytest.mark.parametrize(
    "path", sorted(path for path in CORPUS.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_the_corpus(path: Any) -> None:
    target, data = TARGETS[path.parent.name], path.read_bytes()
    target.try_(data)  # what is loaded by the first try is not the input's
    tracemalloc.start()
    try:
        target.try_(data)
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", BYTES)
@given(data=st.data())
@examples(100)
def test_damaged_bytes(name: str, data: st.DataObject) -> None:
    target = TARGETS[name]
    good = data.draw(st.sampled_from(target.good))
    target.try_(data.draw(st.binary(max_size=200) | damaged(good)))


@pytest.mark.parametrize("name", [name for name in BYTES if name not in ("heard", "reply")])
@given(data=st.data())
@examples(100)
def test_changed_envelopes(name: str, data: st.DataObject) -> None:
    target = TARGETS[name]
    line, end, payload = target.good[0].partition(b"\n")
    target.try_(data.draw(changed(json.loads(line))) + end + payload)


@pytest.mark.parametrize("name", ["log", "replay"])
@given(data=st.data())
@examples(100)
def test_changed_documents(name: str, data: st.DataObject) -> None:
    target = TARGETS[name]
    target.try_(data.draw(changed(json.loads(target.good[0]))))


@pytest.mark.parametrize("name", ["replay", *PACKED])
@given(data=st.data())
@examples(50)
def test_damaged_files(name: str, data: st.DataObject) -> None:
    whole = TARGETS["replay"].good[0][:400]
    packed = PACKED.get(name, bytes)(whole)
    TARGETS[name].try_(data.draw(damaged(packed) | st.binary(max_size=200)))
