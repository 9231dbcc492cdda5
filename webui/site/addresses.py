"""The address of the gateway, for pages that name it."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

GATEWAY_PORT = 50051
"""The gateway's port unless the operator chose another."""


def gateway_address(request: HttpRequest) -> str:
    """`host:port` of the gateway: from the setting `GATEWAY_ADDRESS`, else the host of the site."""
    host = urlsplit(request.build_absolute_uri("/")).hostname
    return settings.GATEWAY_ADDRESS or f"{host}:{GATEWAY_PORT}"
