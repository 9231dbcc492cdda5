"""Declaration of terms: each field of a `TermsTable` has a rule that reads it from a document and writes it to one.

Schemas and forms are derived from the same declaration: `terms_of` returns it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Final, Generic, Self, TypeVar, cast
from unicodedata import category

from arena.events.errors import TermsError

MAX_TEXT: Final = 2000
MAX_ITEM: Final = 100
"""Maximum number of characters of a text in a list."""
UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of invisible characters, and of characters that reorder text."""
Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)


class TermRule(ABC, Generic[Value_co]):
    """Type and limits of a term."""

    __slots__ = ()

    @abstractmethod
    def read(self, value: Any, where: str) -> Value_co:
        """Return the value of a term from its JSON. Raise `TermsError` for the key `where` if it is not allowed."""

    def write(self, value: Any) -> Any:
        """Return the value as JSON. By default it is the same."""
        return value


@dataclass(frozen=True, slots=True)
class NumberRule(TermRule[int]):
    """A whole number."""

    least: int
    most: int
    unit: str = ""
    """Unit of a length of time: `s` or `ms`."""

    def read(self, value: Any, where: str) -> int:
        """Return a whole number from `least` to `most`; booleans are refused."""
        if type(value) is not int or not self.least <= value <= self.most:
            raise TermsError("BAD_NUMBER", where, f"must be a whole number from {self.least} to {self.most}")
        return value


@dataclass(frozen=True, slots=True)
class FlagRule(TermRule[bool]):
    """True or false."""

    def read(self, value: Any, where: str) -> bool:
        """Return true or false."""
        if not isinstance(value, bool):
            raise TermsError("BAD_TYPE", where, "must be true or false")
        return value


@dataclass(frozen=True, slots=True)
class ChoiceRule(TermRule[Value]):
    """One of several texts."""

    choices: tuple[Value, ...]

    def read(self, value: Any, where: str) -> Value:
        """Return one of `choices`."""
        if value not in self.choices or not isinstance(value, str):
            raise TermsError("BAD_CHOICE", where, f"must be one of {', '.join(map(str, self.choices))}")
        return cast(Value, value)


@dataclass(frozen=True, slots=True)
class TextRule(TermRule[str]):
    """A text without invisible characters."""

    least: int = 0
    most: int = MAX_TEXT
    is_line: bool = False
    """Whether the text is one line without spaces at its ends."""

    def read(self, value: Any, where: str) -> str:
        """Return a text of `least` to `most` characters."""
        text = text_of(value, where, least=self.least, most=self.most)
        if self.is_line and ("\n" in text or text != text.strip()):
            raise TermsError("BAD_TEXT", where, "must be one line without spaces at its ends")
        return text


@dataclass(frozen=True, slots=True)
class TextsRule(TermRule[tuple[Value, ...]]):
    """A list of at most `most` different texts. They are of `choices` if there are any."""

    most: int
    choices: tuple[Value, ...] = ()

    def read(self, value: Any, where: str) -> tuple[Value, ...]:
        """Return the texts in their order."""
        if not isinstance(value, list | tuple) or len(value) > self.most or not all(isinstance(v, str) for v in value):
            raise TermsError("BAD_TYPE", where, f"must be a list of at most {self.most} texts")
        if len(set(value)) != len(value):
            raise TermsError("TWICE", where, "must not contain the same text twice")
        if self.choices:
            return tuple(ChoiceRule(self.choices).read(item, where) for item in value)
        for text in value:
            text_of(text, where, least=1, most=MAX_ITEM)
        return tuple(value)

    def write(self, value: Any) -> list[Value]:
        """Return the texts as a list."""
        return list(value)


@dataclass(frozen=True, slots=True)
class ObjectRule(TermRule[Mapping[str, Any]]):
    """A JSON object that others read."""

    def read(self, value: Any, where: str) -> Mapping[str, Any]:
        """Return the object."""
        if not isinstance(value, Mapping):
            raise TermsError("BAD_TYPE", where, "must be a table of keys and values")
        return dict(value)


