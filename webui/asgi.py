"""The ASGI application: `uvicorn webui.asgi:application`."""

import os
import re
import warnings
from contextlib import AsyncExitStack
from typing import Any, Final

import django
from django.core.handlers.asgi import ASGIHandler

from webui.site.visitors import HELD

LIVE: Final = re.compile(r"/(matches|events)/[^/]+/live|/events/[^/]+/event\.jsonl\.zst")
"""The path of a stream (`webui.site.urls`): of a live page, or of an event with all its replays."""


class SiteHandler(ASGIHandler):
    """Django's handler, except that for the streams of live pages

    - it keeps no thread for each of them: their readers stay, and share one;
    - what the view puts on the stack under `HELD` is released when the request is over. The generator of a stream
      cannot do that: after a reader has left in the middle of an event it is closed by the garbage collector, some day.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if not (scope["type"] == "http" and LIVE.fullmatch(scope["path"])):
            return await super().__call__(scope, receive, send)
        async with AsyncExitStack() as held:
            await self.handle({**scope, HELD: held}, receive, send)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
# WhiteNoise hands out files by plain iterators. They are small, and the pages' own streams are asynchronous.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

django.setup(set_prefix=False)
application = SiteHandler()
