"""Names of users, bots and versions: which are refused, and when two of them look the same.

A name identifies its owner to readers. Nobody may take a name that a reader mistakes for another one (Unicode Technical
Standard 39, section 4). Invisible names, and names that speak for the arena, are refused too.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from arena.players import PLAYERS
from webui.core.errors import BadRequest

LONGEST = 40
"""Maximum length of a name, in characters."""
ALIKE = str.maketrans("0i1|", "olll")
"""Digits and letters that look alike, in upper or lower case."""
JOINING = frozenset({"Pc", "Pd", "Zs"})
"""Unicode categories of characters that only join the words of a name: underscores, hyphens and spaces."""
LONGEST_SKELETON = 400
"""Maximum number of stored characters of a skeleton. It can be longer than its name: one character may become three."""
MARKS = 2
"""Maximum number of combining marks in a row."""
ARENA_WORDS = (
    "admin",
    "administrator",
    "arena",
    "house",
    "moderator",
    "naqala",
    "official",
    "operator",
    "organiser",
    "referee",
    "security",
    "server",
    "staff",
    "support",
    "system",
    "webmaster",
)
"""Words that speak for the arena. Only the arena's own users and bots may have one in their names."""
IMPERSONAL_NAMES = (
    "anonymous",
    "api",
    "everyone",
    "help",
    "info",
    "mail",
    "nobody",
    "null",
    "owner",
    "root",
    "undefined",
)
"""Names that a reader takes for no person or for a part of the site. They are refused only as a whole name."""
HOUSE_BOTS = tuple(PLAYERS)
"""Names of the house bots. No other bot may have one of them among its words."""
HOUSE_WORDS = tuple(player for player in PLAYERS if player.isalpha())
"""Names of house bots that no other bot may have even as a part of a word."""
NUMBERED = re.compile(r"(\w)(?<!\d)(\d+)(?=\s|$)")
"""A word that ends with a number."""
IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Ranges of the property Default_Ignorable_Code_Point, from DerivedCoreProperties.txt of Unicode 14.0."""
INVISIBLE = frozenset("\u2800\ufffc\U00013441\U00013442\U00016fe4\U0001d159").union(
    *(map(chr, range(first, last + 1)) for first, last in IGNORABLE)
)
"""Characters that show nothing: these, and symbols, letters and marks whose Unicode names say that they are blank."""
OF_PROSE = frozenset("\r\n\t\u200d\ufe0f")
"""Characters allowed only in prose: line breaks, tabs, and characters that join emoji or show them in colour."""
DRAWN = range(0x2500, 0x25A0)
"""Box drawing and block elements. Some look like letters, and the table of confusables has only a few of them."""


def normal_form(name: str) -> str:
    """Return a name in its stored form: NFKC, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


def check_characters(text: str, what: str, *, is_prose: bool = False) -> None:
    """Raise `BadRequest` if the text has characters that cannot be seen.

    These are control, format and bidirectional characters, private and unassigned ones, and marks without a letter or
    digit under them. Prose may also have line breaks, and emoji that consist of several characters.
    """
    marks, has_base = 0, is_prose
    for character in text:
        category = unicodedata.category(character)
        if is_prose and character in OF_PROSE:
            continue
        if category[0] == "C" or category in ("Zl", "Zp") or character in INVISIBLE:
            raise BadRequest(f"{what} has the character U+{ord(character):04X}, which is invisible: leave it out")
        is_mark = category[0] == "M"
        has_base = is_prose or category[0] in "LN" or (is_mark and has_base)
        if is_mark and not has_base:
            raise BadRequest(f"{what} has the mark U+{ord(character):04X} on no letter: leave it out")
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > MARKS:
            raise BadRequest(f"{what} has more than {MARKS} marks on one letter: leave some out")


