"""Secrets are found everywhere, and nothing else is taken for a secret."""

from __future__ import annotations

import logging
import secrets
import string
import subprocess
import sys
import time
from typing import Any

import pytest
import structlog
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from arena.host.logs import configure, logging_config
from arena.host.redaction import REDACTED, is_secret, redact, redact_event
from webui.accounts.values import new_token

SESSION_KEY = "q3w5e7r9t1y3u5i7o9p1a3s5d7f9g1h3"
BYTES = st.binary(min_size=16, max_size=32).filter(lambda value: repr(value).count("\\x") > 3)
WORDS = st.text(string.ascii_letters + " .,:;()[]{}'\"=/\\\n", max_size=40)


@given(WORDS, BYTES, WORDS)
def test_seeds_and_nonces_are_found_in_any_form(before: str, secret: bytes, after: str) -> None:
    for form in (secret.hex(), secret.hex().upper(), repr(secret)):
        assert form not in redact(f"{before} {form} {after}")


@given(WORDS, WORDS)
def test_tokens_are_found(before: str, after: str) -> None:
    token = new_token()
    assert token not in redact(f"{before} {token} {after}")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("connect to postgresql://arena:sirocco7dunes@db:5432/arena failed", "sirocco7dunes"),
        ("postgresql://arena:p@ss/word@db/arena", "p@ss/word"),
        ("redis://:sirocco@127.0.0.1:6379/0", "sirocco"),
        ("{'username': 'amira', 'password': 'two words'}", "two words"),
        ('{"password": "two words", "x": 1}', "two words"),
        ('"{\\"password\\": \\"sirocco\\"}"', "sirocco"),
        ("password=sirocco", "sirocco"),
        ("/reset/?token=abcdef&next=/", "abcdef"),
        ("Cookie: sessionid=abc; csrftoken=def", "def"),
        ("authorization: Bearer abc.def", "abc.def"),
        (f"session {SESSION_KEY} not found", SESSION_KEY),
        ("pbkdf2_sha256$870000$salt$c2lyb2Njbw==", "c2lyb2Njbw"),
    ],
)
def test_what_looks_like_a_secret_goes(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert REDACTED in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:8000/matches/9QXD3/",
        "unix:///work/var/redis.sock?db=0",
        'connection to server at "127.0.0.1", port 5432 failed: password authentication failed for user "arena"',
        "Forbidden (CSRF token missing.): /sign-in/",
        'File "/opt/arena/webui/accounts/tokens.py", line 12, in new_token',
        "gateway_listens gateway=gw-7495d75cf2773db5 port=50051 sessions=3",
        "the token naqala_Ab3_ of bot Greedy was revoked",
        "b'hello'",
        "7b0f4c0e-2f5c-4b53-9d2f-0c8e1b1f6a3d",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_the_secrets_of_the_environment_are_known_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://arena:haboob%2Fdune@db/arena")
    monkeypatch.setenv("ARENA_SECRET_KEY", "khamsin-wind")
    monkeypatch.setenv("ARENA_HOUSE_TOKENS", '{"greedy": "simoom-wind"}')
    assert redact("haboob/dune, haboob%2Fdune, khamsin-wind and simoom-wind") == (
        f"{REDACTED}, {REDACTED}, {REDACTED} and {REDACTED}"
    )
    monkeypatch.setenv("DATABASE_URL", "postgresql://arena:arena@db/arena")
    assert redact("the arena") == "the arena"
    monkeypatch.setenv("POSTGRES_PASSWORD", "postgres")
    assert redact("postgres is away, password=postgres") == f"postgres is away, password={REDACTED}"


@pytest.mark.parametrize(
    "key",
    ["password", "new_password1", "token", "bot_token", "server_seed", "seeds", "nonce", "session", "sessionid",
     "session_key", "Authorization", "HTTP_COOKIE", "csrfmiddlewaretoken", "ARENA_SECRET_KEY", "EMAIL_HOST_PASSWORD"],
)  # fmt: skip
def test_keys_of_secrets(key: str) -> None:
    assert is_secret(key)


@pytest.mark.parametrize("key", ["sessions", "match", "seat", "gateway", "why", "error", "keyboard", "tokenizer", 7])
def test_other_keys(key: object) -> None:
    assert not is_secret(key)


def test_secrets_go_at_any_depth() -> None:
    seed = secrets.token_bytes(32)
    event = redact_event(None, "", {"a": [{"seed": seed}, (seed.hex(), seed)], "b": {"c": f"is {new_token()}"}, "n": 3})
    assert event == {
        "a": [{"seed": REDACTED}, [REDACTED, "[32 bytes]"]], "b": {"c": f"is naqala_{REDACTED}"}, "n": 3,
    }  # fmt: skip


def test_keys_that_are_secrets_go() -> None:
    token, seed = new_token(), secrets.token_bytes(32)
    event = redact_event(None, "", {token: 1, "bots": {token: "Greedy", (seed.hex(), 2): {seed: 3}}, "n": {7: 1}})
    hidden = f"naqala_{REDACTED}"
    assert event == {hidden: 1, "bots": {hidden: "Greedy", (REDACTED, 2): {"[32 bytes]": 3}}, "n": {7: 1}}


@pytest.mark.parametrize("text", ["a" * 100_000, "password " * 20_000, "://" * 50_000, "b'" * 50_000, "\\x12" * 50_000])
def test_long_lines_cost_no_more_than_their_length(text: str) -> None:
    began = time.process_time()
    redact(text)
    assert time.process_time() - began < 5


class Showy:
    """An object whose `repr` shows a secret."""

    def __repr__(self) -> str:
        return f"<request sessionid={SESSION_KEY}>"


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_log_line_shows_no_secret(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    token, seed = new_token(), secrets.token_bytes(32)

    def fail(local: str) -> None:
        raise ValueError(f"{token} of {seed!r}")

    configure(logging_config(form, "INFO"))
    try:
        log: Any = structlog.get_logger("test")
        try:
            fail("-".join(("local", "value")))
        except ValueError:
            log.exception("broken", password="sirocco", request=Showy(), seed=seed)
            logging.getLogger("else").exception("broken %s", token, extra={"request": Showy(), "cookies": "x=sirocco"})
        logging.getLogger("else").warning("%d", token)
    finally:
        configure(settings.LOGGING)
    told = capsys.readouterr().err
    assert told.count("broken") >= 2 and "ValueError" in told and "could not be written" in told
    for secret in (token, seed.hex(), repr(seed), "sirocco", SESSION_KEY, "local-value"):
        assert secret not in told


@pytest.mark.parametrize(
    "code",
    [
        "raise ValueError(secret)",
        "import threading; threading.Thread(target=lambda: int(secret)).start()",
        "class A:\n    def __del__(self): raise ValueError(secret)\nA()",
        "async def run(): asyncio.get_running_loop().call_soon(int, secret); await asyncio.sleep(0)\n"
        "import asyncio; asyncio.run(run())",
    ],
)
def test_what_nobody_catches_shows_no_secret(code: str) -> None:
    token = new_token()
    before = (
        "import sys; from arena.host.logs import configure, logging_config;"
        "configure(logging_config('console', 'INFO')); secret = sys.argv[1]\n"
    )
    ended = subprocess.run([sys.executable, "-c", before + code, token], capture_output=True, text=True, check=False)
    assert "ValueError" in ended.stderr and f"naqala_{REDACTED}" in ended.stderr
    assert token not in ended.stderr


@pytest.mark.parametrize(
    "text",
    [
        "process p_naqala_Ab3dEf6hIj9kLmN",
        "xnaqala_Ab3dEf6hIj9kLmN",
        "naqala%5FAb3dEf6hIj9kLmN",
        "NAQALA_AB3DEF6HIJ9KLMN",
    ],
)
def test_a_token_is_found_whatever_it_is_glued_to(text: str) -> None:
    assert "3def6hij9klmn" not in redact(text).lower()


def test_the_id_of_a_trace_is_no_secret() -> None:
    """This holds only under its own name and in its own form: seeds are longer, and nonces have other names."""
    trace = "0e01eb23795319c062de3f17a6334103"
    assert redact_event(None, "", {"trace": trace, "match": "m1"}) == {"trace": trace, "match": "m1"}
    assert redact_event(None, "", {"trace": 2 * trace})["trace"] == REDACTED
    assert redact_event(None, "", {"epoch": trace, "other_trace": trace}) == {
        "epoch": REDACTED,
        "other_trace": REDACTED,
    }
    assert redact(f"match_claimed trace={trace} epoch=1") == f"match_claimed trace={trace} epoch=1"
    assert redact(f"trace={2 * trace} nonce={trace} {trace}") == f"trace={REDACTED} nonce={REDACTED} {REDACTED}"
