"""Long lists, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.http import Http404

MAX_PAGE = 300
"""Who looks for something older finds it by its bot or ladder: skipping costs time."""

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """A part of a list, and whether there is something before and after it."""

    items: Sequence[T]
    number: int
    has_more: bool
    total: int | None = None
    """Of the whole list, where it is known."""

    @property
    def before(self) -> int:
        """The number of the page before; 0 on the first."""
        return self.number - 1

    @property
    def after(self) -> int:
        """The number of the page after; 0 on the last."""
        return self.number + 1 if self.has_more and self.number < MAX_PAGE else 0


def page_number(text: str | None) -> int:
    """Which page was asked for; `Http404` for what is no number of a page."""
    text = text or "1"
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_PAGE):
        raise Http404("no such page")
    return int(text)


def page_of(items: Sequence[T], asked: str | None, size: int) -> Page[T]:
    """A page of a list that is at hand."""
    number = page_number(asked)
    end = number * size
    return Page(items[end - size : end], number, len(items) > end, len(items))
