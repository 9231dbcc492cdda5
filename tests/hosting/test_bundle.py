"""Bundles: equal content has one hash, and a hostile archive gets one clear line, in bounded memory."""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import os
import resource
import stat
import struct
import sys
import tarfile
import time
import tracemalloc
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.hosting.archives import BundleError
from arena.hosting.bundle import Bundle, pack, pack_result, unpack
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.manifest import ManifestError
from arena.sandbox.limits import MIB

MANIFEST = b'language = "python"\ncommand = ["python3", "mybot.py"]\n'
FILES = {"bot.toml": MANIFEST, "mybot.py": b"print(1)\n", "data/deep/table.bin": bytes(range(256)) * 9}
SMALL = replace(DEFAULT_LIMITS, files=50, unpacked_bytes=MIB, packed_bytes=MIB // 2, weights_bytes=1000)

KEY_NUMBERS = itertools.count(0x100000)

Files = dict[str, bytes]
Archiver = Callable[[Path, Files], None]


def write_folder(path: Path, files: Files) -> None:
    """Write files to a new folder."""
    path.mkdir()
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)


def write_zip(path: Path, files: Files) -> None:
    """Write a zip, backwards, with times of today and an entry for a folder."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("data")
        for name, content in reversed(files.items()):
            archive.writestr(name, content)


def write_tar(path: Path, files: Files, mode: Literal["w", "w:gz"] = "w:gz") -> None:
    """Write a tar in one folder, with times and owners."""
    with tarfile.open(path, mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"./mybot/{name}")
            member.size, member.mtime, member.uid, member.uname = len(content), time.time(), 1000, "ann"
            archive.addfile(member, io.BytesIO(content))


ARCHIVERS: dict[str, Archiver] = {"folder": write_folder, "zip": write_zip, "tar": write_tar}


def contents(folder: Path) -> Files:
    """Return all files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def bundle_of(tmp_path: Path, files: Files, archiver: Archiver = write_zip, limits: Any = SMALL) -> Bundle:
    """Return the bundle of these files."""
    source = tmp_path / f"source-{len(list(tmp_path.iterdir()))}"
    archiver(source, files)
    return pack(source, "mybot.zip", tmp_path / f"{source.name}.bundle", limits)


@pytest.mark.parametrize("kind", ARCHIVERS)
def test_all_forms_make_the_same_bundle(tmp_path: Path, kind: str) -> None:
    expected = bundle_of(tmp_path, FILES, write_folder)
    bundle = bundle_of(tmp_path, FILES, ARCHIVERS[kind])
    assert bundle.sha256 == expected.sha256 == hashlib.sha256(gzip.decompress(bundle.packed.read_bytes())).hexdigest()
    assert (bundle.files, bundle.unpacked_bytes) == (3, sum(map(len, FILES.values())))
    assert bundle.size == bundle.packed.stat().st_size
    assert bundle.manifest.command == ("python3", "mybot.py")


def test_what_is_unpacked_is_readable_for_everybody(tmp_path: Path) -> None:
    files = {**FILES, "run.sh": b"#!/bin/sh\n", "tool": b"x"}
    source = tmp_path / "source"
    write_folder(source, files)
    (source / "tool").chmod(0o700)
    bundle = pack(source, "source", tmp_path / "bundle", SMALL)
    old = os.umask(0o077)
    try:
        unpack(bundle.packed, bundle.sha256, tmp_path / "image", SMALL)
    finally:
        os.umask(old)
    assert contents(tmp_path / "image") == files
    modes = {
        str(path.relative_to(tmp_path)): stat.S_IMODE(path.stat().st_mode)
        for path in (tmp_path / "image", *(tmp_path / "image").rglob("*"))
    }
    programs = {"image", "image/data", "image/data/deep", "image/run.sh", "image/tool"}
    assert modes == {path: 0o755 if path in programs else 0o644 for path in modes}


names = st.text("abXY.é字 -_", min_size=1, max_size=6).filter(
    lambda name: set(name) != {"."} and not name.startswith("._") and unicodedata.is_normalized("NFC", name)
)
trees = st.dictionaries(
    st.lists(names, min_size=1, max_size=3).map("/".join), st.binary(max_size=2000), max_size=8
).filter(
    lambda files: (
        len({part.casefold() for path in files for part in prefixes(path)})
        == len({part for path in files for part in prefixes(path)})
        and not any(other.startswith(f"{path}/") for path in files for other in files)
    )
)


