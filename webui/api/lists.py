"""Long lists, page by page. A cursor names the last item of a page, so what is added meanwhile moves nothing."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar, Final, Generic, TypeVar

from ninja import Schema
from pydantic import Field

from webui.api.problems import wrong_cursor

MOST: Final = 100
Cursor = Annotated[str, Field(min_length=1, max_length=200, pattern="^[A-Za-z0-9_-]+$")]

Item = TypeVar("Item")
Shown = TypeVar("Shown")
Kind = TypeVar("Kind", int, str)


class Page(Schema, Generic[Shown]):
    """A page of a list."""

    items: list[Shown]
    next: str | None = Field(description="`cursor` of the page after this one; null on the last.")


class Continuation(Schema):
    """After which item a list goes on."""

    where: ClassVar[str] = "take the `cursor` of the last line"
    """Where a cursor is found."""
    cursor: Cursor | None = Field(
        None, description="`cursor` of the last item that you have; without it from the first."
    )

    def after(self, kind: type[Kind]) -> Kind | None:
        """What names the last item of the page before; None: the first page is asked for. `Problem`."""
        if self.cursor is None:
            return None
        try:
            key = json.loads(urlsafe_b64decode(self.cursor + "=" * (-len(self.cursor) % 4)))
        except (ValueError, RecursionError):
            key = None
        is_key = key.isprintable() if isinstance(key, str) else type(key) is int and 0 <= key < 2**63
        if type(key) is not kind or not is_key:
            raise wrong_cursor(self.where)
        return key


class PageQuery(Continuation):
    """Which page is asked for."""

    where: ClassVar[str] = "take `next` of the page before"
    limit: int = Field(20, ge=1, le=MOST, description="Items at most.")
    cursor: Cursor | None = Field(None, description="`next` of the page before; without it the first page.")


def cursor(key: int | str) -> str:
    """The cursor after the item that this names in its list."""
    return urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def page_of(
    found: Sequence[Item], asked: PageQuery, key: Callable[[Item], int | str], shown: Callable[[Item], Shown]
) -> Page[Shown]:
    """The page, of `asked.limit + 1` items that were looked for: one more says that there is a page after this one."""
    items = found[: asked.limit]
    has_more = len(found) > asked.limit
    return Page(items=[shown(item) for item in items], next=cursor(key(items[-1])) if has_more else None)
