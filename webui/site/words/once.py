"""What is made of words, made once for each language."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from django.utils.translation import get_language

P = ParamSpec("P")
T = TypeVar("T")


def once_a_language(make: Callable[P, T]) -> Callable[P, T]:
    """Keep the latest 2,000 results of a function of the active language and of arguments that can be hashed: a replay
    shows the same things at hundreds of plies, and looking up words takes long."""

    @lru_cache(maxsize=2000)
    def kept(language: str | None, *args: P.args, **kwargs: P.kwargs) -> T:
        return make(*args, **kwargs)

    @wraps(make)
    def found(*args: P.args, **kwargs: P.kwargs) -> T:
        return kept(get_language(), *args, **kwargs)  # type: ignore[arg-type]  # all can be hashed

    return found
