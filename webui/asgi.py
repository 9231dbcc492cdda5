"""The ASGI application: `uvicorn webui.asgi:application`."""

import os
import re
import warnings
from typing import Any, Final

import django
from django.core.handlers.asgi import ASGIHandler

LIVE: Final = re.compile(r"/matches/[^/]+/live")
"""The path of a live page's stream (`webui.site.urls`)."""


class SiteHandler(ASGIHandler):
    """Django's handler, without the thread that it keeps for each request until its response is sent: the readers of
    live matches stay, and share one."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] == "http" and LIVE.fullmatch(scope["path"]):
            await self.handle(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
# WhiteNoise hands out files by plain iterators. They are small, and the pages' own streams are asynchronous.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

django.setup(set_prefix=False)
application = SiteHandler()
