"""Seeded strange positions: valid by the invariants of the rules, but rare in play.

Every seat may own several Djinns, elders and Fakirs. Piles and supplies may be used up, the bag empty or full, camels
nearly gone, and the meeples heaped on few tiles.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.kit import positions_expansions as more
from tests.kit.slow import tables, turns
from tests.kit.slow.board import Position, distance, group, is_passable, names, tile_of
from tests.kit.slow.powers import POWERS
from tests.kit.slow.setup import new_position
from tests.kit.slow.sowing import any_take

LARGEST_HAND = 9
FRONT = {"y": "viziers", "w": "elders", "p": "artisans"}
PAID = [*POWERS, "hagis", "lamia"]  # Kumarbi is used while bidding


def phases(expansions: Sequence[str] = ()) -> list[str]:
    """Return the phases of strange positions, the frequent ones twice."""
    base = ["bid", "move", "move", "tribe", "tile", "sell"]
    return [*base, *more.PHASES] if "artisans" in expansions else base


def strange_position(players: int, seed: int, phase: str | None = None, expansions: Sequence[str] = ()) -> Position:
    """Return a position in one of the phases: a round's first bid, the beginning of a player's turn, or inside it."""
    rng = Random(f"strange {players} {seed} {phase} {'+'.join(expansions)}")
    phase = phase or rng.choice(phases(expansions))
    while True:
        position, _ = new_position(players, rng.randbytes(32), expansions=expansions)
        position["round"] = rng.randint(2, 12)
        _djinns(position, rng)
        _resources(position, rng, phase)
        _pieces(position, rng, phase)
        _meeples(position, rng)
        if "artisans" in expansions:
            more.items(position, rng)
        _markers(position, rng, phase)
        if phase == "bid" and not any_take(position):
            continue  # the game would have ended before this round
        if phase in ("move", "bid") or _inside(position, rng, phase):
            if rng.random() < 0.5:
                _provoke(position, rng)
            if phase in more.PHASES and not more.inside(position, rng, phase):
                continue
            if "whims" in expansions:
                more.whims(position, rng)
            return position


def _ground(position: Position) -> list[str]:
    return [name for name in names(position) if is_passable(position, name)]


def _djinns(position: Position, rng: Random) -> None:
    names = list(tables.djinns(position["expansions"]))
    rng.shuffle(names)
    row = [names.pop() for _ in range(rng.choice([0, 1, 2, 3, 3]))]
    most = len(names) // position["players"]
    for seat in position["seats"]:
        seat["djinns"] = [names.pop() for _ in range(rng.randint(0, most))]
    cut = rng.choice([0, 0, len(names), rng.randint(0, len(names))])
    if len(row) < tables.DJINN_ROW:
        cut = rng.choice([cut, len(names)])
    position["djinns"] = {"row": row, "discard": names[:cut], "deck": names[cut:]}


def _resources(position: Position, rng: Random, phase: str) -> None:
    cards = [kind for kind, copies in tables.RESOURCES.items() for _ in range(copies)]
    rng.shuffle(cards)
    rich = rng.random() < 0.5  # Fakirs and few goods, so that powers can be paid
    if rich:
        for _ in position["seats"]:
            cards.remove("fakir")
            cards.remove("fakir")
        cards.sort(key=lambda kind: kind == "fakir" and rng.random() < 0.8)
    for seat in position["seats"]:
        held: dict[str, int] = {"fakir": 2} if rich else {}
        for _ in range(rng.choice([0, 1, 3, 5, 8])):
            kind = cards.pop()
            held[kind] = held.get(kind, 0) + 1
        seat["hand"] = held
    rng.shuffle(cards)
    full = tables.RESOURCE_ROW
    shown = full if phase == "bid" else rng.choice([0, 1, 2, 4, 6, full, full])
    row = [cards.pop() for _ in range(min(shown, len(cards)))]
    cut = rng.choice([0, len(cards), max(0, len(cards) - 2), rng.randint(0, len(cards))])
    if rng.random() < 0.15:  # nothing to draw at all: somebody holds the rest
        for kind in cards:
            hand = rng.choice(position["seats"])["hand"]
            hand[kind] = hand.get(kind, 0) + 1
        cards, cut = [], 0
    position["resources"] = {"row": row, "discard": cards[:cut], "deck": cards[cut:]}


def _pieces(position: Position, rng: Random, phase: str) -> None:
    """Place camels, palms and palaces."""
    players = position["players"]
    tiles = position["board"]["tiles"]
    free = _ground(position)
    rng.shuffle(free)
    fewest = 0 if phase == "move" and rng.random() < 0.3 else 1
    bare = rng.randint(0, 8)
    for number, seat in enumerate(position["seats"], start=1):
        if seat.get("tent") and rng.random() < (0.2 if phase == "control" else 0.5):
            name = free.pop()
            tiles[name] |= {"owner": number, "tent": True}
            seat["tent"] = 0
        kept = 0 if seat.get("tent") and phase != "control" else fewest
        most = max(0, min(tables.CAMELS[players] - kept, (len(free) - bare) // (players - number + 1)))
        placed = most if rng.random() < 0.4 else rng.randint(0, most)
        for _ in range(placed):
            tiles[free.pop()]["owner"] = number
        seat["camels"] = tables.CAMELS[players] - placed
    for pieces, total in (("palms", tables.PALMS), ("palaces", tables.PALACES)):
        left = rng.choice([0, 1, 2, total, rng.randint(0, total)])
        ground = rng.sample(_ground(position), rng.randint(1, 12))
        for _ in range(total - left):
            tiles[rng.choice(ground)][pieces] += 1
        position["supply"][pieces] = left


def _meeples(position: Position, rng: Random) -> None:
    tiles = position["board"]["tiles"]
    meeples = [letter for letter, copies in tables.meeples(position["expansions"]).items() for _ in range(copies)]
    rng.shuffle(meeples)
    for tile in tiles.values():
        tile["meeples"] = ""
    heap = rng.random() < 0.3
    passable = _ground(position)
    ground = rng.sample(passable, rng.randint(1, 6) if heap else rng.randint(2, len(passable)))
    largest = min(len(ground) * (LARGEST_HAND if heap else 4), len(meeples))
    board = largest - rng.choice([0, 1, 2]) if rng.random() < 0.3 else rng.randint(0, largest)
    board = max(board, 0)
    for _ in range(board):
        room = [name for name in ground if len(tiles[name]["meeples"]) < LARGEST_HAND]
        tiles[rng.choice(room)]["meeples"] += meeples.pop()
    bag = ""
    most = rng.choice([0, 1, 2, 4, 90])  # in front of each seat
    for letter in meeples:
        seat = rng.choice(position["seats"])
        what = FRONT.get(letter)
        if what and seat[what] < most:
            seat[what] += 1
        else:
            bag += letter
    if rng.random() < 0.3:  # an empty bag: as many as possible stand before seats, the rest on the board
        rest = ""
        for letter in bag:
            what = FRONT.get(letter)
            if what:
                rng.choice(position["seats"])[what] += 1
            else:
                rest += letter
        for letter in rest:
            name = rng.choice([n for n in passable if len(tiles[n]["meeples"]) < LARGEST_HAND])
            tiles[name]["meeples"] += letter
        bag = ""
    position["bag"] = group(bag)
    for tile in tiles.values():
        tile["meeples"] = group(tile["meeples"])


def _markers(position: Position, rng: Random, phase: str) -> None:
    markers = list(tables.MARKERS[position["players"]])
    rng.shuffle(markers)
    for seat in position["seats"]:
        seat["gold"] = rng.choice([0, 1, 2, 5, rng.randint(0, 60), rng.randint(0, 200)])
    track: list[Any] = [None] * len(position["turn_track"])
    position["turn_track"] = track
    if phase == "bid":
        position["bid_order"] = markers
        position["to_act"] = markers[0]
        return
    for seat in position["seats"]:
        # in the order in which they were used
        used = [djinn for djinn in [*PAID, "kumarbi"] if djinn in seat["djinns"] and rng.random() < 0.2]
        seat["used"] = rng.sample(used, len(used))
    waiting = rng.randint(1, len(markers))
    entries = tables.entries(position["players"])
    for marker in markers[:waiting]:
        room = [cell for cells in entries.values() for cell in cells if track[cell - 1] is None]
        spot = rng.choice(room)  # the zeros have the most room of these
        cells = next(cells for cells in entries.values() if spot in cells)
        track[next(cell for cell in cells if track[cell - 1] is None) - 1] = marker
    position["bid_order"] = markers[waiting:]
    turns.begin_turn(position)


def _inside(position: Position, rng: Random, phase: str) -> bool:
    """Put a position at the beginning of a turn into a later phase of it. Return false if this one cannot be."""
    kinds = sorted({tile_of(position, name)["kind"] for name in _ground(position)})
    wanted = rng.choice(kinds)
    at = rng.choice([name for name in _ground(position) if tile_of(position, name)["kind"] == wanted])
    seat = position["seats"][position["to_act"] - 1]
    turn: dict[str, Any] = {}
    if phase == "tribe":
        colour = rng.choice("br")
        count = min(rng.choice([2, 2, 3, 4]), position["bag"].count(colour))
        if count < 2:
            return False
        position["bag"] = group(position["bag"].replace(colour, "", count))
        turn = {"at": at, "lifted": colour * count}
    elif phase == "tile":
        kind = position["board"]["tiles"][at]["kind"]
        if kind == "city" or position["supply"][{"oasis": "palms", "village": "palaces"}.get(kind, "palms")] == 0:
            return False
        turn = {"at": at}
    doubled = [djinn for djinn in ("echidna", "iblis") if djinn in seat["used"] and rng.random() < 0.8]
    if doubled:
        turn["doubled"] = doubled
    if "artisans" in position["expansions"] and rng.random() < 0.2:
        turn["item_used"] = True
    position["phase"] = phase
    position["turn"] = turn
    return True


def _provoke(position: Position, rng: Random) -> None:
    """Give the acting seat the combination that makes the phase hard."""
    number, phase = position["to_act"], position["phase"]
    seat, turn = position["seats"][number - 1], position["turn"]
    wanted: list[str] = []
    if phase == "bid":
        markers = position["bid_order"]
        if len(markers) > 3 and rng.random() < 0.7:  # zeros are taken, mostly all, and the next bidder is poor
            zeros = rng.choice([1, 2, 2, 3, 3])
            position["turn_track"][-3:] = [*markers[:zeros], None, None][:3]
            del markers[:zeros]
            number = position["to_act"] = markers[0]
            seat = position["seats"][number - 1]
            seat["gold"] = rng.choice([0, 0, 1])
        wanted = ["kumarbi"]
        if "whims" in position["expansions"] and rng.random() < 0.6:
            wanted = ["kumarbi", "kali"]
    elif phase == "tribe":
        if "artisans" in position["expansions"] and rng.random() < 0.3:
            position["items"]["discard"] += position["items"]["pile"]
            position["items"]["pile"] = []
        wanted = ["iblis", "kandicha"] if turn["lifted"][0] == "r" else ["echidna"]
        if turn["lifted"][0] == "r" and rng.random() < 0.5:
            _distant_victims(position, rng)
    elif phase == "tile":
        kind = position["board"]["tiles"][turn["at"]]["kind"]
        pair = {"oasis": ["enki", "lamia"], "village": ["bouraq", "hagis"]}.get(kind)
        if pair:
            wanted = pair
            _spread(position, "palms" if kind == "oasis" else "palaces", rng.choice([1, 1, 2]))
    elif phase == "sell" and rng.random() < 0.6:  # both end triggers at once
        for tile in position["board"]["tiles"].values():
            position["bag"] = group(position["bag"].strip("-") + tile["meeples"].strip("-"))
            tile["meeples"] = "-"
        free = [name for name in _ground(position) if tile_of(position, name)["owner"] is None]
        if seat["camels"] + seat.get("tent", 0) <= len(free):
            for name in free:
                if seat["camels"] > 0:
                    tile_of(position, name)["owner"] = number
                    seat["camels"] -= 1
                elif seat.get("tent"):
                    tile_of(position, name).update(owner=number, tent=True)
                    seat["tent"] = 0
            position["ending"] = None  # they arrived during this turn
    if "artisans" in position["expansions"]:
        more.provoke(position, rng)
    for djinn in wanted:
        _give(position, djinn, number)
    for _ in range(rng.choice([0, 0, 1, 2])):
        if "w" in position["bag"]:
            position["bag"] = position["bag"].replace("w", "", 1) or "-"
            seat["elders"] += 1
        for pile in ("deck", "discard"):
            if "fakir" in position["resources"][pile]:
                position["resources"][pile].remove("fakir")
                seat["hand"]["fakir"] = seat["hand"].get("fakir", 0) + 1
                break


def _distant_victims(position: Position, rng: Random) -> None:
    """Leave victims on one tile only, about as far away as the seat's Fakirs reach; nobody stands before a seat."""
    turn, tiles = position["turn"], position["board"]["tiles"]
    seat = position["seats"][position["to_act"] - 1]
    spent = seat["hand"].pop("fakir", 0)
    kept = min(spent, rng.randint(1, 2))
    if kept:
        seat["hand"]["fakir"] = kept
    position["resources"]["discard"] += ["fakir"] * (spent - kept)
    bag = position["bag"].strip("-") + "".join(tile["meeples"].strip("-") for tile in tiles.values())
    for tile in tiles.values():
        tile["meeples"] = "-"
    for number, other in enumerate(position["seats"], start=1):
        if number != position["to_act"]:
            for letter, what in FRONT.items():
                if what in other:
                    bag += letter * other[what]
                    other[what] = 0
    reach = len(turn["lifted"]) + kept
    far = [name for name in _ground(position) if distance(name, turn["at"]) in (reach, reach - 1)]
    victims = rng.sample(bag, rng.randint(1, 3))
    for letter in victims:
        bag = bag.replace(letter, "", 1)
    tiles[rng.choice(far or _ground(position))]["meeples"] = group("".join(victims))
    position["bag"] = group(bag)


