"""Pages of long lists. A cursor names the last item of a page, so items that are added meanwhile move nothing."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Generic, TypeVar

from ninja import Schema
from pydantic import Field

from webui.api.problems import wrong_cursor
from webui.api.schemas import ValueView

MOST: Final = 100
Cursor = Annotated[str, Field(min_length=1, max_length=200, pattern="^[A-Za-z0-9_-]+$")]

Item = TypeVar("Item")
Shown = TypeVar("Shown")
Kind = TypeVar("Kind", int, str)


@dataclass(frozen=True)
class Listed(Generic[Item]):
    """The items of a list, or of a page of it. `next` is the cursor of the next page."""

    items: Sequence[Item]
    next: str | None = None


class Page(ValueView, Generic[Shown]):
    """A page of a list."""

    items: list[Shown]
    next: str | None = Field(description="`cursor` of the next page; null on the last one.")


class Continuation(Schema):
    """The item after which a list continues."""

    where: ClassVar[str] = "take the `cursor` of the last line"
    """Hint for the caller: where a cursor is found."""
    cursor: Cursor | None = Field(
        None, description="`cursor` of the last item that you have. Omit it to begin with the first item."
    )

    def after(self, kind: type[Kind]) -> Kind | None:
        """Return the key of the last item of the previous page. Return None if the first page is requested.

        `kind` is the type of the key. Raise `Problem` if the cursor is not valid.
        """
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
    """The requested page."""

    where: ClassVar[str] = "take `next` of the previous page"
    limit: int = Field(20, ge=1, le=MOST, description="Items at most.")
    cursor: Cursor | None = Field(None, description="`next` of the previous page. Omit it for the first page.")


def cursor(key: int | str) -> str:
    """Return the cursor of the page that begins after the item with this key."""
    return urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def page_of(items: Sequence[Item], page: PageQuery, key: Callable[[Item], int | str]) -> Listed[Item]:
    """Return the page of at most `page.limit` items.

    The query must look for `page.limit + 1` items: if the additional one is found, there is another page.
    """
    shown = items[: page.limit]
    return Listed(shown, cursor(key(shown[-1])) if len(items) > page.limit else None)
