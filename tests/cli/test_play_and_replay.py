"""`arena play` and `arena replay`: their output, their files, and their errors.

Each runs as a process once when it writes, succeeds or fails, on a pipe and on a terminal; everything else runs in this
process.
"""

from __future__ import annotations

import gzip
import json
import re
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard

from arena.players import PLAYERS
from arena.rules import verify_replay
from tests.kit.command import arena, arena_here, complaint, on_terminal, printed

SEED = "0e" * 32
CATEGORIES = ["gold", "viziers", "elders", "djinns", "tiles", "palms", "palaces", "goods"]


@pytest.fixture(scope="module")
def replays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games of two random players, as `arena play` writes them."""
    path = tmp_path_factory.mktemp("play") / "games.jsonl"
    printed(arena_here("play", "random", "random", "--games", 2, "--seed", SEED, "--out", path))
    return path


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of five with both expansions."""
    path = tmp_path_factory.mktemp("five") / "game.jsonl.zst"
    words = ["--expansion", "whims", "-x", "artisans", "--seed", SEED, "--out", path]
    printed(arena_here("play", "greedy", *["random"] * 4, *words))
    return path


@pytest.fixture(scope="module")
def documents(replays: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in replays.read_text(encoding="utf-8").splitlines()]


def verified(*files: Path) -> list[str]:
    """Return the lines of `arena replay verify` for each file, without the list of proved facts."""
    said = printed(arena_here("replay", "verify", *files)).splitlines()
    assert {line.split(":")[0] for line in said if line.startswith("  ")} == {"  proved", "  not proved"}
    return [line for line in said if not line.startswith("  ")]


# play


def test_play_writes_true_replays_one_a_line(documents: list[dict[str, Any]]) -> None:
    assert len(documents) == 2
    for number, document in enumerate(documents):
        verify_replay(document)
        assert document["ruleset"] == {"players": 2, "expansions": []}
        assert [seat["name"] for seat in document["seats"]] == ["random", "random"]
        seed = sha256(bytes.fromhex(SEED) + number.to_bytes(8, "big"))
        assert document["seed"] == seed.hexdigest()


def test_play_repeats_a_run_with_the_same_seed_compressed_if_named_so(replays: Path, tmp_path: Path) -> None:
    """In another process."""
    path = tmp_path / "games.jsonl.gz"
    printed(arena("play", "random", "random", "--games", 2, "--seed", SEED, "--out", path))
    assert gzip.decompress(path.read_bytes()) == replays.read_bytes()
    assert verified(path) == [f"{path}: 2 replays, valid"]


