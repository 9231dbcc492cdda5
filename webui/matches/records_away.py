"""The page for a record that its store cannot deliver now. It says when to try again."""

import structlog
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from webui.core.errors import RecordAway
from webui.core.pages import PageContext, render_page

AGAIN_S = 60

log = structlog.get_logger(__name__)


class RecordsAway(MiddlewareMixin):
    """Middleware that answers 503 when a view needs a record that cannot be reached."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the page if the view raised `RecordAway`; otherwise return None."""
        if not isinstance(exception, RecordAway):
            return None
        log.warning("record_away", error=str(exception))
        response = render_page(request, PageContext(template="matches/record_away.html", here="matches"), 503)
        response["Retry-After"], response["Cache-Control"] = f"{AGAIN_S}", "no-store"
        return response
