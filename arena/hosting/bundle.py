"""Bundles: the files of a bot as a canonical tar, named by the hash of its content.

Equal files give an equal hash, whatever they came in: the tar is sorted, and has no times and no owners. It is stored
compressed, and the hash is that of the uncompressed tar. A submission is a bundle, and so is the image that its build
makes.
"""

from __future__ import annotations

import gzip
import hashlib
import platform
import posixpath
import re
import shutil
import struct
import tarfile
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from arena.hosting.archives import (
    PARSER_ERRORS,
    TAR_END_BYTES,
    TAR_HEADERS_BYTES,
    BundleError,
    SourceFile,
    gzip_chunks,
    left_out_part,
    shown,
    source_files,
    tar_files,
    too_large,
)
from arena.hosting.limits import HostingLimits
from arena.hosting.manifest import ELF, MANIFEST_NAME, BotManifest, default_manifest, read_manifest_file
from arena.sandbox.limits import MIB

FILE_MODE: Final = 0o644
PROGRAM_MODE: Final = 0o755
PROGRAM_STARTS: Final = (ELF, b"#!")
"""First bytes of programs. Such a file may be executed, even if it was sent without its mode."""
SCRIPT: Final = re.compile(r"\w[\w./-]*\.(?:py|js|mjs|cjs|rb|jar)")
"""An argument that is a file of the bot, which its interpreter starts."""
ELF_MACHINE: Final = struct.Struct("<5xB12xH")
"""Order of bytes and number of the processor, in the header of a compiled program."""
LITTLE_ENDIAN: Final = 1
FOREIGN_PROGRAMS: Final = {b"MZ": "Windows", b"\xcf\xfa\xed\xfe": "macOS", b"\xca\xfe\xba\xbe": "macOS or Java"}
"""First bytes of programs that Linux does not start, and their systems."""
MACHINES: Final = {62: "x86_64", 183: "aarch64", 243: "riscv64"}
"""Processors by that number."""
WEIGHTS: Final = "weights"
"""Folder beside `bot.toml` whose files are no part of the bundle. They are a tar of their own, named by its hash."""
WEIGHTS_MARK: Final = f"{WEIGHTS}/.arena-weights"
"""File of a bundle with that hash, in the place where the weights are mounted."""
WEIGHTS_HASH: Final = re.compile(r"[0-9a-f]{64}")
ENTRIES_A_FILE: Final = 2
"""Entries of an archive for each file that is allowed: itself and a folder."""


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} KB"


def _sizes(files: int, unpacked_bytes: int, packed_bytes: int) -> str:
    return f"{files} file{'s' * (files != 1)}, {_size(unpacked_bytes)}, packed {_size(packed_bytes)}"


@dataclass(frozen=True, slots=True)
class PackedWeights:
    """The packed files of the folder `weights`: large ones that versions of a bot share."""

    sha256: str
    """Hash of the uncompressed tar, 64 digits."""
    packed: Path
    """The tar, compressed by gzip."""
    size: int
    """Bytes of `packed`."""
    tar_bytes: int
    """Bytes of the uncompressed tar."""
    unpacked_bytes: int
    files: int

    def sizes(self) -> str:
        """Return its sizes in words."""
        return _sizes(self.files, self.unpacked_bytes, self.size)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A packed bundle on this machine."""

    sha256: str
    """Hash of the uncompressed tar, 64 digits. It is the bundle's name."""
    packed: Path
    """The tar, compressed by gzip."""
    size: int
    """Bytes of `packed`."""
    tar_bytes: int
    """Bytes of the uncompressed tar."""
    unpacked_bytes: int
    """Bytes of all files together."""
    files: int
    manifest: BotManifest
    left_out: tuple[str, ...] = ()
    """Files and folders of the source that are no part of a bot, such as `.git`."""
    weights_sha256: str = ""
    """Hash of its weights; empty if it has none."""
    weights: PackedWeights | None = None
    """Its weights, if the source has their files and not only their hash."""

    def sizes(self) -> str:
        """Return its sizes in words, without those of its weights."""
        return _sizes(self.files, self.unpacked_bytes, self.size)


@dataclass(slots=True)
class _File:
    content: Path
    size: int
    is_executable: bool


