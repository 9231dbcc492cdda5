"""Play the Artisans' own verbs."""

from tests.kit.slow.board import add_meeples, add_to_bag, meeples_on, names, take_meeples, tile_of
from tests.kit.slow.effects import Effects
from tests.kit.slow.tables import MOST_PULLS, RESOURCE_ROW, SLAYS


class ItemEffects(Effects):
    def use_up(self, item: str) -> None:
        self.seat["items"].remove(item)
        self.position["items"]["discard"].append(item)
        self.position["turn"]["item_used"] = True

    def do_item(self, kind: str, *args: str) -> None:
        if kind == "ring":
            fetched = args[0]
            self.position["items"]["discard"].remove(fetched)  # the oldest of its kind
            self.use_up("ring")
            self.seat["items"].append(fetched)
            return
        self.use_up(kind)
        if kind == "lamp":
            self.position["djinns"]["row"].remove(args[0])
            self.gain_djinn(args[0])
        elif kind == "talisman":
            tile_of(self.position, args[0])["owner"] = None
            tile_of(self.position, args[1])["owner"] = self.number
        elif kind == "flute":
            self.phase("flute", target=args[0], pulls=0)
        elif kind == "horn":
            self.blow_horn()
        else:
            back = {**self.passing_turn(), "back": self.position["phase"]}
            self.phase("scimitar", **back, left=min(SLAYS, self.meeples_left()))

    # -- scimitar

    def meeples_left(self) -> int:
        return sum(len(meeples_on(self.position, tile)) for tile in names(self.position))

    def do_slay(self, tile: str, colour: str) -> None:
        take_meeples(self.position, tile, colour)
        add_to_bag(self.position, colour)
        turn = self.passing_turn()
        left = min(int(str(turn.pop("left"))) - 1, self.meeples_left())
        back = str(turn.pop("back"))
        if meeples_on(self.position, tile) == "" and self.asks_control(tile, **turn, left=left, back=back):
            return
        self.after_slay(left, back, turn)

    def after_slay(self, left: int, back: str, returned: dict[str, object]) -> None:
        if left:
            self.phase("scimitar", **returned, left=left, back=back)
        else:
            self.phase(back, **returned)

    # -- flute

    def do_pull(self, tile: str, colour: str) -> None:
        turn = self.position["turn"]
        take_meeples(self.position, tile, colour)
        add_meeples(self.position, turn["target"], colour)
        turn["pulls"] += 1
        if turn["pulls"] == MOST_PULLS:
            self.phase("move")

    def do_done(self) -> None:
        self.phase("move")

    # -- horn

    def blow_horn(self) -> None:
        resources = self.position["resources"]
        resources["discard"] += resources["row"]
        resources["row"] = []
        drawn = [card for card in (self.draw("resources") for _ in range(RESOURCE_ROW)) if card is not None]
        if len(drawn) == 1:
            resources["row"] = drawn
        else:
            self.phase("horn", **self.passing_turn(), drawn=drawn, back=self.position["phase"])

    def do_next(self, kind: str) -> None:
        turn = self.position["turn"]
        row = self.position["resources"]["row"]
        turn["drawn"].remove(kind)
        row.append(kind)
        if len(turn["drawn"]) == 1:
            row += turn["drawn"]
            back = self.passing_turn()
            del back["drawn"]
            self.phase(str(back.pop("back")), **back)
