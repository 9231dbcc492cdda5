"""Addresses of Sentinels: their parts, the form for kombu, and refusals without a password in the message."""

from __future__ import annotations

import pytest
from kombu.utils.url import parse_url

from arena.host.redis_address import SentinelAddress


def test_an_address_of_sentinels_is_read() -> None:
    address = SentinelAddress.parse("sentinel://:p%2Fx@one,two:7001,[::1]:7002/arena?db=2&sentinel_password=hush")
    assert address == SentinelAddress(
        (("one", 26379), ("two", 7001), ("::1", 7002)), "arena", 2, "", "p/x", "hush"
    )  # fmt: skip
    assert "p/x" not in repr(address) and "hush" not in repr(address)
    assert SentinelAddress.parse("sentinel://one/arena") == SentinelAddress((("one", 26379),), "arena")


def test_kombu_finds_every_sentinel_with_the_account_of_redis() -> None:
    url = SentinelAddress.parse("sentinel://site:p%2Fx@one,[::1]:7002/arena?db=2").broker_url()
    parts = [parse_url(part) for part in url.split(";")]
    assert [(part["hostname"], part["port"]) for part in parts] == [("one", 26379), ("::1", 7002)]
    for part in parts:
        assert (part["transport"], part["userid"], part["password"]) == ("sentinel", "site", "p/x")
        assert part["virtual_host"] == "2"


@pytest.mark.parametrize(
    "url",
    [
        "sentinel://:simoom7@one:26379",  # no master
        "sentinel://:simoom7@one:26379/a/b",
        "sentinel://:simoom7@one:x/arena",
        "sentinel://:simoom7@one,/arena",
        "sentinel://:simoom7/dunes@one/arena",
        "sentinel://:simoom7@one/arena?db=x",
        "sentinel://:simoom7@one/arena?db=-1",
        "sentinel://:simoom7@one/arena?what=1",
    ],
)
def test_what_is_none_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ValueError, match="not an address of Sentinels: write it as") as refused:
        SentinelAddress.parse(url)
    assert "simoom7" not in str(refused.value)
    assert refused.value.__cause__ is None