class _Tree:
    """Files that have been read so far, as far as their names are good."""

    def __init__(self, limits: HostingLimits) -> None:
        self._limits = limits
        self.files: dict[str, _File] = {}
        self.left_out: set[str] = set()
        self._spellings: dict[str, str] = {}
        """Files and folders in lower case, with their real names."""

    def path_of(self, name: str) -> str:
        """Return a name as a relative path, without `.` in it. Raises `BundleError` for a name that is refused."""
        if name.startswith("/") or "\\" in name:
            raise BundleError(f"{shown(name)} is not a relative path with slashes: pack the bot's folder itself")
        parts = [part for part in name.split("/") if part not in {"", "."}]
        if ".." in parts:
            raise BundleError(f"{shown(name)} leads out of the bot's folder: pack the folder itself")
        if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for letter in name):
            raise BundleError(f"{shown(name)} has invisible characters or is not UTF-8: give it another name")
        if unicodedata.normalize("NFC", name) != name:
            raise BundleError(f"{shown(name)} is not in the normal form NFC of Unicode: give it a name without accents")
        path = "/".join(parts)
        if len(path.encode()) > self._limits.path_bytes:
            raise BundleError(f"{shown(name)} is longer than {self._limits.path_bytes} bytes: give it a shorter name")
        return path

    def add(self, path: str, file: _File) -> None:
        """Add a file. Raises `BundleError` if another file or folder has its place."""
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            place = "/".join(parts[:length])
            known = self._spellings.setdefault(place.casefold(), place)
            if known != place:
                raise BundleError(f"{shown(known)} and {shown(place)} differ only in their case: rename one of them")
            if place in self.files:
                what = "is there twice" if place == path else "is a file and a folder"
                raise BundleError(f"{shown(place)} {what}: pack it again")
        if any(other.startswith(f"{path}/") for other in self.files):
            raise BundleError(f"{shown(path)} is a file and a folder: pack it again")
        self.files[path] = file

    def strip_folder(self) -> None:
        """If everything is in one folder, use the content of that folder."""
        folders = {path.split("/", 1)[0] if "/" in path else "" for path in self.files}
        if len(folders) == 1 and "" not in folders:
            self.files = {path.split("/", 1)[1]: file for path, file in self.files.items()}

    def take_folder(self, folder: str) -> dict[str, _File]:
        """Remove a folder, and return its files by their paths in it."""
        start = f"{folder}/"
        taken = {path: file for path, file in self.files.items() if path.startswith(start)}
        for path in taken:
            del self.files[path]
        return {path.removeprefix(start): file for path, file in taken.items()}


def pack(
    source: Path, name: str, target: Path, limits: HostingLimits, machine: str | None = platform.machine()
) -> Bundle:
    """Write the bundle of a folder, a zip, a tar (also compressed by gzip) or a single file to `target`.

    `name` is the file's name for its author. If there are weights, they are written beside it, to a file named
    `TARGET.weights`. `bot.toml` is read, or a single program gets its default. A compiled program must be for the
    processor `machine`, unless that is `None`. Raises `BundleError`, with one line that says what to do, and
    `ManifestError`. `target` does not exist then.
    """
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".bundle-") as scratch:
        tree = _read(source_files(source, name, limits, Path(scratch)), name, limits, Path(scratch))
        if not source.is_dir():
            tree.strip_folder()
        files = tree.take_folder(WEIGHTS)
        if not tree.files:
            raise BundleError(f"{shown(name)} has no files: pack the folder with bot.toml in it")
        manifest = _manifest(tree, limits)
        if not manifest.build:
            _check_program(tree, manifest.command, machine)
        mark = files.pop(posixpath.basename(WEIGHTS_MARK), None)
        weights = _pack_weights(files, target.with_name(f"{target.name}.weights"), limits) if files else None
        known = weights.sha256 if weights else _mark_text(mark.content) if mark else ""
        return _finish(tree, Path(scratch), target, limits, manifest, known, weights)


def pack_result(
    source: Path, target: Path, limits: HostingLimits, manifest: BotManifest, weights_sha256: str
) -> Bundle:
    """Write the bundle of the tar that a build made to `target`. Its manifest and its weights are those of its source.

    Raises as `pack` does.
    """
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".bundle-") as scratch:
        tree = _read(tar_files(source), "the result of the build", limits, Path(scratch))
        tree.strip_folder()
        tree.take_folder(WEIGHTS)
        if not tree.files:
            raise BundleError("the result of the build has no files: it leaves them in its folder")
        _check_program(tree, manifest.command, platform.machine())
        return _finish(tree, Path(scratch), target, limits, manifest, weights_sha256, None)


def _finish(
    tree: _Tree,
    scratch: Path,
    target: Path,
    limits: HostingLimits,
    manifest: BotManifest,
    weights_sha256: str,
    weights: PackedWeights | None,
) -> Bundle:
    unpacked = sum(file.size for file in tree.files.values())
    if unpacked > limits.unpacked_bytes:
        raise too_large(limits)
    if weights_sha256:
        if not WEIGHTS_HASH.fullmatch(weights_sha256):
            raise BundleError(f"{WEIGHTS_MARK} is no hash of weights: put the files themselves into {WEIGHTS}")
        mark = scratch / "mark"
        mark.write_text(weights_sha256, encoding="ascii")
        tree.add(WEIGHTS_MARK, _File(mark, len(weights_sha256), is_executable=False))
    unfinished = scratch / "bundle"
    sha256, tar_bytes = _write(tree.files, unfinished, limits.packed_bytes)
    size = unfinished.stat().st_size
    unfinished.replace(target)
    left_out = tuple(sorted(tree.left_out))
    files = len(tree.files)
    return Bundle(sha256, target, size, tar_bytes, unpacked, files, manifest, left_out, weights_sha256, weights)


