"""Published sources of bots, as `arena bot new --from` fetches them."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request

from arena.cli.api import Api
from arena.cli.fetching import Away, Pace, open_answer, refused, with_patience
from arena.cli.files import InputError
from arena.hosting.archives import BundleError
from arena.hosting.bundle import unpack
from arena.hosting.limits import DEFAULT_LIMITS

PAGE: Final = re.compile(r"(?P<site>https?://.+)/bots/(?P<bot>[-a-zA-Z0-9_]+)/source/(?P<id>[0-9]+)/.*")


@dataclass(frozen=True, slots=True)
class Source:
    """A published source, as the arena describes it."""

    bot: str
    version: str
    licence: str
    sha256: str
    archive: str
    """Address of the archive."""


def write_source(folder: Path, name: str, site: str) -> str:
    """Write the files of a published source to a folder that does not exist yet: all of them, or none.

    `name` is a bot, a bot and a version with an `@` between them, or the address of the source's page, which also names
    the arena. Return a sentence about what was written. Raise `InputError` if there is no such source.
    """
    page = PAGE.fullmatch(name)
    bot, _, version = (page["bot"], "", "") if page else name.partition("@")
    source = _found(page["site"] if page else site, bot, version, f"/source/{page['id']}/" if page else "")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as unfinished:
        packed, files = Path(unfinished) / "packed", Path(unfinished) / folder.name
        with_patience(lambda: _fetch(source.archive, packed))
        try:
            unpack(packed, source.sha256, files, DEFAULT_LIMITS)
        except BundleError as error:
            raise InputError(str(error)) from None
        files.rename(folder)
    return f"{folder} has the files of {source.bot} {source.version}, under the licence {source.licence}"


def _found(site: str, bot: str, version: str, address: str) -> Source:
    """Return the newest published source of the bot: of this version, or with this in the address of its page."""
    answer = with_patience(lambda: Api(site, "").get("bots", bot, "sources"))
    texts = ("version", "licence", "sha256", "archive", "url")
    items = [one for one in answer.get("items", []) if all(isinstance(one.get(key), str) for key in texts)]
    for one in items:
        if one["version"] == version or (not version and address in one["url"]):
            # Never another machine than the one that the user named.
            archive = f"{site.rstrip('/')}/{urlsplit(one['archive']).path.lstrip('/')}"
            return Source(bot, one["version"], one["licence"], one["sha256"], archive)
    published = ", ".join(one["version"] for one in items) or "nothing"
    raise InputError(f"there is no such source of {bot}; its owner has published {published}")


def _fetch(address: str, target: Path) -> None:
    most, size, pace = DEFAULT_LIMITS.unpacked_bytes, 0, Pace(address)
    try:
        with open_answer(Request(address)) as answer, target.open("wb") as file:  # noqa: S310 - it checks the scheme
            while piece := pace.read(answer):
                size += file.write(piece)
                if size > most:
                    raise InputError(f"{address} is larger than {most} bytes")
    except HTTPError as error:
        raise refused(error) from None
    except (OSError, HTTPException) as error:
        raise Away(f"{address} broke off: {error}") from None
