"""`arena data`: a local copy of what an arena publishes."""

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
"""Characters: each file has some 250."""
AT_ONCE: Final = 2
WRONG: Final = 1

app = typer.Typer(no_args_is_help=True)


@app.callback()
def commands() -> None:
    """Open data: the replays of every day, and every month as Parquet."""


@app.command()
def pull(
    site: Annotated[
        str, typer.Option(help="The address of the arena's pages, as in the browser.", envvar="ARENA_SITE")
    ] = "http://127.0.0.1:8000",
    since: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="The first day; all that there is without it.")
    ] = None,
    to: Annotated[Path, typer.Option(metavar="DIR", help="Where the copy is kept.")] = Path("naqala-data"),
    parquet: Annotated[
        bool, typer.Option("--parquet", help="The Parquet files of the months instead of the days' replays.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what was done as one JSON object.")] = False,
) -> None:
    """Keep a local copy of an arena's open data: download what is missing, and check all of it.

    Call it again whenever you like: what is there already is compared with its checksum,
    and what broke off goes on where it ended. `arena replay verify` proves the replays.

    Exit code: 0 all there, 1 a file that is not what the arena says, 2 the arena cannot be reached, or input that
    cannot be used.
    """
    refuse_clear_text(site)
    try:
        first = date.fromisoformat(since) if since else date.min
    except ValueError:
        raise InputError(f"a date is written as 2026-11-23, not {since!r:.40}") from None
    address = f"{site.rstrip('/')}/data/"
    text = with_patience(lambda: _read_index(address))
    files = [one for one in read_index(text, address) if one.is_parquet == parquet and one.is_since(first)]
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
            print("the arena has no such files: see its page about open data for what there is")
        for name in copy.changed:
            print(f"{name} had been changed here: it was downloaded again")
        for name in copy.wrong:
            print(f"{name} is not what the arena says: its checksum is another one")
    if copy.wrong:
        raise typer.Exit(WRONG)


@dataclass(frozen=True)
class RemoteFile:
    """A file as the index has it."""

    name: str
    day: date
    """Or the first one of the month."""
    size: int
    sha256: str

    @property
    def is_parquet(self) -> bool:
        """Of a month."""
        return self.name.endswith(".parquet")

    def is_since(self, first: date) -> bool:
        """Whether it is of this day or later, or of its month or a later one."""
        return self.day >= (first.replace(day=1) if self.is_parquet else first)

    def is_in(self, path: Path) -> bool:
        """Whether this is what the file holds."""
        try:
            with path.open("rb") as file:
                whole = os.fstat(file.fileno()).st_size == self.size
                return whole and hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None


def read_index(text: str, address: str) -> list[RemoteFile]:
    """The files of an index, the oldest first. `InputError` if it is none, or names what is no file of data."""
    try:
        document = parse_document(text, MAX_INDEX)
        if document["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        found = [
            RemoteFile(str(one["name"]), date.fromisoformat(one["date"]), one["size"], str(one["sha256"]))
            for one in document["files"]
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{address} is no arena's open data: {error!s:.200}") from None
    for one in found:
        is_file = NAMES.fullmatch(one.name) and re.fullmatch("[0-9a-f]{64}", one.sha256)
        if not is_file or type(one.size) is not int or one.size < 0:
            raise InputError(f"{address} names {one.name!r:.80}, which is no file of open data")
    return sorted(found, key=lambda one: (one.day, one.name))


def _read_index(address: str) -> str:
    url = f"{address}index.json"
    try:
        return read_text(Request(url), MAX_INDEX)  # noqa: S310 - the scheme is checked
    except HTTPError as error:
        raise refused(error) from None
    except ValueError:
        raise InputError(f"{address} is no arena's open data") from None


@dataclass
class Copy:
    """A directory with files of an arena."""

    address: str
    folder: Path
    downloaded: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    """Downloaded again, because what was there was not what the arena says."""
    wrong: list[str] = field(default_factory=list)
    """What the arena sent is not what it says."""
    received: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _advance: Callable[[int], Any] = lambda size: None

    def pull(self, files: list[RemoteFile]) -> None:
        """Get what is missing, two at a time. What was received stays when this is broken off. `InputError` where there
        is no room for it."""
        paths = [(self.folder / one.name, self.folder / f"{one.name}.part", one.size) for one in files]
        missing = sum(max(0, size - _size(part)) for path, part, size in paths if _size(path) != size)
        if missing > (free := shutil.disk_usage(self.folder).free):
            raise InputError(f"{self.folder} has room for {free:,} bytes, and {missing:,} are to come")
        with (
            byte_bar(sum(one.size for one in files), "data") as self._advance,
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
        """What was done, as JSON."""
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
        for _ in range(2):  # the first time, maybe, from what another download has left
            before = _size(part)

            def has_moved() -> bool:
                nonlocal before
                now = _size(part)
                before = min(before, now)
                if now - before < max(1, min(LEAST_BYTES, file.size - before)):
                    return False  # a byte at a time would take for ever
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
        """Go on to the end of the file. `Away` where it breaks off."""
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
            return b""  # as where the other side has closed


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _replace(path: Path, text: str) -> None:
    """Write a file anew, as a whole."""
    draft = path.with_name(f"{path.name}.part")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
