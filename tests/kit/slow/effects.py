"""The building blocks of the effects of actions."""

from typing import Protocol

from tests.kit.slow.board import (
    Position,
    add_to_bag,
    seat_of,
    tile_of,
)

LASTING = ("doubled", "item_used")  # these keys stay in the turn until it ends


class Chance(Protocol):
    def bag(self, bag: str, count: int) -> str: ...
    def shuffle(self, pile: str, cards: list[str]) -> list[str]: ...


class Effects:
    """One action being played on a copy of the position."""

    def __init__(self, position: Position, chance: Chance) -> None:
        self.position = position
        self.chance = chance
        self.events: list[str] = []
        self.number: int = position["to_act"]
        self.seat = seat_of(position, self.number)

    def pay(self, payment: str) -> None:
        self.seat["elders"] -= payment.count("w")
        add_to_bag(self.position, "w" * payment.count("w"))
        self.discard_fakirs(payment.count("f"))

    def discard_fakirs(self, count: int) -> None:
        for _ in range(count):
            self.lose_card("fakir")
            self.position["resources"]["discard"].append("fakir")

    def lose_card(self, kind: str) -> None:
        hand = self.seat["hand"]
        hand[kind] -= 1
        if hand[kind] == 0:
            del hand[kind]

    def gain_card(self, kind: str) -> None:
        hand = self.seat["hand"]
        hand[kind] = hand.get(kind, 0) + 1

    def refill(self, pile: str) -> list[str]:
        """Return the deck to draw from. The discard is shuffled only when a card is needed and the deck is empty."""
        cards = self.position[pile]
        deck = "pile" if pile == "items" else "deck"
        if not cards[deck] and cards["discard"]:
            order = self.chance.shuffle(pile, cards["discard"])
            self.events.append(" ".join(["!shuffle", pile, *order]))
            cards[deck], cards["discard"] = list(order), []
        found: list[str] = cards[deck]
        return found

    def draw(self, pile: str) -> str | None:
        """Draw the top card of a deck, if there is one."""
        deck = self.refill(pile)
        return deck.pop(0) if deck else None

    def gain_item(self) -> None:
        """Gain the top item of the pile."""
        item = self.draw("items")
        if item is not None:
            self.seat["items"].append(item)

    def passive(self, djinn: str, own: int = 1, other: int = 2) -> None:
        """Pay the owner of the Djinn: `own` for its own action, `other` for another seat's."""
        for number, seat in enumerate(self.position["seats"], start=1):
            if djinn in seat["djinns"]:
                seat["gold"] += own if number == self.number else other

    def gain_djinn(self, djinn: str) -> None:
        self.passive("baal")  # before the Djinn changes hands: Ba'al does not pay for itself
        self.seat["djinns"].append(djinn)

    def put_piece(self, pieces: str, tile: str) -> None:
        self.position["supply"][pieces] -= 1
        tile_of(self.position, tile)[pieces] += 1
        if pieces == "palaces":
            self.passive("monkir")

    def phase(self, name: str, **turn: object) -> None:
        """Go to another phase of the same turn. Lasting keys stay."""
        kept = {k: v for k, v in self.position["turn"].items() if k in LASTING}
        self.position["phase"] = name
        self.position["turn"] = {**turn, **kept}

    def passing_turn(self) -> dict[str, object]:
        """Return the keys that are needed to return to this phase."""
        return {k: v for k, v in self.position["turn"].items() if k not in LASTING}

    # -- taking control

    def occupy(self, tile: str, piece: str) -> None:
        """Place a camel or the tent."""
        found = tile_of(self.position, tile)
        found["owner"] = self.number
        if piece == "tent":
            found["tent"] = True
        self.seat["camels" if piece == "camel" else "tent"] -= 1

    def asks_control(self, tile: str, **turn: object) -> bool:
        """Take control of a tile without an owner. Return whether the seat must choose between a camel and the tent."""
        left = [piece for piece, key in (("camel", "camels"), ("tent", "tent")) if self.seat.get(key, 0) > 0]
        if tile_of(self.position, tile)["owner"] is not None or not left:
            return False
        if len(left) == 2:
            self.phase("control", target=tile, **turn)
            return True
        self.occupy(tile, left[0])
        return False
