"""Weights: the large files in a bot's folder `weights`, which are packed apart and are mounted when it plays."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.archives import BundleError
from arena.hosting.building import build
from arena.hosting.bundle import WEIGHTS_MARK, Bundle, pack, pack_weights, unpack, weights_of
from arena.hosting.limits import DEFAULT_LIMITS
from tests.hosting.test_bundle import ARCHIVERS, FILES, SMALL, Files, bundle_of, contents, write_folder, write_tar
from tests.kit.command import arena, complaint, printed

WEIGHTS: Files = {"weights/net.bin": bytes(range(256)), "weights/deep/er.bin": b"x"}

BOT = """
from arena.bots import Bot

net = open("weights/net.bin").read()
try:
    open("weights/other", "w")
except OSError:
    pass
else:
    raise SystemExit("weights can be changed")


class Mine(Bot):
    def choose(self, view, legal):
        return legal[len(net) % len(legal)]
"""


@pytest.mark.parametrize("kind", ARCHIVERS)
def test_weights_are_no_part_of_the_bundle_but_named_in_it(tmp_path: Path, kind: str) -> None:
    bundle = bundle_of(tmp_path, FILES | WEIGHTS, ARCHIVERS[kind], SMALL)
    weights = bundle.weights
    assert weights is not None and weights.sha256 == bundle.weights_sha256
    assert (weights.files, weights.unpacked_bytes, weights.size) == (2, 257, weights.packed.stat().st_size)
    unpack(weights.packed, weights.sha256, tmp_path / "weights", SMALL)
    assert contents(tmp_path / "weights") == {"net.bin": bytes(range(256)), "deep/er.bin": b"x"}
    unpack(bundle.packed, bundle.sha256, tmp_path / "image", SMALL)
    assert contents(tmp_path / "image") == FILES | {WEIGHTS_MARK: weights.sha256.encode()}
    assert weights_of(tmp_path / "image") == weights.sha256
    assert bundle.unpacked_bytes == sum(map(len, FILES.values()))


def test_versions_share_weights_and_differ_by_them(tmp_path: Path) -> None:
    first, second = (bundle_of(tmp_path, FILES | WEIGHTS | {"more": more}, limits=SMALL) for more in (b"1", b"2"))
    assert first.sha256 != second.sha256 and first.weights_sha256 == second.weights_sha256
    other = bundle_of(tmp_path, FILES | WEIGHTS | {"more": b"1", "weights/net.bin": b"y"}, limits=SMALL)
    assert other.sha256 != first.sha256 and other.weights_sha256 != first.weights_sha256
    assert bundle_of(tmp_path, FILES, limits=SMALL).weights_sha256 == ""


def test_a_bundle_names_weights_that_are_elsewhere(tmp_path: Path) -> None:
    known = bundle_of(tmp_path, FILES | WEIGHTS, limits=SMALL)
    again = pack(known.packed, "bot.tar.gz", tmp_path / "again", SMALL)
    assert (again.sha256, again.weights_sha256, again.weights) == (known.sha256, known.weights_sha256, None)
    assert known.weights is not None
    assert pack_weights(known.weights.packed, tmp_path / "w", SMALL).sha256 == known.weights_sha256
    for text in (b"no hash", b"0" * 63, b"0" * 65, b"A" * 64):
        with pytest.raises(BundleError, match="is no hash of weights: put the files themselves into weights"):
            bundle_of(tmp_path, FILES | {WEIGHTS_MARK: text}, limits=SMALL)


def test_weights_have_limits_of_their_own(tmp_path: Path) -> None:
    most = replace(SMALL, unpacked_bytes=sum(map(len, FILES.values())), weights_bytes=257)
    assert bundle_of(tmp_path, FILES | WEIGHTS, limits=most).weights is not None
    with pytest.raises(BundleError, match="the folder weights has 0 MB, and this arena takes 0 MB"):
        bundle_of(tmp_path, FILES | WEIGHTS | {"mybot.py": b"", "weights/more": b"1"}, limits=most)
    with pytest.raises(BundleError, match="its files have more than 0 MB together"):
        bundle_of(tmp_path, FILES | {"more": b"1"}, limits=most)
    write_folder(tmp_path / "empty", {})
    with pytest.raises(BundleError, match="the weights have no files: pack the content of the folder weights"):
        pack_weights(tmp_path / "empty", tmp_path / "w", SMALL)


@pytest.mark.usefixtures("sandbox")
def test_a_build_keeps_the_weights_of_its_source(open_folder: Path) -> None:
    manifest = 'language = "other"\ncommand = ["./bot"]\nbuild = ["sh", "-c", "rm -r weights; mkdir weights; %s"]\n'
    script = "echo 0 > weights/.arena-weights; echo 1 > weights/a; echo '#!/bin/sh' > bot"
    files = {"bot.toml": (manifest % script).encode(), "weights/net.bin": b"x"}
    bundle = built_from(open_folder, files)
    image = build(open_folder / "source", bundle.manifest, open_folder / "image", DEFAULT_LIMITS, lambda text: None)
    assert image.weights_sha256 == bundle.weights_sha256 != ""
    unpack(image.packed, image.sha256, open_folder / "unpacked", DEFAULT_LIMITS)
    assert weights_of(open_folder / "unpacked") == bundle.weights_sha256
    assert contents(open_folder / "unpacked").keys() == {"bot", "bot.toml", WEIGHTS_MARK}


def built_from(folder: Path, files: Files) -> Bundle:
    """Return the bundle of these files, unpacked in `source`."""
    write_tar(folder / "upload", files)
    bundle = pack(folder / "upload", "bot.tar.gz", folder / "bundle", DEFAULT_LIMITS)
    unpack(bundle.packed, bundle.sha256, folder / "source", DEFAULT_LIMITS)
    return bundle


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_a_bot_reads_its_weights_in_the_sandbox(tmp_path: Path) -> None:
    folder = tmp_path / "mybot"
    write_folder(folder, {"mine.py": BOT.encode(), "weights/net.bin": b"xyz"})
    shown = json.loads(printed(arena("play", folder, "random", "--sandbox", "--json")))
    assert all(row["faults"] == {} and row["forfeits"] == 0 for row in shown["players"])
    (folder / "weights" / "net.bin").rename(folder / "weights" / ".arena-weights")
    (folder / "weights" / ".arena-weights").write_text("0" * 64)
    words = complaint(arena("play", folder, "random", "--sandbox"))
    assert "its weights are not here: put their files into the folder weights" in words
