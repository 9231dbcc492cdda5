"""Write tables as Markdown."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()) -> str:
    """Return a Markdown table. The columns in `right` are aligned to the right, for numbers."""
    rule = ["--:" if place in right else "---" for place in range(len(head))]
    cells = [head, rule, *([str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)