def _pack_weights(files: dict[str, _File], target: Path, limits: HostingLimits) -> PackedWeights:
    unpacked = sum(file.size for file in files.values())
    if unpacked > limits.weights_bytes:
        most = limits.weights_bytes // MIB
        raise BundleError(f"the folder {WEIGHTS} has {unpacked / MIB:.0f} MB, and this arena takes {most} MB")
    sha256, tar_bytes = _write(files, target, limits.weights_bytes)
    return PackedWeights(sha256, target, target.stat().st_size, tar_bytes, unpacked, len(files))


def pack_weights(source: Path, target: Path, limits: HostingLimits) -> PackedWeights:
    """Write weights that an author hands in as a zip or a tar to `target`, in canonical form. Raises `BundleError`."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".weights-") as scratch:
        tree = _read(source_files(source, WEIGHTS, limits, Path(scratch)), WEIGHTS, limits, Path(scratch))
        if not tree.files:
            raise BundleError(f"the {WEIGHTS} have no files: pack the content of the folder {WEIGHTS}")
        return _pack_weights(tree.files, target, limits)


def weights_of(folder: Path) -> str:
    """Return the hash of the weights of an unpacked bundle; empty if it has none."""
    mark = folder / WEIGHTS_MARK
    text = _mark_text(mark) if mark.is_file() else ""
    return text if WEIGHTS_HASH.fullmatch(text) else ""


def _mark_text(file: Path) -> str:
    """Return what a mark says, up to one character more than a hash has."""
    with file.open("rb") as content:
        return content.read(65).decode("latin-1")


def _read(files: Iterator[SourceFile], name: str, limits: HostingLimits, scratch: Path) -> _Tree:
    """Copy the files of a source to files with numbers for names. `name` is the source's, for messages."""
    tree = _Tree(limits)
    left_bytes = limits.unpacked_bytes + limits.weights_bytes  # which files are weights is known at the end
    try:
        for number, file in enumerate(files):
            path = tree.path_of(file.name)
            if found := left_out_part(path):
                tree.left_out.add(found)
            elif path and not file.name.endswith("/"):
                copy = _copy(file, scratch / str(number), left_bytes)
                left_bytes -= copy.size
                tree.add(path, copy)
            if number >= ENTRIES_A_FILE * limits.files or len(tree.files) > limits.files:
                raise BundleError(f"it has more than {limits.files:,} files: leave out what the bot does not need")
            if left_bytes < 0:
                raise too_large(limits)
    except PARSER_ERRORS as error:
        raise BundleError(f"{shown(name)} is damaged: pack it again ({shown(str(error))})") from None
    return tree


def _copy(file: SourceFile, target: Path, most: int) -> _File:
    """Copy the content of a file, up to the first byte beyond `most`."""
    size, start = 0, b""
    with target.open("wb") as copy:
        for chunk in file.content:
            start = start or chunk[: len(ELF)]
            copy.write(chunk[: most + 1 - size])
            size = min(size + len(chunk), most + 1)
            if size > most:
                break
    return _File(target, size, file.is_executable or start.startswith(PROGRAM_STARTS))


def _manifest(tree: _Tree, limits: HostingLimits) -> BotManifest:
    if (file := tree.files.get(MANIFEST_NAME)) is not None:
        return read_manifest_file(file.content, limits)
    python = [path for path in tree.files if path.endswith(".py") and "/" not in path]
    [only] = python if len(python) == 1 else list(tree.files) if len(tree.files) == 1 else [""]
    if only and (found := default_manifest(only, tree.files[only].content, limits)) is not None:
        return found
    raise BundleError(
        f"it has no {MANIFEST_NAME}: put one into its first folder, with the command that starts the bot, or hand in a"
        " single Python file or program"
    )


