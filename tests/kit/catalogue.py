"""Catalogues of translated texts: reads, checks and compiles .po files. `make messages` runs this.

It does not use `msgfmt`, which demands the number in every plural form that several numbers may take. Russian, like
English, says "a vizier" and "2 viziers".
"""

from __future__ import annotations

import ast
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

LOCALES = Path(__file__).resolve().parents[2] / "webui" / "site" / "locale"
_LINE = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d)\])? )?(".*")')
_GAP = re.compile(r"%\((\w+)\)|\{(\w+)\}")


@dataclass
class Entry:
    """A text and its translation: one form, or one for each kind of number."""

    msgid: str = ""
    msgctxt: str | None = None
    msgid_plural: str | None = None
    msgstr: dict[int, str] = field(default_factory=dict)
    is_fuzzy: bool = False

    @property
    def key(self) -> str:
        """The entry's key in a compiled catalogue."""
        name = self.msgid if self.msgctxt is None else f"{self.msgctxt}\x04{self.msgid}"
        return name if self.msgid_plural is None else f"{name}\0{self.msgid_plural}"

    @property
    def text(self) -> str:
        """All forms, as a compiled catalogue has them."""
        return "\0".join(self.msgstr[form] for form in sorted(self.msgstr))

    def faults(self) -> list[str]:
        """Return the errors in the translation."""
        found = ["fuzzy"] if self.is_fuzzy else []
        found += [f"form {form} is missing" for form, text in self.msgstr.items() if not text]
        wanted = gaps(self.msgid_plural or self.msgid)
        for form, text in self.msgstr.items():
            left_out = {"n"} if form == 0 and self.msgid_plural and "n" not in gaps(self.msgid) else set()
            if text and not wanted - left_out <= gaps(text) <= wanted:
                found.append(f"form {form} has the gaps {sorted(gaps(text))}, not {sorted(wanted)}")
        return found


def gaps(text: str) -> set[str]:
    """Return the names of a text's placeholders."""
    return {named or braced for named, braced in _GAP.findall(text)}


def read(path: Path) -> list[Entry]:
    """Return the entries of a .po file; the first one is the header (with the empty text)."""
    entries = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        entry, last = Entry(), ("", 0)
        lines = [line for line in block.splitlines() if not line.startswith("#~")]
        entry.is_fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in lines)
        for line in lines:
            match = _LINE.fullmatch(line)
            if match is None:
                continue
            name, form, quoted = match.groups()
            last = (name, int(form or 0)) if name else last
            text = ast.literal_eval(quoted)
            if last[0] == "msgstr":
                entry.msgstr[last[1]] = entry.msgstr.get(last[1], "") + text
            else:
                setattr(entry, last[0], (getattr(entry, last[0]) or "") + text)
        if entry.msgstr:
            entries.append(entry)
    return entries


def compiled(entries: list[Entry]) -> bytes:
    """Return the .mo file (GNU gettext's format) of a catalogue, without untranslated entries."""
    pairs = sorted((e.key.encode(), e.text.encode()) for e in entries if not e.faults() or not e.msgid)
    start = 28 + 16 * len(pairs)
    keys, texts, offset = [], [], start
    for column, table in ((0, keys), (1, texts)):
        for pair in pairs:
            table.append(struct.pack("<II", len(pair[column]), offset))
            offset += len(pair[column]) + 1
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, start)
    words = b"".join(pair[column] + b"\0" for column in (0, 1) for pair in pairs)
    return head + b"".join(keys) + b"".join(texts) + words


def main() -> None:
    """Compile every catalogue, and report missing translations."""
    for path in sorted(LOCALES.glob("*/LC_MESSAGES/django.po")):
        entries = read(path)
        path.with_suffix(".mo").write_bytes(compiled(entries))
        faults = [(entry.msgid, fault) for entry in entries[1:] for fault in entry.faults()]
        print(f"{path.parents[1].name}: {len(entries) - 1} texts, {len(faults)} to look at")
        for text, fault in faults:
            print(f"  {text!r}: {fault}")


if __name__ == "__main__":
    main()
