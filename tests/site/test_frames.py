"""The frames of a match: what they add up to, what they weigh, what they hide."""

from __future__ import annotations

import functools
import gzip
import json
import random
import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.test import Client

from arena.rules import Game, Ruleset
from tests.golden.playthrough import GAMES, choose
from tests.kit.ladder import CLOCK, LEASE, POLICY, Kit, play_out
from webui.bots.values import BotRef, VersionRef
from webui.core import static_files
from webui.matches import ending, ownership
from webui.matches.values import SeatLine
from webui.replays import frames as replay_frames
from webui.replays import moves
from webui.replays.frames import VERSION, frames_document, text_change
from webui.replays.parts import board_parts, table_parts
from webui.replays.replay import FinishedReplay

WIDEST = Ruleset(5, ("artisans", "whims"))

SERVER_SEED = bytes(32)
"""Games differ in their length, and in who ever holds gold; these are always the same."""


@functools.cache
def drawn(ruleset: Ruleset) -> Game:
    """A whole game of random decisions, the same every time: longer than those that players play."""
    game, draw = Game(ruleset, bytes(32)), random.Random(7)
    while not game.state.is_over:
        game.play(draw.choice([action.text for action in game.state.legal]))
    return game


def lines(players: int) -> list[SeatLine]:
    bots = [BotRef(seat, f"Caravan {seat}", f"caravan-{seat}", 1, "lena", False) for seat in range(1, players + 1)]
    return [
        SeatLine(bot.id, VersionRef(bot.id, "1.0", bot), 1, 1, 0, forfeited_at=None, forfeit_reason="") for bot in bots
    ]


def batched(changes: list[Any]) -> Iterator[tuple[int, Any]]:
    return zip(changes[::2], changes[1::2], strict=True)


