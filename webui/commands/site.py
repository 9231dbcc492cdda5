"""The site's process: `python -m webui.commands.site --host 127.0.0.1 --port 8000`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import socket
from dataclasses import replace
from importlib import import_module
from typing import Any

import uvicorn

from arena.host import tracing
from arena.host.loading import loading
from arena.host.metrics import serve_metrics
from arena.host.proxies import Proxies
from arena.host.sockets import most_connections, raise_file_limit
from webui.commands.connections import ConnectionLimits, guarded

BACKLOG = 2048
KEEP_ALIVE_S = 5
SHUTDOWN_S = 3


class Server(uvicorn.Server):
    """uvicorn that accepts one connection at each turn of its loop.

    asyncio tries as often as the backlog is long. Where a process is out of descriptors, each of these tries logs a
    traceback and schedules one more loop of tries a second later (CPython issue 151615): the site does nothing else
    any more. With one try a turn it looks once a second, until there are some.
    """

    is_announced = False
    """Whether it is a process of an arena, which says that it is there, and is measured."""
    _announcing: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, with a queue of the kernel that is longer than what asyncio was told."""
        await super().startup(sockets)
        gc.freeze()  # what was loaded stays: else each look for garbage among it takes as long as a page
        for server in self.servers:
            for listening in server.sockets:
                with socket.socket(fileno=os.dup(listening.fileno())) as ours:
                    ours.listen(BACKLOG)
        if self.is_announced:
            # Only now: the application has set Django up, and logging with it.
            from webui.status.processes import announce_for_ever

            serve_metrics("site")
            tracing.start("site")
            self._announcing = asyncio.create_task(announce_for_ever("site"))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Go down in good order."""
        if self._announcing is not None:
            self._announcing.cancel()
            await asyncio.wait([self._announcing])
        await super().shutdown(sockets)
        if self.is_announced:
            tracing.stop()


def config(
    host: str, port: int, proxies: Proxies, limits: ConnectionLimits | None = None, **more: Any
) -> uvicorn.Config:
    """How uvicorn serves the site. It believes these proxies alone who their client is, and which scheme it speaks."""
    return uvicorn.Config(
        "webui.asgi:application",
        host=host,
        port=port,
        http=guarded(limits or ConnectionLimits(), proxies),
        ws="none",
        backlog=1,  # see `Server`
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
        access_log=False,
        forwarded_allow_ips=[str(network) for network in proxies.networks],
        **more,
    )


def main() -> None:
    """Serve the site until SIGTERM."""
    parser = argparse.ArgumentParser("python -m webui.commands.site", description="Serves the site.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
    parser.add_argument("--port", type=int, default=8000, help="port to listen at (0: a free one)")
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
    from django.conf import settings

    limits = ConnectionLimits()
    limits = replace(limits, connections=most_connections(limits.connections, raise_file_limit()))
    server = Server(config(arguments.host, arguments.port, Proxies(settings.PROXIES), limits))
    server.is_announced = True
    with loading():
        server.config.load()
        import_module(settings.ROOT_URLCONF)  # every page and the API, for which the first visitor would have to wait
    server.run()


if __name__ == "__main__":
    main()
