"""The share of rated matches that an account has.

Every owner has the same number of turns on the ladders (`arena.scheduling`). Accounts cost nothing, so a person could
have a hundred of them and a hundred shares. While an account is fresh and its email address is not confirmed, it
therefore counts by the network address that it was made from. All such accounts of one address have a few shares
together. A class behind one address still plays among itself, since its accounts are spread over these shares.
"""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final

from allauth.account.models import EmailAddress

from arena.host.sockets import is_of_this_machine, parse_address
from arena.scheduling import Candidate
from webui.accounts.models import AuditEntry, User
from webui.accounts.values import Act
from webui.core.dbtime import before_now

FRESH_S: Final = timedelta(days=30).total_seconds()
"""Seconds for which an account without a confirmed email address counts by its network address."""
EARLIEST_TURN: Final = 4
"""One turn in this many of a queue goes to whoever has waited longest in it, whatever the shares."""
SHARES_OF_ADDRESS: Final = 5
"""Number of shares of all such accounts of one address together."""


def shared_owners(owners: Collection[int]) -> dict[int, int]:
    """Return the owners that have no share of their own, each with the owner whose share they use.

    Owners that share are among `owners`. Accounts that were made from nowhere, as by the operator, have their own
    share.
    """
    fresh = User.objects.filter(pk__in=owners, date_joined__gt=before_now(FRESH_S), is_staff=False).exclude(
        pk__in=EmailAddress.objects.filter(primary=True, verified=True).values("user")
    )
    made = AuditEntry.objects.filter(act=Act.ACCOUNT_MADE, account__in=fresh).exclude(address="")
    by_address: dict[str, list[int]] = {}
    for owner, address in made.order_by("account").values_list("account", "address"):
        if _says_where(address):
            by_address.setdefault(address, []).append(owner)
    return {
        owner: group[place % SHARES_OF_ADDRESS]
        for group in by_address.values()
        for place, owner in enumerate(group)
        if place >= SHARES_OF_ADDRESS
    }


def with_shares(candidates: Collection[Candidate], shares: Mapping[int, int]) -> list[Candidate]:
    """Return the candidates with the owner whose share they use."""
    return [replace(candidate, owner=shares.get(candidate.owner, candidate.owner)) for candidate in candidates]


def is_turn_of_earliest() -> bool:
    """Draw whether the next turn of a queue goes to whoever has waited longest, as one in `EARLIEST_TURN` does.

    It is drawn and not counted: those who wait may come and go between two turns, and the count with them.
    """
    return secrets.randbelow(EARLIEST_TURN) == 0


def _says_where(address: str) -> bool:
    """Return whether an address distinguishes visitors. The loopback address does not: it may be a proxy's."""
    return parse_address(address.partition("/")[0]) is not None and not is_of_this_machine(address)
