"""Every decision has words, and they say what happened."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.rules import Game, Ruleset, format_position, parse_view, position, read_game, view
from arena.rules.components import DJINNS as DJINN_CARDS
from arena.rules.components import EXPANSIONS, WHIMS
from arena.rules.components import ITEMS as ITEM_TOKENS
from arena.rules.items import MAGIC
from arena.rules.notation import VERBS
from tests.kit.games import RULESETS, random_game, random_states, seed_of
from tests.kit.plies import indices
from webui.core.static_files import symbols
from webui.replays.replay import FinishedReplay, steps_of
from webui.words.badges import reason_words
from webui.words.cards import DJINNS, ITEMS, djinn_text
from webui.words.consequences import consequence_words
from webui.words.decisions import decision_words
from webui.words.tiles import TILE_KINDS, TILES_ABOUT, whim_needs, whim_reward
from webui.words.vocabulary import CATEGORIES, RESOURCES, group_words, listed

ROOT = Path(__file__).parents[2]
VECTORS = sorted((ROOT / "tests/golden/vectors").glob("base-*.json"))
NAMES = ["Oud", "Mirage", "Sirocco", "Wadi", "Two Palms"]
BASE = Ruleset(4)


def is_sentence(words: str, text: str) -> bool:
    """Whether words say something: no gap left open, nothing missing, and not the notation again."""
    return bool(words) and not re.search(r"%|\bNone\b|  |[{}]", words) and words != text


def replays() -> list[FinishedReplay]:
    return [FinishedReplay.of_game(read_game(json.loads(path.read_text()))) for path in VECTORS]


def test_every_decision_of_real_games_has_words_with_and_without_positions() -> None:
    verbs = set()
    for replay in replays():
        for ply, step in enumerate(replay.steps, 1):
            verbs.add(step.verb)
            bare = decision_words(step.text, NAMES, replay.ruleset)
            told = decision_words(step.text, NAMES, replay.ruleset, replay.position(ply - 1), replay.position(ply))
            assert is_sentence(bare, step.text) and is_sentence(told, step.text)
    assert {"bid", "take", "drop", "build", "kill", "buy", "summon", "pass", "use", "keep", "sell", "end"} <= verbs


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bid 2", "bids 12 gold"),
        ("bid 9", "bids nothing"),
        ("bid 2 f 1", "gives 1 Fakir to Kumarbi and bids 8 gold for the spot of 12 gold"),
        ("bid 2 f 3", "gives 3 Fakirs to Kumarbi and bids 3 gold for the spot of 12 gold"),
        ("bid 6 f 1", "gives 1 Fakir to Kumarbi for the spot of 1 gold, free"),
        ("take A1", "picks up all meeples from A1"),
        ("drop A2 r", "drops an assassin on A2"),
        ("skip", "has no legal move"),
        ("build 0", "lets its builders work"),
        ("build 2", "lets its builders work, with 2 Fakirs"),
        ("kill B2 y", "kills a vizier on B2"),
        ("kill B2 yw", "kills a vizier and an elder on B2"),
        ("kill @2 ww", "kills 2 elders in front of Mirage"),
        ("spare", "kills nobody"),
        ("palm A2", "plants a palm on A2"),
        ("palm A2 w", "plants its palm on A2 instead, through Lamia for an elder"),
        ("palace A2 f", "builds its palace on A2 instead, through Hagis for a Fakir"),
        ("buy 1 4", "buys from the market, place 1 and 4"),
        ("summon al-amin wf", "summons Al-Amin for an elder and a Fakir"),
        ("pass", "leaves the action of the tile"),
        ("use enki w A1", "plants a palm on A1, through Enki for an elder"),
        ("use enki w A1 f B2", "plants a palm on B2, through Enki on A1 for an elder and Lamia for a Fakir"),
        ("use echidna ww", "doubles what its builders earn, through Echidna for 2 elders"),
        ("keep enki", "keeps Enki"),
        ("keep crown", "keeps the Crown"),
        ("keep ?", "keeps one of the drawn items"),
        ("sell fish ivory wheat", "sells fish, ivory and wheat for 7 gold"),
        ("end", "ends the turn"),
        ("camel", "takes the tile with a camel"),
        ("tent", "takes the tile with its tent"),
        ("craft p", "crafts an item for an artisan"),
        ("craft ff", "crafts an item for 2 Fakirs"),
        ("item lamp enki", "gains Enki with the Fabulous Lamp"),
        ("item talisman A1 B2", "moves its camel from A1 to B2 with the Tempest Talisman"),
        ("item ring crown", "fetches the Crown back with the Rebirth Ring"),
        ("item scimitar", "draws the Burning Scimitar to kill two meeples"),
        ("item flute C3", "plays the Enchanting Flute to lure meeples to C3"),
        ("item horn", "sounds the Horn of Plenty for a new market"),
        ("slay A1 r", "strikes an assassin on A1"),
        ("pull A1 r", "lures an assassin from A1"),
        ("done", "puts the flute away"),
        ("next fish", "lays fish next in the market"),
        ("fly G6 p", "flies an artisan to G6 on the carpet"),
    ],
)
def test_words_without_a_position(text: str, words: str) -> None:
    assert decision_words(text, NAMES, BASE) == words


def test_groups_and_lists() -> None:
    assert group_words("wggr") == "elder, 2 merchants, assassin"
    assert group_words("-") == ""
    assert listed(iter([])) == "" and listed(["a"]) == "a" and listed(["a", "b", "c"]) == "a, b and c"
    assert reason_words("LATE") == "late answer" and reason_words("SOMETHING_NEW") == "something new"


def test_what_is_no_decision_has_no_words() -> None:
    with pytest.raises(ValueError, match="frobnicate"):
        decision_words("frobnicate", NAMES, BASE)


@pytest.fixture(scope="module")
def random_games() -> list[Game]:
    return [random_game(ruleset, seed_of("words", *ruleset)) for ruleset in RULESETS]


@pytest.mark.slow
def test_every_action_that_could_be_played_has_a_sentence() -> None:
    seen = set()
    for ruleset in RULESETS:
        for number, state in enumerate(random_states(ruleset, seed_of("words", *ruleset))):
            if state.is_over or (number % 3 and state.phase in ("bid", "move", "sow", "sell")):
                continue
            whole = position(state)
            for action in state.legal:
                seen.add(" ".join(action.text.split(" ")[: 2 if action.verb in ("use", "item") else 1]))
                for before in (None, whole, view(state, 0)):
                    assert is_sentence(decision_words(action.text, NAMES, ruleset, before), action.text)
                if action.verb == "pass":
                    assert decision_words("pass", NAMES, ruleset, whole) != "leaves the action of the tile"
    powers = {f"use {djinn.id}" for djinn in DJINN_CARDS if djinn.power == "use"}
    magic = {f"item {ITEM_TOKENS[number].id}" for number in MAGIC}
    seldom = {"palm", "palace", "spare"}  # told above, one by one
    assert seen | seldom == set(VERBS) - {"use", "item"} | powers | magic


def states_of(game: Game) -> list[Any]:
    """The states between decisions, chance drawn."""
    state, states = game.setup, [game.setup]
    for event in game.events:
        state = state.play(state.parse(event.text))
        if state.due is None:
            states.append(state)
    return states


@pytest.mark.slow
def test_every_decision_and_what_followed_is_told(random_games: list[Game]) -> None:
    sentences = set()
    for game in random_games:
        replay = FinishedReplay.of_game(game)
        for ply, step in enumerate(replay.steps, 1):
            before, after = replay.position(ply - 1), replay.position(ply)
            assert is_sentence(decision_words(step.text, NAMES, game.ruleset, before, after), step.text)
            for words in consequence_words(step.text, step.chance, NAMES[: game.ruleset.players], before, after):
                assert is_sentence(words, step.text)
                sentences.add(re.sub(r"\d+|[A-G][1-6]", "", words))
    assert len(sentences) > 50


def test_a_spectator_is_told_nothing_hidden() -> None:
    """Two games that differ only in hidden cards and gold are told alike from a spectator's views."""
    game = random_game(Ruleset(4, EXPANSIONS), seed_of("hidden words"))
    states = states_of(game)
    for step, before, after in zip(steps_of(game.events), states, states[1:], strict=False):
        if after.is_over:
            break
        shown, then = view(before, 0), view(after, 0)
        text = "keep ?" if step.verb == "keep" and before.phase == "item" else step.text
        words = [
            decision_words(text, NAMES, game.ruleset, shown, then),
            *consequence_words(text, (), NAMES[:4], shown, then),
        ]
        hidden = [str(ITEMS[item].taken) for item in ("jewelry", "treasure", "crown")]
        ring = step.text.startswith("item ring")
        assert ring or not any(item in sentence for item in hidden for sentence in words)


