"""Translatable words: the names of things, and sentences about decisions, matches and refusals.

from webui.words import decision_words
"""

from webui.words.badges import REASONS, reason_words
from webui.words.cards import DJINNS, ITEMS, DjinnText, ItemText, djinn_name, djinn_text, item_name
from webui.words.consequences import consequence_words
from webui.words.decisions import brief_words, decision_words
from webui.words.things import THINGS_ABOUT
from webui.words.tiles import THINGS, TILE_KINDS, TILES_ABOUT, whim_needs, whim_reward
from webui.words.vocabulary import CATEGORIES, RESOURCES, coins, group_words, listed, source_names

__all__ = [
    "CATEGORIES",
    "DJINNS",
    "ITEMS",
    "REASONS",
    "RESOURCES",
    "THINGS",
    "THINGS_ABOUT",
    "TILES_ABOUT",
    "TILE_KINDS",
    "DjinnText",
    "ItemText",
    "brief_words",
    "coins",
    "consequence_words",
    "decision_words",
    "djinn_name",
    "djinn_text",
    "group_words",
    "item_name",
    "listed",
    "reason_words",
    "source_names",
    "whim_needs",
    "whim_reward",
]
