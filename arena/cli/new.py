"""`arena bot new`: a folder with a complete small bot to start from."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Final

import typer

from arena import starters
from arena.cli.api import NEAR_SITE, SiteAddress
from arena.cli.files import InputError, printable
from arena.cli.published import write_source
from arena.wire.sources import proto_files

KITS: Final = Path(next(iter(starters.__path__)))
LANGUAGES: Final = ("python", "typescript", "go", "rust", "java", "cpp", "ruby")
WITH_LIBRARY: Final = "python"
"""Language whose kit uses the arena's own library and needs no .proto files."""


def new(
    folder: Annotated[Path, typer.Argument(help="Folder to create.", show_default=False)],
    language: Annotated[
        str, typer.Option("--lang", "-l", metavar="LANG", help=f"The language: {', '.join(LANGUAGES)}.")
    ] = WITH_LIBRARY,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="BOT[@VERSION]",
            help="Published source to start from instead of a kit: a bot, a version of it, or the address of the page.",
        ),
    ] = "",
    site: SiteAddress = NEAR_SITE,
) -> None:
    """Make a folder with a complete small bot. Its README says how to build and start it.

    With --from, the folder has the files of a bot whose owner has published them. Its licence says what you may do.

    The bot can play at once, reconnects after a lost stream, and passes `arena doctor`. The protocol's .proto files are
    put beside it, and its own build generates code from them.
    """
    if source and language != WITH_LIBRARY:
        raise InputError("a published source has its own language: leave --lang out")
    if language not in LANGUAGES:
        raise InputError(f"there is no kit for {language!r}: choose one of {', '.join(LANGUAGES)}")
    if folder.exists() or folder.is_symlink():
        raise InputError(f"{folder} already exists: choose another folder")
    if not folder.parent.is_dir():
        raise InputError(f"there is no folder {folder.parent} to make {folder.name} in")
    if source:
        print(printable(write_source(folder, source, site)))
        return
    write_kit(folder, language)
    print(f"{folder} is a bot in {language}: {folder / 'README.md'} says how to build and start it")


def write_kit(folder: Path, language: str) -> None:
    """Write all files of a kit to a folder that does not exist yet: all of them, or none."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as unfinished:
        kit = Path(unfinished) / folder.name
        shutil.copytree(KITS / language, kit, ignore=shutil.ignore_patterns("__pycache__"))
        if language != WITH_LIBRARY:
            for path, text in proto_files().items():
                (kit / "proto" / path).parent.mkdir(parents=True, exist_ok=True)
                (kit / "proto" / path).write_text(text, encoding="utf-8")
        kit.rename(folder)
