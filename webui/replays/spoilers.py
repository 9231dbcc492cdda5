"""Watching a match without its result: an address with `?spoilers=0` tells nothing of what comes after its position."""

from django.http import HttpRequest
from django.utils.safestring import SafeString

from webui.matches.values import MatchLine


def hides_result(request: HttpRequest, line: MatchLine) -> bool:
    """Whether whoever asks for a match that is over wants to watch it first."""
    return line.state == "FINISHED" and request.GET.get("spoilers") == "0"


def keep_hiding(moves: SafeString) -> SafeString:
    """A move list whose links keep the result hidden."""
    return SafeString(moves.replace('href="?d=', 'href="?spoilers=0&amp;d='))
