"""Check how templates are formatted.

Run `python -m tests.kit.template_format`. It lists the lines that break a rule of `webui/site/README.md`. A line holds
one element, is indented by its nesting, and has at most 140 characters.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
LONGEST: Final = 140
"""Maximum number of characters in a line."""
INDENT: Final = 2
"""Spaces of indentation for each element or block around a line."""
TEMPLATE_TAG: Final = re.compile(r"{%-?\s*(\w+).*?%}|{{.*?}}|{#.*?#}")
HTML_TAG: Final = re.compile(r"""<(/?)([a-z][\w-]*)(?:"[^"]*"|'[^']*'|[^"'>])*?(/?)>""")
KEPT: Final = re.compile(r"<(pre|script|style|textarea)\b[^>]*>(.*?)</\1>", re.DOTALL)
SEPARATORS: Final = {"else", "elif", "empty", "plural"}
VOID: Final = {"base", "br", "hr", "img", "input", "link", "meta"}
"""Elements of HTML that have no content and no closing tag."""
SIDE_BY_SIDE: Final = re.compile(r"(?:</[\w-]+>|/>)\0*<\w")


def faults(source: str) -> Iterator[tuple[int, str]]:
    """Yield each fault of a template, with the number of its line."""
    # Every tag of the template is replaced by as many characters, so that positions stay and `>` in it means nothing.
    plain = TEMPLATE_TAG.sub(lambda found: "\0" * len(found[0]), source)
    kept = [range(found.start(2), found.end(2) + 1) for found in KEPT.finditer(plain)]
    steps = [step for step in _steps(source, plain) if not any(step[0] in content[1:-1] for content in kept)]
    start = 0
    for number, (line, tags) in enumerate(zip(source.splitlines(), plain.splitlines(), strict=True), 1):
        first = start + len(line) - len(line.lstrip())
        if not any(start in content for content in kept):
            if len(line) > LONGEST:
                yield number, f"has {len(line)} characters, more than {LONGEST}"
            if SIDE_BY_SIDE.search(tags):
                yield number, "has two elements side by side"
            depth = sum(step for position, step in steps if position < first or (position == first and step < 0))
            if line.strip() and first - start != depth * INDENT:
                yield number, f"is indented by {first - start} spaces instead of {depth * INDENT}"
        start += len(line) + 1


def _steps(source: str, plain: str) -> Iterator[tuple[int, int]]:
    """Yield where something begins (1) or ends (-1) that indents the lines within."""
    ended = set(re.findall(r"{%-?\s*end(\w+)", source))
    for found in TEMPLATE_TAG.finditer(source):
        name = found[1] or ""
        if name in SEPARATORS or name.startswith("end"):
            yield found.start(), -1
        if name in SEPARATORS or name in ended:
            yield found.end(), 1
    for found in HTML_TAG.finditer(plain):
        closes, name, is_empty = found.groups()
        if closes:
            yield found.start(), -1
        else:
            yield found.start() + 1, 1
            yield found.end() - 1 - len(is_empty), -1
            if not is_empty and name not in VOID:
                yield found.end(), 1


def main() -> None:
    """Print the faults of all templates, and fail if there are any."""
    count = 0
    for path in sorted(ROOT.glob("webui/**/*.html")):
        if "node_modules" in path.parts:
            continue
        for number, fault in faults(path.read_text(encoding="utf-8")):
            print(f"{path.relative_to(ROOT)}:{number} {fault}")
            count += 1
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