def _check_program(tree: _Tree, command: Sequence[str], machine: str | None) -> None:
    """Refuse a program or script that is not in the bundle, or a program that `machine` does not run.

    A sandbox would explain it worse.
    """
    program, *arguments = command
    is_of_runtime = "/" not in program or program.startswith("/")
    script = next((word for word in arguments if SCRIPT.fullmatch(word)), None) if is_of_runtime else program
    if script is not None and posixpath.normpath(script) not in tree.files:
        raise BundleError(f"there is no {shown(script)} in it: correct the command in {MANIFEST_NAME}")
    if is_of_runtime:
        return
    file = tree.files[posixpath.normpath(program)]
    with file.content.open("rb") as content:
        start = content.read(ELF_MACHINE.size)
    for first, system in FOREIGN_PROGRAMS.items():
        if start.startswith(first):
            raise BundleError(f"{shown(program)} is a program for {system}: build it for Linux")
    if not start.startswith(PROGRAM_STARTS):
        advice = "let its first line name its interpreter, such as #!/usr/bin/python3, or begin the command with it"
        raise BundleError(f"{shown(program)} is no program: {advice}")
    if not start.startswith(ELF) or machine is None:
        return
    order, number = ELF_MACHINE.unpack(start.ljust(ELF_MACHINE.size, b"\0"))
    built = MACHINES.get(number, "another processor") if order == LITTLE_ENDIAN else "another processor"
    if built != machine:
        raise BundleError(f"{shown(program)} is a program for {built}: build it for {machine} Linux")


class _HashingWriter:
    """Writes on, and hashes and counts what it writes."""

    def __init__(self, target: IO[bytes] | gzip.GzipFile) -> None:
        self._target = target
        self.digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        """Write, hash and count these bytes."""
        self.digest.update(data)
        self.size += len(data)
        return self._target.write(data)


def _write(files: dict[str, _File], target: Path, most_bytes: int) -> tuple[str, int]:
    """Write the canonical tar, compressed, and return the hash and the bytes of the uncompressed tar."""
    with target.open("wb") as packed, gzip.GzipFile("", "wb", 6, packed, mtime=0) as compressed:
        writer = _HashingWriter(compressed)
        with tarfile.open(fileobj=writer, mode="w|", format=tarfile.PAX_FORMAT) as tar:  # type: ignore[call-overload] # it only writes
            for path, file in sorted(files.items()):
                member = tarfile.TarInfo(path)
                member.size = file.size
                member.mode = PROGRAM_MODE if file.is_executable else FILE_MODE
                with file.content.open("rb") as content:
                    tar.addfile(member, content)
                if packed.tell() > most_bytes:
                    advice = "leave out what the bot does not need"
                    raise BundleError(f"packed it has more than {most_bytes // MIB} MB: {advice}")
    return writer.digest.hexdigest(), writer.size


def unpack(packed: Path, sha256: str, folder: Path, limits: HostingLimits) -> None:
    """Write the files of a bundle to a new folder, readable for every user whatever the umask.

    Raises `BundleError` if `packed` is not the bundle with this hash. Some files may be in `folder` then.
    """
    most = limits.unpacked_bytes + limits.files * TAR_HEADERS_BYTES + TAR_END_BYTES
    with tempfile.TemporaryFile(dir=folder.parent) as unpacked:
        digest = hashlib.sha256()
        try:
            for chunk in gzip_chunks(packed):
                digest.update(chunk)
                unpacked.write(chunk)
                if unpacked.tell() > most:
                    raise BundleError(f"the bundle {sha256[:12]} is larger than this arena allows")
        except PARSER_ERRORS as error:
            raise BundleError(f"the bundle {sha256[:12]} is damaged: {shown(str(error))}") from None
        if digest.hexdigest() != sha256:
            raise BundleError(f"the bundle {sha256[:12]} is damaged: its content has another hash")
        unpacked.seek(0)
        _make_folder(folder)
        tree = _Tree(limits)
        try:
            with tarfile.open(fileobj=unpacked, mode="r:") as tar:
                for member in tar:
                    # Whoever has stored it may have named any tar by its hash, not only one that `pack` has written.
                    is_plain = member.type == tarfile.REGTYPE and member.sparse is None
                    is_packed = is_plain and member.mode in (FILE_MODE, PROGRAM_MODE) and member.name != ""
                    content = tar.extractfile(member) if is_packed else None
                    if content is None or tree.path_of(member.name) != member.name:
                        raise BundleError(
                            f"the bundle {sha256[:12]} has {shown(member.name)}, which is no file of a bot"
                        )
                    tree.add(member.name, _File(folder, member.size, is_executable=False))
                    path = folder / member.name
                    for parent in reversed(path.relative_to(folder).parents[:-1]):
                        if not (folder / parent).exists():
                            _make_folder(folder / parent)
                    with path.open("xb") as file:
                        shutil.copyfileobj(content, file)
                    path.chmod(member.mode)
        except PARSER_ERRORS as error:
            raise BundleError(f"the bundle {sha256[:12]} is damaged: {shown(str(error))}") from None


def _make_folder(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(PROGRAM_MODE)
