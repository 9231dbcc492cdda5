"""Tables as plain text."""

from collections.abc import Sequence


def print_lines(lines: Sequence[Sequence[str]], *, to_the_right: bool = False) -> None:
    """Print cells in columns, two spaces apart. All lines must have the same number of cells."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [f"{cell:{'>' if to_the_right else '<'}{width}}" for cell, width in zip(line, widths, strict=True)]
        print("  ".join(cells).rstrip())
