"""A choice in words: one decision, or all decisions of a sowing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from arena.rules import Ruleset, State, Stream, View, parse_action, position, settle
from webui.words.decisions import brief_words, decision_words

SOWING: Final = ("take", "drop", "fly")


def option_words(
    state: State,
    actions: Sequence[str],
    names: Sequence[str],
    ruleset: Ruleset,
    seen: Callable[[State], View] = position,
) -> tuple[str, str]:
    """Return the first and last tile of a sowing (empty if the choice is no sowing), and the sentence of a choice.

    `actions`: the choice in the notation, to be played from `state`.
    `names`: the names of the seats, seat 1 first.
    `seen`: function that returns what the reader may know of a state.
    """
    before = after = state
    draws = Stream(bytes(32))  # any draws do, because the words describe only the seat's choice
    tiles = []
    for text in actions:
        before, after = after, settle(after.play(parse_action(text)), draws)
        verb, *words = text.split(" ")
        if verb in SOWING:
            tiles.append(words[0])
    last, around = actions[-1], (seen(before), seen(after))
    sentence = brief_words(last, names, ruleset, *around) or decision_words(last, names, ruleset, *around)
    return f"{tiles[0]} → {tiles[-1]}" if len(tiles) > 1 else "", sentence