def test_play_writes_and_verify_reads_zstandard_in_several_frames(replays: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl.zst"
    printed(arena_here("play", "random", "random", "--games", 2, "--seed", SEED, "--out", path))
    with zstandard.open(path, "rb") as file:
        assert file.read() == replays.read_bytes()
    path.write_bytes(path.read_bytes() * 2)
    assert verified(path) == [f"{path}: 4 replays, valid"]


def test_five_play_with_both_expansions(five: Path) -> None:
    assert verified(five) == [f"{five}: 1 replay, valid"]
    with zstandard.open(five, "rt", encoding="utf-8") as file:
        document = json.load(file)
    assert document["ruleset"] == {"players": 5, "expansions": ["artisans", "whims"]}
    words = ["-x", "artisans", "-x", "whims", "--seed", SEED, "--json"]
    table = json.loads(printed(arena_here("play", "greedy", *["random"] * 4, *words)))
    assert table["ruleset"] == document["ruleset"]
    for seat, score in zip(table["players"], document["result"]["scores"], strict=True):
        assert seat["split"] | {"total": seat["mean"]} == score


@pytest.mark.slow
def test_play_without_a_seed_takes_a_new_one_and_says_which(tmp_path: Path) -> None:
    one, two = (json.loads(printed(arena_here("play", "random", "random", "--json"))) for _ in range(2))
    assert one["seed"] != two["seed"]
    assert len(bytes.fromhex(one["seed"])) == 32
    assert not list(tmp_path.iterdir())


def test_play_prints_the_means_as_json(documents: list[dict[str, Any]], tmp_path: Path) -> None:
    command = ("play", "random", "random", "--games", 2, "--seed", SEED, "--json")
    shown = json.loads(printed(arena_here(*command)))
    assert (shown["seed"], shown["games"]) == (SEED, 2)
    for seat, row in enumerate(shown["players"]):
        scores = [document["result"]["scores"][seat] for document in documents]
        assert (row["number"], row["player"]) == (seat + 1, "random")
        assert row["mean"] == pytest.approx(sum(score["total"] for score in scores) / 2)
        split = {category: sum(score[category] for score in scores) / 2 for category in CATEGORIES}
        assert row["split"] == pytest.approx(split)
    assert sum(row["wins"] for row in shown["players"]) == pytest.approx(1)


def test_play_prints_a_table() -> None:
    text = printed(arena_here("play", "random", "greedy", "random", "--seed", SEED, NO_COLOR="1"))
    for part in ("1 random", "2 greedy", "3 random", *CATEGORIES, "score", "win share", SEED):
        assert part in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(["random", "ghost"], "'ghost'", id="an unknown player"),
        pytest.param(["random"], "not 1", id="one player"),
        pytest.param(["random"] * 5, "five players need an expansion", id="five players"),
        pytest.param(["random"] * 6, "not 6", id="six players"),
        pytest.param(["random", "random", "-x", "whim"], "no expansion 'whim'", id="an unknown expansion"),
        pytest.param(["random", "random", "--seed", "12"], "64 hex digits", id="a short seed"),
        pytest.param(["random", "random", "--seed", "no" * 32], "64 hex digits", id="a seed that is not hex"),
        pytest.param(["random", "random", "--out", "/nowhere/at/all.jsonl"], "/nowhere/at/all.jsonl", id="no folder"),
        pytest.param(["random", "random", "--out", "/"], "/", id="a folder"),
    ],
)
def test_play_refuses(words: list[str], says: str) -> None:
    assert says in complaint(arena_here("play", *words))


def test_play_names_the_players_there_are() -> None:
    said = complaint(arena_here("play", "random", "ghost"))
    assert all(name in said for name in PLAYERS)


# replay verify


def test_verify_accepts_a_file_of_one_game_and_several_files(
    replays: Path, documents: list[dict[str, Any]], tmp_path: Path
) -> None:
    single, spaced = tmp_path / "single.json", tmp_path / "spaced.json"
    single.write_text(json.dumps(documents[0]), encoding="utf-8")
    spaced.write_text(json.dumps(documents[0], indent=1), encoding="utf-8")
    expected = [f"{replays}: 2 replays, valid", f"{single}: 1 replay, valid", f"{spaced}: 1 replay, valid"]
    assert verified(replays, single, spaced) == expected


def test_verify_as_json(replays: Path) -> None:
    shown = json.loads(printed(arena_here("replay", "verify", "--json", replays)))
    assert shown == {
        "file": str(replays),
        "replays": 2,
        "valid": True,
        "proved": ["chance", "game"],
        "signed": [],
        "not_proved": ["terms", "committed"],
        "signed_by": [],
    }


def decision(document: dict[str, Any], verb: str) -> int:
    """Return the index of the first event with this verb."""
    return next(index for index, event in enumerate(document["events"]) if event[1].split(" ")[0] == verb)


@pytest.fixture
def tampered(documents: list[dict[str, Any]], tmp_path: Path) -> Any:
    """Write a file of two games, the second with one changed value."""

    def write(change: Any) -> Path:
        document = deepcopy(documents[1])
        change(document)
        path = tmp_path / "tampered.jsonl"
        path.write_text("\n".join(json.dumps(each) for each in (documents[0], document)), encoding="utf-8")
        return path

    return write


