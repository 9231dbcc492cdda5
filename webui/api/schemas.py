"""The parts that all schemas share: what callers send, and views of values."""

from collections.abc import Callable
from operator import attrgetter, methodcaller
from typing import Annotated, Any, Final, Literal

from ninja import Schema
from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from arena.rules import Ruleset


class Input(Schema):
    """The base of what callers send. An unknown field is refused, because it would have no effect."""

    model_config = ConfigDict(extra="forbid")


class ValueView(BaseModel):
    """The base of what the API shows of a value. A route returns the value, and the view reads its attributes.

    A field is read from the attribute of the same name, or from the path that `source` names. A field can also be a
    value itself. With `use_attribute_docstrings=True`, the docstrings of the value's fields are then its descriptions.
    """

    model_config = ConfigDict(from_attributes=True)


def source(path: str, description: str | None = None) -> Any:
    """Return a field of a view that is read from a path of attributes, such as `version.bot.slug`."""
    return Field(validation_alias=AliasPath(*path.split(".")), description=description)


_MISSING: Final = object()


class Joined:
    """Attributes of several values, and further ones, for a view of them all. The first value that has one counts."""

    def __init__(self, *values: object, **more: object) -> None:
        self.__dict__.update(more)
        self._values = values

    def __getattr__(self, name: str) -> Any:
        for value in self._values:
            if (attribute := getattr(value, name, _MISSING)) is not _MISSING:
                return attribute
        raise AttributeError(name)


def converted(convert: Callable[[Any], object]) -> Any:
    """Return the annotation of a field that shows the result of `convert` instead of the attribute itself."""
    return BeforeValidator(convert)


LOWER: Final = converted(str.lower)
"""Annotation of a state, which the database stores in capitals."""
OR_NULL: Final = converted(lambda value: value or None)
"""Annotation of a field that is null if the attribute is empty."""
IS_SET: Final = converted(lambda value: value is not None)
"""Annotation of whether the attribute has a value."""
AsDocument = Annotated[dict[str, Any], converted(methodcaller("document"))]
"""Document of the value that the attribute is, such as a clock."""
SlugOf = Annotated[str, converted(attrgetter("slug"))]
"""Name in addresses of the bot or ladder that the attribute is."""
Name = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""Name of a bot or of a version."""
Expansion = Literal["artisans", "whims"]


class GameDocument(Input):
    """The game: number of players, and expansions."""

    players: int = Field(ge=2, le=5)
    expansions: list[Expansion] = Field([], max_length=2, description="At least one at a table of five.")

    @property
    def ruleset(self) -> Ruleset:
        """Return the ruleset. It is not checked whether there is such a game."""
        return Ruleset(self.players, tuple(sorted(set(self.expansions))))