def prefixes(path: str) -> Iterator[str]:
    """Yield a path and the folders that it is in."""
    parts = path.split("/")
    for length in range(1, len(parts) + 1):
        yield "/".join(parts[:length])


@settings(max_examples=25)
@given(tree=trees, order=st.randoms(use_true_random=False))
def test_any_tree_survives_and_its_order_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, tree: Files, order: Any
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    files = {**tree, "bot.toml": MANIFEST, "mybot.py": b""}
    shuffled = list(files.items())
    order.shuffle(shuffled)
    one = bundle_of(folder, files, write_folder)
    others = [bundle_of(folder, dict(shuffled), archiver) for archiver in (write_zip, write_tar)]
    assert {bundle.sha256 for bundle in others} == {one.sha256}
    unpack(one.packed, one.sha256, folder / "image", SMALL)
    assert contents(folder / "image") == files


def test_different_content_has_another_hash(tmp_path: Path) -> None:
    hashes = {
        bundle_of(tmp_path, files).sha256
        for files in (FILES, {**FILES, "a": b""}, {**FILES, "mybot.py": b"print(2)\n"}, {**FILES, "B": b""})
    }
    assert len(hashes) == 4


def test_what_is_no_part_of_a_bot_is_left_out(tmp_path: Path) -> None:
    parts = [".git/config", "node_modules/a/b.js", "target/a.o", "data/__pycache__/c.pyc", "._mybot.py"]
    more = dict.fromkeys(parts, b"x")
    for archiver in (write_folder, write_zip):
        bundle = bundle_of(tmp_path, {**FILES, **more}, archiver)
        assert bundle.sha256 == bundle_of(tmp_path, FILES).sha256
        assert bundle.left_out == ("._mybot.py", ".git", "data/__pycache__", "node_modules", "target")


def test_a_single_file_is_a_bundle(tmp_path: Path) -> None:
    (tmp_path / "upload").write_bytes(b"from arena.bots import Bot\n")
    bundle = pack(tmp_path / "upload", "C:\\bots\\mybot.py", tmp_path / "bundle", SMALL)
    assert bundle.manifest.command == ("python3", "-m", "arena.bots", "mybot.py")
    unpack(bundle.packed, bundle.sha256, tmp_path / "image", SMALL)
    assert contents(tmp_path / "image") == {"mybot.py": b"from arena.bots import Bot\n"}


def test_the_result_of_a_build_has_the_manifest_of_its_source(tmp_path: Path) -> None:
    manifest = replace(bundle_of(tmp_path, FILES).manifest, build=("make",), command=("./a",))
    write_tar(tmp_path / "result", {"a": b"#!/bin/sh\n"}, "w")
    assert pack_result(tmp_path / "result", tmp_path / "bundle", SMALL, manifest, "").manifest == manifest
    (tmp_path / "gzip").write_bytes(gzip.compress((tmp_path / "result").read_bytes()))
    with pytest.raises(BundleError, match="damaged"):  # a build sends a plain tar, and the runner unpacks nothing else
        pack_result(tmp_path / "gzip", tmp_path / "bundle", SMALL, manifest, "")
    write_tar(tmp_path / "other", {"b": b"x"}, "w")
    with pytest.raises(BundleError, match=r"no '\./a' in it"):
        pack_result(tmp_path / "other", tmp_path / "bundle", SMALL, manifest, "")


def elf(machine: int) -> bytes:
    """Return the beginning of a program for a processor."""
    return b"\x7fELF\2\1\1".ljust(18, b"\0") + struct.pack("<H", machine) + bytes(64)


def commanded(*command: str, **more: bytes) -> Files:
    """Return the files of a bot with this command; `__` in a name stands for a dot."""
    manifest = f'language = "other"\ncommand = {list(command)}\n'.encode()
    return {"bot.toml": manifest, **{name.replace("__", "."): content for name, content in more.items()}}


