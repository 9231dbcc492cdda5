"""A match as named on the command line: a file, the address of its page, or its id on an arena."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError
from urllib.request import Request

from arena.cli.fetching import Away, read_text, refuse_clear_text, refused
from arena.cli.files import InputError, parse_document, read_replays

if TYPE_CHECKING:
    from arena.local.histories import RecordedMatch, SeatHistory

TRANSCRIPT: Final = ".binpb"
"""File name suffix of a transcript of messages."""
MAX_TRANSCRIPT: Final = 32 << 20
"""Maximum size of a transcript; a match has some hundred thousand bytes."""
MATCH_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")
PAGE: Final = re.compile(r"(?P<site>https?://[^/]+(?:/.*)?)/matches/(?P<id>[A-Za-z0-9_-]{1,100})(?:/.*)?")


def find_match(reference: str, chosen: str | None, site: str) -> RecordedMatch | SeatHistory:
    """Return the named match. `chosen` is the id of the match in a file with several. Raises `InputError`."""
    from arena.local.histories import NoHistory, history_of_transcript
    from arena.wire.codec import CodecError
    from arena.wire.history import unpack

    path = Path(reference)
    if path.suffix == TRANSCRIPT:
        try:
            return history_of_transcript(unpack(_read_bytes(path)))
        except (CodecError, NoHistory) as error:
            raise InputError(f"{path} is not a transcript: {error}") from None
    return prove_match(_document(reference, chosen, site), reference)


def prove_match(document: Any, where: str) -> RecordedMatch:
    """Return the proved match of a replay. Raises `InputError` with the first place where it is wrong."""
    from arena.cli.replay import describe
    from arena.local.histories import RecordedMatch
    from arena.rules import Divergence, ReplayError

    try:
        return RecordedMatch(document)
    except Divergence as error:
        raise InputError(f"{where}: this replay is not valid: {' '.join(describe(document, error)[:1])}") from None
    except ReplayError as error:
        raise InputError(f"{where}: {error}") from None


def match_ids(document: Any) -> str:
    """Return the match id in a replay; empty if there is none."""
    match = document.get("match") if isinstance(document, dict) else None
    return match if isinstance(match, str) else ""


def _document(reference: str, chosen: str | None, site: str) -> Any:
    path = Path(reference)
    if path.exists() or reference == "-":
        return _choose(path, read_replays(path), chosen)
    if page := PAGE.fullmatch(reference):
        return fetch_replay(page["site"], page["id"])
    if MATCH_ID.fullmatch(reference):
        return fetch_replay(site, reference)
    raise InputError(
        f"{reference!r:.200} is not a file, the address of a match (https://…/matches/ID/) or a match's id"
    )


def _choose(path: Path, documents: Iterator[Any], chosen: str | None) -> Any:
    first = next(documents, None)
    if first is None:
        raise InputError(f"{path} holds no replay")
    if chosen is None:
        if (second := next(documents, None)) is not None:
            raise InputError(
                f"{path} holds several matches: choose one with --match, such as {match_ids(first)} or"
                f" {match_ids(second)}"
            )
        return first
    for document in (first, *documents):
        if match_ids(document) == chosen:
            return document
    raise InputError(f"{path} has no match {chosen!r:.100}")


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_TRANSCRIPT + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if len(data) > MAX_TRANSCRIPT:
        raise InputError(f"{path} has more than {MAX_TRANSCRIPT} bytes: it is not a transcript of a match")
    return data


def fetch_replay(site: str, match: str) -> Any:
    """Return the replay of a match that an arena shows to everybody. Raises `InputError`."""
    refuse_clear_text(site)
    address = f"{site.rstrip('/')}/matches/{match}/replay.json"
    request = Request(address, headers={"Accept": "application/json"})  # noqa: S310 - the scheme was checked
    try:
        return parse_document(read_text(request))
    except HTTPError as error:
        if error.code == HTTPStatus.NOT_FOUND:
            raise InputError(
                f"{address} shows no replay: the match does not exist, is still running, or its result is hidden; an"
                " owner finds the transcript on the match's page once the result is shown"
            ) from None
        raise refused(error) from None
    except Away as error:
        raise InputError(str(error)) from None
    except ValueError as error:
        raise InputError(f"{address} is not a replay: {error}") from None
