"""How a stream may end: lost, which is worth another attempt, or refused for good."""

import grpc
import grpc.aio

from arena.wire.v1.bot_pb2 import Error

# Trying again cannot help: the same hello would get the same answer.
FINAL = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.ABORTED,
}
CODES = {code.value[0]: code for code in grpc.StatusCode}
# But not this: our hello was late, because somebody's machine is busy.
PASSING = {"HELLO_EXPECTED"}


class StreamLost(Exception):
    """The stream ended and is worth opening again."""


class Refused(Exception):
    """The server refuses this process; `reason` is stable, the message says what to do."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{message} [{reason}]" if reason else message)
        self.reason = reason


def error_of(status: grpc.aio.AioRpcError, last: Error) -> StreamLost | Refused:
    """What the status of an ended stream means; `last`: the last error that the server sent before it."""
    details = last.message or status.details() or ""
    # If a message of ours met the end of the stream, its status is INTERNAL, whatever the server said.
    code = CODES.get(last.code, status.code()) if last.fatal else status.code()
    if code in FINAL and last.reason not in PASSING:
        return Refused(last.reason or code.name, details)
    return StreamLost(f"{code.name}: {details}")
