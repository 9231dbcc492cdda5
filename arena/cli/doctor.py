"""`arena doctor`: find a bot's errors and say what to do about them."""

from __future__ import annotations

import asyncio
import difflib
import shlex
import shutil
import signal
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.files import InputError, print_json, printable
from arena.cli.progress import progress
from arena.doctor import (
    CHECKS,
    GROUPS,
    CheckFinding,
    CheckOutcome,
    DoctorCheck,
    diagnose,
    is_python,
    python_file,
    select,
    starter,
)

SICK = 1
"""Exit code: a check has failed."""
MOST_NAMES = 40
"""Maximum number of names listed for one reason to skip; beyond it only their number is shown."""
NAME_A_BOT = "name a bot: a Python file, or a command that starts one"


def doctor(
    bot: Annotated[
        list[str] | None,
        typer.Argument(
            help="Python file of a bot (file.py:Class if several), or any command that starts one: -- ruby bot.rb",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Run only this check and those that it needs; may be repeated."),
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="Print the names of all checks and what each one tests.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check a bot on this machine, before it plays in an arena: what it does wrong, and what to do about it.

    The bot is started as usual, with a small local arena in ARENA_SERVER and ARENA_TOKEN. The local arena plays
    scripted situations with it: each phase, Djinn, item and whim that the bot announces, lost streams, slow networks,
    several matches, messages from the future.

    Exit code: 0 every check passed or does not apply to this bot, 1 one failed, 2 unusable input, such as a Python file
    with a syntax error.
    """
    if listing:
        _print_list(json)
        return
    if not bot:
        raise InputError(NAME_A_BOT)
    words, checks = bot_words(bot), _chosen(only)
    try:
        findings = asyncio.run(_examine(words, checks))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    if json:
        print_json(document(findings))
    else:
        print_findings(findings)
    if any(finding.outcome is CheckOutcome.FAILED for finding in findings):
        raise typer.Exit(SICK)


async def _examine(words: Sequence[str], checks: Sequence[DoctorCheck]) -> list[CheckFinding]:
    # As asyncio does for Ctrl-C: the bot is stopped, and no exception is raised inside gRPC's own code.
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    findings = []
    with progress(len(checks), "Checking") as advance:
        async for finding in diagnose(starter(words), checks):
            findings.append(finding)
            advance()
    return findings


def bot_words(bot: Sequence[str]) -> list[str]:
    """Return the command that starts the bot: a Python file, or a command, which may be one argument."""
    if len(bot) == 1 and is_python(bot[0]):
        if python_file(bot[0]).is_file():
            _check_syntax(python_file(bot[0]))
            return [bot[0]]
        if " " not in bot[0]:
            raise InputError(f"there is no file {python_file(bot[0])}")
    try:
        words = list(bot) if len(bot) > 1 else shlex.split(bot[0])
    except ValueError as error:
        raise InputError(f"{bot[0]!r} is not a command: {error}") from None
    if not words:
        raise InputError(NAME_A_BOT)
    if shutil.which(words[0]) is None:
        raise InputError(f"there is no command {words[0]!r}")
    return words


def _check_syntax(file: Path) -> None:
    """Raise `InputError` if a file is not valid Python. Nothing in it is run here."""
    try:
        compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{file} cannot be loaded: {type(error).__name__}: {error}") from None


def _chosen(only: Sequence[str] | None) -> list[DoctorCheck]:
    """Return the named checks and those that they need; all checks if there is no name."""
    names = {check.name for check in CHECKS}
    for name in only or ():
        if name not in names:
            near = difflib.get_close_matches(name, names, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "see arena doctor --list"
            raise InputError(f"there is no check {name!r}: {hint}")
    return select(only) if only else CHECKS


def document(findings: Sequence[CheckFinding]) -> dict[str, Any]:
    """Return the findings as JSON."""
    return {
        "format": "naqala/doctor/1",
        **{outcome: sum(finding.outcome is outcome for finding in findings) for outcome in CheckOutcome},
        "checks": [finding.document() for finding in findings],
    }


def _print_list(json: bool) -> None:
    if json:
        print_json(
            [
                {"check": check.name, "group": group, "what": check.what, "advice": check.advice}
                for group, checks in GROUPS.items()
                for check in checks
            ]
        )
        return
    for group, checks in GROUPS.items():
        print(f"{group}")
        for check in checks:
            print(f"  {check.name}: {check.what}")


def print_findings(findings: Sequence[CheckFinding]) -> None:
    """Print what is wrong with a bot, what was skipped, and how many checks it passed."""
    skipped: dict[str, list[str]] = defaultdict(list)
    for finding in findings:
        if finding.outcome is CheckOutcome.SKIPPED:
            skipped[finding.sentence].append(finding.check.name)
        elif finding.outcome is CheckOutcome.FAILED:
            print(printable(f"FAILED {finding.check.name}: {finding.sentence}."))
            print(f"  The check: {finding.check.what}")
            print(f"  What to do: {finding.check.advice}")
            for line in finding.output:
                print(printable(f"  | {line}"))
    for why, names in skipped.items():
        print(printable(f"skipped, {why}: {', '.join(names) if len(names) <= MOST_NAMES else f'{len(names)} checks'}"))
    counts = {outcome: sum(finding.outcome is outcome for finding in findings) for outcome in CheckOutcome}
    print(f"{len(findings)} checks: {', '.join(f'{count} {outcome}' for outcome, count in counts.items() if count)}")
