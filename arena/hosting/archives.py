"""Read the files of a folder or of a hostile archive, one by one, in bounded memory.

Nothing is extracted here, and no name from an archive reaches the file system. The readers of the standard library
parse archives, but only after the parts have been checked that would make them use much memory or time.
"""

from __future__ import annotations

import math
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from arena.hosting.limits import HostingLimits
from arena.sandbox.limits import MIB

CHUNK_BYTES: Final = 64 * 1024
GZIP: Final = b"\x1f\x8b"
ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
TAR: Final = b"ustar"
TAR_MAGIC_AT: Final = 257
TAR_HEADERS_BYTES: Final = 4096
"""Bytes of a tar for each file besides its content: its header, extended headers, and what fills the last block."""
TAR_END_BYTES: Final = 64 * 1024
TAR_MEMBER_BYTES: Final = 64 * 1024
"""Maximum number of bytes of all headers of one member of a tar: a reader makes many times as much of them."""
LEFT_OUT: Final = frozenset(
    {
        ".DS_Store", ".bin", ".git", ".gradle", ".hg", ".idea", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".svn",
        ".tox", ".venv", ".vscode", "__MACOSX", "__pycache__", "target", "venv",
    }
)  # fmt: skip
"""Files and folders that are no part of a bot, wherever they are."""
LEFT_OUT_AT_TOP: Final = "node_modules"
"""Folder that is no part of a bot if it is beside `bot.toml`: it has the compilers, too."""
END_RECORD: Final = struct.Struct("<4s4H2LH")
"""The end of a zip: signature, disks and entries, size and place of the directory, length of the comment."""
LONGEST_COMMENT: Final = 0xFFFF
ZIP64_LOCATOR: Final = b"PK\x06\x07"
ZIP64_LOCATOR_BYTES: Final = 20
ZIP_ENTRY_BYTES: Final = 1024
"""Bytes of the directory of a zip for each file: the fixed part, the name, extra fields and a comment."""
MOST_GZIP_MEMBERS: Final = 10_000
"""Maximum number of parts of a gzip, each with a header. Most programs write one, and some write one for each 64 KB."""
PARSER_ERRORS: Final = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, KeyError, IndexError,
    OverflowError, RecursionError, NotImplementedError,
)  # fmt: skip
"""Exceptions of the standard library's readers for damaged archives."""


class BundleError(Exception):
    """A bundle cannot be made of this. The message is one line that says what to do."""


