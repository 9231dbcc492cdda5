"""Who visits the site, as far as limits are concerned."""

from django.http import HttpRequest

from arena.host.sockets import network_of


def address_of(request: HttpRequest) -> str:
    """The address that a visitor counts for, an IPv6 one by its /64.

    The server has put the address that a proxy of `settings.PROXIES` names in the place of the proxy's own.
    """
    return network_of(request.META.get("REMOTE_ADDR") or "")
