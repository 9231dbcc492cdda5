"""Hostile bots, by their numbers in arena/sandbox/README.md. Each says hello, and does its worst in its first decision.

Those that are not ended by a limit go on for ever, so that the referee has to decide for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class HostileBot:
    """A hostile bot, and the fault that a runner reports of its sandbox."""

    code: str
    fault: str = ""
    """Empty if its clock runs out instead."""

    @property
    def program(self) -> str:
        """Return the bot as a Python program."""
        return f"""
from arena.bots import Bot, run

class Hostile(Bot):
    wants_legal = True
    def choose(self, view, legal):
        exec({self.code!r}, {{"__name__": "hostile"}})
        return legal[0]

run(Hostile)
"""


SPAWN = "import os, threading, time\nwhile True:\n  try: {}\n  except (OSError, RuntimeError): pass"
CALLS = """
import ctypes
libc = ctypes.CDLL(None)
while True:
    for number in {}:
        libc.syscall(number, 0, 0, 0, 0, 0, 0)
"""
ATTEMPTS = """
import os, socket
while True:
    for attempt in ({}):
        try: attempt()
        except OSError: pass
"""

HOSTILE: Final = {
    "1 processes": HostileBot(SPAWN.format("os.fork()")),
    "1 threads": HostileBot(SPAWN.format("threading.Thread(target=time.sleep, args=(1000,)).start()")),
    "1 sessions": HostileBot(SPAWN.format("os.fork() or os.setsid()")),
    "2 memory": HostileBot("held = []\nwhile True: held.append(bytearray(1 << 20))", "OUT_OF_MEMORY"),
    "2 memory, again and again": HostileBot("while True: bytearray(100 << 20)"),
    "2 memory in pipes": HostileBot(
        "import os\nheld = []\nwhile True:\n  try:\n    held.append(os.pipe())\n"
        "    os.set_blocking(held[-1][1], False)\n    os.write(held[-1][1], bytes(65536))\n  except OSError: pass"
    ),
    "3 loop that ignores signals": HostileBot(
        "import signal\nfor n in range(1, 32):\n  if n not in (9, 19): signal.signal(n, signal.SIG_IGN)\n"
        "while True: pass"
    ),
    "4 daemons": HostileBot(
        "import os, time\nif not os.fork():\n  os.setsid()\n  if not os.fork(): time.sleep(10_000)\n  os._exit(0)\n"
        "os.wait()\nos._exit(3)",
        "EXITED",
    ),
    "5 files of the machine": HostileBot(
        ATTEMPTS.format(
            "lambda: open('/proc/1/environ').read(), lambda: open('/proc/1/mem').read(), lambda: os.listdir('/root'),"
            " lambda: os.symlink('/etc/shadow', '/bot/x'), lambda: open('/etc/shadow').read()"
        )
    ),
    "6 disk": HostileBot(
        ATTEMPTS.format(
            "lambda: open('/tmp/x', 'wb').write(bytes(80 << 20)), lambda: os.unlink('/tmp/x'),"
            " lambda: open('/dev/shm/x', 'wb').write(bytes(80 << 20)), lambda: os.unlink('/dev/shm/x')"
        )
    ),
    "7 sockets": HostileBot(
        ATTEMPTS.format(
            "lambda: socket.socket(2, 1), lambda: socket.socket(10, 2), lambda: socket.socket(16, 3),"
            " lambda: socket.create_connection(('1.1.1.1', 53)),"
            " lambda: socket.socket(1, 1).connect(b'\\0/tmp/.X11-unix/X0')"
        )
    ),
    "8 all descriptors": HostileBot(
        "import os\nwhile True:\n  for n in range(3, 65536):\n    try: os.write(n, b'x')\n    except OSError: pass"
    ),
    "9 terminals": HostileBot(
        "import fcntl, os\nos.write(1, b'\\x1b[2J\\x1b]0;title\\x07')\n"
        + ATTEMPTS.format("lambda: fcntl.ioctl(0, 0x5412, b'x'), lambda: open('/dev/tty')")
    ),
    "10 other processes": HostileBot(CALLS.format("(101, 310, 311, 438, 312)")),
    "11 namespaces and mounts": HostileBot(CALLS.format("(272, 308, 165, 166, 155, 161, 428, 430, 435)")),
    "12 rare parts of the kernel": HostileBot(CALLS.format("(425, 321, 323, 298, 248, 250)")),
    "13 privileges": HostileBot(CALLS.format("(105, 106, 126, 133, 319)")),
    "16 output": HostileBot("import os\nwhile True: os.write(1, bytes(65536))", "OUTPUT_FLOOD"),
    "16 garbage to the arena": HostileBot(
        "import itertools, os, socket\nfor n in itertools.count():\n  with socket.socket(socket.AF_UNIX) as s:\n"
        "    try:\n      s.connect('/run/arena.sock')\n"
        "      for _ in range(16): s.sendall((b'\\0' if n % 2 else os.urandom(1)) * (1 << 20))\n"
        "    except OSError: pass"
    ),
    "17 stops reading": HostileBot("import os\nwhile True: os.kill(os.getpid(), 19)"),
    "19 thinks in its opponent's time": HostileBot(
        "import threading\ndef think():\n  while True: pass\n"
        "for _ in range(4): threading.Thread(target=think, daemon=True).start()\nthink()"
    ),
    "20 crashes": HostileBot("import os\nos.abort()", "CRASHED"),
    "20 exits": HostileBot("import os\nos._exit(3)", "EXITED"),
}
"""Hostile bots by their numbers and what they do.

Numbers 14 and 15 end before a match: `tests/hosting` has them. Number 18 is measured by `tests/bench/signals.py`.
"""
