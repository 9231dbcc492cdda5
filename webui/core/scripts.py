"""The scripts of a page, as separate modules or joined in one file.

Two dozen modules load slowly on a line with some latency. `make scripts` joins and minifies them, and the file is
committed, so nobody else needs Node. If a module has changed since then, the separate modules are sent.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings

SCRIPTS: Final = Path(__file__).parents[1] / "site" / "static" / "site"
JOINED: Final = {f"viewer/{name}.js": f"viewer/joined-{name}.js" for name in ("main", "tv", "lesson")}
"""Scripts that import others, with the file that joins all of them."""
ALONE: Final = "site.js"
"""Script that is never joined into another file. Every page has it, and it must run only once."""
_IMPORT: Final = re.compile(r'^import [^;]*? from "(\.[^"]+)";', re.MULTILINE)


def sources(script: str) -> list[Path]:
    """Return the files that a script consists of."""
    found, waiting = set[Path](), [SCRIPTS / script]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            imported = [(path.parent / name).resolve() for name in _IMPORT.findall(path.read_text(encoding="utf-8"))]
            waiting += [other for other in imported if other != SCRIPTS / ALONE]
    return sorted(found)


def heading(script: str) -> str:
    """Return the first line of the joined file, which names its sources."""
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources(script)))
    return f"/* {script} {digest.hexdigest()[:16]} */"


def is_current(script: str) -> bool:
    """Return whether the joined file was made from the current sources."""
    path = SCRIPTS / JOINED[script]
    return path.exists() and path.read_text(encoding="utf-8").startswith(heading(script))


@cache
def sent(script: str) -> str:
    """Return the name of the file that pages load for a script."""
    return f"site/{JOINED[script] if is_current(script) and not settings.DEBUG else script}"
