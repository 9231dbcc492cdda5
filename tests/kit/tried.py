"""Slow checks that CI repeats only when their inputs have changed: python -m tests.kit.tried [--note] [NAME…]

`tried.json` beside this module has a hash for each of them: the hash of its inputs when it last passed in `make soak`.
The file is committed, so that a new clone knows it as well. CI sets ARENA_CHANGED=1 and leaves out what is unchanged.
Everywhere else all checks run.

With names, the exit code is 0 if all of these checks are unchanged. With `--note`, the hashes are written as they are
now; `make soak` does this when everything has passed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FILE: Final = Path(__file__).with_name("tried.json")

TOOLS: Final = ("Makefile", "uv.lock")
"""Versions of what checks and builds."""
KIT: Final = (
    *TOOLS, "proto/arena/wire", "arena/cli/new.py", "arena/wire/sources.py", "arena/doctor", "arena/gateway",
    "tests/kit/kits.py", "tests/doctor/test_kits.py", "tests/e2e/test_tables.py",
)  # fmt: skip
INPUTS: Final = {
    **{
        f"kit-{language}": (*KIT, f"arena/starters/{language}")
        for language in ("go", "rust", "java", "cpp", "ruby")
    },
    "protocol-by-hand": (
        *TOOLS, "proto/arena/wire", "arena/gateway", "webui/site/docs/en/protocol.md",
        "tests/e2e/test_protocol_by_hand.py",
    ),
    "manifests": (*TOOLS, "deploy/kubernetes", "tests/deploy/kubernetes.py", "tests/deploy/scaledobject.schema.json"),
    "deployment": (
        *TOOLS, "deploy", "pyproject.toml", "webui/settings", "webui/commands", "workers/app.py", "workers/upkeep.py",
        "tests/deploy",
    ),
}  # fmt: skip
"""Files and folders that each check depends on. Python and TypeScript kits are not listed: they are always built."""


def is_unchanged(name: str) -> bool:
    """Return whether a check has passed with its inputs as they are now."""
    return bool(_noted().get(name) == digest(*INPUTS[name]))


def is_left_out(name: str) -> bool:
    """Return whether this run leaves the check out: CI does so if it is unchanged."""
    return os.environ.get("ARENA_CHANGED") == "1" and name in INPUTS and is_unchanged(name)


def digest(*paths: str) -> str:
    """Return the hash of the names and contents of these files, and of all files in these folders."""
    total = hashlib.sha256()
    for path in paths:
        for file in _files(ROOT / path):
            content = file.read_bytes()
            total.update(f"{file.relative_to(ROOT).as_posix()} {len(content)} ".encode() + content)
    return total.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    """Yield a file, or the files in a folder, in order and without what Python and kits leave there."""
    if not path.exists():
        raise FileNotFoundError(f"{path} is listed in tests/kit/tried.py and does not exist")
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file() and not {"__pycache__", "node_modules"} & set(file.parts):
            yield file


def _noted() -> dict[str, str]:
    return dict(json.loads(FILE.read_text()))


def main() -> int:
    names = [word for word in sys.argv[1:] if word != "--note"]
    if "--note" in sys.argv:
        now = {name: digest(*INPUTS[name]) for name in names or INPUTS}
        FILE.write_text(json.dumps({**_noted(), **now}, indent=2, sort_keys=True) + "\n")
        return 0
    changed = [name for name in names if not is_unchanged(name)]
    print(f"changed: {', '.join(changed)}" if changed else f"unchanged since the last soak: {', '.join(names)}")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
