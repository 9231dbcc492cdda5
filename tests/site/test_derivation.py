"""What the browser computes to verify a match, against the rules core: SHA-256, seeds, draws, all set-ups."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from arena.rules import Ruleset, Stream, format_position, match_seed, start_with_stream
from tests.site.chromium import chromium, in_chromium

pytestmark = in_chromium

SCRIPTS = Path(__file__).resolve().parents[2] / "webui" / "site" / "static" / "site"
RULESETS = [
    Ruleset(players, expansions)
    for players, expansions in itertools.product((2, 3, 4, 5), ((), ("artisans",), ("whims",), ("artisans", "whims")))
    if players < 5 or expansions
]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing to say."""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """A page beside the scripts, on plain http. No Django, no database."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SCRIPTS)))
    Thread(target=server.serve_forever, daemon=True).start()
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/verify/")
        yield page
    server.shutdown()
    server.server_close()


def test_the_browsers_sha256_is_sha256(page: Any) -> None:
    messages = [bytes(range(256))[:size] for size in (*range(130), 250)]
    found = page.evaluate(
        """async messages => {
          const { sha256, fromHex, toHex } = await import("/verify/sha256.js");
          return messages.map(message => toHex(sha256(fromHex(message))));
        }""",
        [message.hex() for message in messages],
    )
    assert found == [sha256(message).hexdigest() for message in messages]


@pytest.mark.slow
def test_every_ruleset_is_set_up_as_the_rules_core_does(page: Any) -> None:
    draw = random.Random(9)
    games = [
        (ruleset, draw.randbytes(32), draw.randbytes(32) if with_deal else None)
        for ruleset in RULESETS
        for with_deal in (False, True)
        for _ in range(12)
    ]
    found = page.evaluate(
        """async games => {
          const { setUp } = await import("/verify/setup.js");
          const { fromHex } = await import("/verify/sha256.js");
          return games.map(([players, expansions, seed, deal]) => {
            const { position, stream } = setUp(players, expansions, fromHex(seed), deal && fromHex(deal));
            return [position, stream.at];
          });
        }""",
        [[ruleset.players, list(ruleset.expansions), seed.hex(), deal and deal.hex()] for ruleset, seed, deal in games],
    )
    for (ruleset, seed, deal), (position, at) in zip(games, found, strict=True):
        state, stream = start_with_stream(ruleset, seed, deal)
        assert position == format_position(state), (ruleset, seed.hex(), deal)
        assert at == stream.at, "later chance would begin elsewhere"


def test_seeds_and_later_draws_come_out_the_same(page: Any) -> None:
    seed, nonces = bytes(range(32)), [b"", b"\x01" * 16, b"\xff" * 32]
    stream = Stream(seed)
    made, shuffled, numbers = page.evaluate(
        """async ([seed, nonces]) => {
          const { Stream, matchSeed } = await import("/verify/chance.js");
          const { fromHex, toHex } = await import("/verify/sha256.js");
          const stream = new Stream(fromHex(seed));
          const made = toHex(matchSeed(fromHex(seed), nonces.map(fromHex)));
          const numbers = Array.from({ length: 300 }, (_, i) => stream.below(2 ** 31 + 1 + i));
          return [made, stream.shuffle(["a", "b", "c", "d", "e"]), numbers];
        }""",
        [seed.hex(), [nonce.hex() for nonce in nonces]],
    )
    assert made == match_seed(seed, nonces).hex()
    assert numbers == [stream.below(2**31 + 1 + i) for i in range(300)]  # nearly every second word is rejected
    assert shuffled == stream.shuffle("abcde")
