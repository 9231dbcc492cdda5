"""A group of commands whose modules are loaded when a command is called; the list of commands loads none of them.

Other packages add commands to `arena` by entry points of the group `arena.commands`, which name a `CommandTable`.
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
    """Location of a command, and its line in the list of commands."""

    module: str
    attribute: str
    help: str


@dataclass(frozen=True)
class CommandTable:
    """A set of related commands: name to location."""

    commands: Mapping[str, Lazy]
    needs: tuple[str, ...] = ()
    """Packages that the commands need; empty if the core install is enough."""
    extra: str = ""
    """The extra of naqala-arena that installs these packages."""

    @property
    def is_installed(self) -> bool:
        """Whether the commands can work here."""
        return all(find_spec(package) is not None for package in self.needs)


@cache
def added_tables() -> tuple[CommandTable, ...]:
    """Return the tables of all entry points."""
    return tuple(entry.load() for entry in sorted(entry_points(group="arena.commands"), key=lambda entry: entry.name))


class LazyGroup(TyperGroup):
    """A group with its own commands and those of its tables."""

    table: CommandTable

    def tables(self) -> tuple[CommandTable, ...]:
        """Return all tables, the group's own first."""
        return (self.table,)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of the tables, without commands whose extra is not installed."""
        listed = (name for table in self.tables() if table.is_installed for name in table.commands)
        return [*super().list_commands(ctx), *listed]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a stub with the command's name and help line, which is enough for the list."""
        if (table := self._table_of(cmd_name)) is not None:
            return TyperCommand(cmd_name, help=table.commands[cmd_name].help)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the called command, loaded. Raises `InputError` if its extra is not installed."""
        name, command, rest = super().resolve_command(ctx, args)
        if name and (table := self._table_of(name)) is not None:
            if not table.is_installed:
                how = f"in a clone of the arena's repository, run pip install '.[{table.extra}]'"
                raise InputError(f"`arena {name}` needs the server's parts: {how}")
            command = load(name, table.commands[name])
        return name, command, rest

    def _table_of(self, name: str) -> CommandTable | None:
        return next((table for table in self.tables() if name in table.commands), None)


def load(name: str, lazy: Lazy) -> Any:
    """Return the real command: a group for a Typer application, a command for a function."""
    with loading():
        target = getattr(import_module(lazy.module), lazy.attribute)
    if isinstance(target, typer.Typer):
        command: Any = typer.main.get_group(target)
    else:
        single = typer.Typer(add_completion=False)
        single.command(name)(target)
        command = typer.main.get_command(single)
    command.name = name
    _join_lines(command)
    return command


def _join_lines(command: Any) -> None:
    """Join the lines of every help paragraph, so that the terminal's width breaks them and not the source's."""
    if command.help:
        paragraphs = inspect.cleandoc(command.help).split("\n\n")
        command.help = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
    for each in getattr(command, "commands", {}).values():
        _join_lines(each)
