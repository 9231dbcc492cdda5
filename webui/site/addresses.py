"""Where bots dial in."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

GATEWAY_PORT = 50051
"""Where bots dial in unless an operator chose otherwise."""


def gateway_address(request: HttpRequest) -> str:
    """`host:port` of the gateway: as an operator has said, else the site's own host."""
    host = urlsplit(f"//{request.get_host()}").hostname
    return settings.GATEWAY_ADDRESS or f"{host}:{GATEWAY_PORT}"
