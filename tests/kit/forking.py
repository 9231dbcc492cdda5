"""The processes of pytest-xdist as forks of one that has imported all tests. Otherwise each would import them again.

`fork_from_one` lets execnet start `forking.py join` instead of Python. This command passes its standard streams over a
socket to the process of `forking.py serve`, which forks a child on them, and ends with that child. Each child collects
the tests again, from modules that are already loaded. They share nothing else.
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
    """Fork the processes of these specifications from one. Call it before the first of them starts."""
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
    """Become a fork: it has this process's streams, and both end together."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [b"0"], range(STREAMS))
        child = int(connection.recv(32))
    with suppress(ProcessLookupError):  # it has ended already
        select.select([os.pidfd_open(child)], [], [])


def serve(listener: socket.socket, arguments: list[str]) -> None:
    """Import all tests that these arguments of pytest select, then fork for every client.

    It ends when the other end of the standard input is closed.
    """
    import threading

    import pytest

    code = pytest.main([*arguments, "-n0", "--collect-only", "-qq"])
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
                # A module that could not be imported is half loaded: a new Python reports the error.
                _become_python(streams, anew=code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED))
            for stream in streams:
                os.close(stream)
            connection.send(str(child).encode())


def _become_python(streams: list[int], *, anew: bool) -> NoReturn:
    """Become a Python that executes execnet's commands on these streams: this one as it is, or a new one."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if anew:
        os.execv(sys.executable, [sys.executable, "-u", "-c", "import sys; exec(eval(sys.stdin.readline()))"])
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
