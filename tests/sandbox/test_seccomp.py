"""The filter's program, carried out by an interpreter of classic BPF, for both architectures."""

from __future__ import annotations

import errno
import struct

import pytest

from arena.sandbox.seccomp import ALLOW, ERROR, KILL_PROCESS, RULES, filter_program
from arena.sandbox.syscalls import AUDIT_ARCHITECTURES, allowed_calls

OTHER = {"x86_64": "aarch64", "aarch64": "x86_64"}


def decision(program: bytes, audit: int, number: int, *arguments: int) -> int:
    """Return what the kernel would do with this call."""
    six = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number if number < 1 << 31 else number - (1 << 32), audit, 0, *six)
    loaded = at = 0
    while True:
        code, if_true, if_false, operand = struct.unpack_from("=HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            loaded = struct.unpack_from("<I", data, operand)[0]
        elif code == 0x15:
            at += if_true if loaded == operand else if_false
        elif code == 0x35:
            at += if_true if loaded >= operand else if_false
        elif code == 0x45:
            at += if_true if loaded & operand else if_false
        else:
            assert code == 0x06
            return int(operand)


@pytest.mark.parametrize("architecture", AUDIT_ARCHITECTURES)
def test_calls_of_the_table_pass_and_all_others_do_not_exist(architecture: str) -> None:
    program, audit = filter_program(architecture, may_lock=True), AUDIT_ARCHITECTURES[architecture]
    flock = allowed_calls(architecture)["flock"]
    assert decision(filter_program(architecture), audit, flock) == ERROR | errno.ENOSYS
    numbers = {number for name, number in allowed_calls(architecture).items() if name not in RULES}
    checked = {allowed_calls(architecture)[name] for name in RULES}
    assert {number for number in range(600) if decision(program, audit, number) == ALLOW} >= numbers
    for number in set(range(600)) - numbers - checked:
        assert decision(program, audit, number) == ERROR | errno.ENOSYS


@pytest.mark.parametrize("architecture", AUDIT_ARCHITECTURES)
def test_calls_of_another_architecture_end_the_process(architecture: str) -> None:
    program = filter_program(architecture)
    for audit in (AUDIT_ARCHITECTURES[OTHER[architecture]], 0x40000003, 0):
        assert {decision(program, audit, number) for number in range(600)} == {KILL_PROCESS}
    if architecture == "x86_64":
        assert decision(program, AUDIT_ARCHITECTURES[architecture], 0x40000000) == KILL_PROCESS
        assert decision(program, AUDIT_ARCHITECTURES[architecture], 0xFFFFFFFF) == KILL_PROCESS


@pytest.mark.parametrize("architecture", AUDIT_ARCHITECTURES)
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("socket", (1, 1), ALLOW),
        ("socket", (2, 1), ERROR | errno.EAFNOSUPPORT),
        ("socket", (1 << 32 | 2, 1), ERROR | errno.EAFNOSUPPORT),
        ("socketpair", (1, 1), ALLOW),
        ("socketpair", (16, 1), ERROR | errno.EAFNOSUPPORT),
        ("clone", (0x3D0F00,), ALLOW),  # the flags of a new thread
        ("clone", (17,), ALLOW),
        *[("clone", (17 | 1 << bit,), ERROR | errno.EPERM) for bit in (17, 25, 26, 27, 28, 29, 30)],
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), ERROR | errno.ENOTTY),
        ("ioctl", (0, 1 << 32 | 0x5412), ERROR | errno.ENOTTY),
        ("ioctl", (0, 0x541C), ERROR | errno.ENOTTY),
        ("prctl", (15,), ALLOW),
        ("prctl", (0x53564D41,), ALLOW),
        ("prctl", (22,), ERROR | errno.EINVAL),
        ("fcntl", (3, 6), ALLOW),
        *[("fcntl", (3, command), ERROR | errno.EINVAL) for command in (5, 36, 1024, 1026)],
        ("preadv2", (3, 0, 0, 0, 0, 0), ALLOW),
        ("preadv2", (3, 0, 0, 0, 0, 8), ERROR | errno.ENOTSUP),
        ("fadvise64", (3, 0, 0, 4), ERROR | errno.EINVAL),
    ],
)
def test_arguments_are_checked(architecture: str, name: str, arguments: tuple[int, ...], expected: int) -> None:
    program, number = filter_program(architecture), allowed_calls(architecture)[name]
    assert decision(program, AUDIT_ARCHITECTURES[architecture], number, *arguments) == expected


def test_the_kernel_takes_programs_of_this_length() -> None:
    assert all(len(filter_program(architecture)) // 8 <= 4096 for architecture in AUDIT_ARCHITECTURES)