@pytest.mark.parametrize(
    ("expansions", "text", "change", "words"),
    [
        ((), "bid 7", {"turn_track": ([None] * 6 + [2, None, None], [None] * 6 + [1, 2, None])},
         ["the marker of Mirage is pushed to the next free spot"]),
        ((), "end", {"round": (1, 2)}, ["round 2 begins"]),
        ((), "end", {"ending": (None, "camels")}, ["a last camel is placed: this round is the last"]),
        (("artisans",), "end", {"ending": (None, "camels")},
         ["a seat has placed its last camel and its tent: this round is the last"]),
        (("artisans",), "end", {"ending": (None, "no-moves")}, ["no meeple can move any more: this round is the last"]),
    ],
)  # fmt: skip
def test_consequences(expansions: tuple[str, ...], text: str, change: dict[str, Any], words: list[str]) -> None:
    before, after = (format_position(random_game(Ruleset(4, expansions), seed_of("w")).setup) for _ in range(2))
    before["to_act"] = after["to_act"] = 1
    for key, (had, has) in change.items():
        before[key], after[key] = had, has
    assert told(text, (), NAMES[:4], before, after) == words


def told(
    text: str, chance: Sequence[str], names: Sequence[str], before: dict[str, Any], after: dict[str, Any]
) -> list[str]:
    return consequence_words(text, chance, names, parse_view(before), parse_view(after))