@dataclass(frozen=True, slots=True)
class DeclaredTerm:
    """A field of a `TermsTable`: its key in a document, its rule, and its default."""

    key: str
    rule: TermRule[Any]
    about: str
    """Description for people who write documents."""
    default: Any
    """`MISSING` if the term is required."""
    may_change: bool
    """Whether it may still change while entry is open."""


def term(
    rule: TermRule[Value], about: str = "", *, default: Any = MISSING, key: str = "", may_change: bool = False
) -> Value:
    """Declare a field of a `TermsTable`. Its key is the field's name by default."""
    metadata = {"rule": rule, "about": about, "default": default, "key": key, "may_change": may_change}
    declared = (
        field(metadata=metadata) if default is MISSING else field(default_factory=lambda: default, metadata=metadata)
    )
    return cast(Value, declared)


def terms_of(table: type[TermsTable]) -> dict[str, DeclaredTerm]:
    """Return the terms of a table by the names of its fields. Other fields of the dataclass are left out."""
    metadata = {each.name: dict(each.metadata) for each in fields(cast(Any, table)) if each.metadata}
    return {name: DeclaredTerm(options.pop("key") or name, **options) for name, options in metadata.items()}


class TermsTable:
    """Base of a dataclass whose fields are terms: a table of a document.

    >>> @dataclass(frozen=True, slots=True)
    ... class Prize(TermsTable):
    ...     where = "prize"
    ...     camels: int = term(NumberRule(1, 11), "Number of camels.", default=3)
    >>> Prize.parse({"camels": 5}).document()
    {'camels': 5}
    """

    __slots__ = ()
    where: ClassVar[str] = ""
    """Key of the table; empty for the whole document."""

    def document(self) -> dict[str, Any]:
        """Return the table as JSON, with every default written out. A limit that is not set is omitted."""
        values = [(each, getattr(self, name)) for name, each in terms_of(type(self)).items()]
        return {each.key: each.rule.write(value) for each, value in values if value is not None}

    @classmethod
    def parse(cls, document: Any) -> Self:
        """Parse the table from JSON or TOML; a missing key has its default. Raise `TermsError` for a bad value."""
        terms = terms_of(cls)
        table = object_of(document, cls.where or "event", [each.key for each in terms.values()])
        prefix = f"{cls.where}." if cls.where else ""
        values = {}
        for name, each in terms.items():
            if each.key in table:
                values[name] = each.rule.read(table[each.key], prefix + each.key)
            elif each.default is MISSING:
                raise TermsError("MISSING_KEY", prefix + each.key, "is missing")
        return cls(**values)


@dataclass(frozen=True, slots=True)
class TableRule(TermRule[Value]):
    """A table within a document."""

    table: type[Value]

    def read(self, value: Any, where: str) -> Value:
        """Return the table."""
        return cast(Value, cast(Any, self.table).parse(value))

    def write(self, value: Any) -> Any:
        """Return the table as JSON."""
        return value.document()


def object_of(value: Any, where: str, keys: Iterable[str]) -> Mapping[str, Any]:
    """Return a table or JSON object whose keys are all among `keys`. Raise `TermsError` otherwise."""
    if not isinstance(value, Mapping):
        raise TermsError("BAD_TYPE", where, "must be a table of keys and values")
    if unknown := sorted(map(str, set(value) - set(keys))):
        known = ", ".join(sorted(keys))
        raise TermsError("UNKNOWN_KEY", where, f"unknown keys: {', '.join(unknown[:5])}; allowed keys: {known}")
    return value


def text_of(value: Any, where: str, *, least: int = 0, most: int = MAX_TEXT) -> str:
    """Return a text of `least` to `most` characters. Line breaks are the only control characters allowed."""
    if not isinstance(value, str) or not least <= len(value) <= most:
        raise TermsError("BAD_TEXT", where, f"must be a text of {least} to {most} characters")
    if any(category(c) in UNSEEN and c != "\n" for c in value):
        raise TermsError("BAD_TEXT", where, "must have no control or formatting characters")
    return value
