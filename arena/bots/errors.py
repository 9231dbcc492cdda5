"""The two ends of a stream: it is lost, which is worth a retry, or refused for good."""

import grpc
import grpc.aio

from arena.wire.v1.bot_pb2 import Error

# A retry cannot help: the same hello would get the same answer.
FINAL = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.ABORTED,
}
CODES = {code.value[0]: code for code in grpc.StatusCode}
# Except for this reason: our hello was late because a machine is busy.
PASSING = {"HELLO_EXPECTED"}


class StreamLost(Exception):
    """Raised when the stream ended and is worth opening again."""


class Refused(Exception):
    """Raised when the server refuses this process.

    `reason` is stable, for programs. The message says what to do.

    >>> refused = Refused("BAD_TOKEN", "This token was revoked.")
    >>> print(refused.reason, "-", refused)
    BAD_TOKEN - This token was revoked. [BAD_TOKEN]
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{message} [{reason}]" if reason else message)
        self.reason = reason


def error_of(status: grpc.aio.AioRpcError, last: Error) -> StreamLost | Refused:
    """Return the exception for the status of an ended stream.

    `last` is the last error that the server sent before the end.
    """
    details = last.message or status.details() or ""
    # If a message of ours crossed the end of the stream, the status is INTERNAL, whatever the server said.
    code = CODES.get(last.code, status.code()) if last.fatal else status.code()
    if code in FINAL and last.reason not in PASSING:
        return Refused(last.reason or code.name, details)
    return StreamLost(f"{code.name}: {details}")
