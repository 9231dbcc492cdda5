"""Spoiler protection. A page with `?spoilers=0` in its address reveals nothing that happens after its position."""

from django.http import HttpRequest
from django.utils.safestring import SafeString

from webui.matches.values import MatchLine


def hides_result(request: HttpRequest, line: MatchLine) -> bool:
    """Return whether the visitor wants to watch a finished match without seeing its result."""
    return line.state == "FINISHED" and request.GET.get("spoilers") == "0"


def keep_hiding(moves: SafeString) -> SafeString:
    """Return the move list with links that keep the result hidden."""
    return SafeString(moves.replace('href="?d=', 'href="?spoilers=0&amp;d='))
