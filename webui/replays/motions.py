"""The visible motions of a decision.

They are derived from the two positions around the decision, so that the same code covers every ruleset. A motion moves
symbols from one part to another (`tile-B3`, `seat-2-hand`, `market`). Motions on the board end before the new table is
shown. Motions that leave the board start from the new table.
"""

from collections import Counter
from collections.abc import Iterator

from arena.rules import View
from webui.replays.replay import SOWN, Step
from webui.words.vocabulary import counts

PICK, CARRY, DROP, LIFT, ARRIVE, LEAVE = "pick", "carry", "drop", "lift", "arrive", "leave"
"""Kinds of motions, in the order in which they are played. The hand is carried while one of its meeples drops."""

Motion = tuple[str, str, str, str, int, int]
"""Kind, symbol, origin, destination, number, and the seat whose colour it has (0 for none)."""


def motions(step: Step, before: View, after: View) -> list[Motion]:
    """Return the motions of a decision, in order. Hidden cards move as `card`. Hidden gold does not move."""
    result = [*_sowing(step, before, after), *_arrivals(before, after), *_departures(step, before, after)]
    for seat in range(1, before.players + 1):
        result += _seat(step, seat, before, after)
    return result


def _motion(kind: str, use: str, origin: str, to: str, number: int = 1, seat: int = 0) -> Motion:
    return kind, use, origin, to, number, seat


def _sowing(step: Step, before: View, after: View) -> Iterator[Motion]:
    words = step.text.split(" ")
    if step.verb == "take":
        for tribe, number in counts(before.tiles[words[1]].meeples):
            yield _motion(PICK, f"m-{tribe}", f"tile-{words[1]}", f"tile-{words[1]}", number)
    if step.verb in SOWN:
        at, to = f"tile-{before.turn.at}", f"tile-{words[1]}"
        for tribe, number in counts(before.turn.hand):
            if carried := number - (tribe == words[2]):
                yield _motion(CARRY, f"m-{tribe}", at, to, carried)
        yield _motion(DROP, f"m-{words[2]}", at, to)


def _arrivals(before: View, after: View) -> Iterator[Motion]:
    for name, now in after.tiles.items():
        was = before.tiles[name]
        if now is was:
            continue
        if now.owner and now.owner != was.owner:
            stock = f"seat-{now.owner}-stock"
            yield _motion(ARRIVE, "tent" if now.tent else "camel", stock, f"tile-{name}", seat=now.owner)
        for symbol, number in (("palm", now.palms - was.palms), ("palace", now.palaces - was.palaces)):
            if number > 0:
                yield _motion(ARRIVE, symbol, "turn-track", f"tile-{name}", number)


def _departures(step: Step, before: View, after: View) -> Iterator[Motion]:
    """Yield the motions of meeples that leave the board, to the seat that keeps them or to the bag.

    Meeples of the tribe dropped last are lifted. A whim leaves for the seat.
    """
    if step.verb == "take":
        return
    words = step.text.split(" ")
    had, has = before.seats[step.seat - 1], after.seats[step.seat - 1]
    gained = {"y": has.viziers - had.viziers, "w": has.elders - had.elders, "p": has.artisans - had.artisans}
    for name, now in after.tiles.items():
        if (now is before.tiles[name] or now == before.tiles[name]) and name not in words[1:2]:
            continue
        if before.tiles[name].whim and not now.whim:
            yield _motion(LEAVE, "whim", f"tile-{name}", f"seat-{step.seat}-whims")
        was = Counter(before.tiles[name].meeples)
        if step.verb in SOWN and name == words[1]:
            was[words[2]] += 1
        for tribe, number in sorted((was - Counter(now.meeples)).items()):
            to = f"seat-{step.seat}-stock" if gained.get(tribe, 0) > 0 else "bid-track"
            kind = LIFT if step.verb in SOWN and [name, tribe] == words[1:3] else LEAVE
            yield _motion(kind, f"m-{tribe}", f"tile-{name}", to, number)


def _seat(step: Step, seat: int, before: View, after: View) -> Iterator[Motion]:
    had, has = before.seats[seat - 1], after.seats[seat - 1]
    if had == has:
        return
    name = f"seat-{seat}"
    market = "market" if step.verb in ("buy", "sell") else "turn-track"
    if had.gold is not None and has.gold is not None and (gold := has.gold - had.gold):
        ends = (market, f"{name}-stock") if gold > 0 else (f"{name}-stock", market)
        yield _motion(LEAVE, "coin", *ends, min(abs(gold), 5))
    if had.hand is None or has.hand is None:
        if cards := has.cards - had.cards:
            ends = ("market", f"{name}-hand") if cards > 0 else (f"{name}-hand", "market")
            yield _motion(LEAVE, "card", *ends, abs(cards))
    else:
        for good, number in (Counter(has.hand) - Counter(had.hand)).items():
            yield _motion(LEAVE, f"i-{good}", "market", f"{name}-hand", number)
        for good, number in (Counter(had.hand) - Counter(has.hand)).items():
            yield _motion(LEAVE, f"i-{good}", f"{name}-hand", "market", number)
    items, held = has.items, had.items
    if isinstance(items, int) or isinstance(held, int):
        gained = {"item": items - held} if isinstance(items, int) and isinstance(held, int) else {}
    else:
        gained = {f"x-{item}": number for item, number in (Counter(items) - Counter(held)).items()}
    for symbol, number in gained.items():
        if number > 0:
            yield _motion(LEAVE, symbol, "items", f"{name}-items", number)
    for djinn in has.djinns:
        if djinn not in had.djinns:
            yield _motion(LEAVE, f"d-{djinn}", "djinns", f"{name}-djinns")
