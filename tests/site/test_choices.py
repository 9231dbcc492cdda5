"""The legal actions in the form that a page offers: paths by hand, and paths of random games."""

from __future__ import annotations

from random import Random

import pytest
from django.utils import translation

from arena.rules import Ruleset, position, settle, start, view
from arena.rules.determinize import determinize
from webui.board.choices import choices

SEATS = ["Oud", "Mirage", "Vizier", "Saffron", "Ledger"]
PATHS = {
    "bid 5": ["spot-5", "fakirs-0"],
    "bid 5 f 2": ["spot-5", "fakirs-2"],
    "take A1": ["tile-A1"],
    "drop A2 r": ["tile-A2", "meeples-r"],
    "fly A2 r": ["item-carpet", "tile-A2", "meeples-r"],
    "build 2": ["fakirs-2"],
    "kill A1 wr": ["tile-A1", "meeples-wr"],
    "kill @2 yw": ["seat-2", "meeples-yw"],
    "spare": ["do-spare"],
    "palm A1": ["tile-A1"],
    "palace A2 w": ["tile-A2", "pay-w"],
    "buy 1 4": ["card-1", "card-4"],
    "summon enki wf": ["djinn-enki", "pay-wf"],
    "pass": ["do-pass"],
    "use sloar f": ["own-sloar", "pay-f"],
    "use enki w A1": ["own-enki", "tile-A1", "pay-w"],
    "use enki w A1 f B2": ["own-enki", "tile-A1", "tile-B2", "pay-w", "again-f"],
    "keep anun-nak": ["kept-anun-nak"],
    "keep crown": ["kept-crown"],
    "sell fish ivory": ["good-fish", "good-ivory"],
    "end": ["do-end"],
    "tent": ["do-tent"],
    "craft ff": ["pay-ff"],
    "item lamp geb": ["item-lamp", "djinn-geb"],
    "item talisman A1 B2": ["item-talisman", "tile-A1", "tile-B2"],
    "item ring carpet": ["item-ring", "kept-carpet"],
    "item scimitar": ["item-scimitar", "do-item-scimitar"],
    "slay A1 p": ["tile-A1", "meeples-p"],
    "pull A1 p": ["tile-A1", "meeples-p"],
    "next fish": ["next-fish"],
}


def test_every_kind_of_action_has_its_path() -> None:
    seen = position(start(Ruleset(5, ("artisans", "whims")), bytes(32)))
    made = choices(seen, list(PATHS), SEATS)
    assert {action["text"]: action["path"] for action in made["actions"]} == PATHS
    steps = made["steps"]
    assert steps["spot-5"] == {"label": "5 gold", "short": "5", "drawings": ["coin"]}
    assert steps["meeples-wr"] == {"label": "elder, assassin", "drawings": ["m-w", "m-r"]}
    assert steps["pay-wf"] == {"label": "an elder and a Fakir", "drawings": ["m-w", "i-fakir"]}
    assert steps["seat-2"] == {"label": "Mirage", "drawings": []}
    assert steps["do-pass"]["label"] == "leaves the action of the tile"
    assert steps["card-1"]["drawings"] == [f"i-{seen.market[0]}"]
    assert steps["kept-crown"]["drawings"] == ["x-crown"] and steps["kept-anun-nak"]["drawings"] == ["d-anun-nak"]


@pytest.mark.parametrize("ruleset", [Ruleset(2), Ruleset(5, ("artisans", "whims"))], ids=str)
def test_in_random_games_no_path_is_the_beginning_of_another(ruleset: Ruleset) -> None:
    rng, state = Random(str(ruleset)), start(ruleset, bytes(32))
    while not state.is_over:
        legal = [action.text for action in state.legal]
        made = choices(position(state), legal, SEATS)
        assert made["question"] and made["seat"] == state.to_act
        paths = [tuple(action["path"]) for action in made["actions"]]
        assert [action["text"] for action in made["actions"]] == legal and len(set(paths)) == len(paths)
        in_order = {path for path in paths if not path[0].startswith(("card-", "good-"))}
        assert not any(path[:number] in in_order for path in in_order for number in range(1, len(path)))
        assert {name for path in paths for name in path} == made["steps"].keys()
        state = settle(state.play(rng.choice(state.legal)), rng)


def test_a_seat_gets_the_same_from_its_own_view_as_from_the_whole_position() -> None:
    rng, state = Random(3), start(Ruleset(3, ("whims",)), bytes(32))
    for _ in range(200):
        if state.is_over:
            break
        seen = view(state, state.to_act)
        guessed = [action.text for action in determinize(seen, Random(1)).legal]
        assert choices(seen, guessed, SEATS) == choices(position(state), [action.text for action in state.legal], SEATS)
        state = settle(state.play(rng.choice(state.legal)), rng)


@pytest.mark.parametrize(("language", "words"), [("es", "Elija la puja: 7 casillas son posibles"), ("ru", "7 клеток")])
def test_the_question_is_asked_in_the_language_of_the_reader(language: str, words: str) -> None:
    state = start(Ruleset(4), bytes(32))
    with translation.override(language):
        assert words in choices(position(state), [action.text for action in state.legal], SEATS)["question"]
