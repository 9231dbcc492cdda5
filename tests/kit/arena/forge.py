"""The process that others are forked from: it reads one JSON object a line, forks, and answers with the child's id.

The modules in its arguments are imported in addition to the roles. A child with a `namespace` is on that machine
(`enter`). No code here starts a thread or opens a connection, so that a fork is as good as a new process.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import select
import signal
import sys
import traceback
from typing import Any, NoReturn

import django

from arena.host.loading import loading
from tests.kit.machines import enter

ROLES = "tests.kit.arena.roles"
PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve until the other side closes the pipe, then end all children."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
    # Import everything slow here, once. A child that collected garbage among it would copy all the memory that it
    # visits.
    with loading():
        django.setup()
        for module in (ROLES, *sys.argv[1:]):
            importlib.import_module(module)
    children: set[int] = set()
    waiting = ""
    while True:
        readable, _, _ = select.select([0], [], [], 0.2)
        _bury(children)
        if not readable:
            continue
        got = os.read(0, 1 << 16).decode()
        if not got:
            break
        *lines, waiting = (waiting + got).split("\n")
        for line in lines:
            children.add(child := _fork(json.loads(line)))
            print(child, flush=True)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _bury(children: set[int]) -> None:
    for child in list(children):
        if os.waitpid(child, os.WNOHANG)[0]:
            children.discard(child)


def _fork(spec: dict[str, Any]) -> int:
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    _become(spec, parent)


def _become(spec: dict[str, Any], parent: int) -> NoReturn:
    code = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        if namespace := spec.pop("namespace", ""):
            enter(namespace)
        log = os.open(spec.pop("log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        getattr(sys.modules[ROLES], spec.pop("role"))(**spec)
        code = 0
    except BaseException:  # noqa: BLE001 - this is the whole process
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