def test_verify_tells_the_first_divergence_in_a_few_lines(documents: list[dict[str, Any]], tampered: Any) -> None:
    index = decision(documents[1], "take")
    path = tampered(lambda document: document["events"].__setitem__(index, [document["events"][index][0], "take A6"]))
    done = arena_here("replay", "verify", path)
    assert (done.code, done.err) == (1, "")
    first, event, there, legal = done.out.splitlines()
    seat = documents[1]["events"][index][0]
    assert first.startswith(f"{path}: replay 2 is not valid, event {index}: ")
    assert event == f'  the replay has [{seat}, "take A6"]'
    assert there == f"  there: round 1, phase move, seat {seat} is to act"
    assert legal.startswith("  legal: take A") and re.search(r", take [A-F]\d and \d+ more$", legal)
    shown = json.loads(arena_here("replay", "verify", "--json", path).out)
    assert (shown["position"]["format"], shown["position"]["phase"]) == ("naqala/position/1", "move")
    assert documents[1]["events"][index][1] in shown["legal"]
    assert printed(arena_here("rules", "legal", given=json.dumps(shown["position"]))).splitlines() == shown["legal"]


def test_verify_names_the_fields_of_a_set_up_that_differ(documents: list[dict[str, Any]], tampered: Any) -> None:
    def change(document: dict[str, Any]) -> None:
        document["setup"]["seats"][0]["gold"] = 51
        del document["setup"]["board"]["tiles"]["A1"]["palms"]

    done = arena_here("replay", "verify", tampered(change))
    assert (done.code, done.out.splitlines()[1:]) == (
        1,
        ["  board.tiles.A1.palms: nothing, the seed gives 0", "  seats[0].gold: 51, the seed gives 50"],
    )


TAMPERED = [
    pytest.param(lambda d: d["events"].__setitem__(0, [d["events"][0][0], "bid 8"]), 0, id="an illegal event"),
    pytest.param(lambda d: d["events"].__setitem__(0, [9, d["events"][0][1]]), 0, id="another seat"),
    pytest.param(lambda d: d["events"].__setitem__(0, [d["events"][0][0], "dance"]), 0, id="no action"),
    pytest.param(lambda d: d["events"].insert(2, [0, "!bag wrr"]), 2, id="chance that is not due"),
    pytest.param(lambda d: d["events"].pop(), "last", id="cut by one"),
    pytest.param(lambda d: d["events"].append([1, "end"]), "end", id="one too many"),
    pytest.param(lambda d: d["result"]["scores"][0].update(total=999), "end", id="another score"),
    pytest.param(lambda d: d["result"].update(ranks=[2, 2]), "end", id="other ranks"),
    pytest.param(lambda d: d["result"].update(reason="boredom"), "end", id="another reason"),
    pytest.param(lambda d: d.update(result=None), "end", id="no result"),
    pytest.param(lambda d: d.update(seed="00" * 32), -1, id="another seed"),
    pytest.param(lambda d: d.update(commitment="00" * 32), -1, id="another commitment"),
    pytest.param(lambda d: d["setup"]["seats"][0].update(gold=51), -1, id="another set-up"),
    pytest.param(lambda d: d.update(deal="00" * 32), -1, id="a deal that was not there"),
]


@pytest.mark.parametrize(("change", "index"), TAMPERED)
def test_verify_finds_every_untrue_word(
    change: Any, index: int | str, documents: list[dict[str, Any]], tampered: Any
) -> None:
    length = len(documents[1]["events"])
    expected = {"last": length - 1, "end": length}.get(index, index) if isinstance(index, str) else index
    path = tampered(change)
    done = arena_here("replay", "verify", "--json", path)
    assert done.code == 1
    shown = json.loads(done.out)
    assert (shown["file"], shown["replay"], shown["valid"], shown["index"]) == (str(path), 2, False, expected)
    assert shown["message"] and shown["code"].isupper()
    plain = arena_here("replay", "verify", path)
    assert (plain.code, plain.err) == (1, "")
    assert f"replay 2 is not valid, {f'event {expected}' if expected >= 0 else 'before the first event'}: " in plain.out


