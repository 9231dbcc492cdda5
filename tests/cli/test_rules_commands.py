"""`arena rules`: its output and its errors. Each command also runs as a process once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.rules import Ruleset, format_position, start
from tests.kit.builder import document
from tests.kit.command import ARENA, arena, arena_here, complaint, printed

SEED = "0f" * 32


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(content: Any, name: str = "position.json") -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


# new


@pytest.mark.parametrize("players", [2, 3, 4])
def test_new_prints_the_position_of_the_seed(players: int) -> None:
    expected = format_position(start(Ruleset(players), bytes.fromhex(SEED)))
    text = printed(arena_here("rules", "new", "--players", players, "--seed", SEED))
    assert text.count("\n") == 1
    assert json.loads(text) == expected


def test_new_with_a_deal_shares_what_is_open() -> None:
    one, two = (
        json.loads(printed(arena_here("rules", "new", "-n", 2, "--seed", seed, "--deal", "aa" * 32)))
        for seed in (SEED, "11" * 32)
    )
    assert one["board"] == two["board"]
    assert one["resources"]["row"] == two["resources"]["row"]
    assert one["resources"]["deck"] != two["resources"]["deck"]


@pytest.mark.parametrize("seed", ["", "zz", "0f", "0f" * 31, "0f" * 33, "g" * 64, "0f " * 21 + "0"])
def test_new_with_a_wrong_seed(seed: str) -> None:
    assert "64 hex digits" in complaint(arena_here("rules", "new", "--players", 2, "--seed", seed))


def test_new_with_a_wrong_deal() -> None:
    assert "a deal is 64 hex digits" in complaint(
        arena_here("rules", "new", "--players", 2, "--seed", SEED, "--deal", "12")
    )


@pytest.mark.parametrize("players", [0, 1, 6, 99])
def test_new_with_a_wrong_number_of_players(players: int) -> None:
    assert "2 to 5 players" in complaint(arena_here("rules", "new", "--players", players, "--seed", SEED))


# legal


def test_legal_prints_the_actions_in_their_order(write: Any) -> None:
    shown = document(phase="bid", seats={1: {"gold": 4, "djinns": ["kumarbi"], "hand": {"fakir": 1}}})
    expected = ["bid 4 f 1", "bid 5", "bid 5 f 1", "bid 6", "bid 6 f 1", "bid 7"]
    assert printed(arena_here("rules", "legal", write(shown))).splitlines() == expected
    assert printed(arena_here("rules", "legal", given=json.dumps(shown))).splitlines() == expected


def test_legal_of_a_game_that_is_over_prints_nothing(write: Any) -> None:
    assert printed(arena_here("rules", "legal", write(document(phase="over")))) == ""


NOT_JSON = [
    pytest.param("", id="nothing"),
    pytest.param('{"format": ', id="half an object"),
    pytest.param("take A1", id="a word"),
    pytest.param(b"\xff\xfe\x00", id="not UTF-8"),
    pytest.param("[" * 100_000, id="too deep"),
    pytest.param("9" * 10_000, id="too long a number"),
]


@pytest.mark.parametrize("content", NOT_JSON)
def test_legal_of_what_is_not_json(content: Any, write: Any) -> None:
    path = write(content)
    assert str(path) in complaint(arena_here("rules", "legal", path))


def test_input_that_is_not_json_is_named(write: Any) -> None:
    assert "standard input" in complaint(arena_here("rules", "legal", given="{"))


def test_a_missing_file_and_a_directory(tmp_path: Path) -> None:
    assert "nowhere.json" in complaint(arena_here("rules", "legal", tmp_path / "nowhere.json"))
    assert str(tmp_path) in complaint(arena_here("rules", "legal", tmp_path))


def changed(*path: Any, to: Any) -> dict[str, Any]:
    """Return a position with one changed value."""
    shown = document(phase="bid", tiles={"A1": "y"})
    inner: Any = shown
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return shown


A1 = ("board", "tiles", "A1")
IMPOSSIBLE = [
    pytest.param([], "JSON object", id="a list"),
    pytest.param(3, "JSON object", id="a number"),
    pytest.param({}, "lacks", id="an empty object"),
    pytest.param(changed("format", to="chess/1"), "naqala/position/1", id="another format"),
    pytest.param(changed("players", to=7), "players", id="seven players"),
    pytest.param(changed("expansions", to=["dragons"]), "artisans and whims", id="an unknown expansion"),
    pytest.param(changed("surprise", to=1), "surprise", id="an unknown key"),
    pytest.param(changed("round", to=0), "round", id="round 0"),
    pytest.param(changed("round", to=True), "round", id="a round that is no number"),
    pytest.param(changed("phase", to="lunch"), "phase", id="an unknown phase"),
    pytest.param(changed("to_act", to=2), "to_act", id="another seat to act"),
    pytest.param(changed(*A1, "meeples", to="yy"), "`y`", id="a meeple too many"),
    pytest.param(changed(*A1, "meeples", to="ry"), "A1", id="meeples out of order"),
    pytest.param(changed(*A1, "owner", to=1), "camels", id="a camel too many"),
    pytest.param(changed(*A1, "owner", to=9), "owner", id="an owner who does not play"),
    pytest.param(changed(*A1, "palms", to=1), "palms", id="a palm too many"),
    pytest.param(changed(*A1, "palaces", to=-1), "palaces", id="fewer than no palaces"),
    pytest.param(changed(*A1, "kind", to="lake"), "A1", id="a tile of an expansion"),
    pytest.param(changed(*A1, "value", to=15), "A1", id="a tile that is not in the box"),
    pytest.param(changed("seats", 0, "gold", to=-1), "gold", id="fewer than no coins"),
    pytest.param(changed("seats", 0, "hand", to={"fish": 1}), "fish", id="a card too many"),
    pytest.param(changed("seats", 0, "hand", to={"stone": 1}), "stone", id="an unknown card"),
    pytest.param(changed("seats", 0, "djinns", to=["enki"]), "enki", id="a Djinn twice"),
    pytest.param(changed("seats", 0, "used", to=["enki"]), "used", id="a power used that is not owned"),
    pytest.param(changed("seats", to=[]), "seats", id="no seats"),
    pytest.param(changed("bid_order", to=[1, 1, 2, 3]), "every marker", id="a marker twice"),
    pytest.param(changed("turn_track", to=[None]), "turn_track", id="a short track"),
    pytest.param(changed("turn", to={}), "turn", id="a turn while bidding"),
    pytest.param(changed("board", "tiles", to={}), "board.tiles", id="no tiles"),
    pytest.param(changed("bag", to="-"), "meeples", id="an empty bag"),
    pytest.param(changed("resources", "deck", to=[]), "cards", id="an empty deck"),
    pytest.param(document(phase="tile", at="C3", palms_left=0), "palm", id="8.4 a palm to place and none left"),
    pytest.param(document(phase="tile", at="C5", palaces_left=0), "palace", id="8.4 a palace to place and none left"),
    pytest.param(document(phase="tribe", at="C3", lifted="b"), "lifted", id="3.2 T2 a single Builder lifted"),
    pytest.param(document(phase="tribe", at="C3", lifted="yy"), "lifted", id="8.4 Viziers lifted"),
    pytest.param(document(phase="tribe", at="G1", lifted="bb"), "G1", id="2.2 a tile off the board"),
    pytest.param(document(phase="sow", origin="C1", at="C2", came="A5", hand="y"), "from", id="3.2 T1 a leap"),
    pytest.param(document(phase="sow", origin="C1", at="C2", came="C1", hand="y"), "", id="8 a drop that cannot be"),
    pytest.param(document(phase="choose", drawn=[], back="sell"), "", id="8 nothing to choose from"),
    pytest.param(document(phase="choose", drawn=["enki"], back="bid"), "back", id="8 a choice while bidding"),
    pytest.param(document(phase="sell", doubled=["iblis"]), "doubled", id="notation: doubled without Iblis"),
    pytest.param(document(phase="move", at="C3"), "at", id="notation: a key of another phase"),
]


@pytest.mark.parametrize(("content", "says"), IMPOSSIBLE)
def test_legal_of_an_impossible_position(content: Any, says: str, write: Any) -> None:
    assert says in complaint(arena_here("rules", "legal", write(content)))


# apply


def test_apply_prints_the_position_after_the_actions(write: Any) -> None:
    path = write(document(tiles={"C3": "yw", "C1": "w"}, kinds={"C1": "sacred"}))
    shown = json.loads(printed(arena_here("rules", "apply", "--file", path, "take C3", "drop C2 y", "drop C1 w")))
    tiles = shown["board"]["tiles"]
    assert (tiles["C2"]["meeples"], tiles["C1"]["owner"], shown["seats"][0]["elders"]) == ("y", 1, 2)
    assert (shown["phase"], shown["turn"]) == ("tile", {"at": "C1"})


@pytest.mark.parametrize(
    ("action", "place"),
    [
        ("bid 10", "8.1: docs/rules.md#8.1, on the site /docs/rules-reference/#8.1)"),
        ("bid 99", "(notation, Actions: docs/notation.md#actions, on the site /docs/notation-reference/#actions)"),
    ],
)
def test_a_refusal_says_where_its_rule_stands(write: Any, action: str, place: str) -> None:
    assert place in complaint(arena_here("rules", "apply", action, "-f", write(document(phase="bid"))))


def test_apply_reads_its_own_output_again() -> None:
    text = printed(arena_here("rules", "new", "--players", 3, "--seed", SEED))
    for action in ("bid 3", "bid 1"):
        text = printed(arena_here("rules", "apply", action, given=text))
    text = printed(arena_here("rules", "apply", "bid 7", given=text))
    assert json.loads(text)["phase"] == "move"


ANUN_NAK = document(seats={1: {"djinns": ["anun-nak"], "elders": 1}}, ending="no-moves")
SIBITTIS = document(
    phase="sell", djinn_discard=["enki", "leta"], other_djinns=2, seats={1: {"djinns": ["sibittis"], "elders": 2}}
)


@pytest.mark.parametrize(
    ("position", "action", "says"),
    [
        pytest.param(ANUN_NAK, "use anun-nak w A1", "!bag with 3 meeples", id="Anun-Nak"),
        pytest.param(SIBITTIS, "use sibittis ww", "!shuffle djinns with the 2 cards", id="Sibittis"),
    ],
)
def test_apply_says_which_chance_is_due(position: Any, action: str, says: str, write: Any) -> None:
    path = write(position)
    assert says in complaint(arena_here("rules", "apply", "--file", path, action))
    assert says in complaint(arena_here("rules", "apply", "--file", path, action, "skip"))


def test_apply_takes_chance_as_an_action(write: Any) -> None:
    shown = json.loads(printed(arena_here("rules", "apply", "-f", write(ANUN_NAK), "use anun-nak w A1", "!bag wry")))
    assert shown["board"]["tiles"]["A1"]["meeples"] == "ywr"
    path = write(SIBITTIS)
    shown = json.loads(
        printed(arena_here("rules", "apply", "-f", path, "use sibittis ww", "!shuffle djinns leta enki"))
    )
    assert shown["turn"] == {"drawn": ["leta", "enki"], "back": "sell"}


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        pytest.param(["take A2"], "A2", id="an action that is not legal"),
        pytest.param(["skip"], "R2", id="the rule is named"),
        pytest.param(["sell fish"], "'sell' is not legal in phase 'move'", id="an action of another phase"),
        pytest.param(["take A1", "take A1"], "'take' is not legal in phase 'sow'", id="the second of two"),
        pytest.param(["dance"], "'dance' is not an action", id="no action"),
        pytest.param(["take A1\ntake B1"], "is not an action", id="two lines in one"),
        pytest.param([""], "is not an action", id="an empty word"),
        pytest.param(["!bag wry"], "no chance event is due", id="chance that is not due"),
    ],
)
def test_apply_refuses(actions: list[str], says: str, write: Any) -> None:
    path = write(document(tiles={"A1": "y", "B1": "y"}))
    assert says in complaint(arena_here("rules", "apply", "--file", path, *actions))


# view


def test_view_hides_what_the_seat_cannot_know(write: Any) -> None:
    path = write(document(players=2, phase="sell", seats={1: {"gold": 7, "hand": {"fish": 1}}, 2: {"gold": 9}}))
    mine, watched = (
        json.loads(printed(run("rules", "view", seat, path))) for run, seat in ((arena, 1), (arena_here, 0))
    )
    assert (mine["view"], mine["seats"][0]["gold"], mine["seats"][1]["gold"]) == (1, 7, None)
    assert [shown["hand"] for shown in watched["seats"]] == [None, None]
    assert [shown["cards"] for shown in watched["seats"]] == [1, 0]
    assert isinstance(watched["resources"]["deck"], int)


def test_view_of_a_seat_that_is_not_there(write: Any) -> None:
    assert "seats are 1 to 2" in complaint(arena_here("rules", "view", 3, write(document(players=2))))


def test_a_view_is_no_position(write: Any) -> None:
    view = printed(arena_here("rules", "view", 1, write(document())))
    assert "view" in complaint(arena_here("rules", "legal", given=view))


# perft


def test_perft_counts_sequences_and_splits_them_by_the_first_action() -> None:
    """Counted by hand: the first bidder has 7 spots. The second has the same, without the taken one unless it is a
    zero."""
    expected = [*(f"bid {spot}: 6" for spot in range(1, 7)), "bid 7: 7", "total: 43"]
    assert printed(arena_here("rules", "perft", "--seed", SEED, "--players", 4, "--depth", 2)).splitlines() == expected
    assert printed(arena_here("rules", "perft", "--seed", SEED, "-n", 2, "--depth", 1)).splitlines()[-1] == "total: 7"


@pytest.mark.parametrize(
    ("depth", "total"),
    [
        pytest.param(3, 120 + 3 * 30 + 3 * 6 + 1, id="3 bids, of which 0, 1, 2 or 3 are zero"),
        pytest.param(4, 360 + 4 * 120 + 6 * 30 + 4 * 6, id="4 bids, of which at most 3 are zero"),
    ],
)
def test_perft_of_the_bidding_by_hand(depth: int, total: int) -> None:
    text = printed(arena_here("rules", "perft", "--seed", SEED, "--players", 4, "--depth", depth))
    assert text.splitlines()[-1] == f"total: {total}"


def test_perft_as_json() -> None:
    shown = json.loads(printed(arena_here("rules", "perft", "--seed", SEED, "--players", 4, "--depth", 2, "--json")))
    split = {f"bid {spot}": 6 for spot in range(1, 7)} | {"bid 7": 7}
    assert shown == {"depth": 2, "total": 43, "split": split}


def test_perft_with_a_wrong_seed() -> None:
    assert "64 hex digits" in complaint(arena_here("rules", "perft", "--seed", "beef", "--players", 2, "--depth", 1))


# help

HELP = [
    pytest.param([], ["Usage:", "rules", "play", "replay", "bot", "with any command"], id="arena"),
    pytest.param(["rules"], ["Ask the rules", "new", "legal", "apply", "view", "perft"], id="rules"),
    pytest.param(
        ["rules", "new"], ["before the first bid", "--players", "--seed", "--deal", "64 hex digits"], id="new"
    ),
    pytest.param(["rules", "legal"], ["legal actions of a position, one a line", "standard input"], id="legal"),
    pytest.param(["rules", "apply"], ["position after some actions", "--file", "chance", "!bag wrr"], id="apply"),
    pytest.param(["rules", "view"], ["what a seat may see", "0 for a spectator"], id="view"),
    pytest.param(["rules", "perft"], ["Count the sequences", "--depth", "--json", "by first action"], id="perft"),
    pytest.param(["play"], ["local games", "--games", "--seed", "--out", ".gz", "greedy"], id="play"),
    pytest.param(["replay"], ["verify", "show"], id="replay"),
    pytest.param(["replay", "verify"], ["Prove replays", "Exit code 1", "first divergence", "--json"], id="verify"),
    pytest.param(["replay", "show"], ["Draw the position", "--at", "--game"], id="show"),
]


@pytest.mark.parametrize(("words", "says"), HELP)
def test_help_says_what_a_command_does(words: list[str], says: list[str]) -> None:
    text = " ".join(printed(arena_here(*words, "--help")).split())
    for part in says:
        assert part in text


def test_version_names_the_rules() -> None:
    assert "naqala-rules/1" in printed(arena("--version"))


# Wrong use.


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(["rules", "new", "--players", "two", "--seed", SEED], "--players", id="a number in words"),
        pytest.param(["rules", "new", "--players", "2"], "--seed", id="an option that is missing"),
        pytest.param(["rules", "perft", "-n", "2", "--seed", SEED, "-d", "0"], "--depth", id="a number too small"),
        pytest.param(["rules", "view", "-1"], "-1", id="a number below 0"),
        pytest.param(["rules", "view", "me"], "seat", id="a seat in words"),
        pytest.param(["rules", "apply"], "ACTIONS", id="no action"),
        pytest.param(["rules", "new", "--colour"], "--colour", id="an unknown option"),
        pytest.param(["rules", "guess"], "guess", id="an unknown command"),
        pytest.param(["dance"], "dance", id="an unknown command of arena"),
        pytest.param(["play"], "COMPETITORS", id="no players"),
        pytest.param(["play", "random", "random", "--games", "0"], "--games", id="no games"),
        pytest.param(["replay", "verify"], "FILES", id="no files"),
    ],
)
def test_wrong_use_is_one_line_too(words: list[str], says: str) -> None:
    assert says.lower() in complaint(arena_here(*words)).lower()


# The same errors from outside.


def test_bad_input_in_a_process_of_its_own(write: Any) -> None:
    bidding = write(document(phase="bid"))
    impossible = write(changed("bag", to="-"), "impossible.json")
    assert "64 hex digits" in complaint(arena_here("rules", "new", "--players", 2, "--seed", "xyz"))
    assert "meeples" in complaint(arena("rules", "legal", impossible))
    assert "'take' is not legal in phase 'bid'" in complaint(arena_here("rules", "apply", "--file", bidding, "take A1"))


def test_help_in_a_process_of_its_own() -> None:
    assert "Print the legal actions" in printed(arena("rules", "legal", "--help"))


@pytest.mark.parametrize(
    "words",
    [["--help"], ["rules", "legal", "--help"], ["rules", "perft", "--players", "2", "--seed", SEED, "--depth", "1"]],
    ids=" ".join,
)
def test_a_reader_that_has_seen_enough_is_no_fault(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = subprocess.run([*ARENA, *words], stdout=closed, stderr=subprocess.PIPE, timeout=250, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


def test_five_players_and_expansions_in_any_order_of_the_options() -> None:
    words = ["rules", "new", "--players", 5, "--seed", SEED]
    one = json.loads(printed(arena_here(*words, "-x", "whims", "--expansion", "artisans")))
    two = json.loads(printed(arena_here(*words, "-x", "artisans", "-x", "whims", "-x", "whims")))
    assert one == two
    assert (one["players"], one["expansions"], len(one["turn_track"])) == (5, ["artisans", "whims"], 12)
    assert "five players need an expansion" in complaint(arena_here(*words))
    assert "there are artisans and whims" in complaint(arena_here(*words, "-x", "dragons"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_no_traceback() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*ARENA, "rules", "new", "--players", "2", "--seed", SEED],
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=250,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("arena: ")
    assert done.stderr.count("\n") == 1
