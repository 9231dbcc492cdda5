"""Set-ups with the expansions from a seed, worked out by hand from its words (rules 2.2 and 9)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from arena.rules import Ruleset, format_position, start
from tests.kit import box
from tests.kit.games import seed_of

ARTISANS = ["workshop-NW", "workshop-SE", "workshop-SE", "special-market", "special-market", "chasm"]
TABLES = [("whims",), ("artisans",), ("artisans", "whims")]


class Words:
    """The stream of section 9, implemented again."""

    def __init__(self, seed: bytes) -> None:
        self.words = self._read(seed)

    @staticmethod
    def _read(seed: bytes) -> Iterator[int]:
        block = 0
        while True:
            digest = sha256(seed + block.to_bytes(8, "big")).digest()
            yield from (int.from_bytes(digest[place : place + 4], "big") for place in range(0, 32, 4))
            block += 1

    def shuffle(self, cards: list[Any]) -> list[Any]:
        for last in range(len(cards) - 1, 0, -1):
            while (word := next(self.words)) >= 2**32 // (last + 1) * (last + 1):
                pass
            other = word % (last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        return cards


def lay(expansions: tuple[str, ...], words: Words) -> dict[str, str]:
    """Return one attempt at the tile step: the kind on each tile."""
    copies = box.COPIES | (box.COPIES_OF_WHIMS if "whims" in expansions else {})
    # Table 1.1 from top to bottom, then the tiles of Whims.
    order = ["village", "sacred", "sacred-10", "sacred-12", "sacred-15", "oasis", "small-market", "large-market"]
    written = [kind for kind in [*order, *box.COPIES_OF_WHIMS] for _ in range(copies.get(kind, 0))]
    tiles = words.shuffle(written)
    names = box.names(expansions)
    if "artisans" not in expansions:
        return dict(zip(names, tiles, strict=True))
    columns, others = ("BCDEF", 14) if "whims" in expansions else ("BCDE", 10)
    inner = [name for name in names if name[0] in columns and name[1] in "2345"]
    middle = words.shuffle([*tiles[:others], *ARTISANS])
    laid = dict(zip(inner, middle, strict=True))
    return laid | dict(zip([name for name in names if name not in inner], tiles[others:], strict=True))


def is_connected(laid: dict[str, str]) -> bool:
    """Return whether every passable tile can be reached from every other."""
    ground = {name for name, kind in laid.items() if kind not in ("lake", "chasm")}
    sides = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}

    def beside(name: str, side: str) -> str:
        across, down = sides[side]
        return f"{chr(ord(name[0]) + across)}{int(name[1]) + down}"

    walls = {frozenset((name, beside(name, side))) for name in laid for side in box.FACES[laid[name]][3]}
    reached: set[str] = set()
    todo = [min(ground)]
    while todo:
        name = todo.pop()
        reached.add(name)
        nexts = (beside(name, side) for side in sides)
        todo += [to for to in nexts if to in ground - reached and frozenset((name, to)) not in walls]
    return reached == ground


def attempts(expansions: tuple[str, ...], seed: bytes) -> tuple[dict[str, str], int, Words]:
    words, number = Words(seed), 1
    while not is_connected(laid := lay(expansions, words)):
        number += 1
    return laid, number, words


def faces(laid: dict[str, str]) -> dict[str, tuple[str, str | None, int, str]]:
    return {name: box.FACES[kind] for name, kind in laid.items()}


def shown(document: dict[str, Any]) -> dict[str, tuple[str, str | None, int, str]]:
    tiles = document["board"]["tiles"]
    return {name: (t["kind"], t["colour"], t["value"], t.get("mountains", "")) for name, t in tiles.items()}


@pytest.mark.parametrize("expansions", TABLES)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_section_9_the_whole_set_up(players: int, expansions: tuple[str, ...]) -> None:
    seed = seed_of("layout", players, expansions)
    found = format_position(start(Ruleset(players, expansions), seed))
    laid, _, words = attempts(expansions, seed)
    assert shown(found) == faces(laid)
    number = box.meeples(expansions)
    meeples = words.shuffle([letter for letter in "ywgbrp" for _ in range(number[letter])])
    ground = [name for name in box.names(expansions) if laid[name] not in ("lake", "chasm")]
    threes = {name: box.group("".join(meeples[3 * place : 3 * place + 3])) for place, name in enumerate(ground)}
    assert {name: found["board"]["tiles"][name]["meeples"] for name in ground} == threes
    assert found["bag"] == "-" and len(meeples) == 3 * len(ground)
    assert found["bid_order"] == words.shuffle([1, 1, 2, 2] if players == 2 else list(range(1, players + 1)))
    few = dict.fromkeys(box.GOODS[:3], 2) | dict.fromkeys(box.GOODS[3:6], 4) | dict.fromkeys(box.GOODS[6:], 6)
    cards = words.shuffle([name for name, copies in {**few, "fakir": 18}.items() for _ in range(copies)])
    assert found["resources"] == {"row": cards[:9], "deck": cards[9:], "discard": []}
    extra = (["geb", "ptah"] if "artisans" in expansions else []) + (
        ["kali", "ganesha"] if "whims" in expansions else []
    )
    djinns = words.shuffle([*box.DJINNS, *extra])
    assert found["djinns"] == {"row": djinns[:3], "deck": djinns[3:], "discard": []}
    if "whims" in expansions:
        whims = words.shuffle(box.WHIMS + (box.WHIMS_OF_ARTISANS if "artisans" in expansions else []))
        cities = [name for name in ground if "city" in laid[name]]
        assert [found["board"]["tiles"][name]["whim"] for name in cities] == whims[:5]
        assert found["whims"] == {"deck": whims[5:]}
    if "artisans" in expansions:
        assert found["items"] == {"pile": words.shuffle(list(box.ITEMS)), "discard": []}


@pytest.mark.parametrize("expansions", TABLES[1:])
def test_rule_2_2_a_layout_that_cuts_a_tile_off_is_laid_anew_with_the_same_stream(expansions: tuple[str, ...]) -> None:
    again = 0
    for number in range(500):
        seed = seed_of("cut off", number)
        laid, tries, _ = attempts(expansions, seed)
        if tries > 1:
            again += 1
            assert shown(format_position(start(Ruleset(3, expansions), seed))) == faces(laid)
    assert again >= 3


def test_rule_2_2_what_cuts_off() -> None:
    """The chasm is south of a workshop with mountains north and west: only the east is open. A second one closes it."""
    laid = dict.fromkeys(box.names(("artisans",)), "oasis") | {"B2": "workshop-NW", "B3": "chasm"}
    assert is_connected(laid)
    assert not is_connected(laid | {"C2": "lake"})
    assert not is_connected(laid | {"A1": "oasis", "B1": "lake", "A2": "chasm"} | {"B2": "oasis"})
