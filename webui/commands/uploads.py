"""Receives the bodies of uploads (`webui.core.uploads`) into files, in bounded memory and within limits.

An upload is refused before its body is read in these cases:

- The view does not admit it.
- The account sends as many as it may, or has broken off too many.
- The process receives as many as it can, and none gives way (`UploadSlots`).
- The disk is nearly full.

An upload that is slower than the least rate is cut off.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final, Protocol

import structlog

from arena.host.limiters import Bucket, Buckets
from arena.host.sockets import network_of, site_of
from arena.hosting.limits import DEFAULT_LIMITS
from webui.api import ROOT
from webui.commands.bodies import Application, Message, Receive, Send, refuse
from webui.core.uploads import OLD_S, UPLOAD, NoRoom, Upload, make_folder

PATH: Final = re.compile(rf"(?:{ROOT}bots|/bots)/[^/]+/submissions/?|{ROOT}weights")
"""Paths to which bodies may be uploaded, by POST."""

MOST_ACCOUNTS: Final = 10_000
"""Maximum number of accounts whose broken uploads are counted."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class UploadLimits:
    """Limits of uploads. Tests make them small."""

    longest: int = DEFAULT_LIMITS.packed_bytes + DEFAULT_LIMITS.weights_bytes + (1 << 20)
    """Maximum number of bytes of a body: a packed bot, its weights, and the parts of a form around them."""
    grace_s: float = 20.0
    """Seconds that an upload may take, beside those that its bytes may take at the least rate."""
    least_rate: float = 64 * 1024.0
    """Bytes a second. An upload that is slower on average is cut off."""
    in_all: int = 8
    """Maximum number of uploads that a process receives at the same time."""
    per_account: int = 2
    settled_s: float = 20.0
    """Seconds for which an upload keeps its slot at any rate."""
    broken_an_hour: float = 20.0
    """Maximum number of uploads of an account that end before their last byte."""


@dataclass(eq=False)
class HeldUpload:
    """An upload that is being received."""

    account: str
    address: str
    connection: UploadingConnection
    began: float = field(default_factory=time.monotonic)
    received: int = 0
    """Number of bytes so far."""
    is_complete: bool = False

    def rate(self, now: float) -> float:
        """Return the bytes a second so far."""
        return self.received / max(now - self.began, 1e-9)


class UploadSlots:
    """The uploads that a process receives at the same time.

    When all slots are taken, a new upload may end an older one. Candidates have run for `settled_s` and belong to an
    address or account with more uploads. The slowest upload of the largest holder is ended.
    """

    def __init__(self, limits: UploadLimits) -> None:
        self._limits = limits
        self._held: list[HeldUpload] = []
        self._broken = Buckets(MOST_ACCOUNTS)

    @contextmanager
    def take(self, account: str, address: str, connection: UploadingConnection) -> Iterator[HeldUpload | None]:
        """Hold a slot while the context lasts. Yield `None` if there is none for this account."""
        if not self._may_begin(account, address):
            yield None
            return
        upload = HeldUpload(account, address, connection)
        self._held.append(upload)
        try:
            yield upload
        finally:
            if upload in self._held:  # otherwise it has lost its slot, by no fault of its own
                self._held.remove(upload)
                if not upload.is_complete:
                    self._broken_by(account).charge(1.0, time.monotonic_ns())

    def _broken_by(self, account: str) -> Bucket:
        most = self._limits.broken_an_hour
        return self._broken.find(account, most, most / 3600, time.monotonic_ns())

    def _may_begin(self, account: str, address: str) -> bool:
        own = sum(upload.account == account for upload in self._held)
        if own >= self._limits.per_account or not self._broken_by(account).has_any(time.monotonic_ns()):
            return False
        return len(self._held) < self._limits.in_all or self._free_one(account, address)

    def _free_one(self, account: str, address: str) -> bool:
        """End an upload of somebody who has more of them. Return whether there was one."""
        addresses = Counter(upload.address for upload in self._held)
        accounts = Counter(upload.account for upload in self._held)
        now = time.monotonic()
        slow = [
            upload
            for upload in self._held
            if now - upload.began > self._limits.settled_s
            and (addresses[upload.address], accounts[upload.account]) > (addresses[address], accounts[account])
        ]
        if not slow:
            return False
        ended = max(slow, key=lambda upload: (addresses[upload.address], accounts[upload.account], -upload.rate(now)))
        log.warning("upload_displaced", account=ended.account, address=ended.address, received=ended.received)
        self._held.remove(ended)
        ended.connection.drop()
        return True


class UploadingConnection(Protocol):
    """A connection on which uploads arrive."""

    def begin_upload(self) -> None:
        """End the deadline of the request, which is too short for an upload."""

    def drop(self) -> None:
        """Close the connection now."""


