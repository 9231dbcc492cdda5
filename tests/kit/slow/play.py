"""Play an action: its effects, the chance they need, and everything that resolves without a decision."""

from tests.kit.slow import legal as rules
from tests.kit.slow import turns, whims
from tests.kit.slow.board import (
    Position,
    add_meeples,
    add_to_bag,
    blue_around,
    clone,
    letters,
    meeples_on,
    seat_of,
    take_meeples,
    tile_of,
    without,
)
from tests.kit.slow.effects import Chance
from tests.kit.slow.items_play import ItemEffects
from tests.kit.slow.kills import fakirs_needed
from tests.kit.slow.tables import ITEMS, SUIT_VALUE, entries


def apply(position: Position, text: str, chance: Chance) -> tuple[Position, list[str]]:
    """Return the position after a legal action, and the chance events that it caused, in order."""
    if text not in rules.candidates(position) or not rules.allowed(position, text):
        raise ValueError(f"{text} is not legal in {position['phase']}: {rules.legal(position)}")
    played = Playing(clone(position), chance)
    verb, *args = text.split(" ")
    getattr(played, f"do_{verb}")(*args)
    whims.pay(played.position)
    return played.position, played.events


MARKET_PRICES = {"small-market": 3, "large-market": 6, "special-market": 4}