NO_REPLAYS = [
    pytest.param("x.jsonl", b"", id="an empty file"),
    pytest.param("x.jsonl", b"\n\n", id="empty lines"),
    pytest.param("x.jsonl", b"hello\nworld\n", id="not JSON"),
    pytest.param("x.jsonl", b"\xff\xfe\x00", id="not UTF-8"),
    pytest.param("x.jsonl", b"[" * 100_000, id="too deep"),
    pytest.param("x.jsonl", b"[]", id="a list"),
    pytest.param("x.jsonl", b"{}", id="an empty object"),
    pytest.param("x.jsonl.gz", b"garbage", id="not gzip at all"),
    pytest.param("x.jsonl.gz", gzip.compress(b'{"format": 1}' * 50)[:40], id="gzip cut short"),
    pytest.param("x.jsonl.gz", gzip.compress(b"{}")[:12] + b"\xff\xff\xff\xff\xff\xff", id="gzip with garbage inside"),
    pytest.param("x.jsonl.gz", gzip.compress(b"{}") + b"garbage", id="gzip with garbage behind"),
    pytest.param("x.jsonl.gz", gzip.compress(b"\xff\xfe"), id="gzip of what is not UTF-8"),
    pytest.param("x.jsonl.zst", b"garbage", id="not zstd at all"),
    pytest.param("x.jsonl.zst", zstandard.compress(b'{"format": 1}' * 50)[:-9], id="zstd cut short"),
    pytest.param("x.jsonl.zst", zstandard.compress(b"\xff\xfe"), id="zstd of what is not UTF-8"),
]


