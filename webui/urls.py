"""All addresses: the API, and the pages of `webui.site`."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView


def former_file(request: HttpRequest, edition: str, name: str) -> HttpResponse:
    """Redirect a page that was loaded before a deployment and requests a file by its former address."""
    if f"/static/{edition}/" == settings.STATIC_URL:
        raise Http404("there is no such file")
    return redirect(static(name))


urlpatterns = [
    # Pages name their icon. Browsers request this address for everything else, such as a file or an answer of the API.
    path("favicon.ico", RedirectView.as_view(url=static("site/mark.svg"))),
    path("static/<slug:edition>/<path:name>", former_file),
    path("api/v1/", include("webui.site.api.urls")),
    path("", include("webui.site.urls")),
]
handler400 = "webui.site.api.failures.bad_request"
handler403 = "webui.site.api.failures.permission_denied"
handler404 = "webui.site.api.failures.page_not_found"
handler500 = "webui.site.api.failures.server_error"
handler503 = "webui.site.api.failures.busy"
