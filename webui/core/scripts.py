"""The scripts of a page as modules, or joined in one file where that is of the same sources.

Two dozen modules one after the other are slow on a line with some delay. `make scripts` joins and shortens them, and
the file is committed, so nobody else needs Node. Where a module has changed since, the modules themselves are sent.
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
"""Of a script that imports others the file with all of them."""
ALONE: Final = "site.js"
"""Every page has it, and it does its work once: it is never a part of another file."""
_IMPORT: Final = re.compile(r'^import [^;]*? from "(\.[^"]+)";', re.MULTILINE)


def sources(script: str) -> list[Path]:
    """The files that a script consists of."""
    found, waiting = set[Path](), [SCRIPTS / script]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            imported = [(path.parent / name).resolve() for name in _IMPORT.findall(path.read_text(encoding="utf-8"))]
            waiting += [other for other in imported if other != SCRIPTS / ALONE]
    return sorted(found)


def heading(script: str) -> str:
    """The first line of the joined file: what it was made of."""
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources(script)))
    return f"/* {script} {digest.hexdigest()[:16]} */"


def is_current(script: str) -> bool:
    """Whether the joined file is of the sources as they are."""
    path = SCRIPTS / JOINED[script]
    return path.exists() and path.read_text(encoding="utf-8").startswith(heading(script))


@cache
def sent(script: str) -> str:
    """The name of the file that pages load for a script."""
    return f"site/{JOINED[script] if is_current(script) and not settings.DEBUG else script}"
