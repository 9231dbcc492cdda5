"""Tables of the pages."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()) -> str:
    """A Markdown table; the columns numbered in `right` are numbers."""
    rule = ["--:" if place in right else "---" for place in range(len(head))]
    cells = [head, rule, *([str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)