AT_ONCE: dict[str, tuple[Files, str]] = {
    "no TOML": ({**FILES, "bot.toml": b"language = ["}, "bot.toml is not valid TOML: Invalid value"),
    "an unknown key": ({**FILES, "bot.toml": MANIFEST + b"foo = 1\n"}, "bot.toml: there is no key 'foo': remove it"),
    "a manifest of 20 KB": ({**FILES, "bot.toml": b"#" * 20_000}, "bot.toml is longer than 16 KB: shorten it"),
    "a manifest in Latin-1": ({**FILES, "bot.toml": b"\xff"}, "bot.toml is not UTF-8: save it as UTF-8"),
    "no manifest": ({"a.py": b"", "b.py": b""}, "it has no bot.toml: put one into its first folder, with the command"),
    "no files": ({}, "has no files: pack the folder with bot.toml in it"),
    "no program": (commanded("./bot"), "there is no './bot' in it: correct the command in bot.toml"),
    "no script": (commanded("python3", "-u", "main.py", "x.py"), "there is no 'main.py' in it: correct the command"),
    "a script without an interpreter": (commanded("./bot", bot=b"print(1)\n"), "'./bot' is no program: let its first"),
    "another processor": (commanded("./bot", bot=elf(40)), "'./bot' is a program for another processor: build it for"),
    "Windows": (commanded("./bot.exe", bot__exe=b"MZ"), "'./bot.exe' is a program for Windows: build it for Linux"),
    "macOS": (commanded("./bot", bot=b"\xcf\xfa\xed\xfe"), "'./bot' is a program for macOS: build it for Linux"),
    "a name with escape codes": ({**FILES, "\x1b[2Ja": b""}, r"'\x1b[2Ja' has invisible characters"),
    "a name in two cases": ({**FILES, "MyBot.py": b""}, "differ only in their case: rename one of them"),
}  # fmt: skip
"""Files of bots with a fault that is found before anything else happens, and the words about it."""


@pytest.mark.parametrize("word", ["-c", "print(1)", "-m", "arena.bots", "/usr/share/x.py", "a.jar:b.jar", "--at=a.py"])
def test_an_argument_that_is_no_script_of_the_bot_is_left_alone(tmp_path: Path, word: str) -> None:
    assert bundle_of(tmp_path, commanded("python3", word)).manifest.command == ("python3", word)


def test_a_manifest_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    files = {**FILES, "bot.toml": b"\xef\xbb\xbf" + MANIFEST}
    assert bundle_of(tmp_path, files).manifest.command == ("python3", "mybot.py")


