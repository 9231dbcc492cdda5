"""A cache of the files of bots: each image or source once, by its hash, unpacked."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Final, Protocol

import structlog

from arena.hosting.archives import BundleError
from arena.hosting.bundle import unpack, weights_of
from arena.hosting.limits import HostingLimits
from arena.hosting.runtime import BotFiles
from arena.runner.desk import RunnerDesk
from arena.sandbox.limits import MIB

log = structlog.get_logger(__name__)

CACHE_BYTES: Final = 5 * 1024 * MIB
"""Bytes of unpacked files, beyond which the least recently used are removed."""
DAMAGED_PAUSE_S: Final = 5.0
"""Pause before a blob that arrived damaged is fetched again."""
DAMAGED_ATTEMPTS: Final = 3
"""Number of damaged copies after which an image is given up, so that those who wait for it can end."""
UNFINISHED: Final = ".new-"
"""Prefix of folders that are being filled or removed. The next process removes those that are left."""


class Images(Protocol):
    """Finds images, sources and weights by their hashes. `ImageCache` does."""

    def folder(self, sha256: str) -> AbstractAsyncContextManager[Path]:
        """Yield the folder of an image, which other users can read, for as long as the context lasts.

        Raises `BundleError` or `CallRefused` if the image cannot be had.
        """


@asynccontextmanager
async def bot_files(images: Images, sha256: str) -> AsyncIterator[BotFiles]:
    """Yield the files of the image with this hash, and those of its weights, for as long as the context lasts.

    Raises as `Images.folder` does.
    """
    async with images.folder(sha256) as image:
        if not (weights := weights_of(image)):
            yield BotFiles(image)
            return
        async with images.folder(weights) as folder:
            yield BotFiles(image, folder)


class ImageCache:
    """The files of images and sources in one folder of this machine, which one process uses.

    The users of sandboxes must be able to enter all folders above it.
    """

    def __init__(self, root: Path, desk: RunnerDesk, limits: HostingLimits, most_bytes: int = CACHE_BYTES) -> None:
        self._root = root
        self._desk = desk
        self._limits = limits
        self._most_bytes = most_bytes
        self._sizes: dict[str, int] | None = None
        """Bytes of the images that are here, the least recently used first; `None` before the folder was read."""
        self._users: Counter[str] = Counter()
        self._locks: dict[str, asyncio.Lock] = {}
        self._reading = asyncio.Lock()

    @asynccontextmanager
    async def folder(self, sha256: str) -> AsyncIterator[Path]:
        """Yield the folder with the files of an image or source. It stays there while the context lasts.

        Files that are not here are fetched from a gateway, once for all that wait for them. Raises
        `arena.runner.desk.CallRefused` if no gateway has them, and `BundleError` if what arrives stays damaged.
        """
        self._users[sha256] += 1
        try:
            async with self._locks.setdefault(sha256, asyncio.Lock()):
                sizes = await self._known_sizes()
                if sha256 in sizes:
                    sizes[sha256] = sizes.pop(sha256)  # last in order
                else:
                    sizes[sha256] = await self._fetch(sha256)
                    await self._remove_least_recently_used(sizes)
            yield self._root / sha256
        finally:
            self._users[sha256] -= 1
            if not self._users[sha256]:
                del self._users[sha256], self._locks[sha256]

    async def _known_sizes(self) -> dict[str, int]:
        async with self._reading:
            if self._sizes is None:
                self._sizes = await asyncio.to_thread(_read_cache, self._root)
            return self._sizes

    async def _fetch(self, sha256: str) -> int:
        """Fetch and unpack an image under a temporary name, and return its size."""
        attempts = 0
        while True:
            scratch = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=self._root, prefix=UNFINISHED))
            try:
                await self._desk.fetch(sha256, scratch / "packed")
                await asyncio.to_thread(unpack, scratch / "packed", sha256, scratch / "files", self._limits)
                (scratch / "files").rename(self._root / sha256)
                return await asyncio.to_thread(_size, self._root / sha256)
            except BundleError as error:
                attempts += 1
                log.error("image_damaged", image=sha256, why=str(error), attempts=attempts)
                if attempts == DAMAGED_ATTEMPTS:
                    raise
            finally:
                await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
            await asyncio.sleep(DAMAGED_PAUSE_S)

    async def _remove_least_recently_used(self, sizes: dict[str, int]) -> None:
        total = sum(sizes.values())
        for sha256 in tuple(sizes):
            if total <= self._most_bytes:
                return
            if sha256 in sizes and not self._users[sha256]:
                total -= sizes.pop(sha256)
                # Under another name at once, so that nobody takes a half-removed folder for an image.
                gone = self._root / f"{UNFINISHED}{secrets.token_hex(8)}"
                (self._root / sha256).rename(gone)
                await asyncio.to_thread(shutil.rmtree, gone, ignore_errors=True)


def _read_cache(root: Path) -> dict[str, int]:
    """Return the sizes of the images that an earlier process has left, and remove what it did not finish."""
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(0o755)  # the users of sandboxes read the images
    for path in root.glob(f"{UNFINISHED}*"):
        shutil.rmtree(path, ignore_errors=True)
    return {path.name: _size(path) for path in sorted(root.iterdir(), key=lambda path: path.stat().st_mtime_ns)}


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))
