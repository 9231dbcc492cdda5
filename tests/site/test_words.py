"""Every decision has words, and they say what happened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.rules import Ruleset, read_game
from webui.site.board.names import group_words
from webui.site.story import SETUP, FinishedStory, steps_of
from webui.site.words import DJINNS, decision_words, listed, reason_words

VECTORS = sorted((Path(__file__).parents[2] / "tests/golden/vectors").glob("base-*.json"))
NAMES = ["Oud", "Mirage", "Sirocco", "Wadi"]
BASE = Ruleset(4)


def stories() -> list[FinishedStory]:
    return [FinishedStory(read_game(json.loads(path.read_text()))) for path in VECTORS]


def test_every_decision_of_real_games_has_words_with_and_without_positions() -> None:
    verbs = set()
    for story in stories():
        for place, step in enumerate(story.steps, 1):
            verbs.add(step.verb)
            bare = decision_words(step.text, NAMES, story.ruleset)
            told = decision_words(step.text, NAMES, story.ruleset, story.position(place - 1), story.position(place))
            for words in (bare, told):
                assert words and "%" not in words and (words != step.text or step.verb == "skip")
    assert {"bid", "take", "drop", "build", "kill", "buy", "summon", "pass", "use", "keep", "sell", "end"} <= verbs


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bid 2", "bids 12 gold for spot 2"),
        ("bid 9", "bids nothing, spot 9"),
        ("bid 2 f 1", "bids for spot 2, cheaper by 1 Fakir"),
        ("bid 2 f 3", "bids for spot 2, cheaper by 3 Fakirs"),
        ("take A1", "picks up all meeples from A1"),
        ("drop A2 r", "drops an assassin on A2"),
        ("build 0", "lets the builders work"),
        ("build 2", "lets the builders work and 2 Fakirs"),
        ("kill B2 y", "kills a vizier on B2"),
        ("kill B2 yw", "kills a vizier and an elder on B2"),
        ("kill @2 ww", "kills 2 elders of Mirage"),
        ("palm A2 w", "plants a palm on A2"),
        ("summon al-amin wf", "summons Al-Amin"),
        ("use enki w A1", "uses Enki on A1"),
        ("use echidna ww", "uses Echidna"),
        ("keep ?", "keeps a card"),
        ("sell fish ivory wheat", "sells fish, ivory and wheat for 7 gold"),
        ("frobnicate", "frobnicate"),
    ],
)
def test_words_without_a_position(text: str, words: str) -> None:
    assert decision_words(text, NAMES, BASE) == words


def test_groups_and_lists() -> None:
    assert group_words("wggr") == "elder, 2 merchants, assassin"
    assert group_words("-") == ""
    assert listed([]) == "" and listed(["a"]) == "a" and listed(["a", "b", "c"]) == "a, b and c"
    assert reason_words("LATE") == "late answer" and reason_words("SOMETHING_NEW") == "something new"


def test_every_djinn_has_a_seal_of_its_own() -> None:
    sheet = (Path(__file__).parents[2] / "webui/site/templates/site/drawings/djinns.svg").read_text()
    stars = [line.split(">", 1)[1] for line in sheet.splitlines() if line]
    assert len(stars) == len(set(stars)) == len(DJINNS)
    assert all(f'id="d-{djinn}"' in sheet for djinn in DJINNS)


def test_places_and_addresses() -> None:
    story = stories()[0]
    last = len(story.steps)
    assert story.place_of(None) == story.place_of("nonsense") == story.place_of("-3") == last
    assert story.place_of(SETUP) == 0 and story.name_of(0) == SETUP
    for place in range(1, last + 1):
        assert story.place_of(story.name_of(place)) == place
    assert story.place_of("999999999999") == last


def test_chance_belongs_to_the_decision_before_it() -> None:
    for path in VECTORS:
        game = read_game(json.loads(path.read_text()))
        steps = steps_of(game.events)
        assert sum(1 + len(step.chance) for step in steps) == len(game.events)
        assert [game.events[step.index].text for step in steps] == [step.text for step in steps]
