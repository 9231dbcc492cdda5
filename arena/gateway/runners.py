"""The runner service: how runners, which have no database, learn what they host and report what happened.

Each call carries the runner's token. Every call may be repeated: it is done once. Files and the database are used on
other threads, so the streams of bots never wait for a runner.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Protocol

import grpc
import grpc.aio
import structlog
from grpc import StatusCode
from msgspec import Struct

from arena.gateway.connections import Connections, network_of_client
from arena.gateway.hellos import HelloLimiter
from arena.gateway.limits import GatewayLimits, RunnerServiceLimits
from arena.gateway.stream import Context
from arena.host.limiters import Buckets, Slots
from arena.hosting.messages import (
    LOG_PIECE,
    PART_BYTES,
    RUNNER_REASON_METADATA,
    RUNNER_SERVICE,
    RUNNER_TOKEN_METADATA,
    BlobRequest,
    BuildResult,
    HostedVersions,
    ImageHeader,
    JobFailure,
    JobInfo,
    JobOffer,
    JobRequest,
    JobResult,
    JobReturn,
    LogPiece,
    RunnerErrorReason,
    RunnerFacts,
    RunnerMessage,
    RunnerMessageError,
    SeatReport,
    TrialInfo,
    TrialOffer,
    TrialProgress,
    TrialResult,
    TrialReturn,
    decode_message,
    encode_message,
)

log = structlog.get_logger(__name__)

EOF: Final[Any] = grpc.aio.EOF  # type: ignore[attr-defined]  # missing in grpc-stubs
MAX_RUNNERS: Final = 1_000
"""Maximum number of runners whose rates and tokens are remembered."""
FILE_THREADS: Final = 2
LONGEST_MESSAGE: Final = 500
"""Maximum number of characters of a refusal: it travels in the metadata, which are limited, and may quote a runner."""

STATUS: Final = {
    RunnerErrorReason.TRY_AGAIN: StatusCode.UNAVAILABLE,
    RunnerErrorReason.TOO_MANY_CALLS: StatusCode.RESOURCE_EXHAUSTED,
    RunnerErrorReason.TOO_SLOW: StatusCode.DEADLINE_EXCEEDED,
    RunnerErrorReason.BAD_RUNNER_TOKEN: StatusCode.UNAUTHENTICATED,
    RunnerErrorReason.TOO_MANY_ATTEMPTS: StatusCode.UNAUTHENTICATED,
    RunnerErrorReason.BAD_MESSAGE: StatusCode.INVALID_ARGUMENT,
    RunnerErrorReason.BLOB_UNKNOWN: StatusCode.NOT_FOUND,
    RunnerErrorReason.JOB_LOST: StatusCode.FAILED_PRECONDITION,
}


class RunnerRefused(Exception):
    """Raised when a call of a runner is refused."""

    def __init__(self, reason: RunnerErrorReason, message: str) -> None:
        super().__init__(f"{reason}: {message}"[:LONGEST_MESSAGE])
        self.reason = reason


class Hosting(Protocol):
    """The server's side of the runner service (`webui.commands.hosting`).

    All methods raise `RunnerRefused`, with TRY_AGAIN while the database is unavailable. `runner` is the id of the
    runner that calls.
    """

    async def runner_of(self, token: str) -> int | None:
        """Return the id of the runner with this token; `None` if the token is unknown or revoked."""
        ...

    async def hosted(self, runner: int, facts: RunnerFacts) -> HostedVersions:
        """Return a page of the hosted versions, and store what the runner says of itself."""
        ...

    async def take_job(self, runner: int, key: str) -> JobInfo | None:
        """Give a job to the runner; `None` if there is none. The same key gets the same job again."""
        ...

    async def append_log(self, runner: int, piece: LogPiece) -> None:
        """Append to the log of a job, and renew its lease."""
        ...

    async def store_image(self, runner: int, header: ImageHeader, packed: Path) -> None:
        """Store the image of a job. Its hash is checked before anything is stored.

        `packed` is opened before the first suspension. After a cancellation it may be another file.
        """
        ...

    async def finish_build(self, runner: int, result: BuildResult) -> None:
        """Record that a job is built, so that it is examined next."""
        ...

    async def finish_job(self, runner: int, result: JobResult) -> None:
        """Record that a job is done, so that its version is ready."""
        ...

    async def fail_job(self, runner: int, failure: JobFailure) -> None:
        """Record that a job failed by a fault of the bot."""
        ...

    async def return_job(self, runner: int, returned: JobReturn) -> None:
        """Take a job back that the runner cannot finish."""
        ...

    async def take_trial(self, runner: int, key: str) -> TrialInfo | None:
        """Give a trial to the runner; `None` if there is none. The same key gets the same trial again."""
        ...

    async def note_trial(self, runner: int, progress: TrialProgress) -> None:
        """Record the progress of a trial, and renew its lease."""
        ...

    async def finish_trial(self, runner: int, result: TrialResult) -> None:
        """Record the outcome of a trial."""
        ...

    async def return_trial(self, runner: int, returned: TrialReturn) -> None:
        """Take a trial back that the runner cannot finish."""
        ...

    async def copy_blob(self, sha256: str, target: IO[bytes]) -> None:
        """Write an image or source, as it is stored, to a file."""
        ...

    async def record_seat(self, runner: int, report: SeatReport) -> None:
        """Record the end of a sandbox that played a seat."""
        ...

    def close(self) -> None:
        """Release threads and connections."""
        ...


@dataclass(frozen=True, slots=True)
class _Unary:
    """A method with one request and one response."""

    kind: type[Struct]
    """Type of the request."""
    do: Callable[[int, Any], Awaitable[Struct | None]]


class RunnerService:
    """Serves the calls of all runners."""

    def __init__(
        self,
        hosting: Hosting,
        connections: Connections,
        gateway_limits: GatewayLimits,
        limits: RunnerServiceLimits,
    ) -> None:
        self._hosting = hosting
        self._connections = connections
        self._limits = limits
        self._attempts = HelloLimiter(gateway_limits)
        self._known: dict[str, None] = {}
        """Digests of tokens that were valid at their last call, so that nobody at their address can keep them out."""
        self._rates = Buckets(MAX_RUNNERS)
        self._calls = Slots(limits.max_calls, limits.max_calls_per_runner)
        self._transfers = Slots(limits.max_transfers, limits.max_transfers_per_runner)
        self._threads = ThreadPoolExecutor(FILE_THREADS, thread_name_prefix="blob")

    def handlers(self) -> tuple[grpc.GenericRpcHandler[Any, Any], ...]:
        """Return the gRPC handlers. They have no serializers, so that messages stay bytes."""
        unary = {
            "Hosted": _Unary(RunnerFacts, self._hosting.hosted),
            "TakeJob": _Unary(JobRequest, self._take_job),
            "AppendLog": _Unary(LogPiece, self._append_log),
            "FinishBuild": _Unary(BuildResult, self._hosting.finish_build),
            "FinishJob": _Unary(JobResult, self._hosting.finish_job),
            "FailJob": _Unary(JobFailure, self._hosting.fail_job),
            "ReturnJob": _Unary(JobReturn, self._hosting.return_job),
            "TakeTrial": _Unary(JobRequest, self._take_trial),
            "NoteTrial": _Unary(TrialProgress, self._hosting.note_trial),
            "FinishTrial": _Unary(TrialResult, self._hosting.finish_trial),
            "ReturnTrial": _Unary(TrialReturn, self._hosting.return_trial),
            "ReportSeat": _Unary(SeatReport, self._hosting.record_seat),
        }
        methods: dict[str, Any] = {
            name: grpc.unary_unary_rpc_method_handler(self._answering(method)) for name, method in unary.items()
        }
        methods["StoreImage"] = grpc.stream_unary_rpc_method_handler(self.store_image)
        methods["FetchBlob"] = grpc.unary_stream_rpc_method_handler(self.fetch_blob)
        return (grpc.method_handlers_generic_handler(RUNNER_SERVICE, methods),)

    def close(self) -> None:
        """Release the threads, and those of the server's side."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._hosting.close()

    def _answering(self, method: _Unary) -> Any:
        async def answer(data: bytes, context: Context) -> bytes:
            async with self._refusing(context), self._admitted(context, self._calls) as runner:
                response = await method.do(runner, _decode(data, method.kind))
                return b"" if response is None else encode_message(response)

        return answer

    async def _take_job(self, runner: int, request: JobRequest) -> JobOffer:
        return JobOffer(job=await self._hosting.take_job(runner, request.key))

    async def _take_trial(self, runner: int, request: JobRequest) -> TrialOffer:
        return TrialOffer(trial=await self._hosting.take_trial(runner, request.key))

    async def _append_log(self, runner: int, piece: LogPiece) -> None:
        if len(piece.text) > LOG_PIECE:
            raise RunnerRefused(RunnerErrorReason.BAD_MESSAGE, f"a piece has at most {LOG_PIECE} characters")
        await self._hosting.append_log(runner, piece)

    async def store_image(self, _: object, context: Context) -> bytes:
        """Receive the image of a job into a temporary file, and store it if it is what its header says."""
        async with self._refusing(context), self._transfer(context) as runner:
            data = await context.read()
            header = _decode(b"" if data is EOF else data, ImageHeader)
            if header.size > self._limits.max_blob_bytes:
                raise RunnerRefused(
                    RunnerErrorReason.BAD_MESSAGE,
                    f"the image has {header.size} bytes, more than {self._limits.max_blob_bytes}",
                )
            with tempfile.TemporaryFile() as file:
                received = 0
                while (part := await context.read()) is not EOF:
                    received += len(part)
                    if received > header.size or len(part) > PART_BYTES:
                        break
                    await self._in_thread(file.write, part)
                if received != header.size:
                    raise RunnerRefused(
                        RunnerErrorReason.BAD_MESSAGE, f"{received} bytes were sent, and the header says {header.size}"
                    )
                await self._in_thread(file.flush)
                # The file has no name, so that nothing is left of it if this process is killed.
                await self._hosting.store_image(runner, header, Path(f"/dev/fd/{file.fileno()}"))
        return b""

    async def fetch_blob(self, data: bytes, context: Context) -> None:
        """Send an image or source in parts."""
        async with self._refusing(context), self._transfer(context):
            request = _decode(data, BlobRequest)
            # The file releases the thread and the connection of the database before a slow runner reads.
            with tempfile.TemporaryFile() as file:
                await self._hosting.copy_blob(request.sha256, file)
                await self._in_thread(file.seek, 0)
                while part := await self._in_thread(file.read, PART_BYTES):
                    await context.write(part)

    async def _in_thread(self, do: Callable[[Any], Any] | Callable[[], Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, do, *arguments)

    @asynccontextmanager
    async def _refusing(self, context: Context) -> AsyncIterator[None]:
        """End the call with the status of a `RunnerRefused` that is raised inside."""
        try:
            yield
        except RunnerRefused as refused:
            log.info("runner_refused", address=self._address(context), reason=refused.reason, why=str(refused))
            metadata = ((RUNNER_REASON_METADATA, refused.reason),)
            async with self._connections.ending(context):
                await context.abort(STATUS[refused.reason], str(refused), metadata)
            raise

    @asynccontextmanager
    async def _transfer(self, context: Context) -> AsyncIterator[int]:
        """Admit a transfer, and limit its duration."""
        async with self._admitted(context, self._transfers) as runner:
            try:
                async with asyncio.timeout(self._limits.transfer_s):
                    yield runner
            except TimeoutError:
                raise RunnerRefused(
                    RunnerErrorReason.TOO_SLOW, f"a transfer may take {self._limits.transfer_s:.0f} s"
                ) from None

    @asynccontextmanager
    async def _admitted(self, context: Context, slots: Slots) -> AsyncIterator[int]:
        """Yield the runner that calls, and hold a slot and its connection while the context lasts."""
        now = time.monotonic_ns()
        runner = await self._authenticate(context, now)
        rate = self._rates.find(runner, self._limits.call_burst, self._limits.calls_per_second, now)
        with slots.take(str(runner)) as is_taken:
            if not is_taken or not rate.take(1.0, now):
                raise RunnerRefused(RunnerErrorReason.TOO_MANY_CALLS, "wait a little, and call again")
            with self._connections.used(context.peer()):
                yield runner

    async def _authenticate(self, context: Context, now: int) -> int:
        address = self._address(context)
        token = next((str(v) for k, v in context.invocation_metadata() or () if k == RUNNER_TOKEN_METADATA), "")
        digest = hashlib.sha256(token.encode()).hexdigest()
        if digest not in self._known and not self._attempts.may_try(address, now):
            raise RunnerRefused(
                RunnerErrorReason.TOO_MANY_ATTEMPTS, "too many calls from this address had no valid token: wait"
            )
        runner = await self._hosting.runner_of(token) if token else None
        if runner is None:
            self._known.pop(digest, None)
            self._attempts.charge(address, HelloLimiter.FAILED_COST, now)
            raise RunnerRefused(
                RunnerErrorReason.BAD_RUNNER_TOKEN,
                "this runner token is missing, unknown or revoked: make one with `arena admin runner add`",
            )
        self._known[digest] = None
        while len(self._known) > MAX_RUNNERS:
            del self._known[next(iter(self._known))]
        return runner

    def _address(self, context: Context) -> str:
        return network_of_client(context, self._connections.proxies)


def _decode(data: bytes, kind: type[RunnerMessage]) -> RunnerMessage:
    try:
        return decode_message(data, kind)
    except RunnerMessageError as error:
        raise RunnerRefused(RunnerErrorReason.BAD_MESSAGE, str(error)) from error