def _give(position: Position, djinn: str, number: int) -> None:
    """Give the seat the Djinn, in exchange for another one that it owns."""
    seat = position["seats"][number - 1]
    if djinn in seat["djinns"]:
        return
    others = [own for own in seat["djinns"] if own not in ("iblis", "enki", "bouraq")]
    for place in [*position["djinns"].values(), *(other["djinns"] for other in position["seats"])]:
        if djinn in place and others:
            place[place.index(djinn)] = others[0]
            seat["djinns"][seat["djinns"].index(others[0])] = djinn
            break
    for other in position["seats"]:
        other["used"] = [used for used in other["used"] if used in other["djinns"]]
    if position["turn"]:
        doubled = [used for used in position["turn"].pop("doubled", []) if used in seat["used"]]
        if doubled:
            position["turn"]["doubled"] = doubled


def _spread(position: Position, pieces: str, left: int) -> None:
    """Move palms or palaces between the board and the supply until `left` are in the supply."""
    tiles = [tile_of(position, name) for name in _ground(position)]
    while position["supply"][pieces] > left:
        position["supply"][pieces] -= 1
        tiles[position["supply"][pieces]][pieces] += 1
    while position["supply"][pieces] < left:
        position["supply"][pieces] += 1
        next(tile for tile in tiles if tile[pieces] > 0)[pieces] -= 1
