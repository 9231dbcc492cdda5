"""`arena data`: a local copy of an arena's open data."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.error import HTTPError
from urllib.request import Request

import typer
from tenacity import sleep_using_event

from arena.cli.api import NEAR_SITE, SiteAddress
from arena.cli.fetching import (
    LEAST_BYTES,
    Away,
    Pace,
    open_answer,
    read_text,
    refuse_clear_text,
    refused,
    with_patience,
)
from arena.cli.files import InputError, parse_document, print_json, printable
from arena.cli.progress import byte_bar

FORMAT: Final = "naqala/data/1"
NAMES: Final = re.compile(
    r"replays-[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl\.zst|(matches|decisions)-[0-9]{4}-[0-9]{2}\.parquet"
)
MAX_INDEX: Final = 32 << 20
"""Maximum number of characters of an index; each file takes about 250."""
AT_ONCE: Final = 2
WRONG: Final = 1

app = typer.Typer(no_args_is_help=True)


@app.callback()
def commands() -> None:
    """Open data: the replays of every day, and every month as Parquet."""


@app.command()
def pull(
    site: SiteAddress = NEAR_SITE,
    since: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="First day to copy; by default all days.")
    ] = None,
    to: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the copy.")] = Path("naqala-data"),
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Copy the monthly Parquet files instead of the daily replays.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print a report as one JSON object.")] = False,
) -> None:
    """Keep a local copy of an arena's open data: download missing files and check all of them.

    Run it again at any time: existing files are compared with their checksums, and an interrupted download is resumed.
    `arena replay verify` proves the replays.

    Exit code: 0 complete, 1 a file differs from the arena's checksum, 2 the arena is unreachable, or unusable input.
    """
    refuse_clear_text(site)
    try:
        first = date.fromisoformat(since) if since else date.min
    except ValueError:
        raise InputError(f"write a date as 2026-11-23, not {since!r:.40}") from None
    address = f"{site.rstrip('/')}/data/"
    text = with_patience(lambda: _read_index(address))
    files = [file for file in read_index(text, address) if file.is_parquet == parquet and file.is_since(first)]
    try:
        to.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write in {to}: {error.strerror}") from None
    copy = Copy(address, to)
    copy.pull(files)
    _replace(to / "index.json", text)
    if json:
        print_json(copy.document(site, len(files)))
    else:
        megabytes = f"{copy.received / 1e6:,.1f} MB"
        print(printable(f"{to}: {len(files)} files, {len(copy.downloaded)} of them downloaded now ({megabytes})"))
        if not files:
            print("the arena has no such files: its page about open data lists what it has")
        for name in copy.changed:
            print(f"{name} differed from the arena's file: it was downloaded again")
        for name in copy.wrong:
            print(f"{name} does not match the checksum that the arena gives")
    if copy.wrong:
        raise typer.Exit(WRONG)


@dataclass(frozen=True)
class RemoteFile:
    """A file as listed in the index."""

    name: str
    day: date
    """Its day, or the first day of its month."""
    size: int
    sha256: str

    @property
    def is_parquet(self) -> bool:
        """Whether the file covers a month."""
        return self.name.endswith(".parquet")

    def is_since(self, first: date) -> bool:
        """Return whether the file's day, or month, is not before `first` or its month."""
        return self.day >= (first.replace(day=1) if self.is_parquet else first)

    def is_in(self, path: Path) -> bool:
        """Return whether a local file has this size and checksum."""
        try:
            with path.open("rb") as file:
                whole = os.fstat(file.fileno()).st_size == self.size
                return whole and hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None


