"""Absolute links: of pages, redirects and emails."""

from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpRequest
from django.utils.encoding import iri_to_uri

from webui.site.middleware import middleware_before


@middleware_before
def links_to_the_site(request: HttpRequest) -> None:
    """Absolute links lead to the site's own address (`settings.SITE_URL`), if it is known.

    Else they lead where the request says that it came from: a proxy that speaks HTTPS makes `http://` of that, and a
    client may make of it what it likes.
    """

    def build_absolute_uri(location: str | None = None) -> str:
        return urljoin(settings.SITE_URL + request.path, iri_to_uri(location or request.get_full_path()) or "")

    if settings.SITE_URL:
        request.build_absolute_uri = build_absolute_uri  # type: ignore[method-assign]
