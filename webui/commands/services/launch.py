"""Become a command, in a process that the kernel ends when its parent ends, however that comes.

    python -I -S launch.py PARENT COMMAND…

A program of its own, because a fork that runs Python (`preexec_fn`) may hang in a process with threads. Linux only;
elsewhere an orderly stop still stops everything.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask for the signal, make sure that it did not come before we asked, and become the command."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and what is ignored stays so in the command
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit("the process that started this one is gone")
    os.execvp(command[0], command)  # noqa: S606 - a shell is what is not wanted


if __name__ == "__main__":
    main()
