"""The gateway process of a deployment: `python -m webui.commands.gateway --listen 127.0.0.1:50051`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import django

from arena.gateway.clock import ListeningLoop
from arena.gateway.limits import GatewayLimits
from arena.gateway.server import GatewayConfig, run
from arena.gateway.tls import Certificate
from arena.host import tracing
from arena.host.loading import loading
from arena.host.metrics import serve_metrics
from arena.host.sockets import Proxies, is_loopback, most_connections, raise_file_limit


def transport_security(listen: str) -> Certificate | None:
    """Return the certificate of ARENA_TLS_CERT and ARENA_TLS_KEY. None: bots may connect without TLS.

    Connections without TLS are allowed on this machine. Elsewhere they are allowed only if ARENA_CLEAR_TEXT says that
    something else protects the port. Raise `ValueError` if tokens would otherwise cross a network unencrypted. Raise
    `OSError` if the files are not a certificate.
    """
    chain, key = os.environ.get("ARENA_TLS_CERT"), os.environ.get("ARENA_TLS_KEY")
    if chain and key:
        try:
            return Certificate(Path(chain), Path(key))
        except OSError as error:
            raise OSError(f"ARENA_TLS_CERT ({chain}) and ARENA_TLS_KEY ({key}): {error}") from error
    if chain or key:
        raise ValueError("ARENA_TLS_CERT and ARENA_TLS_KEY go together: set both, or none")
    if not is_of_this_machine(listen) and os.environ.get("ARENA_CLEAR_TEXT") != "1":
        raise ValueError(
            f"{listen} is open to other machines, and without TLS tokens would go there in clear: set ARENA_TLS_CERT"
            " and ARENA_TLS_KEY, listen at 127.0.0.1, or set ARENA_CLEAR_TEXT=1 if nobody but a TLS proxy gets there"
        )
    return None


def is_of_this_machine(listen: str) -> bool:
    """Return whether only processes of this machine can connect to an address (`host:port`, `[host]:port` or
    `unix:path`).
    """
    if listen.startswith("unix:"):
        return True
    return is_loopback(listen.rpartition(":")[0])


async def _announced(running: Coroutine[Any, Any, None]) -> None:
    """Run the gateway, and announce it as a process of the arena."""
    from webui.status.processes import announce_for_ever

    announcing = asyncio.create_task(announce_for_ever("gateway"))
    try:
        await running
    finally:
        announcing.cancel()
        await asyncio.wait([announcing])


def main() -> None:
    """Run one gateway until SIGTERM. It then shuts down within five seconds."""
    parser = argparse.ArgumentParser("python -m webui.commands.gateway", description="Holds the streams of the bots.")
    parser.add_argument("--listen", default="127.0.0.1:50051", help="address and port for bots (port 0: a free one)")
    arguments = parser.parse_args()
    try:
        certificate = transport_security(arguments.listen)
    except (OSError, ValueError) as error:
        parser.error(str(error))

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
    with loading():
        django.setup()
        # Import this only after Django is set up, because it imports models.
        from django.conf import settings

        from webui.commands.hosting import DatabaseHosting
        from webui.commands.identities import DatabaseIdentities
        from webui.commands.people import DatabasePeople

    limits = GatewayLimits()
    config = GatewayConfig(
        listen=arguments.listen,
        redis_url=settings.REDIS_URL,
        certificate=certificate,
        proxies=Proxies(settings.PROXIES),
        limits=replace(limits, max_connections=most_connections(limits.max_connections, raise_file_limit())),
    )
    serve_metrics("gateway")
    tracing.start("gateway")
    with asyncio.Runner(loop_factory=ListeningLoop) as runner:
        runner.run(_announced(run(config, DatabaseIdentities(), DatabaseHosting(), DatabasePeople())))
    tracing.stop()
    # Otherwise the interpreter collects the garbage of all modules at exit. On a busy machine that takes three of the
    # five seconds.
    gc.freeze()


if __name__ == "__main__":
    main()