class Playing(ItemEffects):
    """One action being played on a copy of the position."""

    # -- bidding

    def do_bid(self, spot: str, _f: str = "f", spent: str = "0") -> None:
        self.seat["gold"] -= min(self.seat["gold"], rules.price(self.position, int(spot), int(spent)))
        if int(spent):
            self.discard_fakirs(int(spent))
            self.seat["used"].append("kumarbi")
        self.position["bid_order"].pop(0)
        track = self.position["turn_track"]
        entering = self.number
        for cell in entries(self.position["players"])[int(spot)]:  # a marker there moves on to the next cell
            entering, track[cell - 1] = track[cell - 1], entering
            if entering is None:
                break
            if entering != self.number:
                self.pushed(entering)
        if self.position["bid_order"]:
            self.position["to_act"] = self.position["bid_order"][0]
        else:
            turns.begin_turn(self.position)

    def pushed(self, number: int) -> None:
        """Pay Kali for a marker of another seat that has moved on: the pusher's Kali or the pushed seat's."""
        if "kali" in self.seat["djinns"]:
            self.seat["gold"] += 1
        if "kali" in seat_of(self.position, number)["djinns"]:
            seat_of(self.position, number)["gold"] += 2

    # -- moving

    def do_take(self, tile: str) -> None:
        hand = tile_of(self.position, tile)["meeples"]
        tile_of(self.position, tile)["meeples"] = "-"
        self.phase("sow", origin=tile, at=tile, hand=hand)

    def do_skip(self) -> None:
        self.phase("sell")

    def do_drop(self, tile: str, colour: str) -> None:
        turn = self.position["turn"]
        left = without(turn["hand"], colour)
        add_meeples(self.position, tile, colour)
        owner = tile_of(self.position, tile)["owner"]
        if owner is not None and "marid" in seat_of(self.position, owner)["djinns"]:
            seat_of(self.position, owner)["gold"] += 1 if owner == self.number else 2
        if left:
            self.phase("sow", **{"origin": turn["origin"], "at": tile, "hand": left, "from": turn["at"]})
            return
        lifted = colour * meeples_on(self.position, tile).count(colour)
        take_meeples(self.position, tile, lifted)
        empty = tile_of(self.position, tile)["meeples"] == "-"
        if empty and self.asks_control(tile, next="tribe", at=tile, lifted=lifted):
            return
        self.to_tribe(tile, lifted)

    def do_fly(self, tile: str, colour: str) -> None:
        self.use_up("carpet")
        self.do_drop(tile, colour)

    # -- control

    def do_camel(self) -> None:
        self.settle("camel")

    def do_tent(self) -> None:
        self.settle("tent")

    def settle(self, piece: str) -> None:
        """Place the piece and continue the turn."""
        turn = self.position["turn"]
        self.occupy(turn["target"], piece)
        if turn.get("next") == "tribe":
            self.to_tribe(turn["at"], turn["lifted"])
        elif turn.get("next") == "tile":
            self.to_tile(turn["at"])
        else:
            returned = {key: turn[key] for key in ("at", "lifted") if key in turn}
            self.after_slay(turn.get("left", 0), turn["back"], returned)

    # -- tribes

    def to_tribe(self, tile: str, lifted: str) -> None:
        colour = lifted[0]
        if colour in "br":
            self.phase("tribe", at=tile, lifted=lifted)
            return
        if colour == "p":
            self.seat["artisans"] += len(lifted)
            pile = self.refill("items")
            drawn = pile[: len(lifted)]
            del pile[: len(lifted)]
            if len(drawn) > 1:
                self.phase("item", at=tile, drawn=drawn)
                return
            self.seat["items"] += drawn
        elif colour == "y":
            self.seat["viziers"] += len(lifted)
        elif colour == "w":
            self.seat["elders"] += len(lifted)
        else:
            add_to_bag(self.position, lifted)
            row = self.position["resources"]["row"]
            for kind in row[: len(lifted)]:
                self.gain_card(kind)
            del row[: len(lifted)]
        self.to_tile(tile)

    def do_build(self, spent: str) -> None:
        turn = self.position["turn"]
        self.discard_fakirs(int(spent))
        earned = (len(turn["lifted"]) + int(spent)) * blue_around(self.position, turn["at"])
        self.seat["gold"] += earned * (2 if "echidna" in turn.get("doubled", []) else 1)
        self.end_tribe()

    def do_kill(self, target: str, victims: str) -> None:
        self.discard_fakirs(fakirs_needed(self.position, target))
        if target.startswith("@"):
            victim = seat_of(self.position, int(target[1:]))
            victim["viziers"] -= victims.count("y")
            victim["elders"] -= victims.count("w")
            if "p" in victims:
                victim["artisans"] -= victims.count("p")
        else:
            take_meeples(self.position, target, victims)
        keeper = "kandicha" in self.seat["djinns"]
        for letter in victims:
            if keeper and letter in "yw":
                self.seat["viziers" if letter == "y" else "elders"] += 1
                continue
            if keeper and letter == "p":
                self.seat["artisans"] += 1
                self.gain_item()
                continue
            add_to_bag(self.position, letter)
            if keeper and letter == "g":
                card = self.draw("resources")
                if card is not None:
                    self.gain_card(card)
            if keeper and letter == "b":
                self.seat["gold"] += blue_around(self.position, target)
        self.passive("nekir")
        turn = self.position["turn"]
        add_to_bag(self.position, turn["lifted"])
        emptied = not target.startswith("@") and tile_of(self.position, target)["meeples"] == "-"
        if emptied and self.asks_control(target, next="tile", at=turn["at"]):
            return
        self.to_tile(turn["at"])

    def do_spare(self) -> None:
        self.end_tribe()

    def end_tribe(self) -> None:
        turn = self.position["turn"]
        add_to_bag(self.position, turn["lifted"])
        self.to_tile(turn["at"])

    # -- tiles

    def to_tile(self, at: str) -> None:
        self.phase("tile", at=at)
        kind = tile_of(self.position, at)["kind"]
        if kind == "city":
            self.visit_city(at)
        if kind not in rules.PLACING:
            return
        word, pieces, _ = rules.PLACING[kind]
        placements = [text for text in rules.legal(self.position) if text.split(" ")[0] == word]
        if len(placements) <= 1:  # without a choice it resolves by itself
            if placements:
                self.put_piece(pieces, at)
            self.phase("sell")

    def visit_city(self, at: str) -> None:
        """Take the whim that lies there, if there is one."""
        tile = tile_of(self.position, at)
        if tile["whim"] is not None:
            self.seat["whims"]["open"].append(tile["whim"])
            tile["whim"] = None
            self.passive("ganesha")
        self.phase("sell")

    def do_palm(self, tile: str, payment: str = "") -> None:
        self.placed("palms", "lamia", tile, payment)

    def do_palace(self, tile: str, payment: str = "") -> None:
        self.placed("palaces", "hagis", tile, payment)

    def placed(self, pieces: str, mover: str, tile: str, payment: str) -> None:
        if payment:
            self.pay(payment)
            self.seat["used"].append(mover)
        self.put_piece(pieces, tile)
        self.phase("sell")

    def do_buy(self, *places: str) -> None:
        self.seat["gold"] -= MARKET_PRICES[tile_of(self.position, self.position["turn"]["at"])["kind"]]
        row = self.position["resources"]["row"]
        for kind in [row[int(p) - 1] for p in places]:
            self.gain_card(kind)
        for p in reversed(places):
            del row[int(p) - 1]
        self.phase("sell")

    def do_craft(self, payment: str) -> None:
        if payment == "p":
            self.seat["artisans"] -= 1
            add_to_bag(self.position, "p")
        else:
            self.pay(payment)
        self.gain_item()
        self.phase("sell")

    def do_summon(self, djinn: str, payment: str) -> None:
        self.pay(payment)
        self.position["djinns"]["row"].remove(djinn)
        self.gain_djinn(djinn)
        self.phase("sell")

    def do_pass(self) -> None:
        self.phase("sell")

    # -- powers

    def do_use(self, djinn: str, payment: str, *args: str) -> None:
        self.pay(payment)
        self.seat["used"].append(djinn)
        if djinn == "anun-nak":
            bag = letters(self.position["bag"])
            drawn = self.chance.bag(bag, min(3, len(bag)))
            self.events.append(f"!bag {drawn}")
            self.position["bag"] = without(bag, drawn) or "-"
            add_meeples(self.position, args[0], drawn)
        elif djinn in ("enki", "bouraq"):
            pieces, mover = ("palms", "lamia") if djinn == "enki" else ("palaces", "hagis")
            target = args[0]
            if len(args) == 3:
                self.pay(args[1])
                self.seat["used"].append(mover)
                target = args[2]
            self.put_piece(pieces, target)
        elif djinn in ("leta", "utug"):
            back = self.passing_turn()
            if self.asks_control(args[0], **back, back=self.position["phase"]):
                return
        elif djinn == "sloar":
            card = self.draw("resources")
            assert card is not None
            self.gain_card(card)
        elif djinn == "sibittis":
            drawn_djinns = [card for card in (self.draw("djinns") for _ in range(3)) if card is not None]
            self.phase("choose", **self.passing_turn(), drawn=drawn_djinns, back=self.position["phase"])
            return
        else:
            turn = self.position["turn"]
            turn["doubled"] = sorted([*turn.get("doubled", []), djinn])
        self.lapse()

    def lapse(self) -> None:
        """Drop a compulsory placement that is being asked for, if its last piece has gone elsewhere."""
        if self.position["phase"] != "tile":
            return
        kind = tile_of(self.position, self.position["turn"]["at"])["kind"]
        if kind in rules.PLACING and self.position["supply"][rules.PLACING[kind][1]] == 0:
            self.phase("sell")

    def do_keep(self, kept: str) -> None:
        turn = self.passing_turn()
        drawn = turn.pop("drawn")
        assert isinstance(drawn, list)
        drawn.remove(kept)
        if kept in ITEMS:
            self.seat["items"].append(kept)
            self.position["items"]["discard"] += drawn
            self.to_tile(str(turn["at"]))
        else:
            self.gain_djinn(kept)
            self.position["djinns"]["discard"] += drawn
            self.phase(str(turn.pop("back")), **turn)

    # -- the end of a turn

    def do_sell(self, *goods: str) -> None:
        for kind in goods:
            self.lose_card(kind)
            self.position["resources"]["discard"].append(kind)
        self.seat["gold"] += SUIT_VALUE[len(goods)]

    def do_end(self) -> None:
        turns.set_ending(self.position)
        if any(marker is not None for marker in self.position["turn_track"]):
            turns.begin_turn(self.position)
        elif self.position["ending"] is not None:
            turns.finish(self.position)
        else:
            turns.clean_up(self.position, self.draw)