def seat_changes(before: dict[str, Any], after: dict[str, Any], number: int, **changes: tuple[Any, Any]) -> None:
    for key, (had, has) in changes.items():
        before["seats"][number - 1][key], after["seats"][number - 1][key] = had, has


def test_consequences_for_seats() -> None:
    setup = random_game(Ruleset(3, EXPANSIONS), seed_of("w")).setup
    before, after = format_position(setup), format_position(setup)
    before["to_act"] = 1
    before["phase"] = "sow"
    seat_changes(before, after, 1, viziers=(1, 4), whims=({"open": ["h02"], "paid": []}, {"open": [], "paid": ["h02"]}))
    seat_changes(before, after, 2, gold=(10, 14), djinns=(["marid"], ["marid"]))
    city = next(name for name, tile in before["board"]["tiles"].items() if tile["kind"] == "city")
    before["board"]["tiles"][city]["whim"], after["board"]["tiles"][city]["whim"] = "h04", None
    assert told("drop A1 y", ["!bag wwr", "!shuffle items 4"], NAMES[:3], before, after) == [
        "Oud collects 3 viziers",
        "Oud takes a whim (10 gold for 3 viziers and 3 elders)",
        "Oud fulfils a whim (7 viziers) and gains 15 gold",
        "Mirage gains 4 gold through Marid",
        "out of the bag: 2 elders, assassin",
        "the discarded items are shuffled into a new pile",
    ]


