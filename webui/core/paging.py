"""Pages of long lists."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Q, QuerySet, Subquery
from django.http import Http404

from webui.core.errors import NotInList


def older_than(rows: QuerySet[Any], pk: str) -> Q:
    """Return the condition that a row comes after the row `pk` in a list with the newest first.

    Raise `NotInList` if the row is not in `rows`.
    """
    if not rows.filter(pk=pk).exists():
        raise NotInList(f"there is no {pk!r} in this list")
    # Let the database compare: SQLite stores times as texts, and Python would format them differently.
    made = Subquery(rows.model._default_manager.filter(pk=pk).values("created_at"))
    return Q(created_at__lt=made) | Q(created_at=made, pk__lt=pk)


MAX_PAGE = 300
"""Maximum number of a page. The database reads all rows that a page skips. Older matches can be found by bot or
ladder.
"""

T = TypeVar("T")


@dataclass(frozen=True)
class ListPage(Generic[T]):
    """One page of a list, and whether there are pages before and after it."""

    items: Sequence[T]
    number: int
    has_more: bool
    total: int | None = None
    """Number of items of the whole list, if it is known."""

    @property
    def before(self) -> int:
        """Return the number of the previous page, or 0 on the first."""
        return self.number - 1

    @property
    def after(self) -> int:
        """Return the number of the next page, or 0 on the last."""
        return self.number + 1 if self.has_more and self.number < MAX_PAGE else 0


def page_number(text: str | None) -> int:
    """Return the number of the requested page. Raise `Http404` for anything else."""
    text = text or "1"
    if not re.fullmatch("[1-9][0-9]{0,2}", text) or int(text) > MAX_PAGE:
        raise Http404("no such page")
    return int(text)


def read_page(text: str | None, size: int, read: Callable[..., Sequence[T]]) -> ListPage[T]:
    """Return one page of a list in the database. `read(limit=, offset=)` returns a part of the list."""
    number = page_number(text)
    items = read(limit=size + 1, offset=(number - 1) * size)
    return ListPage(items[:size], number, len(items) > size)


def page_of(items: Sequence[T], text: str | None, size: int) -> ListPage[T]:
    """Return one page of a list in memory."""
    number = page_number(text)
    end = number * size
    return ListPage(items[end - size : end], number, len(items) > end, len(items))
