"""The processes of pytest-xdist as forks of one that has imported all tests, which each of them would do again.

`fork_from_one` has execnet start `forking.py join` instead of Python. That hands its standard streams over a socket to
the process of `forking.py serve`, which forks a child on them, and ends with that child. Each child collects the tests
again, of modules that are there already; nothing else of them is shared.
"""

from __future__ import annotations

import gc
import os
import select
import shlex
import signal
import socket
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import execnet
    import pytest

STREAMS = 3


def fork_from_one(config: pytest.Config, specs: list[execnet.XSpec]) -> None:
    """Have the processes of these specifications forked from one. To be called before the first of them is started."""
    import subprocess
    import tempfile

    folder = tempfile.TemporaryDirectory(prefix="arena-forks-")
    config.add_cleanup(folder.cleanup)
    address = f"{folder.name}/socket"
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(address)
        listener.listen(len(specs))
        server = subprocess.Popen(
            [sys.executable, "-P", __file__, "serve", str(listener.fileno()), *map(str, config.invocation_params.args)],
            pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )

    def stop() -> None:
        assert server.stdin is not None
        server.stdin.close()
        server.wait()

    config.add_cleanup(stop)
    for spec in specs:
        spec.python = shlex.join([sys.executable, "-I", "-S", __file__, "join", address])


def join(address: str) -> None:
    """Become a fork: it has this process's streams, and this one ends with it."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [b"0"], range(STREAMS))
        child = int(connection.recv(32))
    with suppress(ProcessLookupError):  # it has ended already
        select.select([os.pidfd_open(child)], [], [])


def serve(listener: socket.socket, arguments: list[str]) -> None:
    """Import all tests that these arguments of pytest choose; then fork for everybody who comes, while the other end of
    the standard input is open."""
    import threading

    import pytest

    pytest.main([*arguments, "-n0", "--collect-only", "-qq"])  # what cannot be collected is reported by the forks
    assert threading.active_count() == 1, "a thread of an imported module would be lost in the forks"
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    while listener in select.select([listener, 0], [], [])[0]:
        connection, _ = listener.accept()
        with connection:
            _, streams, _, _ = socket.recv_fds(connection, 1, STREAMS)
            child = os.fork()
            if not child:
                listener.close()
                connection.close()
                _become_python(streams)
            for stream in streams:
                os.close(stream)
            connection.send(str(child).encode())


def _become_python(streams: list[int]) -> NoReturn:
    """What `python -c "exec(eval(sys.stdin.readline()))"` does, as execnet wants it, on these streams."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, closefd=False)
    sys.argv = ["-c"]
    exec(eval(sys.stdin.readline()), {"__name__": "__main__"})
    sys.exit()


if __name__ == "__main__":
    if sys.argv[1] == "join":
        join(sys.argv[2])
    else:
        serve(socket.socket(fileno=int(sys.argv[2])), sys.argv[3:])
