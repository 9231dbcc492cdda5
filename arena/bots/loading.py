"""Loading of the bot in a Python file."""

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from arena.bots.bot import Bot, check_bot


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
