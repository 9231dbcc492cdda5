"""All addresses: the admin, and the pages of `webui.site`."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

# One way in for everybody, with the same limits on guessing.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("admin/", admin.site.urls),
    # Our pages name their icon; the admin's do not, and browsers then ask here.
    path("favicon.ico", RedirectView.as_view(url=static("site/mark.svg"))),
    path("", include("webui.site.urls")),
]
