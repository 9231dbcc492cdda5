"""The gateway process of a deployment: `python -m webui.commands.gateway --listen 127.0.0.1:50051`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
from dataclasses import replace
from pathlib import Path

import django

from arena.gateway.clock import ListeningLoop
from arena.gateway.limits import GatewayLimits
from arena.gateway.server import GatewayConfig, run
from arena.host.metrics import serve_metrics
from arena.host.proxies import Proxies
from arena.host.sockets import most_connections, raise_file_limit


def main() -> None:
    """Run one gateway until SIGTERM; it then shuts down within five seconds."""
    parser = argparse.ArgumentParser("python -m webui.commands.gateway", description="Holds the streams of the bots.")
    parser.add_argument("--listen", default="127.0.0.1:50051", help="address and port for bots (port 0: a free one)")
    parser.add_argument("--tls-cert", type=Path, help="certificate chain (PEM); without it bots talk in clear")
    parser.add_argument("--tls-key", type=Path, help="its private key (PEM)")
    arguments = parser.parse_args()
    if (arguments.tls_cert is None) != (arguments.tls_key is None):
        parser.error("--tls-cert and --tls-key go together: give both, or none")

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
    django.setup()
    # Only after that: what this imports has models.
    from django.conf import settings

    from webui.commands.identities import DatabaseIdentities

    limits = GatewayLimits()
    config = GatewayConfig(
        listen=arguments.listen,
        redis_url=settings.REDIS_URL,
        tls_cert=arguments.tls_cert,
        tls_key=arguments.tls_key,
        proxies=Proxies(settings.PROXIES),
        limits=replace(limits, max_connections=most_connections(limits.max_connections, raise_file_limit())),
    )
    serve_metrics()
    with asyncio.Runner(loop_factory=ListeningLoop) as runner:
        runner.run(run(config, DatabaseIdentities()))
    # Else the interpreter collects the garbage of all modules as it exits: three of the five seconds on a busy machine.
    gc.freeze()


if __name__ == "__main__":
    main()
