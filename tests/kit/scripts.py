"""Joins the site's scripts with esbuild: `python -m tests.kit.scripts`; with `--check` it only compares."""

from __future__ import annotations

import re
import subprocess
import sys

from webui.core.static_files import ALONE, JOINED, SCRIPTS, heading, is_current, sources

LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
"""Dynamic imports, which stay separate files; joined and single modules are in one folder."""
ESBUILD = SCRIPTS.parents[1] / "node_modules" / ".bin" / "esbuild"


def join(script: str) -> str:
    """Return a script with all its imports, minified."""
    later = {name for path in sources(script) for name in LATER.findall(path.read_text(encoding="utf-8"))}
    command = [ESBUILD, script, "--bundle", "--minify", "--format=esm", "--target=es2022"]
    command += [f"--external:{name}" for name in sorted({f"../{ALONE}", *later})]
    command.append(f"--banner:js={heading(script)}")
    return subprocess.run(command, cwd=SCRIPTS, check=True, capture_output=True, text=True).stdout


def main() -> int:
    """Write the files that are not up to date; with `--check` name them."""
    stale = [script for script in JOINED if not is_current(script)]
    for script in stale:
        if "--check" in sys.argv:
            print(f"{SCRIPTS / JOINED[script]} is of other sources: run `make scripts`", file=sys.stderr)
        else:
            (SCRIPTS / JOINED[script]).write_text(join(script), encoding="utf-8")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
