"""Builds in a sandbox: the result is a bundle, and each fault gets one line."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.building import BuildFailure, build
from arena.hosting.bundle import Bundle, pack, unpack
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.sandbox.limits import MIB

pytestmark = pytest.mark.usefixtures("sandbox")

LIMITS = replace(DEFAULT_LIMITS, build_memory_bytes=128 * MIB, build_processor_s=20.0, unpacked_bytes=MIB)


def built(folder: Path, script: str, log: list[str], limits: HostingLimits = LIMITS) -> Bundle:
    """Return the result of a build by a script."""
    (folder / "source").mkdir()
    manifest = 'language = "other"\ncommand = ["./bot"]\nbuild = ["python3", "build.py"]\n'
    (folder / "source" / "bot.toml").write_text(manifest)
    (folder / "source" / "build.py").write_text(f"import os, pathlib, socket, sys, time\n{script}")
    bundle = pack(folder / "source", "source", folder / "bundle", limits)
    unpack(bundle.packed, bundle.sha256, folder / "unpacked", limits)
    return build(folder / "unpacked", bundle.manifest, folder / "image", limits, log.append)


RESULT = "pathlib.Path('bot').write_text('#!/bin/sh\\n')"


def test_the_result_is_a_bundle(open_folder: Path) -> None:
    log: list[str] = []
    script = f"""
print("step 1", flush=True)
print("\\x1b[2J café", file=sys.stderr)
{RESULT}
os.symlink("bot", "other")
os.makedirs("target/deep"); pathlib.Path("target/deep/a.o").write_bytes(bytes(5_000_000))
"""
    bundle = built(open_folder, script, log)
    unpack(bundle.packed, bundle.sha256, open_folder / "result", LIMITS)
    found = {path.name: path.read_text() for path in (open_folder / "result").iterdir()}
    assert found.keys() == {"bot", "bot.toml", "build.py", "other"}
    assert found["bot"] == found["other"] == "#!/bin/sh\n"
    assert "".join(log) == "step 1\n␛[2J café\n"


def test_equal_builds_have_one_hash(open_folder: Path) -> None:
    folders = [open_folder / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
        folder.chmod(0o755)
    assert len({built(folder, RESULT, []).sha256 for folder in folders}) == 1


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("sys.exit(3)", "the build failed: exit code 3; the log says why"),
        ("sys.exit(127)", "exit code 127, which means that it calls a program that the runtime does not have; the log"),
        ("os.abort()", "the build failed: its program crashed with signal SIGABRT; the log says why"),
        ("pass", r"there is no '\./bot' in it"),
        ("while True: print('x' * 100_000)", "it wrote more than 16 MB of output"),
        ("while True: pass", "used more than 1 s of processor time"),
        ("x = b'x' * 200_000_000", "used more than 128 MB"),
        ("pathlib.Path('bot').write_bytes(b'#!' + bytes(5_000_000))", "more than 1 MB together"),
        ("pathlib.Path('bot').write_bytes(b'\\x7fELF' + bytes(100))", "is a program for another processor"),
        ("socket.create_connection(('1.1.1.1', 53))", "exit code 1"),
    ],
)
def test_a_build_that_fails_gets_one_line(open_folder: Path, script: str, words: str) -> None:
    limits = replace(LIMITS, build_processor_s=1.0) if "processor time" in words else LIMITS
    with pytest.raises(BuildFailure, match=words) as caught:
        built(open_folder, script, [], limits)
    assert "\n" not in str(caught.value)
    assert not (open_folder / "image").exists()


def test_a_build_that_hangs_is_killed(open_folder: Path) -> None:
    started = time.monotonic()
    with pytest.raises(BuildFailure, match=r"it took more than 0\.05 minutes"):
        built(open_folder, "time.sleep(10_000)", [], replace(LIMITS, build_wall_s=3.0))
    assert time.monotonic() - started < 1000


def test_a_build_that_only_waits_is_killed(open_folder: Path) -> None:
    """It would keep the builds of others waiting at no cost. Output now and then does not help it."""
    script = "while True: print('.', flush=True); time.sleep(0.1)"
    with pytest.raises(BuildFailure, match=r"it did nothing for 0\.05 minutes"):
        built(open_folder, script, [], replace(LIMITS, build_idle_s=3.0))


def test_threads_that_wait_for_each_other_get_no_more_time(open_folder: Path) -> None:
    """Many of them wait at the same time, and each always waits more than it runs."""
    script = "for _ in range(7): os.fork()\nwhile True: pass"
    limits = replace(LIMITS, build_wall_s=2.0, build_processor_s=60.0)
    with pytest.raises(BuildFailure, match="it took more than"):
        built(open_folder, script, [], limits)


def test_a_process_that_a_build_leaves_behind_is_gone(open_folder: Path) -> None:
    """Its end does not wait for the process, which holds the output open."""
    script = f"{RESULT}\nif os.fork() == 0:\n    os.setsid(); time.sleep(10_000)"
    assert built(open_folder, script, []).files == 3


def test_a_build_that_speaks_to_the_socket_of_the_builder_harms_itself_alone(open_folder: Path) -> None:
    script = f"""
{RESULT}
for frame in (b"R" + bytes(4), b"X" * 100):
    other = socket.socket(socket.AF_UNIX)
    try:
        other.connect("/run/arena.sock")
        other.sendall(frame)
    except OSError as error:
        print(error)
"""
    assert built(open_folder, script, []).files == 3


def test_a_log_that_nobody_wants_ends_the_build(open_folder: Path) -> None:
    class LostLease(Exception):
        pass

    class Log(list[str]):
        def append(self, _: str) -> None:
            raise LostLease

    with pytest.raises(LostLease):
        built(open_folder, "time.sleep(10_000)", Log())  # it is silent, and the log is called all the same


def test_a_compiler_that_is_missing_gets_one_line(open_folder: Path) -> None:
    (open_folder / "a.py").write_text("")
    bundle = pack(open_folder / "a.py", "a.py", open_folder / "bundle", LIMITS)
    manifest = replace(bundle.manifest, build=("cobolc", "a"))
    with pytest.raises(BuildFailure, match="the build cannot start: the runtime has no program 'cobolc'"):
        build(open_folder, manifest, open_folder / "image", LIMITS, sys.stdout.write)