def check_name(name: str, what: str) -> str:
    """Return the normal form of the name of a user, bot or version. Raise `BadRequest` if nobody may have it."""
    if "\0" in name or len(name) > 4 * LONGEST:
        raise BadRequest(f"{what} has 1 to {LONGEST} visible characters")
    check_characters(name, what)
    name = normal_form(name)
    check_characters(name, what)
    if drawn := next((character for character in name if ord(character) in DRAWN), None):
        raise BadRequest(f"{what} has the character U+{ord(drawn):04X}, which is made for drawing: leave it out")
    if not 1 <= len(name) <= LONGEST:
        raise BadRequest(f"{what} has 1 to {LONGEST} characters")
    return name


def is_reserved(name: str, *, is_bot: bool = False) -> bool:
    """Return whether a name speaks for the arena, or a bot's name for a house bot.

    Look-alikes count, and so do compounds: `Arena Staff`, `NaqalaArena`, `official_2`, `Greedy (house)`.
    """
    whole = _plain(name)
    words = [plain for word in _words(name) if (plain := _plain(word))]
    runs = {"".join(words[first:last]) for first in range(len(words)) for last in range(first + 1, len(words) + 1)}
    speaking = _keys(ARENA_WORDS)
    if not speaking.isdisjoint({whole, *runs}) or whole in _keys(IMPERSONAL_NAMES):
        return True
    if not {first + second for first in speaking for second in speaking}.isdisjoint({whole, *runs}):
        return True
    # `search-1` looks like the beginning of `Searchlight`: a name with a digit counts only as whole words.
    return is_bot and (not _keys(HOUSE_BOTS).isdisjoint(runs) or any(part in whole for part in _keys(HOUSE_WORDS)))


def _words(name: str) -> list[str]:
    """Return the words of a name: `Two` and `words` of `Two words`, `two_words` or `TwoWords`; `word` of `word2`."""
    spaced, before = "", ""
    for character in unicodedata.normalize("NFKC", name):
        if not character.isalnum() and unicodedata.category(character)[0] != "M":
            spaced += " "
        else:
            spaced += f" {character}" if character.isupper() and before.islower() else character
        before = character
    return NUMBERED.sub(r"\1 \2", spaced).split()


@cache
def _keys(reserved: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_plain, reserved))


def _plain(name: str) -> str:
    return "".join(character for character in skeleton_of(name) if character.isalnum())


@lru_cache(4096)
def skeleton_of(name: str) -> str:
    """Return a key that is equal for names that a reader may mistake for each other.

    It is the skeleton of Unicode Technical Standard 39, section 4. It is the same for capital and small letters, and
    leaves out spaces, hyphens and underscores: `Victim-Bot`, `Victim_Bot` and `VictimBot` are one name.
    """
    # Capital and small letters have different look-alikes: `I` looks like `l`, and a Cyrillic `М` like `M`. Apply the
    # skeleton once before and once after the letters are made small.
    skeleton = _skeleton(_skeleton(unicodedata.normalize("NFKC", name)).casefold())
    joined = "".join(character for character in skeleton if unicodedata.category(character) not in JOINING)
    return joined.translate(ALIKE)[:LONGEST_SKELETON]


def _skeleton(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", "".join(_prototypes().get(character, character) for character in decomposed))


@cache
def _prototypes() -> dict[str, str]:
    """Return the representative text of every confusable character. The data list only pairs."""
    from confusable_homoglyphs.confusables import confusables_data  # megabytes, which most processes never need

    parent: dict[str, str] = {}

    def root(text: str) -> str:
        while parent.setdefault(text, text) != text:
            text = parent[text]
        return text

    for text, others in confusables_data.items():
        for other in others:
            first, second = sorted((root(text), root(other["c"])), key=_rank)
            parent[second] = first
    roots = {text: root(text) for text in parent if len(text) == 1}
    return {
        text: "".join(roots.get(character, character) for character in prototype) if len(prototype) > 1 else prototype
        for text, prototype in roots.items()
        if text != prototype
    }


def _rank(text: str) -> tuple[bool, int, bool, str]:
    """Return the sort key that selects the representative of a group: the longest (`m` looks like `rn`), then ASCII,
    and no direction marks.
    """
    return "\u200e" in text, -len(text), not text.isascii(), text
