"""Addresses of the API. Each view is wrapped by `answering`."""

import re
from functools import partial

from django.urls import URLPattern

from webui.api import ROOT
from webui.api.answering import answered
from webui.site.api.api import api

app_name = "api"
urlpatterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern) and pattern.name != "api-root"]
for pattern in urlpatterns:
    template = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
    pattern.callback = answered(pattern.callback, partial(api.operations, f"/{ROOT.strip('/')}/{template}"))
