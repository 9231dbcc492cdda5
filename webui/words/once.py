"""Cache translated texts by language."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from django.utils.translation import get_language

P = ParamSpec("P")
T = TypeVar("T")


def once_a_language(make: Callable[P, T]) -> Callable[P, T]:
    """Cache a function's latest 2,000 results, separately for each active language. The arguments must be hashable.

    Looking up translations is slow, and a replay shows the same texts at hundreds of plies.
    """

    @lru_cache(maxsize=2000)
    def kept(language: str | None, *args: P.args, **kwargs: P.kwargs) -> T:
        return make(*args, **kwargs)

    @wraps(make)
    def found(*args: P.args, **kwargs: P.kwargs) -> T:
        return kept(get_language(), *args, **kwargs)  # type: ignore[arg-type]  # all are hashable

    return found
