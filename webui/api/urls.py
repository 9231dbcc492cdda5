"""Addresses of the API, each with what `answering` does around it."""

from django.urls import URLPattern

from webui.api.answering import answered
from webui.api.api import api

app_name = "api"
urlpatterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern) and pattern.name != "api-root"]
for pattern in urlpatterns:
    pattern.callback = answered(pattern.callback)
