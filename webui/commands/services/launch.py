"""Become a command, in a process that the kernel kills when its parent ends for any reason.

    python -I -S launch.py PARENT COMMAND…

This is a separate program, because a fork that runs Python (`preexec_fn`) may hang in a process with threads. The
kernel kills the process on Linux only. Elsewhere an orderly stop still stops everything.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Request the signal, check that the parent has not ended before the request, and become the command."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and the command would inherit that
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit("the process that started this one is gone")
    os.execvp(command[0], command)  # noqa: S606 - a shell is what is not wanted


if __name__ == "__main__":
    main()
