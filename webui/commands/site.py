"""The site's process: `python -m webui.commands.site --host 127.0.0.1 --port 8000`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import socket
import sys
from dataclasses import replace
from importlib import import_module
from typing import Any

import uvicorn

from arena.host import tracing
from arena.host.loading import loading
from arena.host.metrics import serve_metrics
from arena.host.processor import SWITCH_S
from arena.host.sockets import Proxies, most_connections, raise_file_limit
from webui.commands.connections import ConnectionLimits, guarded

BACKLOG = 2048
KEEP_ALIVE_S = 5
SHUTDOWN_S = 3


class Server(uvicorn.Server):
    """uvicorn, accepting one connection in each iteration of the event loop.

    asyncio tries to accept as many connections as the backlog is long. When a process has no file descriptors left,
    each of these tries logs a traceback and schedules another series of tries a second later (CPython issue 151615).
    The site then does nothing else. With one try in an iteration, it tries once a second until there are descriptors
    again.
    """

    is_announced = False
    """Whether the server is a process of an arena: it is announced and measured."""
    _announcing: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, with a longer kernel queue than the backlog that asyncio was given."""
        await super().startup(sockets)
        gc.freeze()  # otherwise each collection of these objects takes as long as a page
        for server in self.servers:
            for listening in server.sockets:
                with socket.socket(fileno=os.dup(listening.fileno())) as ours:
                    ours.listen(BACKLOG)
        if self.is_announced:
            # Import this only now: the application has set up Django and logging.
            from webui.status.processes import announce_for_ever

            serve_metrics("site")
            tracing.start("site")
            self._announcing = asyncio.create_task(announce_for_ever("site"))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down gracefully."""
        if self._announcing is not None:
            self._announcing.cancel()
            await asyncio.wait([self._announcing])
        await super().shutdown(sockets)
        if self.is_announced:
            tracing.stop()


def config(
    host: str, port: int, proxies: Proxies, limits: ConnectionLimits | None = None, **more: Any
) -> uvicorn.Config:
    """Return the configuration of uvicorn. Only `proxies` may set the client's address and the scheme."""
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
    sys.setswitchinterval(SWITCH_S)
    server = Server(config(arguments.host, arguments.port, Proxies(settings.PROXIES), limits))
    server.is_announced = True
    with loading():
        server.config.load()
        import_module(settings.ROOT_URLCONF)  # loads every page and the API, so that the first visitor need not wait
    server.run()


if __name__ == "__main__":
    main()
