"""The drawings: symbols of `static/site/drawings.svg`. A page contains those that it shows.

Scripts that show more later load the file itself, which browsers keep.
"""

import re
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "static" / "site" / "drawings.svg"
_SYMBOL = re.compile(r'<symbol id="([\w-]+)".*?</symbol>', re.DOTALL)
_USE = re.compile(r'<use[^>]*? href="#([\w-]+)"')


@cache
def symbols() -> dict[str, str]:
    """All drawings by name."""
    return {found[1]: found[0] for found in _SYMBOL.finditer(FILE.read_text(encoding="utf-8"))}


def shown_in(markup: str) -> str:
    """The symbols that a markup shows, in the order of the file."""
    names = set(_USE.findall(markup))
    return "".join(symbol for name, symbol in symbols().items() if name in names)
