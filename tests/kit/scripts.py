"""Joins the site's scripts with esbuild: `python -m tests.kit.scripts`; with `--check` it only compares.

The editor of programs is joined with its npm packages, which are fetched for it.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys

from webui.core.static_files import ALONE, JOINED, SCRIPTS, heading, is_current, sources

LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
"""Dynamic imports, which stay separate files; joined and single modules are in one folder."""
EDITOR = SCRIPTS.parents[1] / "editor"
"""Folder with the source of the editor, and with the list of its packages."""
EDITOR_JOINED = SCRIPTS.parent / "vendor" / "codemirror" / "editor.js"
ESBUILD = SCRIPTS.parents[1] / "node_modules" / ".bin" / "esbuild"


def join(script: str) -> str:
    """Return a script with all its imports, minified."""
    later = {name for path in sources(script) for name in LATER.findall(path.read_text(encoding="utf-8"))}
    command = [ESBUILD, script, "--bundle", "--minify", "--format=esm", "--target=es2022"]
    command += [f"--external:{name}" for name in sorted({f"../{ALONE}", *later})]
    command.append(f"--banner:js={heading(script)}")
    return subprocess.run(command, cwd=SCRIPTS, check=True, capture_output=True, text=True).stdout


def editor_heading() -> str:
    """Return the first line of the joined editor, which names its source and its packages."""
    digest = hashlib.sha256(b"\0".join((EDITOR / name).read_bytes() for name in ("editor.mjs", "package-lock.json")))
    return f"/* editor.mjs {digest.hexdigest()[:16]} */"


def is_editor_current() -> bool:
    """Return whether the joined editor was made from its current source and packages."""
    return EDITOR_JOINED.exists() and EDITOR_JOINED.read_text(encoding="utf-8").startswith(editor_heading())


def join_editor() -> str:
    """Return the editor with its packages, minified."""
    subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"], cwd=EDITOR, check=True
    )
    command = [
        ESBUILD,
        "editor.mjs",
        "--bundle",
        "--minify",
        "--format=esm",
        "--target=es2022",
        "--legal-comments=none",
    ]
    command.append(f"--banner:js={editor_heading()}")
    return subprocess.run(command, cwd=EDITOR, check=True, capture_output=True, text=True).stdout


def main() -> int:
    """Write the files that are not up to date; with `--check` name them."""
    stale = [script for script in JOINED if not is_current(script)]
    for script in stale:
        if "--check" in sys.argv:
            print(f"{SCRIPTS / JOINED[script]} is of other sources: run `make scripts`", file=sys.stderr)
        else:
            (SCRIPTS / JOINED[script]).write_text(join(script), encoding="utf-8")
    if not is_editor_current():
        if "--check" in sys.argv:
            print(f"{EDITOR_JOINED} is of another source: run `make scripts`", file=sys.stderr)
            return 1
        EDITOR_JOINED.write_text(join_editor(), encoding="utf-8")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
