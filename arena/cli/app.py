"""The command `arena`: what it has, and how it fails."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from typer.exceptions import TyperException

from arena.cli.files import InputError, printable
from arena.cli.lazy import CommandTable, Lazy, LazyGroup
from arena.host.redaction import redact
from arena.host.tracebacks import catch_tracebacks

BAD_INPUT = 2
"""The exit code for input that cannot be used, and for what the arena refuses: a wrong token, too. 1 is for a check
that did not pass."""
WITHOUT_SOCKETS = ("event", "replay", "rules", "simulate")
"""A pipe that nobody reads any more ends these commands as it ends `cat`: quietly, by the signal. In commands with
sockets the signal would come for those as well."""


SIMULATIONS = CommandTable(
    {
        "simulate": Lazy(
            "arena.cli.simulate", "app", "What ratings and matchmaking are worth, and how strong the house players are."
        )
    },
    needs="scipy",
    extra="server",
)


class Commands(LazyGroup):
    """Every command. Their modules load rules, gRPC or Django: each only for itself."""

    table = CommandTable(
        {
            "bot": Lazy(
                "arena.cli.bot",
                "app",
                "Begin a bot, run it, release it, challenge others, or find out whether its new version is better.",
            ),
            "data": Lazy("arena.cli.data", "app", "Keep a copy of an arena's open data."),
            "debug": Lazy(
                "arena.cli.debug", "debug", "Put a bot before a decision of a match again, or play on from there."
            ),
            "diff": Lazy("arena.cli.diff", "diff", "Ask two bots the same positions: where they decide differently."),
            "doctor": Lazy("arena.cli.doctor", "doctor", "Examine a bot: what it does wrong, and what to do about it."),
            "event": Lazy("arena.cli.event", "app", "Prove tournaments and leagues."),
            "load": Lazy("arena.cli.load", "load", "Put an arena of your own under load: many bots, many matches."),
            "play": Lazy("arena.cli.play", "play", "Play games on this machine: bots in any language, house players."),
            "replay": Lazy("arena.cli.replay", "app", "Prove and read replays."),
            "rules": Lazy("arena.cli.rules", "app", "The rules of the game: positions, legal actions, counts."),
        }
    )

    def tables(self) -> tuple[CommandTable, ...]:
        """Those, what other packages add, and what needs more than the core install has."""
        return (*super().tables(), SIMULATIONS)


app = typer.Typer(
    cls=Commands,
    help="Naqala Arena: rules, bots and matches of Five Tribes. Every command explains itself with --help.",
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
            help="Print the version and stop.",
        ),
    ] = False,
) -> None:
    """Options of every command."""


NO_ARENA = "start the arena with `arena up`, or name its database in DATABASE_URL"


def main() -> None:
    """Run the command; input that cannot be used is one line on the error output and exit code 2."""
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
    rules = sys.modules.get("arena.rules")  # where they were not loaded, they have refused nothing
    return (rules is not None and isinstance(error, rules.RulesError)) or _is_of_database(error)


def _is_of_database(error: Exception) -> bool:
    """Whether a database is away, or has no tables."""
    database = sys.modules.get("django.db")
    return database is not None and isinstance(
        error, database.OperationalError | database.ProgrammingError | database.InterfaceError
    )


def _with_place(error: Exception) -> str:
    """What is wrong; where the rules forbid it, with the place where the rule stands."""
    message, rule = str(error), getattr(error, "rule", "")
    if not rule:
        return message
    from arena.rules.citations import places

    return message.replace(f"{rule})", f"{rule}: {places(rule)})")


def fail(message: str) -> None:
    """Say what is wrong in one line and leave; a command without its arguments has shown its help and says no more."""
    if message:
        print(f"arena: {printable(redact(message))}", file=sys.stderr)
    sys.exit(BAD_INPUT)