def read_index(text: str, address: str) -> list[RemoteFile]:
    """Return the files of an index, oldest first.

    Raises `InputError` if the text is not an index, or names a file that is not open data.
    """
    try:
        document = parse_document(text, MAX_INDEX)
        if document["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        files = [
            RemoteFile(str(file["name"]), date.fromisoformat(file["date"]), file["size"], str(file["sha256"]))
            for file in document["files"]
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{address} is not an arena's open data: {error!s:.200}") from None
    for file in files:
        is_file = NAMES.fullmatch(file.name) and re.fullmatch("[0-9a-f]{64}", file.sha256)
        if not is_file or type(file.size) is not int or file.size < 0:
            raise InputError(f"{address} names {file.name!r:.80}, which is not a file of open data")
    return sorted(files, key=lambda file: (file.day, file.name))


def _read_index(address: str) -> str:
    url = f"{address}index.json"
    try:
        return read_text(Request(url), MAX_INDEX)  # noqa: S310 - the scheme is checked
    except HTTPError as error:
        raise refused(error) from None
    except ValueError:
        raise InputError(f"{address} is not an arena's open data") from None


@dataclass
class Copy:
    """A directory with copies of an arena's files."""

    address: str
    folder: Path
    downloaded: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    """Names of files downloaded again because the local copy did not match the checksum."""
    wrong: list[str] = field(default_factory=list)
    """Names of files whose download did not match the checksum."""
    received: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _advance: Callable[[int], Any] = lambda size: None

    def pull(self, files: list[RemoteFile]) -> None:
        """Download what is missing, two files at a time. Received data is kept when this is interrupted.

        Raises `InputError` if there is not enough free space.
        """
        paths = [(self.folder / file.name, self.folder / f"{file.name}.part", file.size) for file in files]
        missing = sum(max(0, size - _size(part)) for path, part, size in paths if _size(path) != size)
        if missing > (free := shutil.disk_usage(self.folder).free):
            raise InputError(f"{self.folder} has {free:,} bytes free, but {missing:,} are needed")
        with (
            byte_bar(sum(file.size for file in files), "data") as self._advance,
            ThreadPoolExecutor(AT_ONCE, "pull") as threads,
        ):
            try:
                for _ in threads.map(self._get, files):
                    pass
            except BaseException:
                self._stop.set()
                threads.shutdown(cancel_futures=True)
                raise

    def document(self, site: str, files: int) -> dict[str, Any]:
        """Return a report as JSON."""
        return {
            "site": site,
            "to": str(self.folder),
            "files": files,
            "downloaded": sorted(self.downloaded),
            "changed": sorted(self.changed),
            "wrong": sorted(self.wrong),
            "bytes": self.received,
        }

    def _get(self, file: RemoteFile) -> None:
        path, part = self.folder / file.name, self.folder / f"{file.name}.part"
        if path.exists():
            if file.is_in(path):
                self._advance(file.size)
                return
            self.changed.append(file.name)
        for _ in range(2):  # the first try may continue another download's remains
            before = _size(part)

            def has_moved() -> bool:
                nonlocal before
                now = _size(part)
                before = min(before, now)
                if now - before < max(1, min(LEAST_BYTES, file.size - before)):
                    return False  # a byte at a time would take forever
                before = now
                return True

            with_patience(lambda: self._receive(file, part), has_moved, sleep_using_event(self._stop))
            if file.is_in(part):
                part.replace(path)
                self.downloaded.append(file.name)
                return
            part.unlink()
        self.wrong.append(file.name)

    def _receive(self, file: RemoteFile, part: Path) -> None:
        """Receive the rest of the file. Raises `Away` if the connection breaks off."""
        have = _size(part)
        if have >= file.size > 0:
            return
        headers = {"Range": f"bytes={have}-", "If-Range": f'"{file.sha256}"'} if have > 0 else {}
        with self._open(file, headers) as answer:
            begins_there = answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")
            goes_on = answer.status == HTTPStatus.PARTIAL_CONTENT and begins_there
            if answer.status != HTTPStatus.OK and not goes_on:
                part.unlink(missing_ok=True)
                raise Away(f"{self.address}{file.name} cannot be continued")
            have = have if goes_on else 0
            self._advance(have)
            pace = Pace(self.address + file.name)
            try:
                with part.open("ab" if goes_on else "wb") as out:
                    while have < file.size and (piece := self._read(answer, pace)):
                        out.write(piece[: file.size - have])
                        have += len(piece)
                        self.received += len(piece)
                        self._advance(len(piece))
                    out.flush()
                    os.fsync(out.fileno())
            except OSError as error:
                raise InputError(f"cannot write {part}: {error.strerror}") from None
        if have < file.size:
            self._advance(-have)
            raise Away(f"{self.address}{file.name} broke off after {have} of {file.size} bytes")

    def _open(self, file: RemoteFile, headers: dict[str, str]) -> HTTPResponse | HTTPError:
        try:
            return open_answer(Request(self.address + file.name, headers=headers))  # noqa: S310 - as above
        except HTTPError as error:
            if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                return error
            raise refused(error) from None

    def _read(self, answer: HTTPResponse | HTTPError, pace: Pace) -> bytes:
        if self._stop.is_set():
            raise InputError("broken off")
        try:
            return pace.read(answer)
        except (OSError, HTTPException):
            return b""  # as if the other side had closed


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _replace(path: Path, text: str) -> None:
    """Replace a file as a whole."""
    draft = path.with_name(f"{path.name}.part")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
