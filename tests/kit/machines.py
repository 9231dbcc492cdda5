"""Several machines in one: a network namespace for each, joined by a bridge, without a route to anywhere else.

A link is cut in one direction by giving the sender a wrong hardware address of the other machine. Its packets get lost
without an error, as behind a dead switch or a firewall that drops them. No netfilter is needed. A process on a machine
is one that was started from a thread in its namespace (`Machine.call`).
"""

from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Self, TypeVar

T = TypeVar("T")

CLONE_NEWNET = 0x40000000
NOBODY = "02:00:00:00:00:00"
_count = itertools.count()


def missing() -> str:
    """Return what machines need and this computer lacks; empty if nothing is missing."""
    if os.geteuid() != 0:
        return "machines of their own need root: run this as root"
    if shutil.which("ip") is None:
        return "machines of their own need `ip`: install Debian's package iproute2"
    try:
        with Network(["a", "b"]):
            return ""
    except RuntimeError as error:
        return f"machines of their own need network namespaces, bridges and veth: {error}"


def enter(namespace: str) -> None:
    """Move this thread, and what it starts, to the machine of this network namespace (a file)."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(namespace) as file:
        if libc.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns {namespace}")


def _ip(*lines: str) -> None:
    """Run commands of `ip`, one a line."""
    run = subprocess.run(
        ["ip", "-batch", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise RuntimeError(f"ip: {run.stderr.strip() or run.stdout.strip()}")


class Machine:
    """One machine of a `Network`."""

    def __init__(self, name: str, number: int, prefix: str) -> None:
        self.name = name
        self.address = f"10.214.0.{number}"
        self.hardware = f"02:00:00:00:01:{number:02x}"
        self.port = f"p{number}"
        """Its port of the switch."""
        self.namespace = f"{prefix}{name}"
        self.namespace_file = f"/run/netns/{self.namespace}"

    def call(self, work: Callable[[], T]) -> T:
        """Call a function on this machine: its sockets and processes are there."""
        done: list[T] = []
        failed: list[BaseException] = []

        def run() -> None:
            try:
                enter(self.namespace_file)
                done.append(work())
            except BaseException as error:  # noqa: BLE001 - raised below
                failed.append(error)

        thread = Thread(target=run)
        thread.start()
        thread.join()
        if failed:
            raise failed[0]
        return done[0]


class Network:
    """Machines of these names and the links between them; a context manager."""

    def __init__(self, names: Iterable[str]) -> None:
        self._prefix = f"arena-{os.getpid()}-{next(_count)}-"
        self.machines = {name: Machine(name, number, self._prefix) for number, name in enumerate(names, start=1)}
        self._switch = f"{self._prefix}switch"

    def __getitem__(self, name: str) -> Machine:
        return self.machines[name]

    def __enter__(self) -> Self:
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for namespace in (self._switch, *(machine.namespace for machine in self.machines.values())):
            if Path("/run/netns", namespace).exists():
                with suppress(RuntimeError):
                    _ip(f"netns del {namespace}")  # its end of each link goes with it

    def _make(self) -> None:
        machines = list(self.machines.values())
        _ip(f"netns add {self._switch}", *(f"netns add {machine.namespace}" for machine in machines))
        self._on(self._switch, "link add bridge type bridge", "link set bridge up")
        for machine in machines:
            self._on(
                self._switch,
                f"link add {machine.port} type veth peer name eth0 netns {machine.namespace}",
                f"link set {machine.port} master bridge up",
            )
            others = [other for other in machines if other is not machine]
            self._on(
                machine.namespace,
                "link set lo up",
                f"link set eth0 address {machine.hardware}",
                f"address add {machine.address}/24 dev eth0",
                "link set eth0 up",
                *(_way(other, other.hardware) for other in others),
            )

    def _on(self, namespace: str, *lines: str) -> None:
        run = subprocess.run(
            ["ip", "-netns", namespace, "-batch", "-"],
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            raise RuntimeError(f"ip: {run.stderr.strip() or run.stdout.strip()}")

    def cut(self, sender: str, receiver: str) -> None:
        """Lose everything that `sender` sends to `receiver` from now on, until `heal`."""
        self._on(self[sender].namespace, _way(self[receiver], NOBODY))

    def heal(self, sender: str, receiver: str) -> None:
        """Let packets from `sender` reach `receiver` again."""
        self._on(self[sender].namespace, _way(self[receiver], self[receiver].hardware))

    def unplug(self, name: str) -> None:
        """Cut the machine off from all others, including its last messages."""
        self._on(self._switch, f"link set {self[name].port} down")

    def plug(self, name: str) -> None:
        """Connect the machine again."""
        self._on(self._switch, f"link set {self[name].port} up")


def _way(machine: Machine, hardware: str) -> str:
    return f"neigh replace {machine.address} lladdr {hardware} dev eth0 nud permanent"
