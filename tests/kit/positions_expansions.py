"""The expansions' part of the strange positions: items, open whims, the phases of an item's use."""

from random import Random
from typing import Any

from tests.kit.slow import tables
from tests.kit.slow.board import Position, group, is_passable, meeples_on, names, seat_of, steps, take_meeples, tile_of
from tests.kit.slow.sowing import any_take
from tests.kit.slow.whims import is_fulfilled, measure

PHASES = ["control", "item", "flute", "horn", "scimitar"]
MAGIC = [item for item in tables.ITEMS if item not in tables.PRECIOUS]


def items(position: Position, rng: Random) -> None:
    """Deal the items to the seats, the discard and the pile; any of these may be empty."""
    tokens = [item for item, copies in tables.ITEMS.items() for _ in range(copies)]
    rng.shuffle(tokens)
    most = rng.choice([0, 1, 2, 3, len(tokens) // position["players"]])
    for seat in position["seats"]:
        seat["items"] = [tokens.pop() for _ in range(rng.randint(0, most))]
    cut = rng.choice(
        [0, len(tokens), len(tokens), max(0, len(tokens) - rng.randint(1, 3)), rng.randint(0, len(tokens))]
    )
    position["items"] = {"discard": tokens[:cut], "pile": tokens[cut:]}
    if rng.random() < 0.1:  # nothing is left to draw
        rng.choice(position["seats"])["items"] += tokens
        position["items"] = {"discard": [], "pile": []}


def remove_item(position: Position, item: str) -> None:
    """Take one token of that kind from its place, from the piles first."""
    for place in [*position["items"].values(), *(seat["items"] for seat in position["seats"])]:
        if item in place:
            place.remove(item)
            return


def provoke(position: Position, rng: Random) -> None:
    """Give the acting seat one or two magic items, and for some of them a board that makes them hard."""
    seat = seat_of(position, position["to_act"])
    for item in sorted({rng.choice(MAGIC), rng.choice(MAGIC)}):
        remove_item(position, item)
        seat["items"].append(item)
    if position["phase"] == "bid" or rng.random() < 0.5:
        return
    if position["phase"] == "tile" and tile_of(position, position["turn"]["at"])["kind"] == "workshop":
        leave_items(position, rng, rng.choice([0, 0, 1]))
    elif position["phase"] == "move" and rng.random() < 0.3:
        leave_meeples(position, rng, 0)
        gather_artisans(position, rng)
        leave_items(position, rng, rng.choice([0, 1, 1, 2]))
    elif position["phase"] == "move" and "carpet" in seat["items"]:
        leave_meeples(position, rng, rng.randint(1, 8))
        if rng.random() < 0.4:
            heap_up(position, rng)
    elif "scimitar" in seat["items"]:
        leave_meeples(position, rng, rng.randint(0, 3))
    elif "horn" in seat["items"]:
        leave_cards(position, rng, rng.choice([0, 1, 1, 2, 5]))


def leave_meeples(position: Position, rng: Random, count: int) -> None:
    """Put all but a few meeples of the board into the bag."""
    bag = position["bag"].strip("-")
    standing = [(name, letter) for name in names(position) for letter in meeples_on(position, name)]
    rng.shuffle(standing)
    for name, letter in standing[count:]:
        take_meeples(position, name, letter)
        bag += letter
    position["bag"] = group(bag)
    if position["phase"] == "move" and position["ending"] is None and not any_take(position):
        position["ending"] = "no-moves"  # as found at the start of the turn


def heap_up(position: Position, rng: Random) -> None:
    """Put all meeples of the board on one tile: the last can only follow those dropped before it."""
    meeples = "".join(meeples_on(position, name) for name in names(position))
    for name in names(position):
        tile_of(position, name)["meeples"] = "-"
    tile_of(position, rng.choice(list(steps(position))))["meeples"] = group(meeples)


def gather_artisans(position: Position, rng: Random) -> None:
    """Place an artisan beside a tile with more of them."""
    tile, others = rng.choice([(tile, others) for tile, others in steps(position).items() if others])
    count = min(rng.randint(2, 4), position["bag"].count("p"))
    if count >= 2:
        position["bag"] = group(position["bag"].replace("p", "", count))
        tile_of(position, tile)["meeples"] = "p"
        tile_of(position, rng.choice(others))["meeples"] = "p" * (count - 1)
        if position["ending"] == "no-moves":
            position["ending"] = None


def leave_items(position: Position, rng: Random, count: int) -> None:
    """Leave `count` items in the pile or in the discard, and give the others to seats."""
    tokens = position["items"]["pile"] + position["items"]["discard"]
    rng.shuffle(tokens)
    for token in tokens[count:]:
        rng.choice(position["seats"])["items"].append(token)
    left = tokens[:count]
    position["items"] = {"pile": left, "discard": []} if rng.random() < 0.7 else {"pile": [], "discard": left}


def leave_cards(position: Position, rng: Random, count: int) -> None:
    """Give all but a few cards of the row and the piles to a seat's hand."""
    resources = position["resources"]
    hand = rng.choice(position["seats"])["hand"]
    left = sum(len(part) for part in resources.values())
    while left > count:
        kind = rng.choice([part for part in resources.values() if part]).pop()
        hand[kind] = hand.get(kind, 0) + 1
        left -= 1


def whims(position: Position, rng: Random) -> None:
    """Deal the whims: fulfilled ones are paid; others are open before seats that are near to fulfilling them."""
    cards = list(tables.whims(position["expansions"]))
    rng.shuffle(cards)
    for tile in position["board"]["tiles"].values():
        if tile["kind"] == "city":
            tile["whim"] = cards.pop() if rng.random() < 0.6 else None
    taken = rng.choice([0, len(cards) // 2, len(cards), len(cards)])
    seats = list(range(1, position["players"] + 1))
    for whim in cards[:taken]:
        paid = [number for number in seats if is_fulfilled(position, number, whim)]
        near = [number for number in seats if number not in paid and is_near(position, number, whim)]
        acting = [number for number in near if number == position["to_act"] and rng.random() < 0.7]
        number = rng.choice((paid if rng.random() < 0.2 else []) or acting or near or seats)
        held = seat_of(position, number)["whims"]
        held["paid" if number in paid else "open"].append(whim)
    position["whims"] = {"deck": cards[taken:]}


def is_near(position: Position, number: int, whim: str) -> bool:
    """Return whether little is missing."""
    _, wanted = tables.whims(position["expansions"])[whim]
    return sum(max(0, least - measure(position, number, what)) for what, least in wanted.items()) <= 2


def inside(position: Position, rng: Random, phase: str) -> bool:
    """Put a position inside a turn into one of PHASES. Return false if this one cannot be."""
    back = rng.choice(["move", "tribe", "tile", "sell"])
    turn: dict[str, Any] = {key: value for key, value in position["turn"].items() if key in ("doubled", "item_used")}
    details = {"control": control, "item": item, "flute": flute, "horn": horn, "scimitar": scimitar}[phase](
        position, rng, back
    )
    if details is None:
        return False
    if phase not in ("control", "item") or "left" in details:
        turn["item_used"] = True
        used = {"flute": "flute", "horn": "horn"}.get(phase, "scimitar")
        remove_item(position, used)
        position["items"]["discard"].append(used)
    position["phase"] = phase
    position["turn"] = {**details, **turn}
    return True


def returned(position: Position, rng: Random, back: str) -> dict[str, Any] | None:
    """Return what the phase that follows needs; `None` if it cannot be."""
    at = rng.choice([name for name in names(position) if is_passable(position, name)])
    if back == "tile":
        kind = tile_of(position, at)["kind"]
        supply = {"oasis": "palms", "village": "palaces"}.get(kind)
        return None if kind == "city" or (supply and not position["supply"][supply]) else {"at": at}
    if back == "tribe":
        colour = rng.choice("br")
        count = min(rng.randint(2, 4), position["bag"].count(colour))
        if count < 2:
            return None
        position["bag"] = group(position["bag"].replace(colour, "", count))
        return {"at": at, "lifted": colour * count}
    return {}


def control(position: Position, rng: Random, back: str) -> dict[str, Any] | None:
    """Return the values of a control phase after Leta, Utug or a slay."""
    seat = seat_of(position, position["to_act"])
    slain = rng.random() < 0.5
    free = [
        name
        for name in names(position)
        if is_passable(position, name)
        and tile_of(position, name)["owner"] is None
        and (meeples_on(position, name) == "" if slain else tile_of(position, name)["palms"] == 0)
        and (slain or tile_of(position, name)["palaces"] == 0)
    ]
    if not free or seat["camels"] == 0 or seat["tent"] == 0:
        return None
    kept = returned(position, rng, back)
    if kept is None:
        return None
    details: dict[str, Any] = {"target": rng.choice(free), "back": back, **kept}
    if slain:
        board = any(meeples_on(position, name) for name in names(position))
        details["left"] = rng.choice([0, 1]) if board else 0
    return details


def item(position: Position, rng: Random, back: str) -> dict[str, Any] | None:
    pile = position["items"]["pile"]
    if len(pile) < 2:
        return None
    count = rng.randint(2, min(5, len(pile)))
    drawn = pile[:count]
    del pile[:count]
    at = rng.choice([name for name in names(position) if is_passable(position, name)])
    return {"at": at, "drawn": drawn}


def flute(position: Position, rng: Random, back: str) -> dict[str, Any] | None:
    pulls = rng.randint(0, tables.MOST_PULLS - 1)
    near = steps(position)
    targets = [t for t in near if any(meeples_on(position, other) for other in near[t])]
    if pulls and rng.random() < 0.2:
        targets = list(near)
    return {"target": rng.choice(targets), "pulls": pulls} if targets else None


def horn(position: Position, rng: Random, back: str) -> dict[str, Any] | None:
    resources = position["resources"]
    cards = resources["row"] + resources["deck"] + resources["discard"]
    size = min(tables.RESOURCE_ROW, len(cards))
    if size < 2:
        return None
    details = returned(position, rng, back)
    if details is None:
        return None
    placed = rng.randint(0, size - 2)
    rest = cards[size:]
    cut = rng.randint(0, len(rest))
    position["resources"] = {"row": cards[:placed], "deck": rest[:cut], "discard": rest[cut:]}
    return {**details, "drawn": cards[placed:size], "back": back}


def scimitar(position: Position, rng: Random, back: str) -> dict[str, Any] | None:
    board = sum(len(meeples_on(position, name)) for name in names(position))
    details = returned(position, rng, back)
    if details is None or board == 0:
        return None
    return {**details, "left": rng.randint(1, min(2, board)), "back": back}
