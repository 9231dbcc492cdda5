"""Token buckets and ping samples, with the time as an argument."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bus import WireReason
from arena.gateway import errors
from arena.gateway.connections import Connection, network_of_client, parse_peer, to_close
from arena.gateway.hellos import HelloLimiter
from arena.gateway.limits import SECOND, GatewayLimits, Pings
from arena.host.limiters import Bucket, Slots
from arena.host.sockets import Proxies

MS = SECOND // 1000
NONE = Proxies()


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    bucket = Bucket(3, 2, now=0)
    assert [bucket.take(1, 0) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(1, SECOND) for _ in range(3)] == [True, True, False]
    assert [bucket.take(1, 100 * SECOND) for _ in range(4)] == [True, True, True, False]


def test_debt_is_bounded() -> None:
    bucket = Bucket(3, 1, now=0)
    bucket.take(1000, 0)
    assert not bucket.take(1, 3 * SECOND)
    assert bucket.take(1, 4 * SECOND)


def test_addresses_do_not_pay_for_each_other() -> None:
    limiter = HelloLimiter(GatewayLimits(hello_burst=5, hello_per_second=0))
    for _ in range(3):
        assert limiter.may_try("a", 0)
    limiter.charge("a", HelloLimiter.FAILED_COST, 0)
    assert not limiter.may_try("a", 0)
    assert limiter.may_try("b", 0)


def test_hellos_that_are_checked_at_the_same_time_are_all_charged() -> None:
    limiter = HelloLimiter(GatewayLimits(hello_burst=5, hello_per_second=1))
    assert all(limiter.may_try("a", 0) for _ in range(10))
    for _ in range(10):
        limiter.charge("a", HelloLimiter.COST, 0)
    assert not limiter.may_try("a", 5 * SECOND), "five of the ten are a debt"
    assert limiter.may_try("a", 6 * SECOND)


def test_only_so_many_addresses_are_remembered() -> None:
    limiter = HelloLimiter(GatewayLimits(hello_burst=1, hello_per_second=0))
    for number in range(HelloLimiter.PAYERS + 5):
        assert limiter.may_try(str(number), 0)
    assert len(limiter._buckets) == HelloLimiter.PAYERS


def test_the_port_is_no_part_of_an_address() -> None:
    assert parse_peer("ipv4:10.0.0.1:55123") == ("10.0.0.1", 55123)
    assert parse_peer("unix:/run/arena") == ("unix:/run/arena", 0)


def test_an_ipv6_address_counts_by_what_one_customer_has() -> None:
    for peer in ("ipv6:%5B2001:db8:1:2:3::4%5D:55123", "ipv6:%5B2001:db8:1:2:5::6%5D:7"):
        assert network_of_client(cast(Any, Call(peer)), Proxies()) == "2001:db8:1:2::/64"
    assert parse_peer("ipv6:%5B::ffff:10.0.0.1%5D:7") == parse_peer("ipv4:10.0.0.1:7")


def test_neighbours_with_the_same_port_are_two_peers() -> None:
    assert parse_peer("ipv6:%5B2001:db8:1:2:3::4%5D:7") == ("2001:db8:1:2:3::4", 7)
    assert parse_peer("ipv6:%5B2001:db8:1:2:5:0::6%5D:7") == ("2001:db8:1:2:5::6", 7)


class Call:
    """The part of a context that identifies the caller."""

    def __init__(self, peer: str, *forwarded: str) -> None:
        self._peer = peer
        self._metadata = [("x-forwarded-for", value) for value in forwarded]

    def peer(self) -> str:
        return self._peer

    def invocation_metadata(self) -> list[tuple[str, str]]:
        return self._metadata


@pytest.mark.parametrize(
    ("call", "client"),
    [
        (Call("ipv4:10.0.0.9:7", "2001:db8::7"), "2001:db8::/64"),
        (Call("ipv4:10.0.0.9:7", "1.1.1.1, 8.8.8.8"), "8.8.8.8"),
        (Call("ipv4:10.0.0.9:7", "1.1.1.1", "8.8.8.8:443, 10.0.0.8"), "8.8.8.8"),
        (Call("ipv4:10.0.0.9:7", "1.1.1.1, [2001:db8::7]:443"), "2001:db8::/64"),
        (Call("ipv4:10.0.0.9:7", "1.1.1.1, nobody"), "10.0.0.9"),
        (Call("ipv4:10.0.0.9:7"), "10.0.0.9"),
        (Call("ipv4:8.8.8.8:7", "1.1.1.1"), "8.8.8.8"),
        (Call("ipv6:%5B::ffff:10.0.0.9%5D:7", "8.8.8.8"), "8.8.8.8"),
    ],
)
def test_a_client_is_who_a_proxy_says_and_nobody_else(call: Any, client: str) -> None:
    assert network_of_client(call, Proxies(["10.0.0.0/28"])) == client


@pytest.mark.parametrize("text", ["0", "*", "10.0.0.1/8", "proxy.example.org", ""])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an address or network of a proxy"):
        Proxies([text])


def unused(address: str, *since: int) -> list[Connection]:
    return [Connection((address, number), 0, number, number) for number in since]


def test_of_too_many_unused_connections_the_oldest_are_closed() -> None:
    limits = GatewayLimits(max_unused_connections=5, max_unused_connections_per_address=3, unused_connection_s=20)
    attacker, other = unused("a", 1, 2, 3, 4, 5), unused("b", 0, 6)
    assert to_close([*attacker, *other], limits, 10, NONE) == [attacker[1], attacker[0]]
    third = unused("c", 7)
    assert other[0] in to_close([*attacker, *other, *third], limits, 10, NONE), (
        "the oldest, where there are too many in all"
    )
    playing = [Connection(("a", number), 0, number, None) for number in range(10)]
    assert to_close(playing, limits, 10, NONE) == []


def test_unused_connections_of_one_customer_count_together() -> None:
    limits = GatewayLimits(max_unused_connections_per_address=1)
    neighbours = [*unused("2001:db8::1", 1), *unused("2001:db8::2", 2)]
    assert to_close(neighbours, limits, 10, NONE) == neighbours[:1]
    assert to_close(neighbours, limits, 10, Proxies(["2001:db8::/32"])) == [], "a proxy has many clients"


def test_an_unused_connection_is_closed_after_a_while() -> None:
    limits = GatewayLimits(unused_connection_s=20)
    (connection,) = unused("a", 0)
    assert to_close([connection], limits, 20 * SECOND, NONE) == []
    assert to_close([connection], limits, 20 * SECOND + 1, NONE) == [connection]


def test_what_has_been_done_is_charged_even_in_debt() -> None:
    bucket = Bucket(3, 1, now=0)
    bucket.charge(4, now=0)
    assert bucket.left == -1
    bucket.charge(1, now=0)
    assert bucket.left == -2
    bucket.charge(9, now=0)
    assert bucket.left == -3, "a debt is at most one burst"
    assert not bucket.take(1, now=3 * SECOND) and bucket.take(1, now=4 * SECOND)


def test_slots_are_counted_by_address_and_in_all() -> None:
    slots = Slots(in_all=3, per_address=2)
    with slots.take("a") as first, slots.take("a") as second, slots.take("a") as third, slots.take("b") as other:
        assert (first, second, third, other) == (True, True, False, True)
        with slots.take("c") as late:
            assert not late
    with slots.take("a") as again:
        assert again


def ping(pings: Pings, written: int, round_trip: int) -> None:
    number = pings.next_id()
    pings.was_written(number, written)
    assert pings.was_answered(number, written + round_trip)


def test_before_the_first_pong_everything_is_charged() -> None:
    assert Pings().network(now=5) == 0


def test_the_network_is_at_most_250_ms() -> None:
    pings = Pings()
    ping(pings, 0, 900 * MS)
    assert pings.network(SECOND) == 250 * MS


def test_a_pong_nobody_asked_for_is_no_news() -> None:
    pings = Pings()
    assert not pings.was_answered(1, 5)
    number = pings.next_id()
    pings.was_written(number, 0)
    assert pings.was_answered(number, 5)
    assert not pings.was_answered(number, 6)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 200)), min_size=1, max_size=40))
def test_the_least_of_the_last_minute_counts(steps: list[tuple[int, int]]) -> None:
    pings, now, samples = Pings(), 0, []
    for seconds, milliseconds in steps:
        now += seconds * SECOND
        ping(pings, now, milliseconds * MS)
        samples.append((now + milliseconds * MS, milliseconds * MS))
        now += milliseconds * MS
        recent = [round_trip for at, round_trip in samples if at >= now - Pings.WINDOW]
        assert pings.network(now) == min(recent)


def test_workers_hear_every_reason_for_which_a_stream_ends() -> None:
    for refusal in (errors.BAD_TOKEN, errors.GOING_DOWN, errors.SILENT, errors.SLOW_READER, errors.TAKEN_OVER,
                    errors.TOO_MANY_MESSAGES, errors.too_large(2, 1)):  # fmt: skip
        assert WireReason(refusal.reason) == refusal.reason
