"""A group of commands whose modules are loaded when one of them is called: the list of commands needs none of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup


class Lazy(NamedTuple):
    """Where a command is, and what the list of commands says of it."""

    module: str
    attribute: str
    help: str


class LazyGroup(TyperGroup):
    """A group with commands of its own and those of `commands_elsewhere`."""

    commands_elsewhere: ClassVar[dict[str, Lazy]]

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the table."""
        return [*super().list_commands(ctx), *self.commands_elsewhere]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """What the list needs of a command: its name and one line."""
        if cmd_name in self.commands_elsewhere:
            return TyperCommand(cmd_name, help=self.commands_elsewhere[cmd_name].help)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called, loaded."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in self.commands_elsewhere:
            command = load(name, self.commands_elsewhere[name])
        return name, command, rest


def load(name: str, lazy: Lazy) -> Any:
    """The real command: a Typer application becomes a group, a function a command."""
    found = getattr(import_module(lazy.module), lazy.attribute)
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        single = typer.Typer(add_completion=False)
        single.command(name)(found)
        command = typer.main.get_command(single)
    command.name = name
    return command