def test_what_assassins_bring_through_djinns_is_told() -> None:
    setup = random_game(Ruleset(3), seed_of("w")).setup
    before, after = format_position(setup), format_position(setup)
    before["to_act"] = 1
    seat_changes(
        before, after, 1, gold=(50, 56), hand=({"fish": 1}, {"fish": 2, "silk": 1}), djinns=(["kandicha"],) * 2
    )
    after["resources"]["discard"] = ["fakir", "fakir"]
    assert told("kill A1 gb", (), NAMES[:3], before, after) == [
        "Oud draws fish and silk",
        "Oud pays 2 Fakirs for the distance",
        "Oud gains 6 gold through Kandicha",
    ]
    for document in (before, after):
        document["view"] = 2
        document["seats"][0] |= {"gold": None, "hand": None, "cards": 3}
    assert told("kill A1 gb", (), NAMES[:3], before, after) == ["Oud pays 2 Fakirs for the distance"]


def test_everything_in_the_box_has_words() -> None:
    assert set(DJINNS) == {djinn.id for djinn in DJINN_CARDS}
    assert set(ITEMS) == {item.id for item in ITEM_TOKENS}
    kinds = {tile.kind for ruleset in RULESETS for tile in ruleset.tiles} | {"workshop", "special-market", "chasm"}
    assert set(TILE_KINDS) == set(TILES_ABOUT) == kinds
    for ruleset in RULESETS:
        setup = position(random_game(ruleset, seed_of("box", *ruleset)).setup)
        assert {tile.kind for tile in setup.tiles.values()} <= kinds
        assert set(setup.market) <= set(RESOURCES)
    for whim in WHIMS:
        assert is_sentence(whim_needs(whim.id), "") and whim_reward(whim.id) == whim.reward
        assert all(str(least) in whim_needs(whim.id) for _, least in whim.needs)
    assert set(MAGIC) == {number for number, item in enumerate(ITEM_TOKENS) if not item.value and item.id != "carpet"}
    assert len(CATEGORIES) == 10


def test_whims_for_coloured_tiles_say_that_cities_do_not_count() -> None:
    assert whim_needs("h17") == "4 own blue tiles other than cities"
    assert whim_needs("h18") == "5 own red tiles other than cities"


def test_two_djinns_change_with_the_artisans() -> None:
    changed = {djinn for djinn in DJINNS if djinn_text(djinn, artisans=True) is not DJINNS[djinn]}
    assert changed == {"boaz", "kandicha"}


@pytest.mark.parametrize(("prefix", "ids"), [("d", DJINNS), ("x", ITEMS)])
def test_every_card_has_a_drawing_of_its_own(prefix: str, ids: dict[str, Any]) -> None:
    drawn = {name: text.split(">", 1)[1] for name, text in symbols().items() if name.startswith(f"{prefix}-")}
    assert set(drawn) == {f"{prefix}-{name}" for name in ids}
    assert len(set(drawn.values())) == len(ids)


def test_places_and_addresses() -> None:
    replay = replays()[0]
    last = len(replay.steps)
    assert replay.ply_of(None) == replay.ply_of("nonsense") == replay.ply_of("-3") == last
    events = json.loads(VECTORS[0].read_text())["events"]
    assert [replay.index_of(ply) for ply in range(last + 1)] == indices(event[0] > 0 for event in events)
    for ply in range(last + 1):
        assert replay.ply_of(str(replay.index_of(ply))) == ply
    for ply, step in enumerate(replay.steps):
        assert replay.ply_of(str(step.index)) == ply, "the position before it"
        assert all(replay.ply_of(str(step.index + 1 + each)) == ply + 1 for each in range(len(step.chance)))
    assert replay.ply_of("999999999999") == last


def test_chance_belongs_to_the_decision_before_it() -> None:
    for path in VECTORS:
        game = read_game(json.loads(path.read_text()))
        steps = steps_of(game.events)
        assert sum(1 + len(step.chance) for step in steps) == len(game.events)
        assert [game.events[step.index].text for step in steps] == [step.text for step in steps]
