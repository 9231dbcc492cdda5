"""The slow engine against recorded games of another implementation."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.kit.slow import GivenChance, SlowGame, apply, legal, new_position, result, sowings

VECTORS = Path(__file__).parent.parent / "golden" / "vectors"
SEED = bytes(32)
GAMES = {
    "base-2p-00": (2, ()),
    "base-3p-00": (3, ()),
    "base-4p-00": (4, ()),
    "whims-3p-00": (3, ("whims",)),
    "whims-5p-00": (5, ("whims",)),
    "artisans-2p-00": (2, ("artisans",)),
    "artisans+whims-5p-00": (5, ("artisans", "whims")),
}


def choice(seed: bytes, decision: int, size: int) -> int:
    digest = hashlib.sha256(seed + b"play" + decision.to_bytes(8, "big")).digest()
    return int.from_bytes(digest[:8], "big") % size


@pytest.mark.parametrize("name", GAMES)
def test_every_decision_of_a_vector_is_found_again(name: str) -> None:
    players, expansions = GAMES[name]
    replay = json.loads((VECTORS / f"{name}.json").read_text())
    expected = (VECTORS / f"{name}.legal.txt").read_text().splitlines()
    assert replay["ruleset"] == {"players": players, "expansions": list(expansions)}
    game = SlowGame(players, SEED, expansions=expansions)
    assert game.position == replay["setup"]
    found: list[str] = []
    while game.position["phase"] != "over":
        actions = legal(game.position)
        digest = hashlib.sha256("\n".join(actions).encode()).hexdigest()[:16]
        found.append(f"{len(found)} {game.position['to_act']} {game.position['phase']} {len(actions)} {digest}")
        assert found == expected[: len(found)], actions
        game.play(actions[choice(SEED, len(found) - 1, len(actions))])
    assert found == expected
    assert [list(event) for event in game.events] == replay["events"]
    assert result(game.position) == replay["result"]


@pytest.mark.parametrize("name", GAMES)
def test_a_vector_plays_from_its_events_alone(name: str) -> None:
    replay = json.loads((VECTORS / f"{name}.json").read_text())
    position, events = replay["setup"], replay["events"]
    for i, (seat, text) in enumerate(events):
        if seat == 0:
            continue
        following = []
        for other, event in events[i + 1 :]:
            if other != 0:
                break
            following.append(event)
        assert position["to_act"] == seat
        chance = GivenChance(following)
        position, happened = apply(position, text, chance)
        chance.finish()
        assert happened == following
    assert result(position) == replay["result"]


def sections() -> dict[str, list[str]]:
    """Return the sections of the file of sowings by their headings."""
    text = (VECTORS / "sowings-round-1.txt").read_text()
    return {lines[0]: lines[1:] for lines in map(str.splitlines, text.split("# ")[1:])}


@pytest.mark.parametrize("heading", sections())
def test_the_first_bids_and_sowings(heading: str) -> None:
    _, _, _, players, _, names = heading.split(" ")
    position, _ = new_position(int(players), SEED, expansions=() if names == "-" else names.split("+"))
    bids = legal(position)
    digest = hashlib.sha256("\n".join(bids).encode()).hexdigest()[:16]
    lines = [f"round 1 phase bid to_act {position['to_act']} legal {len(bids)} sha256 {digest}"]
    lines += [f"  {bid}" for bid in bids]
    sums = [0, 0, 0]
    for tile, content in position["board"]["tiles"].items():
        counts = sowings(position, tile)
        sums = [total + count for total, count in zip(sums, counts, strict=True)]
        lines.append("sow {} {:<11}sequences {} results {} ends {}".format(tile, content["meeples"], *counts))
    lines.append("sow total sequences {} results {} ends {}".format(*sums))
    assert lines == sections()[heading]
