"""A true replay is proved. A replay with any change is refused at the first part that is untrue."""

from __future__ import annotations

import copy
from hashlib import sha256
from typing import Any

import pytest

from arena.rules import Divergence, Game, ReplayError, Ruleset, commitment, match_seed, replay_document, verify_replay
from tests.kit.games import random_game, seed_of

SERVER_SEED, NONCES = seed_of("server"), [b"", b"one", bytes(32)]
SEATS = [{"name": name, "version": "1"} for name in ("a", "b", "c")]


@pytest.fixture(scope="module")
def match() -> dict[str, Any]:
    """Return a match with a server seed, nonces and a deal."""
    game = random_game(3, match_seed(SERVER_SEED, NONCES), seed_of("deal"))
    verdict = {"kind": "completed", "placements": list(game.state.outcome.ranks), "forfeits": []}
    return replay_document(
        game,
        match="m",
        seats=SEATS,
        server_seed=SERVER_SEED,
        nonces=NONCES,
        verdict=verdict,
        clock={"bank_ms": 1},
        policy="p",
    )


def test_seed_and_commitment_by_hand(match: dict[str, Any]) -> None:
    seed = sha256(SERVER_SEED + b"\x00" + b"\x03one" + b"\x20" + bytes(32)).digest()
    assert match["seed"] == seed.hex() == match_seed(SERVER_SEED, NONCES).hex()
    assert match["commitment"] == sha256(SERVER_SEED + seed_of("deal")).hexdigest()
    assert commitment(b"\1" * 32) == sha256(b"\1" * 32).digest()


def test_a_true_match_is_proved(match: dict[str, Any]) -> None:
    verify_replay(match)


def other_hex(text: str) -> str:
    return ("0" if text[0] != "0" else "1") + text[1:]


@pytest.mark.parametrize("key", ["seed", "server_seed", "deal", "commitment"])
def test_a_changed_secret_is_refused(match: dict[str, Any], key: str) -> None:
    with pytest.raises(Divergence) as caught:
        verify_replay({**match, key: other_hex(match[key])})
    assert caught.value.index == -1 and caught.value.code in ("SEED", "COMMITMENT")


def test_a_changed_nonce_is_refused(match: dict[str, Any]) -> None:
    with pytest.raises(Divergence, match="the server seed and the nonces"):
        verify_replay({**match, "nonces": ["00", *match["nonces"][1:]]})


def test_a_changed_setup_is_refused(match: dict[str, Any]) -> None:
    changed = copy.deepcopy(match)
    changed["setup"]["seats"][0]["gold"] = 51
    with pytest.raises(Divergence, match="set-up"):
        verify_replay(changed)


def test_an_illegal_event_is_refused_with_the_position_and_the_legal_list(match: dict[str, Any]) -> None:
    game = Game(Ruleset(3), bytes.fromhex(match["seed"]), bytes.fromhex(match["deal"]))
    index = next(index for index, event in enumerate(match["events"]) if event[1].startswith("drop"))
    for seat, text, *_ in match["events"][:index]:
        if seat:
            game.play(text)
    changed = copy.deepcopy(match)
    changed["events"][index][1] = "end"
    with pytest.raises(Divergence) as caught:
        verify_replay(changed)
    assert caught.value.index == index and caught.value.code == "WRONG_PHASE"
    assert caught.value.legal == tuple(action.text for action in game.state.legal)
    assert caught.value.position is not None and caught.value.position["phase"] == "sow"


def test_an_event_of_another_seat_is_refused(match: dict[str, Any]) -> None:
    changed = copy.deepcopy(match)
    changed["events"][0][0] = changed["events"][0][0] % 3 + 1
    with pytest.raises(Divergence) as caught:
        verify_replay(changed)
    assert (caught.value.index, caught.value.code) == (0, "WRONG_SEAT")


def test_a_changed_result_is_refused(match: dict[str, Any]) -> None:
    changed = copy.deepcopy(match)
    changed["result"]["scores"][0]["total"] += 1
    with pytest.raises(Divergence, match="result"):
        verify_replay(changed)


def test_a_cut_match_is_refused_unless_it_was_forfeited(match: dict[str, Any]) -> None:
    cut = {**match, "events": match["events"][:40], "result": None}
    with pytest.raises(Divergence) as caught:
        verify_replay(cut)
    assert (caught.value.index, caught.value.code) == (40, "TRUNCATED")
    forfeits = [{"seat": 1, "at": 12, "reason": "LATE"}, {"seat": 2, "at": 40, "reason": "GONE"}]
    verify_replay({**cut, "verdict": {"kind": "forfeit", "placements": [3, 2, 1], "forfeits": forfeits}})


def games_with_chance() -> dict[str, Any]:
    """Return a replay with chance events after the set-up."""
    for number in range(200):
        game = random_game(4, seed_of("chance", number))
        if any(event.seat == 0 for event in game.events):
            return replay_document(game, match="m", seats=[*SEATS, SEATS[0]])
    raise AssertionError("no chance in 200 games")


def test_changed_or_missing_chance_is_refused() -> None:
    replay = games_with_chance()
    index = next(index for index, event in enumerate(replay["events"]) if event[0] == 0)
    words = replay["events"][index][1].split()
    turned = [*words[:2], *reversed(words[2:])] if words[0] == "!shuffle" else [words[0], words[1][::-1]]
    changed = copy.deepcopy(replay)
    changed["events"][index][1] = " ".join(turned)
    if changed["events"] != replay["events"]:
        with pytest.raises(Divergence) as caught:
            verify_replay(changed)
        assert (caught.value.index, caught.value.code) == (index, "CHANCE")
    missing = copy.deepcopy(replay)
    del missing["events"][index]
    with pytest.raises(Divergence) as caught:
        verify_replay(missing)
    assert caught.value.index == index


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"format": "naqala/replay/2"}, "BAD_REPLAY"),
        ({"rules": "naqala-rules/9"}, "OTHER_RULES"),
        ({"ruleset": {"players": 6, "expansions": []}}, "NO_SUCH_RULESET"),
        ({"ruleset": {"players": 5, "expansions": []}}, "NO_SUCH_RULESET"),
        ({"ruleset": {"players": 3, "expansions": ["whims", "artisans"]}}, "NO_SUCH_RULESET"),
        ({"seed": "00"}, "BAD_REPLAY"),
        ({"events": [["1", "end"]]}, "BAD_REPLAY"),
        ({"nonces": None}, "BAD_REPLAY"),
    ],
)
def test_what_is_no_replay_is_refused_as_such(match: dict[str, Any], change: dict[str, Any], code: str) -> None:
    with pytest.raises(ReplayError) as caught:
        verify_replay({**match, **change})
    assert caught.value.code == code and not isinstance(caught.value, Divergence)


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ([[1, "bid 1"], [1, "bid 2"]], "event 0 is of seat 1"),
        ([[2, "bid 9"]], "event 0: spot 9 cannot be entered"),
        ([[2, "bit 1"]], "event 0: 'bit 1' is not an action"),
        ([[0, "!bag w"]], "but a decision of seat 2 is due"),
    ],
)
def test_a_log_that_does_not_fit_its_game_is_refused(log: list[list[Any]], message: str) -> None:
    setup = Game(Ruleset(3), bytes(32)).setup
    assert setup.to_act == 2
    with pytest.raises(ReplayError, match=message):
        Game.resume(Ruleset(3), bytes(32), None, log)
