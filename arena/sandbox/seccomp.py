"""The seccomp filter of the sandbox, assembled as a classic BPF program.

The program is a list of instructions of eight bytes. It loads the number of the system call, compares it with each
allowed number, and returns the kernel's decision. The kernel remembers the calls that are always allowed, so the length
of the list costs nothing.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from arena.sandbox.syscalls import AUDIT_ARCHITECTURES, allowed_calls

LOAD: Final = 0x20
"""Load a word of `struct seccomp_data`."""
JUMP_IF_EQUAL: Final = 0x15
JUMP_IF_AT_LEAST: Final = 0x35
JUMP_IF_ANY_BIT: Final = 0x45
RETURN: Final = 0x06

CALL_NUMBER: Final = 0
ARCHITECTURE: Final = 4
FIRST_ARGUMENT: Final = 16
"""Offsets in `struct seccomp_data`. An argument has eight bytes, the low word first."""

ALLOW: Final = 0x7FFF0000
KILL_PROCESS: Final = 0x80000000
ERROR: Final = 0x00050000
"""The call fails with the error in the low 16 bits."""

X32_BIT: Final = 0x40000000
"""On x86_64, calls with this bit have another table. No program of ours uses it."""

NAMESPACE_FLAGS: Final = 0x7E020000
"""The flags of `clone` that make namespaces: mount, cgroup, UTS, IPC, user, PID and network."""
AF_UNIX: Final = 1


@dataclass(frozen=True, slots=True)
class ArgumentRule:
    """The condition under which a call is allowed. The kernel reads only the low word of each of these arguments.

    `argument` counts from 0. A rule has either `values` or `forbidden_bits`. A call that it forbids fails with `error`.
    """

    argument: int
    error: int
    values: tuple[int, ...] = ()
    forbidden_bits: int = 0


RULES: Final = {
    "clone": ArgumentRule(0, errno.EPERM, forbidden_bits=NAMESPACE_FLAGS),
    "socket": ArgumentRule(0, errno.EAFNOSUPPORT, values=(AF_UNIX,)),
    "socketpair": ArgumentRule(0, errno.EAFNOSUPPORT, values=(AF_UNIX,)),
    # Questions about terminals (TCGETS, TIOCGPGRP, TIOCGWINSZ) and calls for any descriptor (FIONREAD, FIONBIO,
    # FIONCLEX, FIOCLEX). TIOCSTI and TIOCLINUX, which type into a terminal, are not among them.
    "ioctl": ArgumentRule(1, errno.ENOTTY, values=(0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),
    # All but questions about locks of others, leases, and notices of what others read (GETLK, SETLEASE, NOTIFY). By
    # these, bots in two sandboxes could signal to each other with any file that both see.
    "fcntl": ArgumentRule(
        1, errno.EINVAL, values=(0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 37, 38, 1030, 1031, 1032, 1033, 1034)
    ),
    # DONTNEED removes parts of a file from the memory of the machine, and RWF_NOWAIT shows which parts are there.
    "fadvise64": ArgumentRule(3, errno.EINVAL, values=(0, 1, 2, 3, 5)),
    "preadv2": ArgumentRule(5, errno.ENOTSUP, forbidden_bits=0x8),
    # PDEATHSIG, DUMPABLE, NAME, SECCOMP (get), CAPBSET_READ, TIMERSLACK, NO_NEW_PRIVS, THP_DISABLE and SET_VMA.
    "prctl": ArgumentRule(0, errno.EINVAL, values=(1, 2, 3, 4, 15, 16, 21, 23, 29, 30, 38, 39, 41, 42, 0x53564D41)),
}
"""Rules of the calls that are allowed with some arguments only."""


def _instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)


def _rule_program(rule: ArgumentRule) -> Iterable[bytes]:
    """Yield the instructions that decide on a call whose number has matched."""
    yield _instruction(LOAD, FIRST_ARGUMENT + 8 * rule.argument)
    if rule.forbidden_bits:
        yield _instruction(JUMP_IF_ANY_BIT, rule.forbidden_bits, if_false=1)
    for left in range(len(rule.values), 0, -1):
        # Jump over the other comparisons and the error.
        yield _instruction(JUMP_IF_EQUAL, rule.values[-left], if_true=left)
    yield _instruction(RETURN, ERROR | rule.error)
    yield _instruction(RETURN, ALLOW)


def filter_program(architecture: str, *, may_lock: bool = False) -> bytes:
    """Return the filter for this architecture, as the kernel takes it. `may_lock` allows `flock`.

    A call of another architecture kills the process. A call that is not in the table fails with ENOSYS, by which
    libraries recognise a kernel that lacks it.
    """
    program = [
        _instruction(LOAD, ARCHITECTURE),
        _instruction(JUMP_IF_EQUAL, AUDIT_ARCHITECTURES[architecture], if_true=1),
        _instruction(RETURN, KILL_PROCESS),
        _instruction(LOAD, CALL_NUMBER),
    ]
    if architecture == "x86_64":
        program += [_instruction(JUMP_IF_AT_LEAST, X32_BIT, if_false=1), _instruction(RETURN, KILL_PROCESS)]
    calls = allowed_calls(architecture)
    if not may_lock:
        del calls["flock"]
    for name, number in sorted(calls.items(), key=lambda call: call[1]):
        # The body of a rule changes the loaded word, but it always returns.
        body = list(_rule_program(RULES[name])) if name in RULES else [_instruction(RETURN, ALLOW)]
        program += [_instruction(JUMP_IF_EQUAL, number, if_false=len(body)), *body]
    program.append(_instruction(RETURN, ERROR | errno.ENOSYS))
    return b"".join(program)
