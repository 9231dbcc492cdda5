"""Who visits the site, as far as limits are concerned."""

from django.http import HttpRequest

from arena.host.sockets import is_shared, network_of


def address_of(request: HttpRequest) -> str:
    """The address that a visitor counts for, an IPv6 one by its /64; empty where any number of visitors may share it.

    The server puts the address that a trusted proxy forwards (FORWARDED_ALLOW_IPS) in the place of the proxy's own.
    """
    host: str = request.META.get("REMOTE_ADDR") or ""
    return "" if is_shared(host) else network_of(host)
