"""The command `arena`: its subcommands and its error handling."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from typer.exceptions import TyperException

from arena.cli.files import InputError, printable
from arena.cli.lazy import CommandTable, Lazy, LazyGroup, added_tables
from arena.host.redaction import catch_tracebacks, redact

BAD_INPUT = 2
"""Exit code for unusable input and for refusals of the arena, such as a wrong token. 1 is for a failed check."""
WITHOUT_SOCKETS = ("event", "replay", "rules", "simulate")
"""Commands that a closed pipe ends quietly by SIGPIPE, as it ends `cat`.

In commands with sockets the signal would also come for the sockets.
"""


SIMULATIONS = CommandTable(
    {"simulate": Lazy("arena.cli.simulate", "app", "Simulate ratings and matchmaking, and compare the house players.")},
    needs=("numpy", "scipy"),
    extra="server",
)


class Commands(LazyGroup):
    """All subcommands. Their modules load rules, gRPC or Django only when they are called."""

    table = CommandTable(
        {
            "bot": Lazy(
                "arena.cli.bot",
                "app",
                "Create a bot, run it, release it, challenge others, or compare two versions.",
            ),
            "data": Lazy("arena.cli.data", "app", "Keep a copy of an arena's open data."),
            "debug": Lazy(
                "arena.cli.debug", "debug", "Replay a decision of a match for a bot, or continue the game from there."
            ),
            "diff": Lazy(
                "arena.cli.diff", "diff", "Ask two bots the same positions, and list where they decide differently."
            ),
            "doctor": Lazy("arena.cli.doctor", "doctor", "Check a bot: what it does wrong, and what to do about it."),
            "event": Lazy("arena.cli.event", "app", "Prove tournaments and leagues."),
            "load": Lazy("arena.cli.load", "load", "Put your own arena under load: many bots, many matches."),
            "play": Lazy("arena.cli.play", "play", "Play games on this machine: bots in any language, house players."),
            "replay": Lazy("arena.cli.replay", "app", "Prove and read replays."),
            "rules": Lazy("arena.cli.rules", "app", "The rules of the game: positions, legal actions, counts."),
        }
    )

    def tables(self) -> tuple[CommandTable, ...]:
        """Return the table of this class, those of other packages, and the commands that need an extra."""
        return (*super().tables(), *added_tables(), SIMULATIONS)


app = typer.Typer(
    cls=Commands,
    help="Naqala Arena: rules, bots and matches of Five Tribes. Use --help with any command.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from arena.rules import RULES

        typer.echo(f"naqala-arena {version('naqala-arena')}, rules {RULES}")
        raise typer.Exit


@app.callback()
def options(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Accept the options of every command."""


NO_ARENA = "start the arena with `arena up`, or name its database in DATABASE_URL"


def main() -> None:
    """Run the command. Unusable input gives one line on the error output and exit code 2."""
    catch_tracebacks()
    try:
        with _closed_pipes_end_it():
            sys.exit(app(standalone_mode=False))
    except typer.Abort:
        sys.exit(1)
    except Exception as error:
        if not _is_bad_input(error):
            raise
        message = error.format_message() if isinstance(error, TyperException) else _with_place(error)
        if _is_of_database(error):
            message = f"the database cannot be used: {' '.join(message.split())}; {NO_ARENA}"
        fail(message.removeprefix("Invalid value: "))


@contextmanager
def _closed_pipes_end_it() -> Iterator[None]:
    if not {*sys.argv[1:2]} & {*WITHOUT_SOCKETS, "--help"}:
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        yield
    finally:
        sys.stdout.flush()
        signal.signal(signal.SIGPIPE, before)


def _is_bad_input(error: Exception) -> bool:
    if isinstance(error, InputError | TyperException | OSError):
        return True
    rules = sys.modules.get("arena.rules")  # rules that were not loaded have refused nothing
    return (rules is not None and isinstance(error, rules.RulesError)) or _is_of_database(error)


def _is_of_database(error: Exception) -> bool:
    """Return whether a database is unreachable or has no tables."""
    database = sys.modules.get("django.db")
    return database is not None and isinstance(
        error, database.OperationalError | database.ProgrammingError | database.InterfaceError
    )


def _with_place(error: Exception) -> str:
    """Return the error's message. If it cites a rule, add where that rule is written."""
    message, rule = str(error), getattr(error, "rule", "")
    if not rule:
        return message
    from arena.rules.citations import places

    return message.replace(f"{rule})", f"{rule}: {places(rule)})")


def fail(message: str) -> None:
    """Print an error in one line and exit.

    A command without its arguments has printed its help, so its message is empty and nothing is added.
    """
    if message:
        print(f"arena: {printable(redact(message))}", file=sys.stderr)
    sys.exit(BAD_INPUT)
