"""The first program in the sandbox: it closes the last doors, then becomes the bot.

bubblewrap has made the namespaces and the mounts. This program does what must be done inside of them and after them. It
mounts `/tmp` with its limits, and `/proc` without the machine. It forbids new namespaces, and applies Landlock and
limits of the process. Last, it drops the capabilities, closes descriptors, and applies the seccomp filter.

The interpreter of the sandbox's runtime runs this text (`python -c`), without the arena's packages. The last argument
is the number of a descriptor with the settings as JSON (`entry_settings` in `arena/sandbox/bubblewrap.py`). A "+" is
sent to the socket `report` of the settings when the bot begins, with a descriptor of `/tmp`, and then an error, if
there is one. A program that cannot be executed is no error of the sandbox: it ends as in a shell, with a line on
standard error.
"""

import base64
import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_CAP_AMBIENT = 24, 38, 22, 47
CAPABILITY_VERSION_3 = 0x20080522
CLOSE_RANGE, CLOSE_RANGE_CLOEXEC = 436, 4
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Landlock's system calls, which have the same numbers on all architectures."""
LANDLOCK_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Number of access rights to files, by version. Later versions have those of version 5."""
PROGRAM_ERRORS = {errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EINVAL}
"""Errors of `execve` that a file causes, and not the machine."""
NOT_EXECUTABLE, NOT_FOUND = 126, 127
"""Exit codes of shells for a program that cannot be executed, or is missing."""
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, MAKE_CHAR, MAKE_BLOCK = 1, 2, 4, 8, 1 << 6, 1 << 11


class FilterProgram(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def check(result: int, what: str) -> int:
    """Raise `OSError` if a call of the C library has failed; otherwise return its result."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def mount_scratch(size: int, files: int) -> int:
    """Mount the only place to write, and return a descriptor of it.

    `files` limits its inodes, which bubblewrap cannot do.
    """
    options = f"size={size},nr_inodes={files},mode=0700".encode()
    check(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", MS_NOSUID | MS_NODEV, options), "mount /tmp")
    os.mkdir("/tmp/shm")  # noqa: S108  # /dev/shm leads here
    return os.open("/tmp", os.O_PATH | os.O_CLOEXEC)  # noqa: S108


def forbid_namespaces() -> None:
    """Forbid new user namespaces, without which a user cannot make any others. The seccomp filter forbids them, too."""
    with open("/proc/sys/user/max_user_namespaces", "w", encoding="ascii") as file:
        file.write("0")


def hide_machine() -> None:
    """Mount /proc again with processes only, and cover the sandbox's first process.

    The other files of /proc show what the machine and other bots do. The first process is bubblewrap's and has no
    filter of system calls: a bot that could write to its memory would have none, either.
    """
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    check(libc.mount(b"proc", b"/proc", b"proc", flags, b"subset=pid"), "mount /proc, which needs Linux 5.8")
    check(libc.mount(b"tmpfs", b"/proc/1", b"tmpfs", MS_RDONLY | flags, b"nr_inodes=1,mode=0555"), "mount /proc/1")


def restrict_files_and_network() -> None:
    """Apply Landlock where the kernel has it: files of the sandbox only, no TCP, no signals to others.

    A descriptor of a host folder that leaked in spite of everything would be of no use.
    """
    version: int = libc.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return
    files = (1 << LANDLOCK_BITS[min(version, 5)]) - 1
    network, scopes = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    fields = [files, network, scopes][: 1 + (version >= 4) + (version >= 6)]
    attributes = (ctypes.c_uint64 * len(fields))(*fields)
    ruleset = check(libc.syscall(CREATE_RULESET, attributes, ctypes.sizeof(attributes), 0), "Landlock")
    rights = {
        "/": EXECUTE | READ_FILE | READ_DIR,
        "/dev": WRITE_FILE,
        "/tmp": files & ~(MAKE_CHAR | MAKE_BLOCK),  # noqa: S108
    }
    for path, allowed in rights.items():
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = allowed.to_bytes(8, sys.byteorder) + folder.to_bytes(4, sys.byteorder)
        check(libc.syscall(ADD_RULE, ruleset, 1, rule, 0), f"Landlock for {path}")
        os.close(folder)
    check(libc.syscall(RESTRICT_SELF, ruleset, 0), "Landlock")
    os.close(ruleset)


def drop_capabilities() -> None:
    """Give up every capability, now and for programs that are started later."""
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    check(libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0), "ambient capabilities")
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # those that the kernel does not have are refused
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    check(libc.capset(header, (ctypes.c_uint32 * 6)()), "capabilities")


def become(command: list[str], environment: dict[str, str]) -> None:
    """Become the program. If it cannot be executed, end as a shell does. Raise `OSError` if the machine is to blame."""
    try:
        os.execve(command[0], command, environment)  # noqa: S606
    except OSError as error:
        if error.errno not in PROGRAM_ERRORS:
            raise
        words = f"{command[0]} cannot be executed: {error.strerror}"
        if error.errno == errno.ENOENT and os.path.exists(command[0]):
            words = f"{command[0]} cannot be executed: the program in its first line, or its loader, is missing"
        os.write(2, f"{words}\n".encode())
        os._exit(NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE)


def main() -> None:
    """Become the bot, or report why that is impossible."""
    with open(int(sys.argv[1]), encoding="utf-8") as file:
        settings = json.load(file)
    report = socket.socket(fileno=settings["report"])
    try:
        scratch = mount_scratch(settings["scratch_bytes"], settings["scratch_files"])
        forbid_namespaces()
        hide_machine()
        restrict_files_and_network()
        for name, limit in settings["resources"].items():
            resource.setrlimit(getattr(resource, name), (limit, limit))
        drop_capabilities()
        # Descriptors above standard error close at the bot's start.
        if libc.syscall(CLOSE_RANGE, 3, ctypes.c_uint(0xFFFFFFFF), CLOSE_RANGE_CLOEXEC) < 0:
            for descriptor in map(int, os.listdir("/proc/self/fd")):
                if descriptor > 2:
                    with contextlib.suppress(OSError):
                        os.set_inheritable(descriptor, False)
        filter_bytes = base64.b64decode(settings["filter"])
        program = FilterProgram(len(filter_bytes) // 8, filter_bytes)
        check(libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0), "seccomp")
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # the interpreter ignores them, and the bot would inherit that
            signal.signal(number, signal.SIG_DFL)
        socket.send_fds(report, [b"+"], [scratch])  # it begins; an error may follow
        become(settings["command"], settings["environment"])
    except (OSError, ValueError) as error:
        report.sendall(str(error).encode())
        os._exit(1)


main()