def rows(frames: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """The frames as one document a ply."""
    told = {**frames, "d": [None, *accumulate(frames["d"][1:])]}
    return [
        {name: value for name, value in zip(told, values, strict=True) if value is not None}
        for values in zip(*told.values(), strict=True)
    ]


def play_back(parts: dict[str, list[Any]], ply: int) -> dict[str, str]:
    """What the page does: every part's latest text up to a ply."""
    texts = {}
    for name, changes in parts.items():
        text, at = "", 0
        for gap, changed in batched(changes):
            at += gap
            if at > ply:
                break
            if isinstance(changed, dict):
                pieces = text.split("<")
                for number, piece in changed.items():
                    pieces[int(number)] = piece
                text = "<".join(pieces)
            else:
                text = text[: changed[0]] + changed[2] + text[len(text) - changed[1] :]
        texts[name] = text
    return texts


FRAME_SCHEMA = json.loads((Path(replay_frames.__file__).parent / "frame.schema.json").read_text(encoding="utf-8"))


def validator(name: str) -> jsonschema.Draft202012Validator:
    """Of one of the documents that the schema describes."""
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": FRAME_SCHEMA["$defs"]})


def golden(name: str) -> Game:
    """A golden playthrough."""
    game = Game(*GAMES[name])
    while not game.state.is_over:
        game.play(choose(game))
    return game


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seat", [0, 2])
def test_every_frame_of_the_golden_playthroughs_is_valid(name: str, seat: int) -> None:
    game = golden(name)
    replay, seats = FinishedReplay.of_game(game, seat=seat), lines(game.ruleset.players)
    document = json.loads(json.dumps(frames_document(replay, seats)))
    validator("frames").validate(document)
    assert document["v"] == VERSION and ("options" in document["frames"]) == (not seat)
    assert {len(column) for column in document["frames"].values()} == {len(replay.steps) + 1}


@pytest.mark.parametrize("ruleset", [Ruleset(2), WIDEST], ids=str)
def test_the_changes_add_up_to_the_table_of_every_place(ruleset: Ruleset) -> None:
    replay, seats = FinishedReplay.of_game(drawn(ruleset)), lines(ruleset.players)
    document = json.loads(json.dumps(frames_document(replay, seats)))
    names = [line.version.bot.name for line in seats]
    assert [frame.get("d") for frame in rows(document["frames"])] == [
        None,
        *(replay.index_of(ply + 1) for ply in range(len(replay.steps))),
    ]
    for ply in (0, 1, 40, 97, len(replay.steps) // 2, len(replay.steps)):
        whole = {name: part.render(name) for name, part in table_parts(replay, seats, ply).items()}
        whole |= board_parts(replay, names, ply)
        assert play_back(document["parts"], ply) == whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ruleset", "encoding", "most"),
    [
        (Ruleset(4), "zstd", 45_000),
        (Ruleset(4), "gzip", 51_000),
        (Ruleset(4, ("whims",)), "zstd", 50_000),
        (WIDEST, "zstd", 60_000),
    ],
    ids=str,
)
@pytest.mark.django_db
def test_opening_a_replay_transfers_little(kit: Kit, ruleset: Ruleset, encoding: str, most: int) -> None:
    """The page and its frames, everything else is kept by browsers; random games are longer than those of players."""
    versions = kit.versions(ruleset.players)
    match_id = ownership.schedule_match(ruleset, versions, CLOCK, POLICY, rated=True, server_seed=SERVER_SEED)
    claim = kit.claim(match_id)
    played = play_out(claim)
    ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    headers = {"Accept-Encoding": encoding}
    sizes = [len(Client().get(f"/matches/{match_id}/{file}", headers=headers).content) for file in ("", "frames.json")]
    assert sum(sizes) < most, sizes


@pytest.mark.parametrize(
    ("old", "new"),
    [("", "<p>1</p>"), ("<p>1</p>", ""), ("aa", "aaa"), ("<a>1<b>2<c>3", "<a>9<b>2<c>8"), ("same", "same")],
)
def test_a_change_makes_the_new_text_of_the_old_one(old: str, new: str) -> None:
    changes = json.loads(json.dumps([0, [0, 0, old], 1, text_change(old, new)]))
    assert play_back({"part": changes}, 1) == {"part": new}


@pytest.fixture
def finished(kit: Kit, db: None) -> str:
    claim, played = kit.ready_to_finish(kit.versions(3), server_seed=SERVER_SEED)
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    return claim.match_id


def frames(match_id: str, query: str = "") -> dict[str, Any]:
    response = Client().get(f"/matches/{match_id}/frames.json{query}")
    assert response.status_code == 200 and response["Content-Encoding"] == "gzip"
    found: dict[str, Any] = json.loads(gzip.decompress(response.content))
    return found


def test_a_seat_sees_its_own_hand_and_gold_until_the_end(finished: str) -> None:
    everything, seen = frames(finished), frames(finished, "?view=2")
    told = rows(seen["frames"])
    last = len(told) - 1
    own, other = (play_back(seen["parts"], last - 1)[f"seat-{seat}-stock"] for seat in (2, 1))
    assert ">hidden<" not in own and ">hidden<" in other
    assert "scores" not in json.dumps(told[:last]) and "options" not in json.dumps(told)
    assert ">hidden<" not in play_back(seen["parts"], last)["seat-1-stock"], "at the end all is public"
    assert ">hidden<" not in json.dumps(everything) and "options" in rows(everything["frames"])[1]
    assert frames(finished, "?view=9") == everything, "there is no such seat"


def test_a_table_speaks_of_one_thing_as_of_one_and_of_the_end_as_of_an_end(finished: str) -> None:
    document = frames(finished)
    last = len(rows(document["frames"])) - 1
    texts = [play_back(document["parts"], ply) for ply in range(last + 1)]
    said = ["no Djinn yet" in "".join(text.values()) for text in texts]
    assert said[0] and not said[last], "what is not there at the end does not come any more"
    hands = {text[f"seat-{seat}-hand"] for text in texts for seat in (1, 2, 3)}
    assert any('title="gold ingots"' in hand for hand in hands)
    assert not any(re.search(r'class="visually-hidden">1 ', hand) for hand in hands), "not: 1 gold ingots"


def test_an_unchanged_replay_is_not_sent_again(finished: str) -> None:
    first = Client().get(f"/matches/{finished}/frames.json")
    again = Client().get(f"/matches/{finished}/frames.json", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_browsers_keep_frames_under_the_edition_that_made_them_alone(
    finished: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept(edition: str) -> str:
        return Client().get(f"/matches/{finished}/frames.json?e={edition}")["Cache-Control"]

    edition = static_files.edition()
    for page in ("", "embed"):
        assert f'data-edition="{edition}"' in Client().get(f"/matches/{finished}/{page}").content.decode()
    assert (kept(edition), kept(""), kept("older")) == ("private, max-age=3600", "no-cache", "no-cache")


def test_what_is_kept_of_a_match_is_told_as_at_first(finished: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [f"/matches/{finished}/{query}" for query in ("", "?d=0", "?d=3", "?d=3&view=2")]
    first = [Client().get(page).content for page in pages]
    assert [content.count(b"is-now") for content in first] == [1, 0, 1, 1]
    monkeypatch.setattr(moves, "move_list", None)  # nothing is told twice
    assert [Client().get(page).content for page in pages] == first
    monkeypatch.setattr("webui.replays.cache.edition", lambda: "the-next")
    with pytest.raises(TypeError):
        Client().get(pages[0])


def test_what_moves() -> None:
    document = frames_document(FinishedReplay.of_game(drawn(WIDEST)), lines(5))
    moved = [motion for frame in rows(document["frames"]) for motion in frame.get("motions", [])]
    kinds, symbols = {motion[0] for motion in moved}, {motion[1].partition("-")[0] for motion in moved}
    assert (
        kinds == {"pick", "carry", "drop", "lift", "arrive", "leave"}
        and {"m", "camel", "palm", "palace", "coin", "i", "d"} <= symbols
    )
    named = {name for motion in moved for name in motion[2:4]}
    assert named <= set(document["parts"]), "every motion goes from a part to a part"
