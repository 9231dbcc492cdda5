"""Where `arena up` puts its parts, when others are there before it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.kit.ports import ReservedPort
from webui.commands.services import parts
from webui.commands.services.parts import choose_addresses


@pytest.fixture
def usual_ports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two that nobody has, whatever runs on this machine."""
    monkeypatch.delenv("REDIS_URL", raising=False)
    with ReservedPort() as site, ReservedPort() as gateway:
        monkeypatch.setattr(parts, "SITE_PORT", site.number)
        monkeypatch.setattr(parts, "GATEWAY_PORT", gateway.number)
        yield


@pytest.mark.usefixtures("usual_ports")
def test_two_arenas_that_start_together_take_different_ports(tmp_path: Path) -> None:
    notes: list[str] = []
    first = choose_addresses(tmp_path, notes.append)
    assert (first.site_port, first.gateway_port, notes) == (parts.SITE_PORT, parts.GATEWAY_PORT, [])
    second = choose_addresses(tmp_path, notes.append)
    assert not {first.site_port, first.gateway_port} & {second.site_port, second.gateway_port}
    assert notes == [
        f"Port {first.site_port} is taken: the site is at port {second.site_port}.",
        f"Port {first.gateway_port} is taken: the gateway is at port {second.gateway_port}.",
    ]


@pytest.mark.usefixtures("usual_ports")
def test_a_port_is_free_again_when_its_arena_has_ended(tmp_path: Path) -> None:
    for claim in choose_addresses(tmp_path, pytest.fail).claims:
        claim.close()
    choose_addresses(tmp_path, pytest.fail)


@pytest.mark.usefixtures("usual_ports")
def test_a_port_that_somebody_else_listens_on_is_left_alone(tmp_path: Path) -> None:
    notes: list[str] = []
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", parts.SITE_PORT))
        other.listen()
        assert choose_addresses(tmp_path, notes.append).site_port != parts.SITE_PORT
    assert len(notes) == 1


@pytest.mark.usefixtures("usual_ports")
def test_the_socket_of_redis_is_in_the_directory_of_state(tmp_path: Path) -> None:
    assert choose_addresses(tmp_path, pytest.fail).redis_url == f"unix://{tmp_path}/redis.sock?db=0"


@pytest.mark.usefixtures("usual_ports")
@pytest.mark.parametrize("runtime", ["", "relative", "/run/user/long" * 9])
def test_the_socket_of_a_directory_with_a_long_name_is_in_a_private_one(
    runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    var = tmp_path / ("long" * 30)
    path = Path(choose_addresses(var, lambda _: None).redis_url.removeprefix("unix://").removesuffix("?db=0"))
    try:
        assert path.is_relative_to("/tmp") and len(str(path)) <= 100
        assert (path.parent.stat().st_mode & 0o777, path.parent.stat().st_uid) == (0o700, os.geteuid())
        assert choose_addresses(var, lambda _: None).redis_url == f"unix://{path}?db=0"
        path.parent.chmod(0o755)
        with pytest.raises(PermissionError, match="not a directory of this user alone"):
            choose_addresses(var, lambda _: None)
    finally:
        path.parent.rmdir()


@pytest.mark.usefixtures("usual_ports")
def test_a_runtime_directory_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with TemporaryDirectory(prefix="run-", dir="/tmp") as runtime:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        url = choose_addresses(tmp_path / ("long" * 30), lambda _: None).redis_url
        assert url.startswith(f"unix://{runtime}/naqala-arena-")


@pytest.mark.usefixtures("usual_ports")
def test_a_redis_of_ones_own_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere/3")
    assert choose_addresses(tmp_path, pytest.fail).redis_url == "redis://elsewhere/3"


@pytest.mark.usefixtures("usual_ports")
def test_a_port_is_ours_alone_before_and_after_our_server_listens_there(tmp_path: Path) -> None:
    addresses = choose_addresses(tmp_path, pytest.fail)
    for _ in range(2):  # the server, and the server started again
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", addresses.gateway_port))
        with socket.create_server(("127.0.0.1", addresses.gateway_port)) as server:
            socket.create_connection(server.getsockname(), 10).close()
