"""A group of commands whose modules are loaded when one of them is called: the list of commands needs none of them.

Packages beside this one add commands by entry points (`arena.commands` and the like), which name a `CommandTable`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from arena.cli.files import InputError
from arena.host.loading import loading


class Lazy(NamedTuple):
    """Where a command is, and what the list of commands says of it."""

    module: str
    attribute: str
    help: str


@dataclass(frozen=True)
class CommandTable:
    """Commands that belong together: name to place."""

    commands: Mapping[str, Lazy]
    needs: str = ""
    """A package without which none of the commands works; empty: they need no more than the core install has."""
    extra: str = ""
    """The extra of naqala-arena that installs it."""

    @property
    def is_installed(self) -> bool:
        """Whether the commands can work here."""
        return not self.needs or find_spec(self.needs) is not None


@cache
def added_tables(group: str = "arena.commands") -> tuple[CommandTable, ...]:
    """The tables of all entry points of a group."""
    return tuple(found.load() for found in sorted(entry_points(group=group), key=lambda found: found.name))


class LazyGroup(TyperGroup):
    """A group with commands of its own, those of `table`, and those of the entry points."""

    table: CommandTable
    joined_by = "arena.commands"
    """The group of entry points."""

    def tables(self) -> tuple[CommandTable, ...]:
        """All tables, the group's own first."""
        return (self.table, *added_tables(self.joined_by))

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the tables; a command whose extra is not installed is not listed."""
        listed = (name for table in self.tables() if table.is_installed for name in table.commands)
        return [*super().list_commands(ctx), *listed]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """What the list needs of a command: its name and one line."""
        if (table := self._table_of(cmd_name)) is not None:
            return TyperCommand(cmd_name, help=table.commands[cmd_name].help)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called, loaded. Raises `InputError` if its extra is not installed."""
        name, command, rest = super().resolve_command(ctx, args)
        if name and (table := self._table_of(name)) is not None:
            if not table.is_installed:
                raise InputError(f"`arena {name}` needs the server's parts: pip install 'naqala-arena[{table.extra}]'")
            command = load(name, table.commands[name])
        return name, command, rest

    def _table_of(self, name: str) -> CommandTable | None:
        return next((table for table in self.tables() if name in table.commands), None)


def load(name: str, lazy: Lazy) -> Any:
    """The real command: a Typer application becomes a group, a function a command."""
    with loading():
        found = getattr(import_module(lazy.module), lazy.attribute)
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        single = typer.Typer(add_completion=False)
        single.command(name)(found)
        command = typer.main.get_command(single)
    command.name = name
    _join_lines(command)
    return command


def _join_lines(command: Any) -> None:
    """Make every paragraph of its help one line, which is broken where the terminal ends: not where the source does."""
    if command.help:
        paragraphs = inspect.cleandoc(command.help).split("\n\n")
        command.help = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
    for each in getattr(command, "commands", {}).values():
        _join_lines(each)
