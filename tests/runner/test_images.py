"""The cache of images: fetched once, checked, kept while it is used, removed when there are too many."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from arena.hosting.archives import BundleError
from arena.hosting.bundle import pack
from arena.hosting.limits import HostingLimits
from arena.hosting.messages import RunnerFacts
from arena.runner import images as images_module
from arena.runner.desk import CallRefused, RunnerDesk
from arena.runner.images import ImageCache
from tests.kit.until import soon
from tests.runner.hosting import TOKEN, MemoryHosting, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIZE = 10_000


class CountedHosting(MemoryHosting):
    """Counts what was fetched, and can be held up."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def copy_blob(self, sha256: str, target: object) -> None:
        self.fetched.append(sha256)
        await self.may_answer.wait()
        await super().copy_blob(sha256, target)  # type: ignore[arg-type]


class Cache:
    """A cache and its gateway."""

    def __init__(self, folder: Path, hosting: CountedHosting, desk: RunnerDesk) -> None:
        self.root = folder / "images"
        self.folder = folder
        self.hosting = hosting
        self.desk = desk
        self.images = self.opened()

    def opened(self, most_bytes: int = 3 * SIZE + SIZE // 2) -> ImageCache:
        return ImageCache(self.root, self.desk, HostingLimits(), most_bytes)

    def store(self, number: int) -> str:
        source = self.folder / f"source{number}"
        source.mkdir()
        (source / "bot.py").write_text(f"# {number}\n".ljust(SIZE, "x"))
        (source / "bot.toml").write_text('language = "python"\ncommand = ["python3", "bot.py"]\n')
        bundle = pack(source, "bot", self.folder / f"bundle{number}", HostingLimits())
        self.hosting.blobs[bundle.sha256] = bundle.packed.read_bytes()
        return bundle.sha256

    def here(self) -> set[str]:
        return set(os.listdir(self.root))


@pytest_asyncio.fixture(loop_scope="session")
async def cache(tmp_path: Path) -> AsyncIterator[Cache]:
    hosting = CountedHosting()
    async with serving(hosting) as address, RunnerDesk([address], TOKEN, tmp_path, RunnerFacts()) as desk:
        yield Cache(tmp_path, hosting, desk)


async def test_an_image_is_fetched_once_for_all_that_wait(cache: Cache) -> None:
    image = cache.store(1)
    cache.hosting.may_answer.clear()

    async def use() -> bytes:
        async with cache.images.folder(image) as folder:
            return (folder / "bot.py").read_bytes()

    uses = [asyncio.create_task(use()) for _ in range(5)]
    await soon(lambda: cache.hosting.fetched, "the call")
    cache.hosting.may_answer.set()
    assert {content[:4] for content in await asyncio.gather(*uses)} == {b"# 1\n"}
    assert cache.hosting.fetched == [image]
    assert cache.here() == {image}


async def test_who_stops_waiting_leaves_it_to_the_others(cache: Cache) -> None:
    image = cache.store(1)
    cache.hosting.may_answer.clear()

    async def use() -> Path:
        async with cache.images.folder(image) as folder:
            return folder

    first, second = asyncio.create_task(use()), asyncio.create_task(use())
    await soon(lambda: cache.hosting.fetched, "the call")
    first.cancel()
    cache.hosting.may_answer.set()
    assert (await second).is_dir()
    assert cache.here() == {image}


async def test_other_users_may_read_it(cache: Cache) -> None:
    image = cache.store(1)
    before = os.umask(0o077)
    try:
        async with cache.images.folder(image) as folder:
            assert folder.stat().st_mode & 0o777 == 0o755
            assert (folder / "bot.py").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


async def test_the_least_recently_used_are_removed(cache: Cache) -> None:
    one, two, three, four = (cache.store(number) for number in range(4))
    for image in (one, two, three, one, four):
        async with cache.images.folder(image):
            pass
    assert cache.here() == {one, three, four}
    async with cache.opened().folder(two):  # as a later process, which finds them
        assert len(cache.here()) == 3 and two in cache.here()


async def test_what_is_in_use_stays(cache: Cache) -> None:
    images = [cache.store(number) for number in range(6)]
    async with AsyncExitStack() as stack:
        folders = [await stack.enter_async_context(cache.images.folder(image)) for image in images[:5]]
        assert all((folder / "bot.py").exists() for folder in folders)
    async with cache.images.folder(images[5]):
        assert cache.here() == set(images[3:])


async def test_a_damaged_image_is_fetched_again(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images_module, "DAMAGED_PAUSE_S", 0.01)
    monkeypatch.setattr(images_module, "DAMAGED_ATTEMPTS", 1_000_000)  # until it is repaired below
    image, other = cache.store(1), cache.store(2)
    good = cache.hosting.blobs[image]
    for damaged in (b"", good[:-20], good[:100] + bytes(8) + good[108:], cache.hosting.blobs[other]):
        cache.hosting.blobs[image] = damaged
        before = len(cache.hosting.fetched)

        async def use() -> bytes:
            async with cache.opened().folder(image) as folder:
                return (folder / "bot.py").read_bytes()

        using = asyncio.create_task(use())
        await soon(lambda before=before: len(cache.hosting.fetched) > before + 1, "another try")  # type: ignore[misc]
        assert image not in cache.here()
        cache.hosting.blobs[image] = good
        assert (await using)[:4] == b"# 1\n"
        (cache.root / image).rename(cache.folder / f"used{before}")


async def test_an_image_that_stays_damaged_is_given_up(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images_module, "DAMAGED_PAUSE_S", 0.01)
    image = cache.store(1)
    good, cache.hosting.blobs[image] = cache.hosting.blobs[image], b""
    with pytest.raises(BundleError):
        async with asyncio.timeout(120), cache.images.folder(image):
            pass
    assert cache.hosting.fetched == [image] * 3 and cache.here() == set()
    cache.hosting.blobs[image] = good
    async with cache.images.folder(image):
        assert cache.here() == {image}


async def test_an_unknown_image_is_refused(cache: Cache) -> None:
    with pytest.raises(CallRefused):
        async with cache.images.folder("0" * 64):
            pass
    assert cache.here() == set()


async def test_what_a_killed_process_did_not_finish_is_removed(cache: Cache) -> None:
    half = cache.root / ".new-killed" / "files"
    half.mkdir(parents=True)
    (half / "bot.py").write_text("half")
    image = cache.store(1)
    async with cache.images.folder(image):
        assert cache.here() == {image}
