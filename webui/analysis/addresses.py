"""Addresses of an analysis. An address has the start of all lines, the line that is shown, and lines to compare."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

MOST_DECISIONS: Final = 600
"""Maximum number of decisions in a line. The longest of 300 random games of five had 476."""
MOST_KEPT: Final = 5
"""Maximum number of lines beside the one that is shown."""
LONGEST: Final = 7000
"""Maximum number of characters of a query. Servers and proxies refuse addresses of more than 8,192."""
LONGEST_WORD: Final = 64
"""Maximum number of characters of a seed."""
MOST_POSITION_BYTES: Final = 32_768
"""Maximum size of a position document. The largest that a game has is near 8,000."""
BETWEEN_ACTIONS, BETWEEN_WORDS = "~", "."
STARTS: Final = ("match", "d", "players", "expansions", "seed", "position", "seat")
"""Names of the values that say where lines start. With `seat`, what this seat cannot know is drawn anew."""

Line = tuple[str, ...]
"""Actions in the notation."""


class BadAddress(Exception):
    """An address, or what a visitor entered, is not valid. The message says what to do, in the active language."""


@dataclass(frozen=True)
class Address:
    """The address of an analysis. It is not checked against the rules."""

    start: tuple[tuple[str, str], ...]
    """Where lines start: pairs of a name of `STARTS` and its value."""
    chance: str = "1"
    """Name of the seed from which later chance is drawn, and what a seat cannot know."""
    line: Line = ()
    at: int = 0
    """Number of decisions of the line that have been played at the position shown."""
    kept: tuple[Line, ...] = ()

    @property
    def played(self) -> Line:
        """The decisions that lead to the position shown."""
        return self.line[: self.at]

    @property
    def query(self) -> str:
        """The query of the address. Raise `BadAddress` if it is too long."""
        values = [*self.start]
        if self.chance != "1":
            values.append(("chance", self.chance))
        if self.line:
            values.append(("line", format_line(self.line)))
        if self.at != len(self.line):
            values.append(("at", str(self.at)))
        values += [("kept", format_line(line)) for line in self.kept]
        query = urlencode(values, safe="@~")
        if len(query) > LONGEST:
            raise BadAddress(_("The address would become too long. Remove a line, or start a new one from here."))
        return query

    def value(self, name: str) -> str:
        """Return a value of the start. Empty if it has none."""
        return next((value for key, value in self.start if key == name), "")

    def goto(self, at: int) -> Address:
        """Return the address of the position after `at` decisions of the line."""
        return replace(self, at=max(0, min(at, len(self.line))))

    def play(self, action: str) -> Address:
        """Return the address after one more decision. A line that goes on otherwise is kept."""
        if self.line[self.at : self.at + 1] == (action,):
            return self.goto(self.at + 1)
        if self.at == MOST_DECISIONS:
            words = _("A line has at most %(n)d decisions. Start a new one from its position.")
            raise BadAddress(words % {"n": MOST_DECISIONS})
        return self.open((*self.played, action))

    def open(self, line: Line) -> Address:
        """Return the address that shows a line at its end, and keeps the one that was shown before."""
        kept = [other for other in dict.fromkeys((*self.kept, self.line)) if other != line[: len(other)]]
        return replace(self, line=line, at=len(line), kept=tuple(kept[-MOST_KEPT:]))

    def drop(self, line: Line) -> Address:
        """Return the address without one of the kept lines."""
        return replace(self, kept=tuple(other for other in self.kept if other != line))


def read_address(query: QueryDict) -> Address | None:
    """Return the address that a query describes. Return None if it says nothing of a start.

    Raise `BadAddress` if a value is not valid.
    """
    start = tuple((name, value) for name in STARTS for value in query.getlist(name)[:2] if value)
    if not start:
        return None
    if len(query.urlencode()) > LONGEST + 200:  # the query may also name an action
        raise BadAddress(_("This address is too long. Start a new line from its position."))
    shown = read_shown(query)
    kept = tuple(dict.fromkeys(read_line(text) for text in query.getlist("kept")))
    if len(kept) > MOST_KEPT:
        words = ngettext("At most %(n)d line can be kept.", "At most %(n)d lines can be kept.", MOST_KEPT)
        raise BadAddress(words % {"n": MOST_KEPT})
    chance = read_word(query.get("chance", "")) or "1"
    return replace(shown, start=start, chance=chance, kept=tuple(line for line in kept if line))


def read_shown(query: QueryDict) -> Address:
    """Return the line that a query shows, and the place in it, without a start.

    Raise `BadAddress` if the line is too long.
    """
    line = read_line(query.get("line", ""))
    at = query.get("at", "")
    return Address((), line=line).goto(int(at) if at.isascii() and at.isdecimal() and len(at) < 5 else len(line))


def format_line(line: Line) -> str:
    """Return a line as it stands in an address: `bid.5~take.A1~drop.A2.r`."""
    return BETWEEN_ACTIONS.join(action.replace(" ", BETWEEN_WORDS) for action in line)


def read_line(text: str) -> Line:
    """Return the line that an address names. Raise `BadAddress` if it is too long."""
    line = tuple(action.replace(BETWEEN_WORDS, " ") for action in text.split(BETWEEN_ACTIONS)) if text else ()
    if len(line) > MOST_DECISIONS:
        words = _("A line has at most %(n)d decisions. Start a new one from its position.")
        raise BadAddress(words % {"n": MOST_DECISIONS})
    return line


def read_word(text: str) -> str:
    """Return a seed that a visitor chose. Raise `BadAddress` if it is too long."""
    if len(text) > LONGEST_WORD or not text.isprintable():
        raise BadAddress(_("A seed has at most %(n)d characters.") % {"n": LONGEST_WORD})
    return text


# Positions, which are compressed in an address.


def pack_position(document: Any) -> str:
    """Return a position document as a value of an address."""
    text = json.dumps(document, separators=(",", ":")).encode()
    return urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip("=")


def unpack_position(packed: str) -> Any:
    """Return the document that an address holds. Raise `BadAddress` if it holds none."""
    try:
        reader = zlib.decompressobj()
        text = reader.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), MOST_POSITION_BYTES)
        if reader.unconsumed_tail or not reader.eof:
            raise ValueError("too long, or cut off")
        return read_position_text(text.decode())
    except (ValueError, zlib.error, NotBase64):
        raise BadAddress(_("The position in this address is damaged. Enter it again.")) from None


def read_position_text(text: str) -> Any:
    """Return the document of a position as text. Raise `BadAddress` if it is no JSON, or too long."""
    if len(text.encode()) > MOST_POSITION_BYTES:
        raise BadAddress(_("A position has at most %(n)d bytes.") % {"n": MOST_POSITION_BYTES})
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadAddress(_("This is not JSON. Copy a whole position, from { to }.")) from None
