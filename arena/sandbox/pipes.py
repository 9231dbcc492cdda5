"""The pipes between a sandbox and its watcher. Output is read in bounded memory: its beginning and its end are kept."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Final

from arena.sandbox.limits import KeptOutput

HALF_BYTES: Final = 32 * 1024
"""Bytes that are kept of the beginning of an output, and of its end."""
CHUNK_BYTES: Final = 64 * 1024


class OutputReader:
    """The reading end of a pipe on which a program writes its output."""

    def __init__(self, descriptor: int) -> None:
        """Take over this descriptor; `close` closes it."""
        self.descriptor = descriptor
        os.set_blocking(descriptor, False)
        self._head = bytearray()
        self._tail = bytearray()
        self.length = 0
        """Bytes read so far."""

    def read(self) -> bool:
        """Read what is there, at most `CHUNK_BYTES`. Return whether more can follow."""
        try:
            data = os.read(self.descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return True
        self.length += len(data)
        missing = HALF_BYTES - len(self._head)
        self._head += data[:missing]
        self._tail += data[missing:] if missing > 0 else data
        del self._tail[:-HALF_BYTES]
        return bool(data)

    def close(self) -> None:
        """Close the pipe. A program that writes on gets SIGPIPE."""
        os.close(self.descriptor)

    def kept(self) -> KeptOutput:
        """Return the beginning and the end of what has been read."""
        return KeptOutput(bytes(self._head), bytes(self._tail), self.length)


def readable(descriptors: Iterable[int], timeout_s: float) -> set[int]:
    """Return which of these descriptors can be read, or have lost their other end, after at most this time."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return {descriptor for descriptor, _ in poll.poll(max(0.0, timeout_s) * 1000)}


class Pipe:
    """Both ends of a pipe, or of a pair of sockets. Each is closed once, at the latest with the stack."""

    def __init__(self, stack: ExitStack, *, is_socket: bool = False) -> None:
        if is_socket:
            self.reader, self.writer = (end.detach() for end in socket.socketpair())
        else:
            self.reader, self.writer = os.pipe()
        stack.callback(os.close, self.reader)
        self._open_writer = True
        stack.callback(self.close_writer)

    def close_writer(self) -> None:
        """Close the writing end, unless it is closed."""
        if self._open_writer:
            self._open_writer = False
            os.close(self.writer)


class SandboxPipes:
    """The pipes between the watcher, bubblewrap and the program."""

    def __init__(self, stack: ExitStack) -> None:
        self.stdout, self.stderr = Pipe(stack), Pipe(stack)
        self.status, self.block = Pipe(stack), Pipe(stack)
        self.report = Pipe(stack, is_socket=True)

    def read_report(self) -> tuple[bytes, list[int]]:
        """Return the next part of the report, and the descriptors that came with it."""
        with socket.socket(fileno=os.dup(self.report.reader)) as reader:
            data, descriptors, _, _ = socket.recv_fds(reader, 4096, 1, socket.MSG_CMSG_CLOEXEC)
        return data, descriptors

    def close_writers(self) -> None:
        """Close what only the other side writes, so that its end is seen."""
        for pipe in (self.stdout, self.stderr, self.status, self.report):
            pipe.close_writer()
