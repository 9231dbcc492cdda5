"""The bot in a Python file: its class and its version."""

import ast
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from hashlib import sha256
from inspect import getsourcefile
from pathlib import Path
from types import ModuleType

from arena.bots.bot import Bot, check_bot
from arena.wire.versions import LIBRARY_VERSION

INSTALLED = {"site-packages", "dist-packages"}
"""Folders where packages are installed. The files beside a bot's file there belong to others."""


class NotLoaded(Exception):
    """Raised when a file has no bot that can play; the message says why."""


def load_bot(reference: str) -> type[Bot]:
    """Return the bot class of `file.py` or `file.py:Class`.

    Raises `NotLoaded` if there is no such class, or several without a name, or one that cannot play.
    """
    file, _, wanted = reference.partition(":") if ".py:" in reference else (reference, "", "")
    module = _load(Path(file))
    classes = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    }
    if wanted:
        if wanted not in classes:
            raise NotLoaded(f"{file} has no bot {wanted}; it has {', '.join(classes) or 'none'}")
        return _checked(classes[wanted])
    if len(classes) != 1:
        several = f"several bots ({', '.join(classes)}): name one as {file}:{next(iter(classes), '')}"
        raise NotLoaded(f"{file} has {several if classes else 'no bot'}; a bot is a class derived from arena.bots.Bot")
    return _checked(next(iter(classes.values())))


def _checked(bot: type[Bot]) -> type[Bot]:
    try:
        check_bot(bot)
    except ValueError as error:
        raise NotLoaded(str(error)) from None
    return bot


def _load(path: Path) -> ModuleType:
    if not path.is_file():
        raise NotLoaded(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"bot_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise NotLoaded(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # needed by dataclasses, pickling and source look-up inside the file
    sys.path.insert(0, str(path.parent.resolve()))  # as for a script: a bot may import files beside it
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001 - raised by the author's code; the traceback leaves out our frames
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != spec.origin:
            trace = trace.tb_next
        traceback.print_exception(error.with_traceback(trace))
        raise NotLoaded(f"{path} cannot be loaded: {type(error).__name__}") from None
    return module


def version_of(bot: type[Bot]) -> str:
    """Return the version to say hello with.

    A bot that names none has a hash of its source file and its helpers. Helpers are the files that these import from
    the same package, or from the same folder if there is no package. Imports are read from the text, so the version
    does not depend on what the process has loaded so far. It is "0" if the source file cannot be read.
    """
    if bot.version:
        return bot.version
    source = getsourcefile(bot)
    main = Path(source).resolve() if source else None
    text = _content(main) if main else None
    if main is None or text is None:
        return "0"
    own = root = main.parent
    while _content(root / "__init__.py") is not None:
        own, root = root, root.parent
    digest = sha256(text)
    if own.name not in INSTALLED:
        helpers = _helpers(main, text, own, root)
        for name, content in sorted((path.relative_to(own).as_posix(), helpers[path]) for path in helpers):
            digest.update(f"\0{name}\0".encode() + content)
    return digest.hexdigest()[:LIBRARY_VERSION]


def _helpers(main: Path, text: bytes, own: Path, root: Path) -> dict[Path, bytes]:
    """Return the files in the folder `own` that a bot's file imports, directly or through others, with their content.

    Absolute imports start beside the bot's file or in `root`.
    """
    found, left = {main: text}, [main]
    while left:
        source = left.pop()
        for folder, name in _imports(source, found[source]):
            for start in {main.parent, root} if folder is None else {folder}:
                for path in _files(start, name):
                    if path in found or not path.is_relative_to(own) or (content := _content(path)) is None:
                        continue
                    found[path] = content
                    left.append(path)
    del found[main]
    return found


def _imports(source: Path, text: bytes) -> Iterator[tuple[Path | None, str]]:
    """Yield what a file imports: the folder where a relative import starts, or None, and a dotted name.

    The last part of the name can be a module or something in one.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # not a file that this version of Python loads
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((None, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level <= len(source.parents):
            folder = source.parents[node.level - 1] if node.level else None
            yield from ((folder, f"{node.module or ''}.{alias.name}".strip(".")) for alias in node.names)


def _files(folder: Path, name: str) -> Iterator[Path]:
    """Yield the files in a folder that an import of a dotted name would load: packages and modules, if they exist."""
    parts = name.split(".")
    if parts[0] == "arena":  # the library has a version of its own
        return
    for length in range(1, len(parts) + 1):
        path = folder.joinpath(*parts[:length])
        yield from (path.with_name(f"{path.name}.py"), path / "__init__.py")


def _content(path: Path) -> bytes | None:
    """Return what is in a file, or None if there is none that can be read."""
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None
