"""Dead code, as `make check` finds it: `python -m tests.kit.dead_code` lists everything that nothing names.

Vulture reads the Python of the packages. A word in a template, in a page of the documentation, in the settings or in a
declaration of periodic tasks counts as a use. Names that a framework calls or finds by a decorator (`[tool.vulture]` in
pyproject.toml) also count as used.
Tests do not count: code that only tests use is dead, unless it is named here.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Final

from vulture import Vulture

ROOT: Final = Path(__file__).resolve().parents[2]
TEXTS: Final = (
    "webui/**/*.html",
    "webui/**/*.txt",
    "webui/**/*.md",
    "webui/**/*.svg",
    "webui/settings/*.py",
    "webui/*/__init__.py",
)
WORD: Final = re.compile(r"[A-Za-z_]\w+")
FOR_OTHERS: Final = {
    "add_bot_service": "tests serve bots by a script",
    "me": "bots' authors read it",
    "DATABASE": "a value of an option, which queries name as a text",
    **dict.fromkeys(
        ("claim_key", "closest_match", "comeback_match", "held_until", "highest_match", "is_build_announced",
         "log_form", "rated_seat", "stored_image"),
        "columns that queries name as texts",
    ),
    "PatientConsumer": "Celery's worker takes it by its name",
    "REFEREE": "a value of an option, which nothing compares with",
    "comes_from": "the tests of knockouts follow the edges of a bracket by it",
    "tempdir": "the standard library's tempfile reads it",
    "template_name": "Django's views read it",
    **dict.fromkeys(("get_backend_timeout", "_has_expired"), "Django's caches call them"),
    "of_game": "tests make replays of games that were never stored",
}  # fmt: skip
"""Names that no module of ours uses, with the reason why they stay."""


def find() -> list[str]:
    """Return one line for each unused thing."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["vulture"]
    vulture = Vulture(ignore_names=options["ignore_names"], ignore_decorators=options["ignore_decorators"])
    vulture.scavenge([str(ROOT / path) for path in options["paths"]], options["exclude"])
    for pattern in TEXTS:
        for path in ROOT.glob(pattern):
            if "node_modules" not in path.parts:
                vulture.used_names |= set(WORD.findall(path.read_text()))
    vulture.used_names |= FOR_OTHERS.keys()
    return [
        f"{item.filename.relative_to(ROOT)}:{item.first_lineno}: {item.message}" for item in vulture.get_unused_code()
    ]


if __name__ == "__main__":
    found = find()
    print("\n".join(found))
    sys.exit(bool(found))