def zip_with(
    *entries: tuple[str, bytes] | tuple[zipfile.ZipInfo, bytes], compression: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """Return a zip with these entries after the files of a good bot."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in (*FILES.items(), *entries):
            archive.writestr(name, content)
    return buffer.getvalue()


def tar_with(*members: tuple[str, bytes, dict[str, Any]], compress: bool = False) -> bytes:
    """Return a tar with these members after the files of a good bot."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content, more in (*((name, content, {}) for name, content in FILES.items()), *members):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in more.items():
                setattr(member, key, value)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(buffer.getvalue()) if compress else buffer.getvalue()


def zip_entry(name: str, mode: int) -> zipfile.ZipInfo:
    """Return an entry of a zip with a mode of Unix."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    return entry


def encrypted() -> bytes:
    """Return a zip whose last entry says that it is encrypted."""
    data = bytearray(zip_with())
    place = data.rfind(b"PK\x01\x02")
    data[place + 8] |= 1
    return bytes(data)


def with_end(entries: int, size: int, comment: bytes = b"") -> bytes:
    """Return a zip whose end claims these numbers."""
    data = zip_with()
    end = bytearray(data[-22:])
    struct.pack_into("<HHL", end, 8, entries, entries, size)
    struct.pack_into("<H", end, 20, len(comment))
    return data[:-22] + bytes(end) + comment


def huge_header(kind: bytes) -> bytes:
    """Return a tar with an extended header of 1 MB and more, that is not even there."""
    member = tarfile.TarInfo("x")
    member.type, member.size = kind, 50 * MIB
    return tar_with()[:-10240] + member.tobuf(tarfile.GNU_FORMAT) + bytes(1024)


def negative_size() -> bytes:
    """Return a tar whose last header sends its reader back."""
    block = bytearray(tarfile.TarInfo("x").tobuf(tarfile.GNU_FORMAT))
    block[124:136] = b"\xff" * 10 + b"\xfc\x00"
    block[148:156] = b"%06o\0 " % (sum(block[:148]) + sum(block[156:512]) + 8 * 32)
    return tar_with()[:-10240] + bytes(block) + bytes(1024)


ACCENT = unicodedata.normalize("NFD", "é")
LINK = {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}
HOSTILE: dict[str, tuple[bytes, str]] = {
    "zip: climbs": (zip_with(("../x", b"")), r"'\.\./x' leads out of the bot's folder"),
    "zip: climbs later": (zip_with(("a/../../x", b"")), "leads out of the bot's folder"),
    "zip: absolute": (zip_with(("/etc/passwd", b"")), "is not a relative path"),
    "zip: backslash": (zip_with(("a\\..\\b", b"")), "is not a relative path"),
    "zip: link": (zip_with((zip_entry("a", stat.S_IFLNK | 0o777), b"/etc/passwd")), "'a' is a link: put the file"),
    "zip: pipe": (zip_with((zip_entry("a", stat.S_IFIFO), b"")), "neither a file nor a folder"),
    "zip: escapes": (zip_with(("\x1b[2Ja", b"")), r"'\\x1b\[2Ja' has invisible characters"),
    "zip: right to left": (zip_with(("a\u202eyp.b", b"")), "has invisible characters"),
    "zip: not NFC": (zip_with((f"caf{ACCENT}", b"")), "is not in the normal form NFC"),
    "zip: case": (zip_with(("MyBot.py", b"")), "'mybot.py' and 'MyBot.py' differ only in their case"),
    "zip: case of folders": (zip_with(("DATA/x", b"")), "'data' and 'DATA' differ only in their case"),
    "zip: file in a file": (zip_with(("mybot.py/x", b"")), "is a file and a folder"),
    "zip: file for a folder": (zip_with(("data", b"x")), "is a file and a folder"),
    "zip: long name": (zip_with(("a" * 241, b"")), "is longer than 240 bytes"),
    "zip: many files": (zip_with(*((str(number), b"") for number in range(51))), "more than 50 files"),
    "zip: many entries": (zip_with(*((f"{number}/", b"") for number in range(200))), "more entries than 50 files"),
    "zip: encrypted": (encrypted(), "is encrypted: pack it without a password"),
    "zip: bomb": (zip_with(("a", bytes(20 * MIB))), "more than 1 MB together"),
    "zip: claims": (with_end(60_000, 100), "more entries than 50 files"),
    "zip: claims much": (with_end(3, 200_000), "more entries than 50 files"),
    "zip: claims behind a comment": (with_end(60_000, 100, b"hello"), "more entries than 50 files"),
    "zip: cut": (zip_with()[:-30], "damaged"),
    "zip: wrong content": (zip_with(compression=zipfile.ZIP_STORED).replace(b"print", b"prunt"), "damaged"),
    "tar: climbs": (tar_with(("../x", b"", {})), "leads out of the bot's folder"),
    "tar: absolute": (tar_with(("/etc/passwd", b"", {}), compress=True), "is not a relative path"),
    "tar: link": (tar_with(("a", b"", LINK)), "'a' is a link"),
    "tar: hard link": (tar_with(("a", b"", {"type": tarfile.LNKTYPE, "linkname": "mybot.py"})), "'a' is a link"),
    "tar: device": (tar_with(("a", b"", {"type": tarfile.CHRTYPE})), "neither a plain file nor a folder"),
    "tar: pipe": (tar_with(("a", b"", {"type": tarfile.FIFOTYPE})), "neither a plain file nor a folder"),
    "tar: not UTF-8": (tar_with(("a\udcff", b"", {})), "is not UTF-8"),
    "tar: twice": (tar_with(("./mybot.py", b"", {})), "is there twice"),
    "tar: bomb": (tar_with(("a", bytes(20 * MIB), {}), compress=True), "more than 1 MB together"),
    "tar: many files": (tar_with(*((str(number), b"", {}) for number in range(51))), "more than 50 files"),
    "tar: long name of 50 MB": (huge_header(tarfile.GNUTYPE_LONGNAME), "damaged"),
    "tar: extended header of 50 MB": (huge_header(tarfile.XHDTYPE), "damaged"),
    "tar: goes back": (negative_size(), "damaged"),
    "tar: cut": (tar_with(compress=True)[:-20], "damaged"),
    "gzip: of empty members": (gzip.compress(b"") * 20_000, "too many parts"),
    "gzip: of something else": (gzip.compress(b"hello"), r"taken if it is a \.tar\.gz"),
    "something else": (b"hello", r"has no bot\.toml: put one into its first folder"),
    "nothing": (b"", r"has no bot\.toml"),
    "empty zip": (b"PK\x05\x06" + bytes(18), "has no files"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_gets_one_line(tmp_path: Path, name: str) -> None:
    content, words = HOSTILE[name]
    (tmp_path / "upload").write_bytes(content)
    with pytest.raises(BundleError, match=words) as caught:
        pack(tmp_path / "upload", "mybot.zip", tmp_path / "bundle", SMALL)
    message = str(caught.value)
    assert message.isprintable()
    assert message.isascii()
    assert len(message) < 300
    assert [path.name for path in tmp_path.iterdir()] == ["upload"]


def test_a_gzip_of_several_parts_is_read_as_one(tmp_path: Path) -> None:
    """Programs that compress in parallel write such files, and zeros may follow."""
    content = tar_with(("large", os.urandom(200_000) + bytes(300_000), {}))
    parts = [gzip.compress(content[start : start + 70_000]) for start in range(0, len(content), 70_000)]
    (tmp_path / "one").write_bytes(gzip.compress(content))
    (tmp_path / "parts").write_bytes(b"".join(parts[:3]) + bytes(100_000) + b"".join(parts[3:]) + bytes(100_000))
    one, several = (pack(tmp_path / name, "bot.tar.gz", tmp_path / "bundle", SMALL) for name in ("one", "parts"))
    assert several == one


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/etc/passwd"), os.mkfifo], ids=["link", "pipe"])
def test_a_folder_with_a_link_or_a_pipe_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    write_folder(tmp_path / "source", FILES)
    make(tmp_path / "source" / "data" / "x")
    with pytest.raises(BundleError, match="'data/x' is "):
        pack(tmp_path / "source", "source", tmp_path / "bundle", SMALL)


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "upload").write_bytes(os.urandom(MIB))
    with pytest.raises(BundleError, match="has 1 MB, and this arena takes 0 MB"):
        pack(tmp_path / "upload", "mybot.zip", tmp_path / "bundle", SMALL)


def test_a_folder_that_stays_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="packed it has more than 0 MB"):
        bundle_of(tmp_path, {**FILES, "weights": os.urandom(MIB - 9000)}, write_folder)


@settings(max_examples=60)
@given(
    base=st.sampled_from([zip_with(), tar_with(), tar_with(compress=True)]),
    damages=st.lists(st.tuples(st.integers(0, 1 << 16), st.binary(min_size=1, max_size=8)), min_size=1, max_size=6),
    cut=st.integers(0, 1 << 16),
)
def test_a_damaged_archive_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, base: bytes, damages: list[tuple[int, bytes]], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("damage")
    data = bytearray(base)
    for place, wrong in damages:
        data[place % len(data) : place % len(data) + len(wrong)] = wrong
    (folder / "upload").write_bytes(data[: len(data) - cut % len(data)] if cut % 3 == 0 else data)
    try:
        bundle = pack(folder / "upload", "mybot.zip", folder / "bundle", SMALL)
    except (BundleError, ManifestError):
        return
    unpack(bundle.packed, bundle.sha256, folder / "image", SMALL)


def stored_tar(path: Path, **changes: Any) -> str:
    """Write a tar with one file as `pack` would, but for these changes of its entry. Return its hash."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as tar:
        entry = tarfile.TarInfo("bot.py")
        entry.size, entry.mode = 2, 0o644
        for name, value in changes.items():
            setattr(entry, name, value)
        tar.addfile(entry, io.BytesIO(b"no"))
    path.write_bytes(gzip.compress(content.getvalue()))
    return hashlib.sha256(content.getvalue()).hexdigest()


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "../escaped"},
        {"name": "/tmp/escaped"},
        {"name": "./bot.py"},
        {"mode": 0o4755},
        {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd", "size": 0},
        {"type": tarfile.LNKTYPE, "linkname": "other", "size": 0},
        {"type": tarfile.FIFOTYPE, "size": 0},
        {"type": tarfile.DIRTYPE, "size": 0},
        {"pax_headers": {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9999999"}},
    ],
    ids=str,
)
def test_a_stored_tar_that_was_never_packed_is_not_unpacked(tmp_path: Path, changes: dict[str, Any]) -> None:
    (tmp_path / "in").mkdir()
    good = stored_tar(tmp_path / "good")
    unpack(tmp_path / "good", good, tmp_path / "in" / "good", SMALL)
    bad = stored_tar(tmp_path / "bad", **changes)
    with pytest.raises(BundleError):
        unpack(tmp_path / "bad", bad, tmp_path / "in" / "bad", SMALL)
    assert not list(tmp_path.glob("**/escaped"))


def test_a_stored_bundle_that_is_damaged_is_not_unpacked(tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, FILES)
    with pytest.raises(BundleError, match="has another hash"):
        unpack(bundle.packed, "0" * 64, tmp_path / "image", SMALL)
    data = bundle.packed.read_bytes()
    bundle.packed.write_bytes(data[: len(data) // 2])
    with pytest.raises(BundleError, match="is damaged"):
        unpack(bundle.packed, bundle.sha256, tmp_path / "image", SMALL)
    assert not (tmp_path / "image").exists()


def keys(kind: bytes) -> bytes:
    """Return an extended header of a tar, which has thousands of keys that occur nowhere else."""
    names = [f"{next(KEY_NUMBERS):x}" for _ in range(4000)]
    text = b"".join(b"%d %s=\n" % (len(name) + 5, name.encode()) for name in names)
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, len(text)
    return header.tobuf(tarfile.USTAR_FORMAT) + text + bytes(-len(text) % tarfile.BLOCKSIZE)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE], ids=["of one member", "of all that follow"])
@pytest.mark.parametrize("headers", [1, 100])
def test_extended_headers_need_little_memory(tmp_path: Path, kind: bytes, headers: int) -> None:
    """A reader makes many times as much of their keys as they have bytes."""
    good = tar_with().rstrip(b"\0")
    with gzip.open(tmp_path / "source", "wb", 1) as file:
        file.write(good + bytes(-len(good) % tarfile.BLOCKSIZE))
        for number in range(100 // headers):
            for _ in range(headers):
                file.write(keys(kind))
            file.write(tarfile.TarInfo(str(number)).tobuf(tarfile.USTAR_FORMAT))
        file.write(bytes(1024))
    tracemalloc.start()
    try:
        if headers == 1:
            assert pack(tmp_path / "source", "source.tar.gz", tmp_path / "bundle", DEFAULT_LIMITS).files == 103
        else:
            with pytest.raises(BundleError, match="damaged"):
                pack(tmp_path / "source", "source.tar.gz", tmp_path / "bundle", DEFAULT_LIMITS)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10 * MIB


def test_reading_needs_little_memory(tmp_path: Path) -> None:
    """A bomb of 200 MB, and an archive with a million entries, cost less than 100 MB."""
    with gzip.open(tmp_path / "bomb", "wb", 1) as file:
        member = tarfile.TarInfo("a")
        member.size = 1 << 33
        file.write(member.tobuf())
        for _ in range(256):
            file.write(bytes(MIB))
    entry = zip_with()[zip_with().rfind(b"PK\x01\x02") : -22]
    entries = entry * 400_000
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 60_000, 60_000, len(entries), 0, 0)
    (tmp_path / "many").write_bytes(b"PK\3\4" + entries + end)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name in ("bomb", "many"):
        with pytest.raises(BundleError):
            pack(tmp_path / name, name, tmp_path / "bundle", DEFAULT_LIMITS)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * (1 if sys.platform == "darwin" else 1024) < 100 * MIB
