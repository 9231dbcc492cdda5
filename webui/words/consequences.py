"""Describe what followed from a decision, by comparing the positions before and after it.

The sentences use only what both positions show. Given a spectator's views, they reveal nothing hidden.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.rules import Ruleset, View
from arena.rules.view_parts import pile_size
from webui.words.cards import djinn_name
from webui.words.tiles import whim_needs, whim_reward
from webui.words.vocabulary import cards_taken, coins, fakirs, group_taken, group_words

_LIFTING = ("drop", "fly", "camel", "tent")
"""Decisions after which the lifted tribe acts without another decision."""


def consequence_words(text: str, chance: Sequence[str], seats: Sequence[str], before: View, after: View) -> list[str]:
    """Return short sentences about what followed from a decision, such as `Oud collects 3 viziers`.

    `text` is the decision, `chance` the chance events after it, and `seats` the names of the seats. `before` and
    `after` are the views around the decision.
    """
    verb = text.partition(" ")[0]
    acting = before.to_act
    assert acting  # a decision was due, so a seat acts
    return [
        *_pushed(seats, acting, before, after),
        *_tribe(verb, seats[acting - 1], acting - 1, before, after),
        *_placed(verb, before, after),
        *_fakirs_of_killing(verb, seats[acting - 1], before, after),
        *_whims(seats[acting - 1], seats, before, after),
        *_gold(verb, seats, acting, before, after),
        *_chance(chance),
        *_clean_up(before, after),
    ]


def _pushed(seats: Sequence[str], acting: int, before: View, after: View) -> Iterator[str]:
    """Yield a sentence for each marker that a bid pushed to the next spot."""
    if before.phase == "bid":
        had, has = before.turn_track, after.turn_track
        for spot, seat in enumerate(has[1:], 1):
            if seat and seat == had[spot - 1] and seat != had[spot] and seat != acting:
                price = Ruleset(before.players, before.expansions).track.costs[spot]
                values = {"bot": seats[seat - 1], "gold": coins(price)}
                if price:
                    yield _("the marker of %(bot)s is pushed to the other spot of %(gold)s") % values
                else:
                    yield _("the marker of %(bot)s is pushed to the next free spot") % values


def _tribe(verb: str, bot: str, seat: int, before: View, after: View) -> Iterator[str]:
    """Yield sentences about what the acting seat gained from the lifted tribe, from a power or from an item."""
    had, has = before.seats[seat], after.seats[seat]
    for tribe, gained in (
        ("y", has.viziers - had.viziers),
        ("w", has.elders - had.elders),
        ("p", has.artisans - had.artisans),
    ):
        if gained > 0:
            yield _("%(bot)s collects %(meeples)s") % {"bot": bot, "meeples": group_taken(tribe * gained)}
    row, left = before.market, after.market
    if verb in _LIFTING and len(left) < len(row):
        taken = row[: len(row) - len(left)]
        yield _("%(bot)s gets %(cards)s through the merchants") % {"bot": bot, "cards": cards_taken(taken)}
    if verb not in ("keep", "item", "fly") and (drawn := pile_size(has.items) - pile_size(had.items)) > 0:
        yield ngettext("%(bot)s draws an item", "%(bot)s draws %(n)d items", drawn) % {"bot": bot, "n": drawn}
    if verb in ("use", "kill") and had.hand is not None and has.hand is not None:
        drawn_cards = Counter(has.hand) - Counter(had.hand)
        if drawn_cards:
            yield _("%(bot)s draws %(cards)s") % {"bot": bot, "cards": cards_taken([*drawn_cards.elements()])}
    if after.phase in ("item", "choose") and before.phase != after.phase:
        number = pile_size(after.turn.drawn)
        words = (
            ngettext("%(bot)s draws %(n)d item to choose from", "%(bot)s draws %(n)d items to choose from", number)
            if after.phase == "item"
            else ngettext(
                "%(bot)s draws %(n)d Djinn to choose from", "%(bot)s draws %(n)d Djinns to choose from", number
            )
        )
        yield words % {"bot": bot, "n": number}


def _placed(verb: str, before: View, after: View) -> Iterator[str]:
    """Yield sentences about palms and palaces that the decision does not name, and about the end of the game."""
    for tile, has in after.tiles.items():
        had = before.tiles[tile]
        if has is had:
            continue
        if has.palms > had.palms and verb not in ("palm", "use"):
            yield _("a palm is planted on %(tile)s") % {"tile": tile}
        if has.palaces > had.palaces and verb not in ("palace", "use"):
            yield _("a palace is built on %(tile)s") % {"tile": tile}
    if after.ending and not before.ending:
        if after.ending == "no-moves":
            yield _("no meeple can move any more: this round is the last")
        elif "artisans" in after.expansions:
            yield _("a seat has placed its last camel and its tent: this round is the last")
        else:
            yield _("a last camel is placed: this round is the last")


def _fakirs_of_killing(verb: str, bot: str, before: View, after: View) -> Iterator[str]:
    """Yield a sentence about the Fakirs that the assassins needed to reach their victim."""
    if verb != "kill":
        return
    given = after.discard.count("fakir") - before.discard.count("fakir")
    if given > 0:
        yield _("%(bot)s pays %(fakirs)s for the distance") % {"bot": bot, "fakirs": fakirs(given)}


def _whims(bot: str, seats: Sequence[str], before: View, after: View) -> Iterator[str]:
    """Yield sentences about the whim that the acting seat took, and about the whims that were fulfilled."""
    for tile, has in after.tiles.items():
        had = before.tiles[tile]
        if has is not had and had.whim and not has.whim:
            values = {"bot": bot, "needs": whim_needs(had.whim), "gold": coins(whim_reward(had.whim))}
            yield _("%(bot)s takes a whim (%(gold)s for %(needs)s)") % values
    for owner, seat_before, seat_after in zip(seats, before.seats, after.seats, strict=True):
        for whim in seat_after.paid_whims[len(seat_before.paid_whims) :]:
            values = {"bot": owner, "needs": whim_needs(whim), "gold": coins(whim_reward(whim))}
            yield _("%(bot)s fulfils a whim (%(needs)s) and gains %(gold)s") % values


_GAINS = {
    "nekir": ("kill",),
    "monkir": ("drop", "palace", "use"),
    "marid": ("drop", "fly"),
    "baal": ("summon", "keep", "item"),
    "kali": ("bid",),
    "ganesha": ("drop", "fly"),
    "kandicha": ("kill",),
}
"""Djinns that bring gold, each with the decisions that can make it pay."""
_PRICED = ("bid", "build", "buy", "sell")
"""Decisions whose own sentence already names the gold that the acting seat pays or earns."""


def _gold(verb: str, seats: Sequence[str], acting: int, before: View, after: View) -> Iterator[str]:
    """Yield sentences about gold that no other sentence explains. Seats whose gold is hidden are left out."""
    for number, (bot, had, has) in enumerate(zip(seats, before.seats, after.seats, strict=True), 1):
        if had.gold is None or has.gold is None or (number == acting and verb in _PRICED):
            continue
        whims = has.paid_whims[len(had.paid_whims) :]
        gained = has.gold - had.gold - sum(map(whim_reward, whims))
        paying = [djinn for djinn in had.djinns if verb in _GAINS.get(djinn, ())]
        if gained > 0 and len(paying) == 1:
            values = {"bot": bot, "gold": coins(gained), "djinn": djinn_name(paying[0])}
            yield _("%(bot)s gains %(gold)s through %(djinn)s") % values
        elif gained > 0:
            yield _("%(bot)s gains %(gold)s") % {"bot": bot, "gold": coins(gained)}


def _chance(events: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each chance event."""
    for event in events:
        verb, *words = event.split(" ")
        if verb == "!bag":
            yield _("out of the bag: %(meeples)s") % {"meeples": group_words(words[0])}
        elif words[0] == "djinns":
            yield _("the discarded Djinns are shuffled into a new pile")
        elif words[0] == "items":
            yield _("the discarded items are shuffled into a new pile")
        else:
            yield _("the discarded resources are shuffled into a new deck")


def _clean_up(before: View, after: View) -> Iterator[str]:
    """Yield a sentence if a round or the game has ended."""
    if after.round > before.round:
        yield _("round %(n)d begins") % {"n": after.round}
    elif after.phase == "over":
        yield _("the game is over")