def shown(name: str) -> str:
    """Return a hostile name for a message: escaped, and at most about 80 characters."""
    escaped = ascii(name)
    return escaped if len(escaped) <= 82 else f"{escaped[:76]}...'"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a source. `content` is read at once, before the next file is asked for."""

    name: str
    """Its path, as the source has it: it may be anything."""
    is_executable: bool
    content: Iterator[bytes]


def source_files(source: Path, name: str, limits: HostingLimits, scratch: Path) -> Iterator[SourceFile]:
    """Yield the files of a folder, of a zip, of a tar, or of one file that is no archive.

    `name` is the file's name for its author. `scratch` is a folder for a temporary file. Raises `BundleError`.
    """
    if source.is_dir():
        return _folder_files(source, "")
    if (size := source.stat().st_size) > (most := limits.packed_bytes + limits.weights_bytes):
        raise BundleError(f"{shown(name)} has {size / MIB:.0f} MB, and this arena takes {most // MIB} MB")
    with source.open("rb") as file:
        start = file.read(TAR_MAGIC_AT + len(TAR))
    if start.startswith(ZIP):
        return _zip_files(source, limits)
    if start.startswith(GZIP):
        return _gzip_files(source, limits, scratch)
    if start[TAR_MAGIC_AT:] == TAR:
        return tar_files(source)
    only = name.replace("\\", "/").rsplit("/", 1)[-1]
    return iter([SourceFile(only, is_executable=False, content=_file_chunks(source))])


def left_out_part(path: str) -> str:
    """Return the file or folder in a path that is no part of a bot, with its own path; empty if there is none."""
    parts = path.split("/")
    for length, part in enumerate(parts, 1):
        if part in LEFT_OUT or part.startswith("._"):
            return "/".join(parts[:length])
    return LEFT_OUT_AT_TOP if parts[0] == LEFT_OUT_AT_TOP else ""


def too_large(limits: HostingLimits) -> BundleError:
    """Return the error for files that are too large together."""
    most = f"{limits.unpacked_bytes // MIB} MB together, or those in weights more than {limits.weights_bytes // MIB} MB"
    return BundleError(f"its files have more than {most}: leave out what the bot does not need")


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _file_chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from _chunks(file)


def gzip_chunks(source: Path) -> Iterator[bytes]:
    """Yield the content of a gzip in chunks of at most `CHUNK_BYTES`.

    The standard library's reader would read any number of empty members before it returns. Raises `BundleError` for
    too many of them, and `EOFError` or `zlib.error` for a damaged gzip.
    """
    members, data = 0, b""
    with source.open("rb") as file:
        while data := data.lstrip(b"\0") or file.read(CHUNK_BYTES):  # zeros may follow a member
            if data[:1] == b"\0":
                continue
            members += 1
            if members > MOST_GZIP_MEMBERS:
                raise BundleError("the gzip has too many parts: pack the folder with tar -czf")
            decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)  # 16: with the header and the checksum of a gzip
            while not decompressor.eof:
                data = data or file.read(CHUNK_BYTES)
                chunk = decompressor.decompress(data, CHUNK_BYTES)
                if chunk:
                    yield chunk
                elif not data and not decompressor.eof:
                    raise EOFError("the gzip ends too early")
                data = decompressor.unconsumed_tail
            data = decompressor.unused_data


def _refuse_special(name: str, mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise BundleError(f"{shown(name)} is a link: put the file itself in its place")
    raise BundleError(f"{shown(name)} is neither a file nor a folder: remove it")


def _folder_files(folder: Path, prefix: str) -> Iterator[SourceFile]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        name = f"{prefix}{entry.name}"
        if left_out_part(name):
            yield SourceFile(name, is_executable=False, content=iter(()))
        elif entry.is_dir(follow_symlinks=False):
            yield from _folder_files(Path(entry.path), f"{name}/")
        elif entry.is_file(follow_symlinks=False):
            mode = entry.stat(follow_symlinks=False).st_mode
            yield SourceFile(name, is_executable=bool(mode & 0o111), content=_file_chunks(Path(entry.path)))
        else:
            _refuse_special(name, entry.stat(follow_symlinks=False).st_mode)


def _check_zip_directory(source: Path, limits: HostingLimits) -> None:
    """Refuse a zip whose directory has too many entries, before it is loaded as a whole.

    The end of a zip is searched as `zipfile` does it: without a comment first, then the last signature.
    """
    with source.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        start = file.seek(max(0, length - END_RECORD.size - LONGEST_COMMENT - ZIP64_LOCATOR_BYTES))
        end = file.read()
    signature = b"PK\x05\x06"
    place = len(end) - END_RECORD.size
    if end[place : place + 4] != signature or end[-2:] != b"\0\0":
        place = end.rfind(signature)
    if place < 0 or place + END_RECORD.size > len(end):
        raise BundleError("the zip is damaged or was not sent to its end: pack it again")
    if end[max(0, place - ZIP64_LOCATOR_BYTES) : place].startswith(ZIP64_LOCATOR):
        raise BundleError("the zip is of the form for more than 4 GB: pack it again with zip -r, or as .tar.gz")
    entries, size = END_RECORD.unpack_from(end, place)[4:6]
    if start + place < size or entries > 2 * limits.files or size > 2 * limits.files * ZIP_ENTRY_BYTES:
        raise BundleError(f"the zip has more entries than {limits.files:,} files and their folders: leave some out")


def _zip_files(source: Path, limits: HostingLimits) -> Iterator[SourceFile]:
    _check_zip_directory(source, limits)
    with zipfile.ZipFile(source) as archive:
        for entry in archive.infolist():
            name, mode = entry.filename, entry.external_attr >> 16
            kind = stat.S_IFMT(mode)
            if entry.flag_bits & 1:
                raise BundleError(f"{shown(name)} is encrypted: pack it without a password")
            if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise BundleError(f"{shown(name)} is compressed in a rare way: pack it with zip -r, or as .tar.gz")
            if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
                _refuse_special(name, mode)
            if name.endswith("/") or kind == stat.S_IFDIR:
                yield SourceFile(f"{name.rstrip('/')}/", is_executable=False, content=iter(()))
            else:
                yield SourceFile(name, is_executable=bool(mode & 0o111), content=_chunks(archive.open(entry)))


def _gzip_files(source: Path, limits: HostingLimits, scratch: Path) -> Iterator[SourceFile]:
    """Decompress to a file first: `tarfile` needs to seek, and the count comes before anything is parsed."""
    most = limits.unpacked_bytes + limits.weights_bytes + limits.files * TAR_HEADERS_BYTES + TAR_END_BYTES
    unpacked = scratch / "archive.tar"
    size = 0
    with unpacked.open("wb") as target:
        for chunk in gzip_chunks(source):
            size += len(chunk)
            if size > most:
                raise too_large(limits)
            target.write(chunk)
    with unpacked.open("rb") as file:
        if file.read(TAR_MAGIC_AT + len(TAR))[TAR_MAGIC_AT:] != TAR:
            raise BundleError("a .gz is taken if it is a .tar.gz: pack the folder with tar -czf")
    yield from tar_files(unpacked)


class _GuardedFile:
    """A tar that its reader cannot make read much at once, go back, or read for ever.

    `tarfile` reads each extended header into memory, whatever its length and their number. Negative lengths send it
    back to headers that it has read already.
    """

    def __init__(self, file: IO[bytes], length: int) -> None:
        self._file = file
        self._left = 2 * length + MIB
        self.left_for_headers: float = TAR_MEMBER_BYTES
        """Bytes that may be read before the next member is known; infinite while its content is read."""

    def read(self, size: int) -> bytes:
        """Return this many bytes, as a file does."""
        self._left -= max(size, tarfile.BLOCKSIZE)
        self.left_for_headers -= size
        if not 0 <= size <= MIB or self._left < 0 or self.left_for_headers < 0:
            raise BundleError("the tar is damaged: pack it again with tar -czf")
        return self._file.read(size)

    def seek(self, place: int) -> int:
        """Go to this place."""
        if place < 0:
            raise BundleError("the tar is damaged: pack it again with tar -czf")
        return self._file.seek(place)

    def tell(self) -> int:
        """Return the place."""
        return self._file.tell()


def tar_files(source: Path) -> Iterator[SourceFile]:
    """Yield the files of a tar that is not compressed. Raises `BundleError`, and what `PARSER_ERRORS` lists."""
    with source.open("rb") as file:
        guarded = _GuardedFile(file, source.stat().st_size)
        with tarfile.open(fileobj=guarded, mode="r:") as archive:  # type: ignore[call-overload] # as much of a file as it needs
            while (member := archive.next()) is not None:
                archive.members.clear()  # otherwise all of them are kept, with their extended headers
                archive.pax_headers.clear()  # those for all members that follow: nothing in them is needed
                guarded.left_for_headers = math.inf
                if member.issym() or member.islnk():
                    raise BundleError(f"{shown(member.name)} is a link: put the file itself in its place")
                if member.isdir():
                    yield SourceFile(f"{member.name}/", is_executable=False, content=iter(()))
                elif member.type not in {tarfile.REGTYPE, tarfile.AREGTYPE} or member.issparse():
                    raise BundleError(f"{shown(member.name)} is neither a plain file nor a folder: remove it")
                else:
                    content = archive.extractfile(member)
                    assert content is not None
                    yield SourceFile(member.name, is_executable=bool(member.mode & 0o111), content=_chunks(content))
                guarded.left_for_headers = TAR_MEMBER_BYTES
