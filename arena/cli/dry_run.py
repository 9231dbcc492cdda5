"""`arena bot submit --dry-run`: everything that an arena would do with a submission, on this machine."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from arena.cli.doctor import SICK, print_findings
from arena.cli.files import InputError, printable
from arena.cli.play_series import image_of, sandbox_folder
from arena.cli.progress import progress
from arena.doctor import CheckOutcome
from arena.sandbox.running import SandboxStartFailure

if TYPE_CHECKING:
    from arena.doctor import CheckFinding
    from arena.local.sandboxed import HostedImage


def dry_run(source: Path) -> None:
    """Pack a bot, build it, start it in the sandbox, and run the doctor's essential checks.

    Exits with code 1 if a check fails. Raises `InputError` for everything else that an arena would refuse.
    """
    with ExitStack() as stack:
        image = image_of(source, sandbox_folder(stack) / "bot")
        print(printable(f"{image.source.sizes()}, SHA-256 {image.source.sha256}"))
        if image.source.weights is not None:
            print(printable(f"weights: {image.source.weights.sizes()}, SHA-256 {image.source.weights.sha256}"))
        for path in image.source.left_out:
            print(printable(f"left out, as no part of the bot: {path}"))
        if image.image is not image.source:
            print(printable(f"built: {image.image.sizes()}"))
        try:
            findings = asyncio.run(_examined(image))
        except SandboxStartFailure as error:
            raise InputError(f"the machine makes no sandbox: {error}") from None
    print_findings(findings)
    if any(finding.outcome is CheckOutcome.FAILED for finding in findings):
        raise typer.Exit(SICK)
    print("The arena would take it: hand it in without --dry-run.", file=sys.stderr)


async def _examined(image: HostedImage) -> list[CheckFinding]:
    from arena.doctor.sandboxed import essential_checks, examine_image

    findings = []
    with progress(len(essential_checks()), "Checking") as advance:
        async for finding in examine_image(image.files, image.command, image.memory_bytes):
            findings.append(finding)
            advance()
    return findings
