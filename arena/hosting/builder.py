"""The first program in the sandbox of a build: it runs the build command, and sends log and result to the runner.

The interpreter of the sandbox runs this text (`python -c`), without the arena's packages. Its argument is a JSON object
with `command`, `socket`, `source` (read-only), `work` (a folder to make) and `left_out`. The runner must not trust what
arrives, because the build command may connect to the socket itself. Each frame is one letter, the length (4 bytes,
big-endian), and data. `L` is a piece of the log, `R` a piece of the tar that is the result.
"""

import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tarfile

PIECE = 1 << 16
WAIT_S = 0.1
"""Seconds between two looks at whether a silent command has ended."""


class ResultFrames:
    """A file that sends what is written to it as frames of the result."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    def write(self, data: bytes) -> int:
        """Send these bytes."""
        for start in range(0, len(data), PIECE):
            send(self.connection, b"R", data[start : start + PIECE])
        return len(data)


def send(connection: socket.socket, kind: bytes, data: bytes) -> None:
    """Send one frame."""
    connection.sendall(kind + len(data).to_bytes(4, "big") + data)


def main() -> None:
    """Copy the source, build, and send the files."""
    settings = json.loads(sys.argv[1])
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(settings["socket"])
    work = settings["work"]
    shutil.copytree(settings["source"], work)
    os.chdir(work)
    try:
        process = subprocess.Popen(  # noqa: S603 - the sandbox is there for it
            settings["command"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    except OSError as error:
        send(connection, b"L", f"{settings['command'][0]}: {error.strerror}\n".encode())
        sys.exit(127)
    assert process.stdout is not None
    output = process.stdout.fileno()
    has_ended = False
    while True:  # a process that the command leaves behind may keep the output open
        if select.select([output], [], [], 0 if has_ended else WAIT_S)[0]:
            piece = os.read(output, PIECE)
            if not piece:
                break
            send(connection, b"L", piece)
        elif has_ended:
            break
        else:
            has_ended = process.poll() is not None
    code = process.wait()
    if code:
        sys.exit(code if code > 0 else 128 - code)
    with tarfile.open(fileobj=ResultFrames(connection), mode="w|") as tar:  # type: ignore[call-overload] # it only writes
        for folder, folders, files in os.walk("."):
            folders[:] = [name for name in folders if name not in settings["left_out"]]
            for name in files:
                path = os.path.join(folder, name)
                if os.path.isfile(path):  # links are followed, because some builds leave links to their results
                    tar.add(os.path.realpath(path), path, recursive=False)


main()
