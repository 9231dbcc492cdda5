"""Cards and tokens, as values for templates."""

from collections.abc import Iterable
from dataclasses import dataclass

from arena.rules.components import DJINN_NUMBER, GOODS, ITEM_NUMBER, RESOURCE_COPIES, RESOURCES
from arena.rules.components import DJINNS as DJINN_CARDS
from arena.rules.components import ITEMS as ITEM_TOKENS
from webui.words import cards, tiles, vocabulary
from webui.words.vocabulary import once_a_language


@dataclass(frozen=True)
class Card:
    """A resource in a row or a hand."""

    id: str
    name: str
    number: int = 1
    copies: int = 0
    dots: range = range(0)
    """Dots for the rarity: one for a common good, three for a rare one, none for a Fakir."""


@once_a_language
def card(name: str, number: int = 1) -> Card:
    """Return a resource card with its picture's id, its name and its rarity."""
    copies = RESOURCE_COPIES[RESOURCES.index(name)]
    dots = range({2: 3, 4: 2}.get(copies, 1) if name in GOODS else 0)
    return Card(name, str(vocabulary.RESOURCES[name]), number, copies, dots)


@dataclass(frozen=True)
class DjinnCard:
    """A Djinn in the row or at a seat."""

    id: str
    name: str
    value: int
    effect: str
    when: str
    is_used: bool = False
    """Whether its paid power was used this round."""


@once_a_language
def djinn_card(djinn: str, *, artisans: bool = False, is_used: bool = False) -> DjinnCard:
    """Return a Djinn card with its effect and value. `artisans`: whether they are in play, which changes two Djinns."""
    text = cards.djinn_text(djinn, artisans=artisans)
    value = DJINN_CARDS[DJINN_NUMBER[djinn]].value
    return DjinnCard(djinn, str(text.name), value, str(text.effect), str(text.when), is_used)


@dataclass(frozen=True)
class ItemCard:
    """Item tokens of one kind, with their number. Magic items have an `effect`, and their `value` is 0."""

    id: str
    name: str
    effect: str
    value: int
    number: int = 1


@once_a_language
def item_card(item: str, number: int = 1) -> ItemCard:
    """Return an item card with its effect or value."""
    text = cards.ITEMS[item]
    return ItemCard(item, str(text.name), str(text.effect), ITEM_TOKENS[ITEM_NUMBER[item]].value, number)


def item_cards(items: Iterable[str]) -> list[ItemCard]:
    """Return the tokens grouped by kind, in the order of `ITEMS`."""
    tokens = list(items)
    return [item_card(token.id, tokens.count(token.id)) for token in ITEM_TOKENS if token.id in tokens]


@dataclass(frozen=True)
class WhimCard:
    """A whim: the things that its owner must have, the gold that it then pays, and whether it has been paid."""

    id: str
    needs: str
    gold: int
    is_paid: bool = False


@once_a_language
def whim_card(whim: str, *, is_paid: bool = False) -> WhimCard:
    """Return a whim card in words."""
    return WhimCard(whim, tiles.whim_needs(whim), tiles.whim_reward(whim), is_paid)
