"""Shares of the ladders: fresh accounts of one address have a few together."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

from tests.kit.ladder import Kit
from tests.ladder.online import Online, finish_or_abort, tables
from webui.accounts import actions as account_actions
from webui.accounts.models import User
from webui.accounts.values import Actor
from webui.pairing import matchmaking
from webui.pairing.shares import FRESH_S, SHARES_OF_ADDRESS, shared_owners

pytestmark = pytest.mark.django_db


def signed_up(name: str, address: str) -> int:
    return account_actions.create_user(name, None, by=Actor(None, address))


def test_fresh_accounts_of_an_address_have_a_few_shares_together() -> None:
    crowd = [signed_up(f"crowd{number}", "203.0.113.7") for number in range(12)]
    alone, here = signed_up("mira", "203.0.113.8"), [signed_up(f"local{number}", "127.0.0.1") for number in range(9)]
    made = [account_actions.create_user(f"made{number}", None) for number in range(9)]
    everybody = [*crowd, alone, *here, *made]
    shared = shared_owners(everybody)
    assert shared.keys() == set(crowd[SHARES_OF_ADDRESS:])
    assert Counter(shared.values()) == dict(zip(crowd[:SHARES_OF_ADDRESS], (2, 2, 1, 1, 1), strict=True))
    EmailAddress.objects.create(user_id=crowd[-1], email="c@example.org", primary=True, verified=True)
    EmailAddress.objects.create(user_id=crowd[-2], email="d@example.org", primary=True, verified=False)
    User.objects.filter(pk=crowd[0]).update(date_joined=timezone.now() - timedelta(seconds=FRESH_S + 60))
    assert shared_owners(everybody).keys() == set(crowd[SHARES_OF_ADDRESS + 1 : -1])


@pytest.mark.database_specific
def test_a_hundred_accounts_of_an_address_do_not_crowd_out_the_others(kit: Kit) -> None:
    honest = kit.versions(5)
    crowd = [kit.version(owner=signed_up(f"crowd{number}", "203.0.113.7")) for number in range(25)]
    online = [Online(version, player_counts=(2,)) for version in (*honest, *crowd)]
    seats: Counter[int] = Counter()
    for _ in range(20):
        for match_id in matchmaking.matchmake(online, 2):
            seats.update(tables([match_id])[0])
            finish_or_abort(kit, match_id, set())
    shares = sum(seats[version] for version in honest) / seats.total()
    assert shares >= 0.4, f"five owners of ten shares have {shares:.0%} of the seats"