@pytest.mark.parametrize(("name", "content"), NO_REPLAYS)
def test_what_is_no_file_of_replays(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    complaint(arena_here("replay", "verify", path))
    complaint(arena_here("replay", "show", path))


def test_a_missing_file() -> None:
    assert complaint(arena_here("replay", "verify", "nowhere.jsonl")) == (
        "arena: cannot read nowhere.jsonl: No such file or directory"
    )
    assert "nowhere.jsonl" in complaint(arena_here("replay", "show", "nowhere.jsonl"))


NO_REPLAY = [
    pytest.param(lambda d: d.update(format="naqala/position/1"), id="a position"),
    pytest.param(lambda d: d.pop("format"), id="no format"),
    pytest.param(lambda d: d.update(rules="naqala-rules/99"), id="other rules"),
    pytest.param(lambda d: d.update(ruleset={"players": 9, "expansions": []}), id="nine players"),
    pytest.param(lambda d: d.update(ruleset=None), id="no ruleset"),
    pytest.param(lambda d: d.update(seed="xyz"), id="a seed that is not hex"),
    pytest.param(lambda d: d.update(seed="00"), id="a short seed"),
    pytest.param(lambda d: d.update(events=None), id="no events"),
    pytest.param(lambda d: d.update(events=[["bid 1"]]), id="events of another shape"),
    pytest.param(lambda d: d.update(events=[[1, 2]]), id="events that are no texts"),
    pytest.param(lambda d: d.update(seats=3), id="seats that are no list"),
    pytest.param(lambda d: d.update(seats=["x", "y"]), id="seats that are no objects"),
    pytest.param(lambda d: d.update(seats=[]), id="too few seats"),
]


@pytest.mark.parametrize("change", NO_REPLAY)
def test_what_is_no_replay(change: Any, documents: list[dict[str, Any]], tmp_path: Path) -> None:
    document = deepcopy(documents[0])
    change(document)
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert f"{path}: replay 1: " in complaint(arena_here("replay", "verify", path))
    assert f"{path}: replay 1: " in complaint(arena_here("replay", "show", path))


# replay show


def test_show_draws_the_board_before_an_event(replays: Path, documents: list[dict[str, Any]]) -> None:
    text = printed(arena_here("replay", "show", replays, "--at", 0, NO_COLOR="1"))
    for name, tile in documents[0]["setup"]["board"]["tiles"].items():
        assert f"{name} {tile['kind'].removesuffix('-market')} {tile['value']}" in text
    assert f"event 0 of {len(documents[0]['events'])}" in text
    seat, action = documents[0]["events"][0]
    assert f"seat {seat} {action}" in text
    for part in (*documents[0]["setup"]["resources"]["row"], *documents[0]["setup"]["djinns"]["row"], "random"):
        assert part in text


def test_show_draws_the_end_without_an_index(replays: Path, documents: list[dict[str, Any]]) -> None:
    length = len(documents[0]["events"])
    text = printed(arena_here("replay", "show", replays, NO_COLOR="1"))
    assert f"event {length} of {length}" in text
    assert "the end" in text
    for score in documents[0]["result"]["scores"]:
        assert f"{score['total']} points" in text


def test_show_another_game_of_the_file(replays: Path, documents: list[dict[str, Any]]) -> None:
    text = printed(arena_here("replay", "show", replays, "--game", 2, "--at", 3))
    assert f"event 3 of {len(documents[1]['events'])}" in text


def test_show_every_phase(replays: Path, documents: list[dict[str, Any]]) -> None:
    for verb in ("bid", "take", "drop", "sell", "end"):
        index = decision(documents[0], verb)
        text = printed(arena_here("replay", "show", replays, "--at", index))
        assert ("turn: origin" in text) == (verb == "drop")
        assert f"seat {documents[0]['events'][index][0]} {documents[0]['events'][index][1]}" in text


def test_show_draws_what_the_expansions_bring(five: Path) -> None:
    position = json.loads(printed(arena_here("replay", "show", five, "--at", 0, "--json")))
    text = printed(arena_here("replay", "show", five, "--at", 0, NO_COLOR="1"))
    for name, tile in position["board"]["tiles"].items():
        kind = f"{name} {tile['kind'].removesuffix('-market')}"
        assert (kind if tile["kind"] in ("lake", "chasm") else f"{kind} {tile['value']}") in text
        assert tile.get("whim") is None or tile["whim"] in text
    assert text.count("▲NW") == 1 and text.count("▲SE") == 2
    assert text.count("8 camels") == 5
    assert text.count("· tent · no items") == 5

    end = json.loads(printed(arena_here("replay", "show", five, "--json")))
    text = printed(arena_here("replay", "show", five, NO_COLOR="1"))
    for number, seat in enumerate(end["seats"], start=1):
        assert f"{seat['artisans']} artisans" in text
        assert all(item in text for item in [*seat["items"], *seat["whims"]["open"], *seat["whims"]["paid"]])
        tents = [tile for tile in end["board"]["tiles"].values() if tile["owner"] == number and tile.get("tent")]
        assert text.count(f" {number}△") == len(tents)


def test_show_gives_the_position_to_a_program(replays: Path, documents: list[dict[str, Any]]) -> None:
    assert json.loads(printed(arena_here("replay", "show", replays, "--at", 0, "--json"))) == documents[0]["setup"]


def test_show_in_a_pipe_is_plain_unless_colour_is_forced(replays: Path) -> None:
    assert "\x1b" not in printed(arena_here("replay", "show", replays, "--at", 5))
    assert "\x1b[" in printed(arena_here("replay", "show", replays, "--at", 5, FORCE_COLOR="1"))


# On a terminal.

COLOURED = re.compile(rb"\x1b\[[0-9;]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])\b[0-9;]*m")


def test_on_a_terminal_play_shows_a_progress_bar() -> None:
    shown = on_terminal("play", "random", "random", "--games", 2, "--seed", SEED)
    assert b"Playing" in shown
    assert b"2/2" in shown
    assert COLOURED.search(shown)


def test_a_pipe_gets_no_progress_bar() -> None:
    assert "Playing" not in printed(arena_here("play", "random", "random", "--seed", SEED))


def test_on_a_terminal_the_board_is_in_colour_unless_it_is_not_wanted(replays: Path) -> None:
    assert COLOURED.search(on_terminal("replay", "show", replays, "--at", 5))
    plain = on_terminal("replay", "show", replays, "--at", 5, NO_COLOR="1")
    assert b"event 5 of" in plain
    assert not COLOURED.search(plain)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(["--at", "99999"], "--at", id="an index behind the end"),
        pytest.param(["--at", "-1"], "--at", id="an index before the beginning"),
        pytest.param(["--game", "3"], "fewer than 3", id="a game that is not there"),
    ],
)
def test_show_refuses(words: list[str], says: str, replays: Path) -> None:
    assert says in complaint(arena_here("replay", "show", replays, *words))