def with_uploads(
    application: Application,
    others: Application,
    connection: UploadingConnection,
    limits: UploadLimits,
    slots: UploadSlots,
) -> Application:
    """Return an ASGI application that answers uploads by `application`, and all other requests by `others`."""
    receiver = _UploadReceiver(application, connection, limits, slots)

    async def dispatch(scope: Any, receive: Receive, send: Send) -> None:
        await (receiver.answer if _is_upload(scope) else others)(scope, receive, send)

    return dispatch


def _is_upload(scope: Any) -> bool:
    """Return whether a request may have a large body."""
    return scope["type"] == "http" and scope["method"] == "POST" and PATH.fullmatch(scope["path"]) is not None


class _UploadReceiver:
    """Receives the body of an upload, between two calls of the application."""

    def __init__(
        self, application: Application, connection: UploadingConnection, limits: UploadLimits, slots: UploadSlots
    ) -> None:
        self._application = application
        self._connection = connection
        self._limits = limits
        self._slots = slots

    async def answer(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request."""
        self._connection.begin_upload()
        upload = Upload(content_type=_header(scope, b"content-type"))
        inner = {**scope, UPLOAD: upload, "headers": _without_body(scope["headers"])}
        kept: list[Message] = []

        async def keep(message: Message) -> None:
            kept.append(message)

        await self._application(inner, _never_more(), keep)
        if not upload.account:
            for message in kept:
                await send(message)
            return
        if int(_header(scope, b"content-length") or 0) > self._limits.longest:
            await self._refuse_long(scope, send)
            return
        with self._slots.take(upload.account, _address(inner), self._connection) as held:
            if held is None:
                detail = "the arena receives as many uploads as it can, or as your account may: wait for one to end"
                await refuse(scope, send, "TRY_AGAIN", detail)
            else:
                await self._answer_admitted(inner, upload, held, receive, send)

    async def _answer_admitted(
        self, scope: Any, upload: Upload, held: HeldUpload, receive: Receive, send: Send
    ) -> None:
        with ExitStack() as stack:
            try:
                folder = await asyncio.to_thread(_clean_folder)
                file = stack.enter_context(tempfile.NamedTemporaryFile(dir=folder, prefix="body-", buffering=0))
                outcome = await self._receive(receive, file, upload, held)
            except (NoRoom, OSError) as error:
                held.is_complete = True  # the client is not to blame
                log.warning("upload_failed", account=upload.account, error=str(error))
                await refuse(scope, send, "TRY_AGAIN", "the disk of the arena has no room for uploads now")
                return
            if outcome == "complete":
                upload.file = Path(file.name)
                await self._application(scope, _never_more(receive), send)
            elif outcome == "long":
                await self._refuse_long(scope, send)
            else:
                log.info("upload_ended", account=upload.account, outcome=outcome)
                self._connection.drop()

    async def _refuse_long(self, scope: Any, send: Send) -> None:
        detail = f"the request is too large: its body may have {self._limits.longest} bytes"
        await refuse(scope, send, "MESSAGE_TOO_LARGE", detail)

    async def _receive(self, receive: Receive, file: IO[bytes], upload: Upload, held: HeldUpload) -> str:
        """Receive the body. Return `complete`, `long`, `slow`, or `gone` if the client has disconnected."""
        digest = sha256()
        while True:
            latest = held.began + self._limits.grace_s + held.received / self._limits.least_rate
            try:
                message = await asyncio.wait_for(receive(), latest - time.monotonic())
            except TimeoutError:
                return "slow"
            if message["type"] != "http.request":
                return "gone"
            part = message.get("body", b"")
            held.received += len(part)
            if held.received > self._limits.longest:
                return "long"
            digest.update(part)
            await asyncio.to_thread(_write, file, part)
            if not message.get("more_body", False):
                upload.digest = digest.hexdigest()
                held.is_complete = True
                return "complete"


def _write(file: IO[bytes], part: bytes) -> None:
    """Write all bytes. The file has no buffer, so that a full disk is noticed here."""
    while part:
        part = part[file.write(part) :]


def _clean_folder() -> Path:
    """Return the folder for uploads, without what killed processes have left behind."""
    folder = make_folder()
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > OLD_S:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    return folder


def _address(scope: Any) -> str:
    """Return the network from which a request comes. The application must have had its scope, where it writes it."""
    client = scope.get("client")
    return site_of(network_of(client[0])) if client else ""


def _header(scope: Any, name: bytes) -> str:
    return next((value.decode("latin1") for key, value in scope["headers"] if key == name), "")


def _without_body(headers: Any) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request without a body. The view finds the rest in `Upload`."""
    about_it = (b"content-length", b"content-type", b"transfer-encoding", b"expect")
    return [*((name, value) for name, value in headers if name not in about_it), (b"content-length", b"0")]


def _never_more(receive: Receive | None = None) -> Receive:
    """Return a `receive` with an empty body, and then what `receive` says; nothing if there is none."""
    is_sent = False

    async def receive_empty() -> Message:
        nonlocal is_sent
        if not is_sent:
            is_sent = True
            return {"type": "http.request", "body": b"", "more_body": False}
        if receive is None:
            await asyncio.Event().wait()
        assert receive is not None
        return await receive()

    return receive_empty
