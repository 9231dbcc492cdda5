"""The command `arena`."""

from arena.cli.app import app, main

__all__ = ["app", "main"]
