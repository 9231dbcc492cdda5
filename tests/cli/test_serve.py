"""`arena rules serve`: whole games by requests, and requests that cannot be answered."""

from __future__ import annotations

import io
import json
import subprocess
from random import Random
from typing import Any

import pytest

from arena.cli.files import MAX_DOCUMENT
from arena.cli.serve import answers
from arena.rules import Ruleset, Stream, format_position, parse_position, parse_view, score, settle, start, view
from tests.kit.command import ARENA

SEED = "0f" * 32
START = format_position(start(Ruleset(2), bytes.fromhex(SEED)))


def ask(*requests: Any) -> list[Any]:
    """Return the answers to requests; a text is sent unchanged."""
    lines = (request if isinstance(request, str) else json.dumps(request) for request in requests)
    return [json.loads(line) for line in answers(io.StringIO("\n".join(lines)))]


def test_a_process_answers_one_request_after_the_other() -> None:
    with subprocess.Popen(
        [*ARENA, "rules", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as serve:
        assert serve.stdin is not None and serve.stdout is not None
        for number in range(3):
            serve.stdin.write(json.dumps({"id": number, "do": "legal", "position": START}) + "\n")
            serve.stdin.flush()
            answer = json.loads(serve.stdout.readline())
            assert (answer["id"], answer["legal"][:2], answer["over"]) == (number, ["bid 1", "bid 2"], False)
        serve.stdin.close()
        assert serve.wait(60) == 0


def test_a_game_with_both_expansions_goes_as_in_the_rules_core() -> None:
    rng, expansions = Random(13), ["whims", "artisans"]
    (begun,) = ask({"do": "new", "players": 5, "expansions": expansions, "seed": SEED})
    state = start(Ruleset(5, ("artisans", "whims")), bytes.fromhex(SEED))
    assert begun["position"] == format_position(state)
    while not state.is_over:
        position = format_position(state)
        (allowed,) = ask({"do": "legal", "position": position})
        assert allowed == {"legal": [action.text for action in state.legal], "due": None, "over": False}
        text, seed = rng.choice(allowed["legal"]), rng.randbytes(32)
        state = settle(state.play(state.parse(text)), Stream(seed))
        (after,) = ask({"do": "apply", "position": position, "actions": [text], "seed": seed.hex()})
        assert after == {"position": format_position(state)}
    last = format_position(state)
    said, points = ask({"do": "legal", "position": last}, {"do": "score", "position": last})
    assert said == {"legal": [], "due": None, "over": True}
    assert points["scores"] == [score(state, seat) for seat in range(1, 6)]


def test_what_is_determinized_fits_the_view() -> None:
    (seen,) = ask({"do": "view", "position": START, "seat": 2})
    assert seen["view"] == view(parse_position(START), 2).document
    (drawn,) = ask({"do": "determinize", "view": seen["view"], "seed": SEED})
    assert view(parse_position(drawn["position"]), 2) == parse_view(seen["view"])


def test_chance_is_given_or_drawn() -> None:
    moved = {"do": "apply", "position": START, "actions": ["bid 1", "bid 2", "bid 3", "bid 4"]}
    (after,) = ask(moved)
    assert after["position"]["phase"] == "move"
    bid, none = ask({**moved, "actions": ["bid 1"]}, {**moved, "actions": []})
    assert bid["position"] != START and none["position"] == START


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        ("[", "BAD_REQUEST", "Expecting value"),
        ("[" * 100, "BAD_REQUEST", ""),
        ("{}", "BAD_REQUEST", "'do' must be one of new, legal, apply, view, determinize, score"),
        ('{"do": "new", "do": "new"}', "BAD_REQUEST", "occurs twice"),
        ("7", "BAD_REQUEST", "a request must be an object"),
        ({"do": ["new"]}, "BAD_REQUEST", "'do' must be one of"),
        ({"do": "new", "players": 2}, "BAD_REQUEST", "'seed' must be a text"),
        ({"do": "new", "players": 2, "seed": "0f"}, "BAD_REQUEST", "64 hex digits"),
        ({"do": "new", "players": "2", "seed": SEED}, "BAD_REQUEST", "'players' must be a number"),
        ({"do": "new", "players": 5, "seed": SEED}, "NO_SUCH_RULESET", "five players need"),
        ({"do": "new", "players": 2, "seed": SEED, "expansions": "whims"}, "BAD_REQUEST", "a list of names"),
        ({"do": "new", "players": 2, "seed": SEED, "expansions": ["whim"]}, "BAD_REQUEST", "no expansion 'whim'"),
        ({"do": "legal"}, "BAD_POSITION", "JSON object"),
        ({"do": "apply", "position": START, "actions": "bid 1"}, "BAD_REQUEST", "a list of actions"),
        ({"do": "apply", "position": START, "actions": ["bid 1"] * 1001}, "BAD_REQUEST", "at most 1000"),
        ({"do": "apply", "position": START, "actions": ["bid 12"]}, "NO_SUCH_SPOT", "the entry spots"),
        ({"do": "apply", "position": START, "actions": ["take A1"]}, "WRONG_PHASE", ""),
        ({"do": "view", "position": START, "seat": 3}, "NO_SUCH_SEAT", "seats are 1 to 2"),
        ({"do": "view", "position": START, "seat": True}, "BAD_REQUEST", "'seat' must be a number"),
        ({"do": "determinize", "seed": SEED}, "BAD_POSITION", "a view must be a JSON object"),
        ({"do": "determinize", "view": START, "seed": "x"}, "BAD_REQUEST", ""),
    ],
)
def test_what_cannot_be_answered(request_: Any, code: str, words: str) -> None:
    failed, answered = ask(request_, {"id": 2, "do": "legal", "position": START})
    assert failed["error"]["code"] == code, failed
    assert words in failed["error"]["message"]
    assert answered["id"] == 2 and answered["legal"]  # the conversation continues


def test_a_line_that_is_too_long_ends_the_conversation() -> None:
    (answer,) = ask('"' + "x" * MAX_DOCUMENT, {"do": "legal", "position": START})
    assert answer["error"]["code"] == "BAD_REQUEST"
